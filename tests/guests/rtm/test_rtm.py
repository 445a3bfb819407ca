# SPDX-License-Identifier: MIT
"""RTMSF's rates, views, log lines, commands and 3270 data stream. All screens here are synthetic:
the layout is this project's own, nobody has a real RTM screen."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.harness import Harness
from tests.narrow import a_record
from vmkb.accounting.input.scan import scan
from vmkb.accounting.records import Record

SYSTEM, USER, ONE_USER, IO, LOG, HELP = range(1, 7)
BRIEF = 100
AT = 1_795_248_010_000_000  # 2026-11-21 08:00:10 UTC
WIDTH = 79


def two_samples(monitor: Harness, model: str = "HOST", divide: int = 1) -> None:
    """10 s: 40 % virtual, 10 % CP for users, 1 % CP's own, 49 % wait."""
    monitor.tell(f"system 0 {AT - 10_000_000} 0 0 0 0 100 0 0 7168 0 0 {divide} {model}")
    monitor.tell("user 0 1 OPERATOR 5 1000 1000 0 7 7 7 8")
    monitor.tell("user 0 3 VMUSER1 6 1000 500 1000 10 20 30 0")
    monitor.tell("user 0 4 GONE 6 9 9 9 9 9 9 0")
    monitor.tell("device 0 0100 50")
    monitor.tell("device 0 0700 0")
    monitor.tell("device 0 0701 1")
    system = "4000000 1000000 100000 4900000 1334 90 10 7168 2 1"
    monitor.tell(f"system 1 {AT} {system} {divide} {model}")
    monitor.tell("user 1 1 OPERATOR 5 1000 1000 0 7 7 7 8")
    monitor.tell("user 1 2 RTMSF 9 50000 50000 777000 0 0 0 0")
    monitor.tell("user 1 3 VMUSER1 6 3001000 1000500 30001000 1244 352 42 4")
    monitor.tell("user 1 4 VMUSER2 7 1000000 0 10 5 0 0 8")
    monitor.tell("device 1 0100 1284")
    monitor.tell("device 1 0700 12")
    monitor.tell("device 1 0701 1")
    assert monitor.line("rates") == "1"


def test_system_view_holds_what_happened(monitor: Harness) -> None:
    two_samples(monitor)
    seen = monitor.lines(f"view {SYSTEM}")
    rows = {line[:20].strip(): line[20:] for line in seen}
    assert rows["CPU BUSY"].split() == ["51.00", "51.00", "I/O", "STARTED", "123.40"]
    assert rows["VIRTUAL (USERS)"].split()[:2] == ["40.00", "40.00"]
    assert rows["CP FOR USERS"].split()[:2] == ["10.00", "10.00"]
    assert rows["CP, NOBODY'S"].split()[:2] == ["1.00", "1.00"]
    assert rows["WAIT"].split()[0] == "49.00"
    assert rows["T/V RATIO"].split() == ["1.25", "MDC", "HIT", "RATIO", "90.00", "%"]
    assert rows["RTMSF ITSELF"].split()[:2] == ["1.00", "1.00"]
    assert rows["STORAGE IN USE %"].split()[0] == "50.00"
    assert any("INSTRUCTIONS AN INTERVAL       777000" in line for line in seen)


def test_a_model_is_shown_beside_the_timer(monitor: Harness) -> None:
    two_samples(monitor, "2064-109", 4)
    rows = {line[:20].strip(): line[20:].split() for line in monitor.lines(f"view {SYSTEM}")}
    assert rows["CPU BUSY"][:2] == ["51.00", "12.75"]
    assert rows["WAIT"][:2] == ["49.00", "-"]


def test_users_by_use_and_those_new_or_gone(monitor: Harness) -> None:
    two_samples(monitor)
    head, *users, _ = monitor.lines(f"view {USER}")
    assert [line.split()[0] for line in users] == ["VMUSER1", "VMUSER2", "RTMSF", "OPERATOR"]
    first = users[0].split()
    assert first[1:5] == ["40.00", "40.00", "30.00", "1.33"]
    assert first[5:9] == ["3000000", "123.4", "33.2", "1.2"]
    assert users[0].endswith("*DISK") and users[3].endswith("*EVENT")
    # VMUSER2 took the slot of a user who left: all its counts are of this interval.
    assert users[1].split()[1] == "10.00"


def test_every_line_of_every_view_fits_the_screen(monitor: Harness) -> None:
    big = 2**40
    monitor.tell(f"system 0 {AT - 1_000_000} 0 0 0 0 0 0 0 0 0 0 1 HOST")
    counts = " ".join([str(big)] * 7)
    monitor.tell(f"system 1 {AT} {counts} 0 4000000000 4000000000 1 ABCDEFGH")
    for slot in range(1, 73):
        monitor.tell(f"user 1 {slot} USER{slot:04} 1 {big} {big} {big} {big} {big} {big} 2")
    for n in range(80):
        monitor.tell(f"device 0 {n:04X} 0")
        monitor.tell(f"device 1 {n:04X} {big}")
    assert monitor.line("rates") == "1"
    monitor.tell("past 200")
    for view in (SYSTEM, USER, IO, LOG, HELP):
        seen = monitor.lines(f"view {view}")
        assert all(len(line) <= WIDTH for line in seen)
        if view in (USER, LOG):
            assert len({len(line) for line in seen if line[0].isdigit() or "USER0" in line}) == 1
    assert len(monitor.lines(f"view {LOG}")) == 121
    assert len(monitor.lines(f"view {USER}")) == 74
    assert len(monitor.lines(f"view {ONE_USER} USER0001")) == 18
    for line in monitor.lines("record"):
        assert len(line) < 319
        assert [type(item) for item in scan([line.encode() + b"\n"])] == [Record], line


def test_columns_stand_under_their_names(monitor: Harness) -> None:
    two_samples(monitor)
    head, first, *_ = monitor.lines(f"view {USER}")
    assert ends(head)[1:9] == ends(first)[1:9]
    head, first, *_ = monitor.lines(f"view {LOG}")
    assert ends(head)[1:] == ends(first)[1:]


def ends(line: str) -> list[int]:
    """Where the words of a line end."""
    return [word.end() for word in re.finditer(r"\S+", line)]


def test_the_busiest_device_comes_first(monitor: Harness) -> None:
    two_samples(monitor)
    devices = monitor.lines(f"view {IO}")[1:4]
    assert [line.split()[:2] for line in devices] == [
        ["0100", "123.40"], ["0700", "1.20"], ["0701", "0.00"]
    ]  # fmt: skip


def test_log_lines_parse_to_the_same_numbers(monitor: Harness) -> None:
    two_samples(monitor, "2064-109", 4)
    found = list(scan(["\n".join(monitor.lines("record")).encode() + b"\n"]))
    assert all(isinstance(item, Record) for item in found), found
    assert [a_record(item).kind for item in found] == ["rtm_system"] + ["rtm_user"] * 4
    system, user = found[0], found[1]
    assert (a_record(system).word("date"), a_record(system).value("clock").value) == (
        "2026-11-21",
        8 * 3600 + 10,
    )
    values = {
        name: a_record(system).value(name).value for name in ("cpu", "cp", "user", "wait", "io")
    }
    assert values == {"cpu": 12.75, "cp": 2.75, "user": 10.0, "wait": 49.0, "io": 123.4}
    assert (
        a_record(system).value("mdc").value == 90.0 and a_record(system).word("model") == "2064-109"
    )
    assert (a_record(user).word("userid"), a_record(user).word("state")) == ("VMUSER1", "P")
    assert a_record(user).value("instr").value == 3_000_000
    assert [a_record(item).word("state") for item in found[2:]] == ["W", "R", "W"]


def test_no_time_no_rates(monitor: Harness) -> None:
    monitor.tell(f"system 0 {AT} 0 0 0 0 0 0 0 0 0 0 1 HOST")
    monitor.tell(f"system 1 {AT} 1 1 1 1 1 1 1 0 0 0 1 HOST")
    assert monitor.line("rates") == "0"


@pytest.mark.parametrize("view", [SYSTEM, USER, IO, LOG, HELP])
def test_short_answers_fit_behind_msg_from(monitor: Harness, view: int) -> None:
    two_samples(monitor)
    monitor.tell("past 10")
    answer = monitor.lines(f"view {BRIEF + view}")
    assert 1 <= len(answer) <= 6
    assert all(len(line) <= 52 for line in answer)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "0 0 - -"),
        ("d s", "1 0 - -"),
        ("display user", "2 0 - -"),
        ("D U vmuser1", "3 0 VMUSER1 -"),
        ("d i/o", "4 0 - -"),
        ("set interval 3600", "7 3600 - -"),
        ("set log on", "8 0 - -"),
        ("set log on my log", "8 0 MY LOG"),
        ("SET LOG OFF", "9 0 - -"),
        ("set console off", "11 0 - -"),
        ("screen", "12 0 - -"),
        ("set interval 0", "RTMCMD003E INVALID OPERAND - 0"),
        ("set interval 3601", "RTMCMD003E INVALID OPERAND - 3601"),
        ("set interval 1x", "RTMCMD003E INVALID OPERAND - 1X"),
        ("set log on a/b", "RTMCMD003E INVALID OPERAND - A/B"),
        ("set log on log eightltr", "RTMCMD003E INVALID OPERAND - EIGHTLTR"),
        ("display", "RTMCMD026E OPERAND MISSING; HELP LISTS THE COMMANDS"),
        ("d s x", "RTMCMD003E INVALID OPERAND - X"),
        ("frob", "RTMCMD001E UNKNOWN COMMAND - FROB; HELP LISTS THE COMMANDS"),
    ],
)
def test_commands(monitor: Harness, typed: str, answer: str) -> None:
    assert monitor.line(f"parse {typed}") == answer


def address(data: bytes) -> int:
    """The cell of a 12-bit buffer address."""
    return (data[0] & 63) << 6 | data[1] & 63


def paint(data: bytes, cells: list[str] | None = None) -> tuple[list[str], int | None]:
    """What a 3270 makes of the stream (attributes as '^'), and the cell of its cursor order."""
    cells = list(cells or " " * 1920)
    at, cursor, i = 0, None, 1
    while i < len(data):
        if data[i] == 0x11:
            at, i = address(data[i + 1 : i + 3]), i + 3
        elif data[i] == 0x1D:
            cells[at], at, i = "^", at + 1, i + 2
        elif data[i] == 0x13:
            cursor, i = at, i + 1
        elif data[i] == 0x3C:
            to = address(data[i + 1 : i + 3]) or 1920
            assert at < to <= 1920 and data[i + 3] == 0
            cells[at:to], at, i = " " * (to - at), to, i + 4
        else:
            cells[at], at, i = chr(data[i]), at + 1, i + 1
    assert len(cells) == 1920
    return cells, cursor


def rows(cells: list[str]) -> list[str]:
    return ["".join(cells[r * 80 : r * 80 + 80]).rstrip() for r in range(24)]


def test_the_stream_paints_the_page(monitor: Harness) -> None:
    two_samples(monitor)
    view = monitor.lines(f"view {SYSTEM}")
    top, stream = monitor.line("stream 0").split()
    cells, cursor = paint(bytes.fromhex(stream))
    shown = rows(cells)
    assert shown[0] == "^TITLE"
    assert shown[1 : 1 + len(view)] == [f"^{line}".rstrip() for line in view]
    assert shown[22].startswith("^COMMAND ===>^") and cursor == 22 * 80 + 14
    assert top == "0" and stream.startswith("c3")


def test_a_change_leaves_the_command_line_alone(monitor: Harness) -> None:
    two_samples(monitor)
    monitor.lines(f"view {SYSTEM}")
    before, _ = paint(bytes.fromhex(monitor.line("stream 0").split()[1]))
    monitor.lines(f"view {USER}")
    stream = bytes.fromhex(monitor.line("change 0"))
    after, cursor = paint(stream, before)
    assert stream[0] == 0x40 and cursor is None
    assert after[22 * 80 : 23 * 80] == before[22 * 80 : 23 * 80]
    assert rows(after)[2].startswith("^VMUSER1 ") and rows(after)[21] == "^MESSAGE"
    assert rows(after)[7] == "^"


def test_pages_never_pass_the_end(monitor: Harness) -> None:
    two_samples(monitor)
    monitor.tell("past 50")
    monitor.lines(f"view {LOG}")
    assert [int(monitor.line(f"stream {top}").split()[0]) for top in (0, 19, 38, 57, 9999)] == [
        0, 19, 38, 38, 38,
    ]  # fmt: skip


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.sampled_from([(0x7D, 0), (0xF1, 1), (0x7C, 12), (0xC1, 13), (0x6D, -1), (0x88, -2)]),
    typed=st.binary(max_size=200),
)
def test_any_input_is_taken(monitor: Harness, key: tuple[int, int], typed: bytes) -> None:
    data = bytes([key[0], 0x40, 0x40, 0x11, 0x5B, 0xF8]) + typed
    pf, text = (monitor.line(f"input {data.hex()}") + " ").split(" ")[:2]
    assert int(pf) == key[1]
    clean = typed.split(b"\x11")[0].replace(b"\0", b"")[:WIDTH]
    assert bytes.fromhex(text) == clean
    monitor.line(f"input {data[: len(typed) % 6].hex()}")


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=120))
def test_any_text_is_a_command_or_a_message(monitor: Harness, typed: str) -> None:
    answer = monitor.line(f"parse {typed}")
    assert len(answer) <= WIDTH
    assert answer.startswith("RTMCMD") or answer[0].isdigit()
