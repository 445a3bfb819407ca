# SPDX-License-Identifier: MIT
"""The meaning of a VM screen. Pure: rows of text in, meaning out.

The console of a virtual machine on a 24x80 display: output in rows 1-22, the input field from
row 23 column 1 to row 24 column 59, the status from row 24 column 61 on (VM/370's own layout).
A larger display has them at its end. A system with its status or its output elsewhere has another
`Layout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

ROWS = 24
COLUMNS = 80
OUTPUT_ROWS = 22
STATUS_COLUMN = 60
"""Column of the status text, counted from 0."""
INPUT_CELLS = 139
"""Cells of the input field: row 23, and row 24 up to the attribute before the status."""


@dataclass(frozen=True)
class Layout:
    """Where a console's status begins, row and column counted from 0, and how many rows from the
    top are output."""

    status: tuple[int, int] = (ROWS - 1, STATUS_COLUMN)
    output: int = OUTPUT_ROWS
    follows: bool = False
    """It is VM's own, at the end of a screen of any size."""


VM_LAYOUT = Layout()


class Status(Enum):
    """The status words of a VM console."""

    RUNNING = "RUNNING"
    VM_READ = "VM READ"
    CP_READ = "CP READ"
    MORE = "MORE..."
    HOLDING = "HOLDING"
    NOT_ACCEPTED = "NOT ACCEPTED"


# A system name may follow each of them.
VM_WORDS: Mapping[str, Status] = {s.value: s for s in Status}
"""The words of VM itself."""

_BLANK_END = 4
"""Blank rows at the end of a held page that still count as lines of a full one."""

_READY = re.compile(
    r"^(?:R|Ready)"
    r"(?:;|\((?P<rc>-?\d{1,10})\);?)"  # VM/370 Community Edition has no semicolon behind a code
    r"(?:\s+T=(?P<virtual>\d+\.\d+)/(?P<total>\d+\.\d+)(?:\s+(?P<time>\d\d:\d\d:\d\d))?)?\s*$"
)


@dataclass(frozen=True)
class Ready:
    """CMS's Ready message: return code, CPU seconds as printed (virtual, total), time of day."""

    rc: int
    virtual: str | None
    total: str | None
    time: str | None


def parse_ready(line: str, other: str = "") -> Ready | None:
    """The Ready message that `line` is, in its short or long form, or None.

    `other` is a pattern for one more form; its group rc, if it has one, is the return code.
    """
    match = _READY.match(line.rstrip())
    if match is not None:
        return Ready(int(match["rc"] or 0), match["virtual"], match["total"], match["time"])
    match = re.match(other, line.rstrip()) if other else None
    if match is None:
        return None
    return Ready(int(match.groupdict().get("rc") or 0), None, None, None)


@dataclass(frozen=True)
class Screen:
    """24 rows of 80 characters or more, and the cursor as (row, column) counted from 0.

    `words` are what the system writes for the states of its console, `layout` where.
    """

    rows: tuple[str, ...]
    cursor: tuple[int, int] = (0, 0)
    words: Mapping[str, Status] = field(default_factory=lambda: VM_WORDS, compare=False)
    layout: Layout = field(default=VM_LAYOUT, compare=False)

    @classmethod
    def of(
        cls,
        rows: Iterable[str],
        cursor: tuple[int, int] = (0, 0),
        words: Mapping[str, Status] = VM_WORDS,
        layout: Layout = VM_LAYOUT,
    ) -> Screen:
        """A screen from rows of any length: of up to 24 rows cut or filled with blanks to 24 by
        80; of more as large as they are.

        Control characters and nulls, which a display shows as blanks, become blanks. On a larger
        screen VM's own layout is as far from the end.
        """
        given = list(rows)
        width = max([COLUMNS, *map(len, given)]) if len(given) > ROWS else COLUMNS
        clean = [
            (row if row.isprintable() else "".join(c if c.isprintable() else " " for c in row))[
                :width
            ].ljust(width)
            for row in given
        ]
        clean.extend([" " * width] * (ROWS - len(clean)))
        if layout == VM_LAYOUT or layout.follows:
            below = len(clean) - ROWS
            status = (ROWS - 1 + below, STATUS_COLUMN + width - COLUMNS)
            layout = Layout(status, OUTPUT_ROWS + below, follows=True)
        return cls(tuple(clean), cursor, words, layout)

    @property
    def status(self) -> Status | None:
        """The console's status, or None where no VM console is shown (logo, full screen)."""
        word = self._status_word()
        return self.words[word] if word else None

    @property
    def system(self) -> str:
        """The system's name at the end of the status, or nothing."""
        word = self._status_word()
        if not word or not (self.layout.follows or self.layout == VM_LAYOUT):
            return ""
        row, column = self.layout.status
        return self.rows[row][column + len(word) :].strip()

    def _status_word(self) -> str:
        row, column = self.layout.status
        there = self.rows[row][column:]
        return next((word for word in self.words if there.startswith(word)), "")

    @property
    def output(self) -> tuple[str, ...]:
        """The rows of output without trailing blanks."""
        return tuple(row.rstrip() for row in self.rows[: self.layout.output])

    @property
    def used(self) -> int:
        """How many output rows there are up to the last that is not blank."""
        return next((n for n in range(self.layout.output, 0, -1) if self.rows[n - 1].strip()), 0)

    @property
    def lines(self) -> tuple[str, ...]:
        """The output up to the last row that is not blank."""
        return self.output[: self.used]

    @property
    def input(self) -> str:
        """The text of the input field, without trailing blanks."""
        last = self.rows[self.layout.output] + self.rows[self.layout.output + 1]
        return last[: len(last) - 2 * COLUMNS + INPUT_CELLS].rstrip()

    @property
    def ready(self) -> Ready | None:
        """The Ready message in the last output row, or None."""
        return parse_ready(self.output[self.used - 1]) if self.used else None

    @property
    def reading(self) -> bool:
        """Whether the console waits for a line."""
        return self.status in (Status.VM_READ, Status.CP_READ)

    @property
    def held(self) -> bool:
        """Whether a full page waits to be cleared by the user."""
        return self.status in (Status.MORE, Status.HOLDING)

    def is_logo(self, words: str) -> bool:
        """Whether this is the screen before a logon, which shows `words` and nobody's lines.

        (VM/370's logo has the status RUNNING below it, so the status does not tell.)
        """
        return any(words in row for row in self.rows[: self.layout.output])

    def has(self, text: str) -> bool:
        """Whether `text` stands in one row, or runs over the end of one into the next."""
        return text in "\n".join(self.rows) or text in "".join(self.rows)

    def text(self) -> str:
        """The whole screen, without trailing blanks, for a person to read."""
        return "\n".join(row.rstrip() for row in self.rows).rstrip("\n")


class Transcript:
    """Collects the lines of a console from snapshots of its screen.

    A console writes rows from the top and never changes one that is written, until the page is
    cleared and it begins at the top again. So of a snapshot that starts as the last one did only
    the rows after it are new; any other is a new page. A full page stays (MORE..., HOLDING) until
    it is cleared, so no line is lost as long as each page is seen before it is cleared: whoever
    clears a page shows it here first and then calls `cleared`. Blank lines at the end of a page
    that is cleared before it is full cannot be seen and are left out. (A page is also held before
    it is full, at LOGOFF and before a full-screen program: when the blank rows at its end are
    more than a paragraph would leave, they are not taken for lines.) A screen with the words
    `logo` is the one before a logon and adds nothing.
    """

    def __init__(self, logo: str = "") -> None:
        self.lines: list[str] = []
        self._logo = logo
        self._page: tuple[str, ...] = ()
        self._held = False

    def cleared(self) -> None:
        """The user (or the driver for him) has cleared the page: the next rows are all new."""
        self._page = ()
        self._held = False

    def feed(self, screen: Screen) -> tuple[str, ...]:
        """Take in a snapshot and return the lines that it adds."""
        logo = bool(self._logo) and screen.is_logo(self._logo)
        if screen.status is None or logo:
            # A logo or a full-screen program: what comes after it starts a new page. The same page
            # without a status is one that is being painted again.
            if logo or any(new != old for new, old in zip(screen.lines, self._page, strict=False)):
                self.cleared()
            return ()
        if self._held and not screen.held:
            self.cleared()
        rows = screen.lines
        if screen.held and len(rows) >= screen.layout.output - _BLANK_END:
            rows = screen.output
        if rows[: len(self._page)] != self._page:
            self._page = ()
        new = rows[len(self._page) :]
        self._page = rows
        self._held = screen.held
        self.lines.extend(new)
        return new

    def text(self) -> str:
        """All lines so far, each ended."""
        return "".join(f"{line}\n" for line in self.lines)


def joined(lines: Sequence[str]) -> str:
    """Output rows as one text in which a line of more than 80 characters is whole again."""
    parts = []
    for line in lines:
        parts.append(line if len(line) == COLUMNS else line + "\n")
    return "".join(parts)
