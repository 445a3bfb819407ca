# SPDX-License-Identifier: MIT
"""A recording of a display: asciinema's cast, version 2. Pure: the caller has the clock.

A line of JSON with the size; then a line for each time the display was seen changed: seconds since
the beginning, "o", and the characters that bring a terminal to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TextIO

from vmkb.hercules.tn3270.screen import COLUMNS, ROWS, Screen

_HOME = "\x1b[H\x1b[2J"


class Cast:
    """Writes to OUT what a display shows, at the times that NOW says, in seconds."""

    def __init__(self, out: TextIO, now: Callable[[], float], title: str) -> None:
        self._out = out
        self._now = now
        self._title = title
        self._rows: list[str] = []
        self._cursor = (0, 0)
        self._began = 0.0

    def show(self, screen: Screen) -> None:
        """The display shows that now."""
        rows = [row.rstrip() for row in screen.rows]
        if not self._rows:
            self._began = self._now()
            size = max(len(rows), ROWS), max(COLUMNS, *map(len, screen.rows))
            self._line({"version": 2, "width": size[1], "height": size[0], "title": self._title})
            self._rows = [""] * len(rows)
            self._event(_HOME)
        if rows != self._rows or screen.cursor != self._cursor:
            self._event(_changed(self._rows, rows, screen.cursor))
        self._rows, self._cursor = rows, screen.cursor

    def _event(self, text: str) -> None:
        self._line([round(self._now() - self._began, 6), "o", text])

    def _line(self, what: object) -> None:
        self._out.write(f"{json.dumps(what)}\n")


def _changed(before: Sequence[str], rows: Sequence[str], cursor: tuple[int, int]) -> str:
    """The rows that are others than BEFORE, each at its place, and the cursor at its own."""
    if len(before) != len(rows):
        before = [""] * len(rows)
        start = _HOME
    else:
        start = ""
    places = (
        f"\x1b[{n};1H\x1b[2K{row}"
        for n, (old, row) in enumerate(zip(before, rows, strict=True), 1)
        if old != row
    )
    return f"{start}{''.join(places)}\x1b[{cursor[0] + 1};{cursor[1] + 1}H"
