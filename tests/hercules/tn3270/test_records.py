# SPDX-License-Identifier: MIT
"""The cut of a host's stream: nothing is lost or changed, and each erasure begins a piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.negotiation import DO, DONT, EOR, IAC, SB, SE
from vmkb.hercules.tn3270.records import ERASING, TN3270E, Records

END = bytes((IAC, EOR))
TYPE = bytes((IAC, SB, TN3270E, 8, 2, IAC, SE))
BODIES = st.binary(max_size=12).map(lambda body: body.replace(b"\xff", b"\xff\xff"))


def cut(records: Records, pieces: list[bytes]) -> list[bytes]:
    """What may pass without an erasure, and each time that one is next what passes then."""
    taken = [b""]
    for piece in pieces:
        records.feed(piece)
        while True:
            if part := records.take(erase=False):
                taken[-1] += part
            elif records.erases:
                taken.append(records.take(erase=True))
            else:
                break
    return taken


@given(
    st.lists(st.tuples(st.sampled_from(sorted(ERASING | {0xF1, 0xF3, 0x11})), BODIES), max_size=8),
    st.sampled_from([b"", bytes((0, 0, 0, 0, 7)), bytes((0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF))]),
    st.integers(1, 40),
)
def test_each_erasure_begins_a_piece(
    said: list[tuple[int, bytes]], header: bytes, size: int
) -> None:
    opening = bytes((IAC, DO, 24)) + (TYPE if header else b"")
    wanted, stream = [opening], opening
    for command, body in said:
        record = header + bytes((command,)) + body + END
        if command in ERASING:
            wanted.append(record)
        else:
            wanted[-1] += record
        stream += record
    pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
    assert cut(Records(), pieces) == wanted


@given(st.lists(st.binary(max_size=20), max_size=10))
def test_of_any_stream_nothing_is_lost_but_an_unfinished_start(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    assert whole.startswith(b"".join(cut(Records(), pieces)))


@pytest.mark.parametrize("kind", [3, 7])
def test_a_record_of_tn3270e_that_is_no_3270_data_erases_nothing(kind: int) -> None:
    record = bytes((kind, 0, 0, 0, 0, 0xF5)) + END
    assert cut(Records(), [TYPE, record]) == [TYPE + record]


def test_a_host_that_gives_tn3270e_up_sends_bare_records() -> None:
    refused, record = bytes((IAC, DONT, TN3270E)), b"\xf5\xc3" + END
    assert cut(Records(), [TYPE, refused, record]) == [TYPE + refused, record]
