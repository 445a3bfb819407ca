# SPDX-License-Identifier: MIT
"""A user who edits on a full screen: what is typed where, and what the rows say then."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.cms_guest import WITHIN, Cms, booted
from vmkb.hercules.deadline import HOST, Deadline
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest
from vmkb.hercules.tn3270.screen import Status
from vmkb.hercules.tn3270.session import UserSession
from vmkb.hercules.tn3270.terminal import Terminal

System = tuple[Guest, Hercules]

COMMAND = "====>"


def delivered(*names: str) -> dict[str, str]:
    """Files of the delivered system disk, for a guest's own."""
    system = load_guest("vmkb").folder / "volume/system"
    return {f"system/{name}": (system / name).read_text("utf-8") for name in names}


@contextmanager
def at_terminal(folder: Path, files: Mapping[str, str], names: Sequence[str] = ()) -> Iterator[Cms]:
    """USER1 of a guest with these files, and those NAMES of the delivered system disk."""
    with booted(folder, {**files, **delivered(*names)}) as found:
        user = Cms(found, 0x0701, "USER1")
        yield user
        user.close()


class Seated(Cms):
    """A user at a terminal of any model."""

    def __init__(self, system: System, device: int, user: str, model: tuple[str, ...]) -> None:
        guest, machine = system
        terminal = Terminal(model=model)
        terminal.connect(machine.terminal_port, device)
        self.session = UserSession(guest.session, terminal)
        self.session.logon(user, user, WITHIN)


class Editor:
    """XEDIT on the terminal of `cms`. Rows and columns count from 1, as XEDIT's do."""

    def __init__(self, cms: Cms, command: str | None) -> None:
        self.cms = cms
        self.terminal: Terminal = cms.session.terminal
        if command is not None:
            self.key(lambda: self._typed(command), until=COMMAND)

    @classmethod
    def at_screen(cls, cms: Cms) -> Editor:
        """XEDIT that was begun already."""
        return cls(cms, None)

    def _typed(self, command: str) -> None:
        self.terminal.type(command)
        self.terminal.enter()

    def _do(self, action: str) -> list[str]:
        return self.terminal.action(action, Deadline(WITHIN, HOST))

    @property
    def rows(self) -> list[str]:
        """What the screen shows, without blanks at the rows' ends."""
        return [row.rstrip() for row in self._do("Ascii()")]

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor."""
        self._do("Ascii()")
        status = self.terminal._status
        return int(status[8]) + 1, int(status[9]) + 1

    def find(self, text: str) -> int:
        """The row that has `text`."""
        rows = self.rows
        found = [n for n, row in enumerate(rows, 1) if text in row]
        assert found, (text, rows)
        return found[0]

    def at(self, row: int, column: int) -> None:
        """Move the cursor."""
        self._do(f"MoveCursor({row - 1},{column - 1})")

    def over(self, row: int, column: int, text: str, erase: bool = False) -> None:
        """Type over what stands there; `erase` empties the rest of the field."""
        self.at(row, column)
        self.terminal.type(text)
        if erase:
            self._do("EraseEOF()")

    def prefix(self, row: int, text: str) -> None:
        """Type in the prefix area of a row."""
        self.over(row, 2, text)

    def key(self, press: object, until: str = "", within: float = WITHIN) -> list[str]:
        """Press a key; returns when the host has written and the screen has `until`."""
        assert callable(press)
        press()
        deadline = Deadline(within, HOST)
        while True:
            rows = self.rows
            if not self.terminal.locked and any(until in row for row in rows):
                return rows
            assert not deadline.over, (until, rows)
            self._do(f"Wait({max(1, math.ceil(deadline.left))},Output)")

    def enter(self, command: str = "", until: str = "") -> list[str]:
        """ENTER, with a command typed on the command line."""
        if command:
            row = self.find(COMMAND)
            self.over(row, 8, command, erase=True)
        return self.key(self.terminal.enter, until)

    def pf(self, n: int, until: str = "") -> list[str]:
        """A PF key."""
        return self.key(lambda: self.terminal.pf(n), until)

    def lines(self) -> list[str]:
        """The rows that show lines of the file, without the prefix area."""
        return [row[7:] for row in self.rows if row[1:6] in ("=====",) or row[1:6].isdigit()]

    def leave(self, command: str = "QQUIT") -> None:
        """Ends the session: CMS is ready again."""
        row = self.find(COMMAND)
        self.over(row, 8, command, erase=True)
        self.terminal.read()  # a full screen: what follows is a new page, even if it looks the same
        mark = len(self.cms.session.lines)
        self.terminal.enter()
        self.cms.expect("Ready", mark)
        self.terminal.wait(lambda s: s.status is Status.VM_READ, WITHIN, "VM READ")
        self.terminal.unlocked(Deadline(WITHIN, HOST))
