# SPDX-License-Identifier: MIT
"""The Python node's packets: known bytes, round trips, noise."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.peers.decnet import packets as p

NODE = st.builds(lambda a, n: a << 10 | n, st.integers(1, 63), st.integers(1, 1023))
WORD = st.integers(0, 0xFFFF)


def test_address_and_its_mac() -> None:
    assert p.address("1.2") == 0x0402
    assert p.mac(0x0402).hex() == "aa0004000204"


@pytest.mark.parametrize("text", ["", "1", "64.1", "1.1024", "0.1", "1.0", "a.b"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError):
        p.address(text)


def test_hello_is_as_the_protocol_has_it() -> None:
    frame = p.hello_frame(p.address("1.2"))
    assert frame[:14].hex() == "ab0000030000aa00040002046003"
    assert frame[16:33].hex() == "0d020000aa000400020403da0500" + "000000"
    assert len(frame) == 60


@given(NODE, NODE, st.binary(min_size=1, max_size=600))
def test_data_frames_come_back(source: int, to: int, message: bytes) -> None:
    frame = p.data_frame(source, to, message)
    assert len(frame) >= 60
    assert p.open_frame(frame, to) == (source, message)
    if source != to:
        assert p.open_frame(frame, source) is None


ACKS = st.lists(st.tuples(st.booleans(), st.integers(0, 4095)), max_size=2)


@given(
    st.sampled_from([0, 0x20, 0x40, 0x60, p.LINK_SERVICE, p.INTERRUPT]), WORD, WORD, ACKS,
    st.integers(0, 0x1FFF), st.binary(max_size=300),
)  # fmt: skip
def test_segments_come_back(
    kind: int, to: int, source: int, acks: list[tuple[bool, int]], seq: int, body: bytes
) -> None:
    m = p.Message(kind, to, source, acks, seq, body=body)
    assert p.decode(p.encode(m)) == m


@given(st.sampled_from([p.CI, p.CC]), WORD, WORD, WORD, st.binary(max_size=60))
def test_connects_come_back(kind: int, to: int, source: int, size: int, body: bytes) -> None:
    m = p.Message(kind, to, source, services=5, segment=size, body=body)
    assert p.decode(p.encode(m)) == m


@given(st.binary(max_size=100))
def test_noise_is_refused_in_words(data: bytes) -> None:
    with contextlib.suppress(p.PacketError):
        p.open_frame(data, p.address("1.1"))
    if data:
        with contextlib.suppress(p.PacketError):
            p.decode(data)
