# SPDX-License-Identifier: MIT
"""Output, paging, MORE... and HOLDING, as the user sees them."""

import pytest

from tests.guests.display.console import (
    ALARM,
    FULL,
    HIGH,
    NEVER,
    TOO_LONG,
    VM_READ,
    Console,
    Harness,
)
from tests.guests.display.device import encode


def fill(console: Console, count: int, start: int = 0) -> list[str]:
    lines = [f"LINE {n}" for n in range(start, start + count)]
    for line in lines:
        assert console.write(line) == 0
    return lines


def test_logo_then_any_key_gives_an_empty_screen_in_cp_read(harness: Harness) -> None:
    console = Console(harness, logo=("", "   VM/KB ONLINE"), sysname="KBVM0001")
    assert console.next() is None
    harness.call("c")
    console.pump()
    assert console.device.lines() == ["   VM/KB ONLINE"]
    assert console.device.status() == "RUNNING" and console.device.sysname() == "KBVM000"
    assert not console.device.locked
    assert console.key("PF3").kind == 1
    assert console.device.lines() == [] and console.device.status() == "CP READ"
    assert console.device.cursor == 1760 and not console.device.locked


def test_a_line_typed_on_the_logo_is_not_lost(harness: Harness) -> None:
    console = Console(harness)
    harness.call("c")
    console.pump()
    typed = console.key("ENTER", "LOGON MAINT")
    assert (typed.kind, typed.text) == (2, "LOGON MAINT")
    assert console.device.lines() == ["LOGON MAINT"] and console.device.field() == ""


def test_first_attention_alone_paints_the_logo(harness: Harness) -> None:
    console = Console(harness)
    console.device.locked = False
    console.device.press("ENTER")
    console.attention()
    console.pump()
    assert console.device.lines() == ["VM/KB ONLINE"] and not console.device.locked


def test_all_queued_lines_and_the_status_go_into_one_write(console: Console) -> None:
    lines = fill(console, 20)
    console.mode(VM_READ)
    console.pump()
    assert console.programs == 1
    assert console.device.lines() == lines and console.device.status() == "VM READ"
    assert not console.step()


def test_only_new_rows_are_sent(console: Console) -> None:
    fill(console, 20)
    console.pump()
    console.write("X")
    program = console.next()
    assert program is not None and program[1] == b"\xc0\x11" + encode(1600) + b"\xe7"


def test_a_full_page_shows_more_only_when_a_line_waits(console: Console) -> None:
    lines = fill(console, 22)
    console.pump()
    assert console.device.lines() == lines and console.device.status() == "RUNNING"
    assert console.deadline() == NEVER
    lines += fill(console, 1, 22)
    console.pump()
    assert console.device.lines() == lines[:22] and console.device.status() == "MORE..."


@pytest.mark.parametrize("key", ["CLEAR", "PA2"])
def test_clear_and_pa2_turn_the_page(console: Console, key: str) -> None:
    lines = fill(console, 30)
    console.mode(VM_READ)
    console.pump()
    assert console.programs == 1 and console.device.status() == "MORE..."
    console.key(key)
    assert console.programs == 3  # the read, and one write with page, rows and status
    assert console.device.lines() == lines[22:] and console.device.status() == "VM READ"


def test_more_beeps_then_clears_by_itself(console: Console) -> None:
    lines = fill(console, 23)
    console.pump()
    assert console.deadline() == console.now + 50_000_000
    console.wait(49.9)
    assert console.device.alarms == 0 and console.device.lines() == lines[:22]
    console.wait(0.2)
    assert console.device.alarms == 1 and console.device.lines() == lines[:22]
    console.wait(9.7)
    assert console.device.lines() == lines[:22]
    console.wait(0.3)
    assert console.device.lines() == lines[22:] and console.device.status() == "RUNNING"
    assert console.device.alarms == 1 and console.deadline() == NEVER


def test_the_timer_keeps_what_the_user_is_typing(console: Console) -> None:
    fill(console, 23)
    console.pump()
    console.device.type("QUERY T")
    cursor = console.device.cursor
    console.wait(61)
    assert console.device.lines() == ["LINE 22"]
    assert console.device.field() == "QUERY T" and console.device.cursor == cursor


def test_enter_in_more_holds_until_clear(console: Console) -> None:
    lines = fill(console, 23)
    console.pump()
    console.key("ENTER")
    assert console.device.status() == "HOLDING" and console.deadline() == NEVER
    console.wait(3600)
    console.key("ENTER")
    assert console.device.status() == "HOLDING" and console.device.lines() == lines[:22]
    console.key("CLEAR")
    assert console.device.lines() == lines[22:]


def test_more_0_0_scrolls_at_once_but_shows_every_page(console: Console) -> None:
    console.h.call("M", bytes([0, 0]))
    lines = fill(console, 100)
    pages = []
    while console.step():
        pages.append(console.device.lines())
        assert console.device.status() == "RUNNING"
    assert sum(pages, []) == lines and [len(page) for page in pages] == [22, 22, 22, 22, 12]


def test_more_0_0_releases_a_page_that_waits(console: Console) -> None:
    fill(console, 23)
    console.pump()
    console.h.call("M", bytes([0, 0]))
    console.pump()
    assert console.device.lines() == ["LINE 22"] and console.device.alarms == 0


def test_clear_starts_again_at_row_one(console: Console) -> None:
    fill(console, 3)
    console.pump()
    console.key("CLEAR")
    assert console.device.lines() == []
    console.write("NEXT")
    console.pump()
    assert console.device.rows()[0] == "NEXT"


def test_row_22_keeps_the_input_field_and_loses_no_character(console: Console) -> None:
    fill(console, 21)
    console.write("X" * 80)
    console.write("Y" * 79)
    console.pump()
    assert console.device.status() == "MORE..." and console.device.attrs[1759] == 0xC1
    console.key("PA2")
    assert console.device.lines() == ["X" * 80, "Y" * 79]
    assert console.device.attrs[1759] == 0xC1


def test_long_lines_fold_blanks_and_controls(console: Console) -> None:
    console.write("A" * 80 + "B" * 80 + "C")
    console.write("")
    console.h.call("w", b"\0" + bytes(range(0x40)) + b"\xff\xc1")
    console.write("D" + " " * 200)
    console.pump()
    assert console.device.rows()[:6] == ["A" * 80, "B" * 80, "C", "", " " * 65 + "A", "D"]


def test_the_queue_tells_when_it_is_full(console: Console) -> None:
    room = console.room()
    assert room == 124
    assert console.write("Z" * 1761) == TOO_LONG
    for n in range(room):
        assert console.room() == room - n and console.write(f"L{n}") == 0
    assert console.write("MORE THAN FITS") == FULL and console.write("") == FULL
    console.pump()
    assert console.room() == 22
    seen = console.device.lines()
    while console.device.status() == "MORE...":
        console.key("CLEAR")
        seen += console.device.lines()
    assert seen == [f"L{n}" for n in range(room)]


def test_high_lines_and_alarm(console: Console) -> None:
    console.write("FIRST", HIGH | ALARM)
    console.write("PLAIN")
    console.write("F" * 80)
    console.write("NOT HIGH, THE ROW ABOVE IS FULL", HIGH)
    console.write("H" * 100, HIGH)
    console.pump()
    device = console.device
    assert device.lines() == [
        "FIRST",
        "PLAIN",
        "F" * 80,
        "NOT HIGH, THE ROW ABOVE IS FULL",
        "H" * 79,
        "H" * 21,
    ]
    assert [device.high(row) for row in range(7)] == [True, False, False, False, True, True, False]
    assert device.alarms == 1
    console.key("PA2")
    console.write("PLAIN")
    console.pump()
    assert not device.high(0) and device.status() == "RUNNING"


def test_a_high_last_row_keeps_the_input_attribute(console: Console) -> None:
    fill(console, 21)
    console.write("H" * 79, HIGH)
    console.pump()
    assert console.device.high(21) and console.device.attrs[1759] == 0xC1


def test_logoff_shows_its_messages_until_a_key_then_the_logo(console: Console) -> None:
    console.h.call("M", bytes([0, 0]))
    console.write("LOGOFF AT 12:00:00")
    console.h.call("l")
    console.pump()
    assert console.device.lines() == ["LOGOFF AT 12:00:00"]
    assert console.device.status() == "MORE..."
    console.key("ENTER")
    assert console.device.lines() == ["VM/KB ONLINE"] and console.device.status() == "RUNNING"
    assert console.key("ENTER").kind == 1
    assert console.device.status() == "CP READ"


def test_logoff_with_a_long_page_and_no_key(console: Console) -> None:
    fill(console, 30)
    console.h.call("l")
    console.pump()
    console.wait(60)
    assert console.device.lines() == [f"LINE {n}" for n in range(22, 30)]
    assert console.device.status() == "MORE..."
    console.wait(60)
    assert console.device.lines() == ["VM/KB ONLINE"]


def test_a_new_connection_forgets_the_user_before(console: Console) -> None:
    fill(console, 50)
    console.key("ENTER", "SECRET")
    console.h.call("c")
    console.pump()
    assert console.device.lines() == ["VM/KB ONLINE"]
    console.key("ENTER")
    console.key("PF12")
    assert console.device.lines() == [] and console.device.field() == ""


@pytest.mark.parametrize("applied", [False, True])
def test_a_failed_write_rests_and_is_repeated_after_attention(
    console: Console, applied: bool
) -> None:
    lines = fill(console, 5)
    program = console.next()
    assert program is not None
    if applied:
        console.device.write(*program)
    console.done(ok=False)
    assert console.next() is None
    console.device.locked = False
    console.key("ENTER")
    assert console.device.lines() == lines and console.device.status() == "RUNNING"
    assert not console.device.locked


def test_a_terminal_that_comes_back_during_a_write_gets_its_screen(console: Console) -> None:
    lines = fill(console, 5)
    console.next()
    console.h.call("r")
    console.done(ok=False)
    console.pump()
    assert console.device.lines() == lines
    console.write("LOST WITH ITS USER")
    console.next()
    console.h.call("c")
    console.done(ok=False)
    console.pump()
    assert console.device.lines() == ["VM/KB ONLINE"]


def test_lines_that_arrive_after_an_unseen_clear_stay(console: Console) -> None:
    fill(console, 3)
    console.pump()
    console.now += 1_000_000
    fill(console, 2, 3)
    program = console.next()
    assert program is not None
    console.device.press("CLEAR")  # pressed before the write reaches the screen
    console.device.write(*program)
    console.done()
    console.attention()
    console.pump()
    assert console.device.lines() == ["LINE 3", "LINE 4"]
    assert console.device.attrs.keys() >= {1759, 1899} and not console.device.locked
    console.write("LINE 5")
    console.pump()
    assert console.device.rows()[3:6] == ["LINE 3", "LINE 4", "LINE 5"]
