# SPDX-License-Identifier: MIT
"""TCPIP's checksums (service/tcpip/port/checksum.c) against RFC 1071's own arithmetic, of packets
in pieces of any length."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
LEVELS = ("2.1.3", "2.2.1")
ADDRESS = st.integers(0, 2**32 - 1)
PIECES = st.lists(
    st.one_of(
        st.binary(max_size=70),
        st.integers(0, 3000).map(lambda n: b"\xff" * n),
        st.integers(0, 40).map(lambda n: b"\0" * n),
    ),
    min_size=1,
    max_size=7,
)


@pytest.fixture(scope="module", params=LEVELS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lwip = VMKB / "build" / "lwip" / f"lwip-{request.param}" / "src" / "include"
    if not lwip.is_dir():
        pytest.skip("lwIP's source is not there: scripts/setup fetches it")
    port = VMKB / "service" / "tcpip" / "port"
    flags = ["-iquote", str(port), f"-isystem{lwip}", *rooms("lib", "include", "service/lib")]
    flags += ["-iquote", str(port.parent), "-iquote", str(port.parent / "libc")]
    sources = HERE / "sums.c", port / "checksum.c"
    return compiled(tmp_path_factory.mktemp("sums"), flags, *sources)


@pytest.fixture(scope="module")
def sums(program: Path) -> Iterator[Harness]:
    harness = Harness(program)
    yield harness
    harness.end()


def rfc1071(data: bytes) -> int:
    """The complement of the one's complement sum of big-endian words of 16 bits."""
    data += b"\0" * (len(data) % 2)
    total = sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def hexes(pieces: list[bytes]) -> list[str]:
    return [piece.hex() or "-" for piece in pieces]


@settings(max_examples=150, deadline=None)
@given(pieces=PIECES, source=ADDRESS, to=ADDRESS, protocol=st.sampled_from((6, 17)))
def test_a_packet_in_pieces(
    sums: Harness, pieces: list[bytes], source: int, to: int, protocol: int
) -> None:
    whole = b"".join(pieces)
    head = struct.pack(">IIBBH", source, to, 0, protocol, len(whole))
    answer = sums.line("packet", source, to, protocol, *hexes(pieces))
    assert answer == str(rfc1071(head + whole))
    assert sums.line("chain", *hexes(pieces)) == str(rfc1071(whole))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 20, 21, 1500])
def test_bytes_alone_and_what_has_its_own_sum(sums: Harness, size: int) -> None:
    data = bytes((7 * i + 1) % 256 for i in range(size))
    total = rfc1071(data)
    assert sums.line("plain", *hexes([data])) == str(total)
    if size % 2 == 0:
        assert sums.line("chain", *hexes([data, struct.pack(">H", total)])) == "0"
