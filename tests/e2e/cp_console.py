# SPDX-License-Identifier: MIT
"""A booted VM/KB with a small directory of its own, and CP READ consoles to question it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from tests.e2e import system
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.session import UserSession

WITHIN = 30.0

VOLUME = system.VOLUME.format(65536)

DIRECTORY = """\
DIRECTORY 0100 3370 TESTVL
USER OPERATOR OPERATOR 1M 4M ABCDEFG
 CONSOLE 0009 3215
USER WHEEL WHEEL 1M 4M ABCDEFG
 CONSOLE 0009 3215
 MDISK 0191 3370 AUTO 64 TESTVL MR
USER CLASSA CLASSA 1M 4M A
USER CLASSB CLASSB 1M 4M B
USER CLASSE CLASSE 1M 4M E
USER GENERAL GENERAL 1M 4M G
 ACCOUNT 42 DEPT7
 IPL CMS
 CONSOLE 0009 3215
 MDISK 0191 3370 AUTO 128 TESTVL MR RPASS WPASS MPASS
 MDISK 0192 3370 AUTO 64 TESTVL MR ALL
 MDISK 0193 3370 AUTO 64 TESTVL MR
 MDISK 0194 3370 AUTO 64 TESTVL W ALL ALL
USER SECOND SECOND 1M 4M G
 IPL CMS
 LINK GENERAL 0192 0292 RR
USER WARD WARD 1M 4M G
 IPL CMS
 CONSOLE 0009 3215 T WHEEL
USER SERVER AUTOONLY 1M 1M G
 IPL CMS
 AUTOLOG GENERAL
USER GUARDED SECRET 1M 1M G
 IPL CMS
USER HOLLOW HOLLOW 1M 1M G
USER GIANT GIANT 128M 128M G
 IPL CMS
USER PILOT PILOT 1M 1M B
 MDISK 0192 3370 AUTO 64 TESTVL RR RPILOT WPILOT MPILOT
 MDISK 0193 3370 AUTO 64 TESTVL RR ALL ALL ALL
 LINK KEEPER 0195 0195 RR
USER KEEPER KEEPER 1M 1M G
 MDISK 0195 3370 AUTO 64 TESTVL RR ALL ALL ALL
USER PLAIN PLAIN 1M 1M G 50 OFF
USER NOBODY NOLOG 1M 1M G
"""


@contextmanager
def booted(folder: Path, parameter: str | None = None) -> Iterator[tuple[Guest, Hercules]]:
    """VM/KB running in `folder` from a volume with the directory above."""
    guest = system.delivered()
    run = folder / "run"
    system.image(system.source(folder, VOLUME, DIRECTORY), run)
    machine = boot(guest, run, keep=True, parameter=parameter)
    try:
        yield guest, machine
    finally:
        for console in Console.opened.pop(machine, []):
            console.close()  # a test that failed left it, and the next one would be blamed
        machine.stop()


class Console:
    """A user at CP READ: `ask` gives CP a command and returns its answer."""

    opened: ClassVar[dict[Hercules, list[Console]]] = {}

    def __init__(self, guest: Guest, machine: Hercules, device: int) -> None:
        self.session: UserSession = open_session(guest, machine, device)
        self._asked = 0
        self.opened.setdefault(machine, []).append(self)

    def logon(self, user: str, password: str | None = None, options: str = "NOIPL") -> list[str]:
        """Log on without an IPL; the lines from LOGON on."""
        mark = len(self.lines)
        self.session.logon(f"{user} {options}".strip(), password or user, WITHIN)
        return self.lines[mark:]

    @property
    def lines(self) -> list[str]:
        """The lines of the console so far."""
        return self.session.lines

    def type(self, text: str) -> int:
        """Type a line; the number of the console line that comes next."""
        self.session.terminal.read()
        mark = len(self.lines)
        self.session.terminal.type(text)
        self.session.terminal.enter()
        return mark

    def expect(self, text: str, since: int = 0) -> None:
        """Wait for a console line, from number `since` on, that has `text`."""
        self.session.expect(text, WITHIN, since)

    def ask(self, command: str) -> list[str]:
        """What CP answers. A comment typed behind the command marks the end of the answer."""
        self._asked += 1
        end = f"* ASKED {self._asked}"
        mark = self.type(command)
        self.type(end)
        self.session.terminal.wait(
            lambda screen: end in self.lines[mark:], WITHIN, f"the echo of '{end}'"
        )
        answer = self.lines[mark : self.lines.index(end, mark)]
        rows = max(1, -(-len(command) // 80))
        for echo in range(len(answer)):  # before it: a message that came while this was typed
            typed = "".join(row.ljust(80) for row in answer[echo : echo + rows]).rstrip()
            if typed == command.rstrip():
                return answer[echo + rows :]
        raise AssertionError(f"no echo of '{command}' in {answer}")

    def close(self) -> None:
        """Leave the terminal; the user stays logged on."""
        self.session.close()


def check(answer: list[str], *patterns: str) -> None:
    """The answer has exactly these lines; each is a pattern for the whole line."""
    assert len(answer) == len(patterns), answer
    for line, pattern in zip(answer, patterns, strict=True):
        assert re.fullmatch(pattern, line), f"{line!r} is not {pattern!r}"
