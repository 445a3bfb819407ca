# SPDX-License-Identifier: MIT
"""Lines, echo, passwords, NOT ACCEPTED, PF keys, recall, attention and hostile input streams."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.display.console import (
    ATTENTION,
    CP_READ,
    GONE,
    INVALID,
    LINE,
    NEVER,
    NONE,
    RUNNING,
    TOO_LONG,
    VM_READ,
    Console,
    Harness,
)
from tests.guests.display.device import encode, to_ebcdic

IMMED, DELAYED, RETRIEVE = 1, 2, 3


def test_a_line_is_handed_over_echoed_and_erased_in_one_write(console: Console) -> None:
    console.mode(VM_READ)
    console.pump()
    console.programs = 0
    typed = console.key("ENTER", "query time")
    assert (typed.kind, typed.text, typed.hidden) == (LINE, "query time", False)
    assert console.device.lines() == ["query time"] and console.device.field() == ""
    assert console.device.cursor == 1760 and console.programs == 2
    assert console.device.status() == "VM READ"


def test_the_longest_line(console: Console) -> None:
    text = "X" * 79 + "Y" * 60
    assert console.key("ENTER", text).text == text
    assert console.device.lines() == ["X" * 79 + "Y", "Y" * 59]


@pytest.mark.parametrize("mode,kind", [(RUNNING, NONE), (VM_READ, LINE), (CP_READ, LINE)])
def test_an_empty_enter_is_a_null_line_only_in_a_read(
    console: Console, mode: int, kind: int
) -> None:
    console.mode(mode)
    console.pump()
    typed = console.key("ENTER")
    assert (typed.kind, typed.data) == (kind, b"")
    assert not console.device.locked and console.device.lines() == []


def test_a_password_is_neither_shown_nor_recalled(console: Console) -> None:
    console.mode(CP_READ, hidden=True)
    console.pump()
    console.device.type("SECRET")
    assert console.device.field() == ""
    typed = console.key("ENTER")
    assert (typed.kind, typed.text, typed.hidden) == (LINE, "SECRET", True)
    console.consumed()
    console.mode(RUNNING)
    console.pump()
    assert console.device.lines() == []
    console.key("PF12")
    console.device.type("VISIBLE")
    assert console.device.field() == "VISIBLE"


def test_pf_text_never_becomes_a_password(console: Console) -> None:
    console.set_pf(1, IMMED, "LOGOFF")
    console.set_pf(2, DELAYED, "LOGOFF")
    console.key("ENTER", "OLD LINE")
    console.consumed()
    console.mode(CP_READ, hidden=True)
    console.pump()
    for key in ("PF1", "PF2", "PF12"):
        assert console.key(key).kind == NONE
    assert console.key("ENTER", "PW").text == "PW"


def test_a_second_line_is_not_accepted_until_the_first_is_consumed(console: Console) -> None:
    console.key("ENTER", "FIRST")
    assert console.key("ENTER", "SECOND").kind == NONE
    assert console.device.status() == "NOT ACCEPTED" and console.device.alarms == 1
    assert console.device.field() == "SECOND" and console.device.lines() == ["FIRST"]
    assert not console.device.locked
    console.wait(3)
    assert console.device.status() == "RUNNING" and console.deadline() == NEVER
    console.consumed()
    assert console.key("ENTER").text == "SECOND"  # still in the field: Enter sends it again
    assert console.device.lines() == ["FIRST", "SECOND"]


def test_not_accepted_gives_way_to_a_new_status(console: Console) -> None:
    console.key("ENTER", "FIRST")
    console.key("ENTER", "SECOND")
    console.consumed()
    console.mode(VM_READ)
    console.pump()
    assert console.device.status() == "VM READ"


def test_input_in_more_is_taken_and_leaves_the_status(console: Console) -> None:
    for n in range(23):
        console.write(f"LINE {n}")
    console.pump()
    assert console.key("ENTER", "HT").text == "HT"
    assert console.device.status() == "MORE..." and console.device.field() == ""
    console.key("CLEAR")
    assert console.device.lines() == ["LINE 22", "HT"]


def test_echoes_have_room_of_their_own_and_then_input_is_refused(console: Console) -> None:
    while console.write("FILL") == 0:
        pass
    console.pump()
    while console.write("FILL") == 0:
        pass
    for _ in range(2):
        assert console.key("ENTER", "E" * 130).kind == LINE
        console.consumed()
    assert console.key("ENTER", "NO ROOM").kind == NONE
    assert console.device.status() == "NOT ACCEPTED"


def test_echo_is_high_when_hilight_is_on(console: Console) -> None:
    console.h.call("H", b"\1")
    console.key("ENTER", "ECHO")
    assert console.device.lines() == ["ECHO"] and console.device.high(0)


def test_pa1_asks_for_cp_and_keeps_the_field(console: Console) -> None:
    console.device.type("HALF A LINE")
    assert console.key("PA1").kind == ATTENTION
    assert console.device.field() == "HALF A LINE" and not console.device.locked


def test_immediate_and_delayed_keys(console: Console) -> None:
    assert console.set_pf(5, IMMED, "query time") == 0
    assert console.set_pf(22, DELAYED, "MSG OP ") == 0
    console.device.type("MINE")
    typed = console.key("PF5")
    assert (typed.kind, typed.text) == (LINE, "query time")
    assert console.device.lines() == ["query time"] and console.device.field() == "MINE"
    console.consumed()
    assert console.key("PF22").kind == NONE
    assert console.device.field() == "MSG OP"
    assert console.key("ENTER", "HELLO").text == "MSG OP HELLO"
    assert console.key("PF3").kind == NONE and console.key("PA3").kind == NONE


def test_pf_settings_are_checked_and_readable(console: Console) -> None:
    assert console.set_pf(0, IMMED) == INVALID and console.set_pf(25, IMMED) == INVALID
    assert console.set_pf(1, IMMED, "X" * 65) == TOO_LONG
    assert console.set_pf(1, DELAYED, "X" * 64) == 0
    assert console.h.call("Q", b"\1") == bytes([DELAYED]) + to_ebcdic("X" * 64)
    assert console.h.call("Q", bytes([12])) == bytes([RETRIEVE]) == console.h.call("Q", bytes([24]))
    assert console.h.call("Q", bytes([25])) == b""


def test_retrieve_goes_back_eight_lines_and_round(console: Console) -> None:
    assert console.key("PF12").kind == NONE and console.device.field() == ""
    for n in range(10):
        for _ in range(2):
            assert console.key("ENTER", f"CMD {n}").kind == LINE
            console.consumed()
        console.key("CLEAR")
    seen = []
    for _ in range(9):
        console.key("PF24")
        seen.append(console.device.field())
    assert seen == [f"CMD {n}" for n in (9, 8, 7, 6, 5, 4, 3, 2, 9)]
    assert console.key("ENTER", "9").text == "CMD 99"
    console.consumed()
    console.key("PF12")
    assert console.device.field() == "CMD 99"


def test_only_the_console_field_counts(console: Console) -> None:
    console.mode(VM_READ)
    field = b"\x11" + encode(1760)
    other = b"\x11" + encode(80) + to_ebcdic("NO")
    head = b"\x7d" + encode(0)
    assert console.give(head + other + field + to_ebcdic("A\0B") + other).text == "AB"
    console.consumed()
    assert console.give(head + b"\x11\x06\xe0" + to_ebcdic("AB")).text == "AB"  # 14-bit address
    console.consumed()
    assert console.give(head + field + b"\xc1\x08\xc2\x15\xc3").text == "A  C"
    console.consumed()
    assert console.give(head + to_ebcdic("UNFORMATTED")).data == b""
    console.consumed()
    assert len(console.give(head + field + b"\xc1" * 500).data) == 139


@given(rm=st.binary(max_size=300), aid=st.sampled_from([b"", b"\x7d", b"\x7d\x40\x40\x11\x5b\x60"]))
def test_hostile_streams_do_no_harm(harness: Harness, rm: bytes, aid: bytes) -> None:
    console = Console(harness).start()
    console.mode(VM_READ)
    console.pump()
    given = console.give(aid + rm)
    if (aid + rm)[:1] == b"\x61":  # the carrier says so: nobody is there to be served
        assert given.kind == GONE and not given.data
        return
    assert given.kind in (NONE, LINE, ATTENTION) and len(given.data) <= 139
    assert all(0x40 <= c < 0xFF for c in given.data)
    console.device.locked = aid + rm[:1] != b"\x60"
    console.pump()
    assert not console.device.locked and console.device.status() in ("VM READ", "RUNNING")


@pytest.mark.parametrize("seed", range(1, 5))
def test_any_calls_in_any_order(program: Path, seed: int) -> None:
    subprocess.run([program, "fuzz", str(seed), "60000"], check=True, timeout=60)
