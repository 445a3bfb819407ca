# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.screen import (
    INPUT_CELLS,
    OUTPUT_ROWS,
    Ready,
    Screen,
    Status,
    joined,
    parse_ready,
)


def vm_screen(lines: list[str], status: str = "RUNNING", typed: str = "") -> Screen:
    """A console as CP paints it: output from row 1, input in rows 23-24, status at 24/61."""
    rows = [line.ljust(80) for line in lines] + [" " * 80] * (OUTPUT_ROWS - len(lines))
    typed = typed.ljust(INPUT_CELLS)
    rows.append(typed[:80])
    rows.append(f"{typed[80:]} {status}".ljust(80))
    return Screen.of(rows)


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("system", ["", "  VMKB"])
def test_each_status_is_read_where_it_stands(status: Status, system: str) -> None:
    screen = vm_screen(["hello"], status.value + system)
    assert screen.status is status
    assert screen.system == system.strip()
    assert screen.reading is (status in (Status.VM_READ, Status.CP_READ))
    assert screen.held is (status in (Status.MORE, Status.HOLDING))


@pytest.mark.parametrize("row", ["RUNNING", " " * 59 + "RUNNING", " " * 61 + "RUNNING", "VM READ"])
def test_status_words_elsewhere_are_no_status(row: str) -> None:
    assert Screen.of([""] * 23 + [row]).status is None
    assert Screen.of([row] + [""] * 23).status is None


def test_output_input_and_cursor() -> None:
    screen = vm_screen(["one", "", "three"], "VM READ", "query time")
    assert screen.lines == ("one", "", "three")
    assert screen.used == 3
    assert screen.input == "query time"
    long = "x" * INPUT_CELLS
    assert vm_screen([], "VM READ", long).input == long


def test_the_logo_is_known_by_its_words_in_the_output_rows() -> None:
    assert vm_screen(["", "  VM/KB ONLINE"]).is_logo("VM/KB ONLINE")
    assert not vm_screen([], typed="VM/KB ONLINE").is_logo("VM/KB ONLINE")


def test_text_that_runs_over_the_edge_is_found() -> None:
    screen = vm_screen(["a" * 78 + "nee", "dle"])
    assert Screen.of(["a" * 78 + "ne", "edle"]).has("needle")
    assert not screen.has("needle")


@pytest.mark.parametrize(
    ("line", "ready"),
    [
        ("R;", Ready(0, None, None, None)),
        ("Ready;", Ready(0, None, None, None)),
        ("R; T=0.01/0.02 12:34:56", Ready(0, "0.01", "0.02", "12:34:56")),
        ("R(00028); T=0.01/0.02 12:34:56", Ready(28, "0.01", "0.02", "12:34:56")),
        ("Ready(00028); T=0.01/0.02 12:34:56", Ready(28, "0.01", "0.02", "12:34:56")),
        ("Ready(00028)", Ready(28, None, None, None)),
        ("R(00028) T=0.01/0.02 12:34:56", Ready(28, "0.01", "0.02", "12:34:56")),
        ("Ready(-0003); T=10.01/12.02", Ready(-3, "10.01", "12.02", None)),
        ("Ready; T=0.01/0.02 12:34:56   ", Ready(0, "0.01", "0.02", "12:34:56")),
        ("Ready", None),
        ("Not Ready;", None),
        ("Ready; and more", None),
        ("R(); T=0.01/0.02 12:34:56", None),
        ("ready;", None),
    ],
)
def test_ready_messages(line: str, ready: Ready | None) -> None:
    assert parse_ready(line) == ready


def test_the_last_line_is_what_counts_as_ready() -> None:
    assert vm_screen(["Ready; T=0.01/0.02 12:34:56", "x"]).ready is None
    assert vm_screen(["x", "Ready(00003); T=0.01/0.02 12:34:56"]).ready == Ready(
        3, "0.01", "0.02", "12:34:56"
    )
    assert vm_screen([]).ready is None


@given(
    st.integers(-99999, 99999),
    st.decimals(0, 9999, places=2).map(str),
    st.decimals(0, 9999, places=2).map(str),
    st.times(),
    st.sampled_from(["R", "Ready"]),
)
def test_ready_round_trip(rc: int, virtual: str, total: str, time: object, word: str) -> None:
    code = f"({rc:05d})" if rc else ""
    clock = f"{time:%H:%M:%S}"
    line = f"{word}{code}; T={virtual}/{total} {clock}"
    assert parse_ready(line) == Ready(rc, virtual, total, clock)


@given(st.lists(st.text(max_size=120), max_size=40))
def test_any_rows_make_a_screen(rows: list[str]) -> None:
    screen = Screen.of(rows)
    width = max([80, *map(len, rows)]) if len(rows) > 24 else 80
    assert len(screen.rows) == max(24, len(rows))
    assert all(len(row) == width and row.isprintable() for row in screen.rows)
    assert len(screen.lines) == screen.used <= OUTPUT_ROWS + len(screen.rows) - 24
    assert screen.status is None or isinstance(screen.status, Status)
    _ = screen.ready, screen.input, screen.system, screen.text()


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=300))
def test_a_line_cut_at_the_edge_is_joined_again(line: str) -> None:
    rows = [line[at : at + 80] for at in range(0, len(line), 80)] or [""]
    assert joined(rows).rstrip("\n") == line
