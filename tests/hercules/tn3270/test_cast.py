# SPDX-License-Identifier: MIT
"""What a cast brings a terminal to is what the display showed."""

from __future__ import annotations

import io
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.cast import Cast
from vmkb.hercules.tn3270.screen import Screen

ROW = st.text("ab #", max_size=80)
SHOWN = st.lists(
    st.tuples(
        st.lists(ROW, min_size=24, max_size=24), st.tuples(st.integers(0, 23), st.integers(0, 79))
    ),
    min_size=1,
    max_size=6,
)
PIECE = re.compile(r"\x1b\[(?:(\d+);(\d+))?([HJK])|\x1b\[2([JK])|([^\x1b]+)")


class Terminal:
    """As much of a terminal as a cast needs: H, 2J, 2K and characters."""

    def __init__(self) -> None:
        self.rows = [""] * 24
        self.at = (0, 0)

    def feed(self, text: str) -> None:
        end = 0
        for found in PIECE.finditer(text):
            assert found.start() == end, repr(text[end:])
            end = found.end()
            row, column, _, erased, written = found.groups()
            if erased:
                self.rows = [""] * 24 if erased == "J" else self.rows
                self.rows[self.at[0]] = ""
            elif written:
                assert self.at[1] == len(self.rows[self.at[0]]) == 0
                self.rows[self.at[0]] = written
            else:
                self.at = (int(row or 1) - 1, int(column or 1) - 1)
        assert end == len(text)


@given(SHOWN)
def test_each_event_brings_the_display_of_its_time(
    shown: list[tuple[list[str], tuple[int, int]]],
) -> None:
    out, time, terminal = io.StringIO(), [5.0], Terminal()
    cast = Cast(out, lambda: time[0], "a session")
    read = 0
    for n, (rows, cursor) in enumerate(shown):
        time[0] = 5.0 + n
        cast.show(Screen.of(rows, cursor))
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        assert lines[0] == {"version": 2, "width": 80, "height": 24, "title": "a session"}
        for at, kind, text in lines[1 + read :]:
            assert (at, kind) == (float(n), "o")
            terminal.feed(text)
        read = len(lines) - 1
        assert terminal.rows == [row.rstrip() for row in rows]
        assert terminal.at == cursor


def test_what_did_not_change_is_no_event() -> None:
    out = io.StringIO()
    cast = Cast(out, lambda: 0.0, "")
    screen = Screen.of(["READY"] + [""] * 23, (1, 0))
    cast.show(screen)
    before = out.getvalue()
    cast.show(screen)
    assert out.getvalue() == before
