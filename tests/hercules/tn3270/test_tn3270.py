# SPDX-License-Identifier: MIT
"""The negotiation of a TN3270 connection, from both sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.negotiation import (
    BINARY,
    DO,
    DONT,
    END_OF_RECORD,
    IAC,
    SB,
    SE,
    TERMINAL_TYPE,
    WILL,
    WONT,
    Answering,
    Asking,
    NotTn3270,
)  # fmt: skip

SHOWN = b"\x05\xc2hello\xff\xef"
TYPED = b"\x7d\x5b\x60\xff\xef"


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    """DATA in pieces of these sizes, and the rest."""
    pieces, at = [], 0
    for size in sizes:
        pieces.append(data[at : at + size])
        at += size
    return [*pieces, data[at:]]


@given(st.lists(st.integers(1, 7), max_size=40), st.lists(st.integers(1, 7), max_size=40))
def test_the_two_sides_agree_however_their_bytes_are_cut(
    down_cuts: list[int], up_cuts: list[int]
) -> None:
    asking, answering = Asking(), Answering(b"IBM-3278-2@0712")
    down = asking.opening
    for _ in range(10):
        up = b"".join(answering.feed(piece) for piece in cut(down, down_cuts))
        if asking.done:
            break
        down = b"".join(asking.feed(piece) for piece in cut(up, up_cuts))
    assert asking.terminal == b"IBM-3278-2@0712"
    assert asking.done and not asking.rest
    for piece in cut(SHOWN, down_cuts):
        assert answering.feed(piece) == b""
    assert answering.done and answering.rest == SHOWN
    asking.feed(TYPED)
    assert asking.rest == TYPED


def test_what_is_typed_in_the_same_piece_is_kept() -> None:
    asking = Asking()
    answers = bytes((IAC, WILL, TERMINAL_TYPE))
    answers += bytes((IAC, SB, TERMINAL_TYPE, 0)) + b"IBM-3279-3-E" + bytes((IAC, SE))
    for option in (END_OF_RECORD, BINARY):
        answers += bytes((IAC, WILL, option, IAC, DO, option))
    asking.feed(answers + TYPED)
    assert (asking.terminal, asking.done, asking.rest) == (b"IBM-3279-3-E", True, TYPED)


def test_much_data_behind_the_negotiation_is_no_long_negotiation() -> None:
    """What a host shows comes in one piece with the end of what it asks, however long it is."""
    answering = Answering(b"IBM-3278-2")
    shown = SHOWN * 1000
    asked = bytes((IAC, DO, END_OF_RECORD, IAC, WILL, END_OF_RECORD))
    assert answering.feed(asked + shown) and answering.rest == shown


def test_a_negotiation_without_end_is_given_up() -> None:
    for side in (Asking(), Answering(b"IBM-3278-2")):
        with pytest.raises(NotTn3270, match="negotiates for over 4096 bytes"):
            for _ in range(2000):
                side.feed(bytes((IAC, DO, 99)))


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.0\r\n\r\n",
        bytes((IAC, WONT, TERMINAL_TYPE)),
        bytes((IAC, DONT, BINARY)),
        bytes((IAC, IAC)),
        bytes((IAC, SB, TERMINAL_TYPE, 0)) + b"VT100" + bytes((IAC, SE)),
        bytes((IAC, SB, TERMINAL_TYPE, 0)) + b"IBM-3278-2@" + b"7" * 99 + bytes((IAC, SE)),
        bytes((IAC, SB)) + bytes(5000),
    ],
)
def test_what_is_no_3270_is_told_so(said: bytes) -> None:
    with pytest.raises(NotTn3270, match=r"\w"):
        Asking().feed(said)


def test_options_of_others_are_refused_politely() -> None:
    assert Asking().feed(bytes((IAC, WILL, 31, IAC, DO, 1))) == bytes((IAC, DONT, 31, IAC, WONT, 1))
    assert Answering(b"X").feed(bytes((IAC, DO, 40))) == bytes((IAC, WONT, 40))


@given(st.lists(st.binary(max_size=300), max_size=30))
def test_noise_ends_in_words(pieces: list[bytes]) -> None:
    for side in (Asking(), Answering(b"IBM-3278-2")):
        try:
            for piece in pieces:
                side.feed(piece)
        except NotTn3270:
            pass
