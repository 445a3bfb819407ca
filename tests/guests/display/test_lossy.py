# SPDX-License-Identifier: MIT
"""A device that loses a key which meets the start of a program: Hercules' 3270s.

Hercules takes a key's data from the line, and a moment later finds that a program was started:
then it drops the attention. A user's keyboard stays locked, and the line is gone.
"""

import random

import pytest

from tests.guests.display.console import (
    CP_READ,
    NEVER,
    NONE,
    REST_US,
    RUNNING,
    SETTLE_US,
    VM_READ,
    Console,
    Harness,
)
from tests.guests.display.device import READ_MODIFIED, to_ebcdic

ATTENTION_US = 200
"""Between Hercules' taking the data and its attention, on a busy host."""


@pytest.fixture
def lossy(console: Console) -> Console:
    console.lossy()
    console.mode(VM_READ)
    console.now += REST_US
    console.pump()
    return console


def _run(console: Console, text: str) -> None:
    """Type a line to a machine that reads; it runs from there on."""
    console.device.type(text)
    console.device.press("ENTER")
    console.now += ATTENTION_US
    console.attention()
    console.step()
    console.consumed()
    console.mode(RUNNING)
    console.pump()


def test_the_keyboard_is_unlocked_with_the_last_answer(lossy: Console) -> None:
    _run(lossy, "QUERY TIME")
    lossy.programs = 0
    for text in ("TIME IS", "Ready;"):
        lossy.write(text)
        lossy.now += SETTLE_US // 4
        lossy.pump()
        assert lossy.programs == 0 and lossy.device.locked
    lossy.mode(VM_READ)
    lossy.pump()
    assert lossy.programs == 1
    assert lossy.device.lines() == ["QUERY TIME", "TIME IS", "Ready;"]
    assert not lossy.device.locked and lossy.device.status() == "VM READ"
    assert lossy.deadline() == NEVER


def _row_after_a_quick_clear(console: Console) -> int:
    """Press CLEAR at once; the row where output goes on."""
    console.device.press("CLEAR")
    console.now += ATTENTION_US
    console.attention()
    console.pump()
    assert not console.device.locked
    console.wait(1)
    console.write("NEXT")
    console.wait(1)
    return next(n for n, row in enumerate(console.device.rows()) if row.startswith("NEXT"))


def test_a_key_right_after_the_answers_is_an_answer_to_them(lossy: Console) -> None:
    _run(lossy, "QUERY TIME")
    lossy.write("TIME IS")
    lossy.mode(VM_READ)
    lossy.pump()
    assert _row_after_a_quick_clear(lossy) == 0


def test_a_key_right_after_other_lines_may_have_been_before_them(lossy: Console) -> None:
    lossy.wait(1)
    lossy.write("MSG FROM MAINT")
    lossy.pump()
    assert _row_after_a_quick_clear(lossy) == 1


def test_a_machine_that_goes_on_is_within_reach(lossy: Console) -> None:
    _run(lossy, "LOOP")
    lossy.write("LOOPING")
    assert not lossy.step() and lossy.device.locked
    assert lossy.deadline() <= lossy.now + SETTLE_US
    lossy.wait(SETTLE_US / 1e6)
    assert lossy.device.lines() == ["LOOP", "LOOPING"]
    assert not lossy.device.locked and lossy.deadline() == NEVER


@pytest.mark.parametrize("lines", [1, 40])
def test_all_of_a_long_answer_comes_first(lossy: Console, lines: int) -> None:
    lossy.h.call("M", bytes([0, 0]))
    _run(lossy, "TYPE")
    for n in range(lines):
        lossy.write(f"LINE {n}")
    lossy.mode(CP_READ)
    while lossy.device.locked:
        assert lossy.step()
    assert lossy.device.lines()[-1] == f"LINE {lines - 1}" and not lossy.step()


def test_a_full_page_can_be_turned(lossy: Console) -> None:
    _run(lossy, "TYPE")
    for n in range(40):
        lossy.write(f"LINE {n}")
    lossy.wait(SETTLE_US / 1e6)
    assert lossy.device.status() == "MORE..." and not lossy.device.locked
    lossy.key("CLEAR")
    assert lossy.device.lines()[-1] == "LINE 39"


def test_a_program_that_writes_much_is_not_held_up(lossy: Console) -> None:
    """Its first page is shown while there is still room for more than what CP says at once."""
    _run(lossy, "TYPE")
    written = 0
    while not lossy.step():
        assert lossy.write(f"LINE {written}") == 0
        written += 1
    assert lossy.device.status() == "MORE..." and written > 22
    for _ in range(24):
        assert lossy.write("LINE") == 0


def test_a_screen_of_the_program_s_own_is_not_gathered(lossy: Console) -> None:
    _run(lossy, "MONITOR")
    lossy.write("DRAWING")
    assert not lossy.step()
    assert lossy.fs_write(b"\xc3" + to_ebcdic("DRAWN"), erase=True) == 0
    lossy.pump()
    assert lossy.device.rows()[0].startswith("DRAWN") and not lossy.device.locked


def test_logoff_unlocks(lossy: Console) -> None:
    _run(lossy, "LOGOFF")
    lossy.write("LOGOFF AT 12:00:00")
    lossy.h.call("l")
    lossy.pump()
    assert lossy.device.status() == "MORE..." and not lossy.device.locked


def test_a_line_that_is_refused_unlocks_at_once(lossy: Console) -> None:
    _run(lossy, "FIRST")
    lossy.wait(SETTLE_US / 1e6)
    lossy.key("ENTER", "SECOND")  # not consumed
    lossy.wait(SETTLE_US / 1e6)
    assert lossy.key("ENTER", "THIRD").kind == NONE
    assert lossy.device.status() == "NOT ACCEPTED" and not lossy.device.locked


def test_what_a_running_machine_writes_is_gathered(lossy: Console) -> None:
    _run(lossy, "LOOP")
    lossy.wait(SETTLE_US / 1e6)
    lossy.wait(1)
    lossy.programs = 0
    for text in ("ONE", "TWO"):
        lossy.write(text)
        assert not lossy.step() and lossy.deadline() <= lossy.now + REST_US
        lossy.now += REST_US // 4
    lossy.write("Ready;")
    lossy.mode(VM_READ)
    lossy.pump()
    assert lossy.device.lines()[-3:] == ["ONE", "TWO", "Ready;"] and lossy.programs == 1
    assert lossy.device.status() == "VM READ" and lossy.deadline() == NEVER


def test_a_key_does_not_wait(lossy: Console) -> None:
    _run(lossy, "LOOP")
    lossy.wait(SETTLE_US / 1e6)
    lossy.wait(1)
    lossy.write("LINE")
    assert not lossy.step()
    lossy.key("PA1")
    assert lossy.device.lines()[-1] == "LINE"


def test_waiting_lines_behind_more_need_no_timer(lossy: Console) -> None:
    lossy.h.call("M", bytes([50, 10]))
    for n in range(40):
        lossy.write(f"LINE {n}")
    lossy.wait(REST_US / 1e6)
    assert lossy.device.status() == "MORE..."
    assert lossy.deadline() == lossy.now + 50_000_000


def test_no_key_of_a_patient_user_meets_a_start(harness: Harness) -> None:
    """A machine answers with some writes at any time; the user types when the keyboard lets him."""
    chance = random.Random(3270)
    console = Console(harness, more=0, hold=0).start()
    console.lossy()
    console.mode(VM_READ)
    console.wait(1)
    for _ in range(300):
        console.device.type("QUERY TIME")
        console.device.press("ENTER")
        console.now += ATTENTION_US
        assert console.deadline() == NEVER and console.next() is None  # no start since the key
        console.attention()
        console.step()
        console.consumed()
        console.mode(RUNNING)
        for n in range(chance.randrange(4)):
            console.write(f"ANSWER {n}")
            console.pump()
            console.now += chance.randrange(SETTLE_US // 4)
        console.mode(VM_READ)
        while console.device.locked:
            assert console.step()


def test_writes_leave_time_for_a_key(lossy: Console) -> None:
    """Output without end: whenever a program is started, none was for some time."""
    lossy.h.call("M", bytes([0, 0]))
    _run(lossy, "TYPE")
    lossy.wait(SETTLE_US / 1e6)
    lossy.wait(1)
    ended, starts = lossy.now, 0
    for _ in range(2000):
        lossy.now += 100
        lossy.write("LINE")
        program = lossy.next()
        if program is None:
            continue
        assert program[0] != READ_MODIFIED and lossy.now - ended >= REST_US
        lossy.device.write(*program)
        lossy.now += 300
        lossy.done()
        ended = lossy.now
        starts += 1
    assert starts > 10
