# SPDX-License-Identifier: MIT
"""Full-screen guests: raw input, lines that break in, and the way back to the console."""

import pytest

from tests.guests.display.console import (
    ATTENTION,
    CP_READ,
    FULL,
    FULLSCREEN,
    INVALID,
    LOST,
    RUNNING,
    TOO_LONG,
    Console,
    Harness,
)
from tests.guests.display.device import SBA, SF, encode, to_ebcdic

PANEL = (
    b"\xc3"
    + bytes([SBA])
    + encode(0)
    + bytes([SF, 0x60])
    + to_ebcdic("PANEL")
    + bytes([SBA])
    + encode(160)
    + bytes([SF, 0x40])
    + b"\x13"
    + bytes([SBA])
    + encode(240)
    + bytes([SF, 0x60])
)
UPDATE = b"\xc2" + bytes([SBA]) + encode(80) + to_ebcdic("UPDATE")


def shown(console: Console) -> str:
    return console.device.visible(1, 6)


@pytest.fixture
def panel(console: Console) -> Console:
    assert console.fs_write(PANEL, erase=True) == 0
    console.pump()
    assert shown(console) == "PANEL"
    return console


def test_input_is_handed_over_raw_and_only_the_guest_unlocks(panel: Console) -> None:
    panel.device.cursor = 161
    panel.device.attrs[160] |= 1
    typed = panel.key("PF3", "AB")
    raw = b"\xf3" + encode(163) + bytes([SBA]) + encode(161) + to_ebcdic("AB")
    assert (typed.kind, typed.data) == (FULLSCREEN, raw)
    assert panel.device.locked
    assert panel.fs_write(UPDATE, erase=False) == 0
    panel.pump()
    assert not panel.device.locked and panel.device.rows()[1] == "UPDATE"


def test_refusals(harness: Harness, console: Console) -> None:
    assert console.fs_write(b"", erase=True) == INVALID
    assert console.fs_write(b"\xc3" + b"\x40" * 12288, erase=True) == TOO_LONG
    assert console.fs_write(UPDATE, erase=False) == LOST
    assert console.fs_write(PANEL, erase=True) == 0
    assert console.fs_write(PANEL, erase=True) == FULL
    assert Console(harness).fs_write(PANEL, erase=True) == LOST


def test_waiting_lines_come_first(console: Console) -> None:
    for n in range(30):
        console.write(f"LINE {n}")
    assert console.fs_write(PANEL, erase=True) == 0
    console.pump()
    assert console.device.status() == "MORE..."
    console.key("CLEAR")
    assert shown(console) == "PANEL"


def test_a_message_breaks_in_and_stays_until_seen(panel: Console) -> None:
    panel.key("ENTER")
    panel.write("MSG FROM OPERATOR")
    panel.pump()
    assert panel.device.lines() == ["MSG FROM OPERATOR"] and not panel.device.locked
    assert panel.state()[3:] == (False, True)
    assert panel.fs_write(UPDATE, erase=False) == LOST
    assert panel.fs_write(PANEL, erase=True) == 0
    panel.pump()
    assert panel.device.lines() == ["MSG FROM OPERATOR"] and panel.device.status() == "MORE..."
    panel.key("CLEAR")
    assert shown(panel) == "PANEL" and panel.state()[2:] == (False, True, False)


def test_a_break_in_drops_a_stale_update(panel: Console) -> None:
    assert panel.fs_write(UPDATE, erase=False) == 0
    panel.write("MSG")
    panel.pump()
    assert panel.device.lines() == ["MSG"] and panel.state()[2:] == (False, False, True)


def test_pa1_reaches_cp_and_cp_read_breaks_in(panel: Console) -> None:
    assert panel.key("PA1").kind == ATTENTION
    assert shown(panel) == "PANEL" and not panel.device.locked
    panel.mode(CP_READ)
    panel.pump()
    assert panel.device.lines() == [] and panel.device.status() == "CP READ"
    panel.mode(RUNNING)
    assert panel.fs_write(PANEL, erase=True) == 0
    panel.pump()
    assert shown(panel) == "PANEL"


def test_the_end_brings_the_console_back(panel: Console) -> None:
    panel.key("PF3")
    panel.h.call("E")
    panel.write("Ready;")
    panel.pump()
    assert panel.device.lines() == ["Ready;"] and panel.device.status() == "RUNNING"
    assert not panel.device.locked


def test_a_failed_panel_is_reported_lost(console: Console) -> None:
    console.fs_write(PANEL, erase=True)
    console.next()
    console.done(ok=False)
    assert console.state()[2:] == (False, False, True)
