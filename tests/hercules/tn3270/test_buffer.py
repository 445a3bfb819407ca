# SPDX-License-Identifier: MIT
"""A display's buffer: what a host writes is shown, what is typed goes back as GA23-0059 has it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.buffer import CELLS, KEYS, Buffer, BufferError, address

SBA, SF, IC, RA, EUA = 0x11, 0x1D, 0x13, 0x3C, 0x12
RESTORE = 0xC2
INPUT, PROTECTED, SKIP = 0x40, 0x60, 0x70


def text(words: str) -> bytes:
    return words.encode("cp037")


def at(cell: int) -> bytes:
    return bytes((SBA,)) + address(cell)


def erased(*parts: bytes, control: int = RESTORE) -> Buffer:
    """A display on which a host has written PARTS after erasing it."""
    buffer = Buffer()
    buffer.feed(bytes((0xF5, control)) + b"".join(parts))
    return buffer


def form() -> Buffer:
    """A title, a field of ten cells, and one behind it."""
    return erased(
        text("TITLE"), at(80), bytes((SF, INPUT, IC)), at(91), bytes((SF, SKIP)), text("END"),
        bytes((SF, INPUT)),
    )  # fmt: skip


def test_what_is_written_is_shown_and_attributes_are_blanks() -> None:
    rows = form().rows()
    assert rows[0].rstrip() == "TITLE"
    assert rows[1][10:16] == "  END "
    assert form().cursor == 81


def test_enter_sends_the_fields_that_were_typed_in() -> None:
    buffer = form()
    buffer.type("hi [x]")
    said = buffer.press("enter")
    typed = bytes((0x88, 0x89, 0x40, 0xAD, 0xA7, 0xBD))  # code page 1047
    assert said == bytes((0x7D,)) + address(87) + at(81) + typed
    assert buffer.locked


def test_a_key_that_only_says_itself() -> None:
    buffer = form()
    buffer.type("lost")
    assert buffer.press("clear") == bytes((0x6D,))
    assert not "".join(buffer.rows()).strip()


def test_a_full_field_is_left_for_the_next_one_behind_a_skipped_one() -> None:
    buffer = form()
    buffer.type("0123456789")
    buffer.type("next")
    assert buffer.rows()[1][1:11] == "0123456789"
    assert buffer.rows()[1][16:20] == "next"


def test_nothing_is_typed_into_a_protected_field_nor_while_the_keyboard_is_locked() -> None:
    buffer = erased(bytes((SF, PROTECTED, IC)))
    with pytest.raises(BufferError, match="cannot be typed"):
        buffer.type("x")
    with pytest.raises(BufferError, match="locked"):
        erased(bytes((SF, INPUT)), control=0xC0).press("enter")


def test_a_repetition_goes_over_the_end_and_takes_fields_with_it() -> None:
    buffer = form()
    buffer.feed(bytes((0xF1, RESTORE)) + at(CELLS - 1) + bytes((RA,)) + address(81) + text("*"))
    assert buffer.rows()[0] == "*" * 80 and buffer.rows()[1][0] == "*"
    assert buffer.press("enter") == bytes((0x7D,)) + address(81)


def test_unprotected_cells_are_erased_and_others_stay() -> None:
    buffer = form()
    buffer.type("gone")
    buffer.feed(bytes((0xF1, RESTORE)) + at(81) + bytes((EUA,)) + address(0))
    assert buffer.rows()[1].strip() == "END"


def test_a_host_that_asks_gets_what_was_pressed_last() -> None:
    buffer = form()
    buffer.type("a")
    said = buffer.press("pf3")
    assert buffer.feed(bytes((0xF6,))) == said


def test_the_end_of_program_function_keys() -> None:
    assert [KEYS[f"pf{n}"] for n in (1, 9, 10, 12, 13, 22, 24)] == [
        0xF1, 0xF9, 0x7A, 0x7C, 0xC1, 0x4A, 0x4C,
    ]  # fmt: skip


@given(st.integers(0, CELLS - 1))
def test_addresses_come_back(cell: int) -> None:
    buffer = erased(at(cell), bytes((IC,)))
    assert buffer.cursor == cell


@given(st.binary(max_size=60))
def test_no_record_does_more_than_be_refused(record: bytes) -> None:
    buffer = form()
    try:
        buffer.feed(record)
    except BufferError:
        return
    assert [len(row) for row in buffer.rows()] == [80] * 24
