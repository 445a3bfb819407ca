# SPDX-License-Identifier: MIT
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.screen import OUTPUT_ROWS, Screen, Transcript


class Console:
    """A VM console that writes line after line, and is looked at from time to time."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.status = "RUNNING"

    def screen(self) -> Screen:
        rows = [*self.rows, *[""] * (OUTPUT_ROWS - len(self.rows))]
        return Screen.of([*rows, "", " " * 60 + self.status])

    def write(self, line: str) -> bool:
        """Write a line; False when the page is full and must be cleared first."""
        if len(self.rows) == OUTPUT_ROWS:
            self.status = "MORE..."
            return False
        self.rows.append(line)
        return True

    def clear(self) -> None:
        self.rows = []
        self.status = "RUNNING"


# Few different lines, so that pages look alike as often as possible.
LINES = st.lists(st.sampled_from(["a", "b", "Ready;", "x" * 80, ""]), max_size=120)


def without_trailing_blanks(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


@given(LINES, st.data())
def test_pages_that_the_driver_clears_are_all_there_once(
    lines: list[str], data: st.DataObject
) -> None:
    console, transcript = Console(), Transcript()
    for line in lines:
        if not console.write(line):
            transcript.feed(console.screen())
            # A page that ends in more blank lines than a paragraph would is cut (documented).
            console.clear()
            transcript.cleared()
            console.write(line)
        if data.draw(st.booleans()):
            transcript.feed(console.screen())
            transcript.feed(console.screen())
    transcript.feed(console.screen())
    pages = [lines[at : at + OUTPUT_ROWS] for at in range(0, len(lines), OUTPUT_ROWS)]
    expected: list[str] = []
    for number, page in enumerate(pages):
        seen = without_trailing_blanks(page)
        full = number < len(pages) - 1 and len(seen) >= OUTPUT_ROWS - 4
        expected += page if full else seen
    assert without_trailing_blanks(transcript.lines) == without_trailing_blanks(expected)


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=120))
def test_pages_that_the_timer_clears_are_all_there_when_seen_before_and_after(
    lines: list[str],
) -> None:
    console, transcript = Console(), Transcript()
    for line in lines:
        if not console.write(line):
            transcript.feed(console.screen())
            console.clear()
            transcript.feed(console.screen())
            console.write(line)
    transcript.feed(console.screen())
    assert transcript.lines == lines


def test_holding_is_the_same_page() -> None:
    console, transcript = Console(), Transcript()
    for number in range(OUTPUT_ROWS + 1):
        console.write(f"line {number}")
    transcript.feed(console.screen())
    console.status = "HOLDING"
    assert transcript.feed(console.screen()) == ()
    assert len(transcript.lines) == OUTPUT_ROWS


def test_a_changed_page_without_a_sign_is_a_new_page() -> None:
    console, transcript = Console(), Transcript()
    console.write("one")
    transcript.feed(console.screen())
    console.rows = ["two"]
    assert transcript.feed(console.screen()) == ("two",)
    assert transcript.text() == "one\ntwo\n"


def test_logo_and_full_screens_add_nothing_and_end_the_page() -> None:
    console, transcript = Console(), Transcript("VM/KB ONLINE")
    console.write("one")
    transcript.feed(console.screen())
    logo = Screen.of(["   VM/KB ONLINE", *[""] * 22, " " * 60 + "RUNNING"])
    assert transcript.feed(logo) == ()
    assert transcript.feed(Screen.of(["a full-screen editor"])) == ()
    assert transcript.feed(console.screen()) == ("one",)


def test_a_page_held_before_it_is_full_adds_no_blank_lines() -> None:
    console, transcript = Console(), Transcript()
    console.write("LOGOFF AT 12:00:00")
    console.status = "MORE..."
    transcript.feed(console.screen())
    assert transcript.lines == ["LOGOFF AT 12:00:00"]
