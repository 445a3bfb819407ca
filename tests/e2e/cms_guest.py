# SPDX-License-Identifier: MIT
"""A booted VM/KB whose users have small minidisks with known files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e import system
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.hercules.tn3270.session import Answer, UserSession

WITHIN = 30.0

VOLUME = (
    system.VOLUME.format(131072)
    + system.CMS_DISK
    + """\
[[minidisk]]
owner = "MAINT"
vaddr = "19E"
label = "DOC19E"
file = [
    { from = "docs/*" },
    { generate = "DOC2M TEXT", bytes = 2097152 },
]

[[minidisk]]
owner = "USER1"
vaddr = "191"
label = "U1D191"
file = [{ from = "user1/*" }, { from = "fixed/*", recfm = "F", lrecl = 80 }]

[[minidisk]]
owner = "USER2"
vaddr = "191"
label = "U2D191"
file = [{ from = "user2/*" }]
"""
)

DIRECTORY = (
    system.HEAD
    + system.CMSUSER
    + """\
USER OPERATOR OPERATOR 1M 4M ABCDEFG
 CONSOLE 0009 3215
"""
    + system.MAINT.format(8192)
    + """\
USER USER1 USER1 2M 4M ABEG
 INCLUDE CMSUSER
 LINK MAINT 019E 019E RR
 MDISK 0191 3370 AUTO 2048 TESTVL MR ALL
 MDISK 0192 3370 AUTO 1024 TESTVL MR
 MDISK 0193 3370 AUTO 64 TESTVL MR
USER USER2 USER2 1M 4M G
 INCLUDE CMSUSER
 MDISK 0191 3370 AUTO 1024 TESTVL MR
 LINK USER1 0191 0291 RR
USER BARE BARE 1M 1M G
 INCLUDE CMSUSER
"""
)

FILES = {
    "system/sysexec.exec": "/* on the system disk */\nsay 'SYSTEM' arg(1)\nexit 0\n",
    "system/listfile.helpcms": "LISTFILE lists files.\n",
    "system/ipl.helpcp": "IPL loads a system.\n",
    "system/message.helpcp": "MESSAGE sends a line.\n",
    "system/messages.helpmsg": "* Text\n:: 001\nNo.\n:: 002\nThere is no such file.\n:: 003\nNo.\n",
    "docs/three.text": "first line\nsecond line\nthird line\n",
    "fixed/cards.data": "CARD ONE\nCARD TWO\n",
    "user1/profile.exec": "/* */\nsay 'PROFILE RAN'\n'ACCESS 19E Y'\n",
    "user1/lines.text": "".join(f"line {n}\n" for n in range(1, 31)),
    "user2/profile.exec": "/* fails */\nexit 77\n",
}


@contextmanager
def booted(
    folder: Path,
    files: dict[str, str],
    damage: Callable[[Path], None] | None = None,
    parameter: str | None = None,
) -> Iterator[tuple[Guest, Hercules]]:
    """VM/KB running in `folder`; `files` (like FILES above) are added to the minidisks.

    `damage` may change the volume's image before it is used; `parameter` is the IPL's.
    """
    guest = system.delivered()
    run = folder / "run"
    volume = system.image(system.source(folder, VOLUME, DIRECTORY, {**FILES, **files}), run)
    if damage is not None:
        damage(volume)
    machine = boot(guest, run, keep=True, parameter=parameter)
    try:
        yield guest, machine
    finally:
        machine.stop()


class Cms:
    """A user at CMS."""

    def __init__(self, system: tuple[Guest, Hercules], device: int, user: str) -> None:
        self.session: UserSession = open_session(*system, device)
        mark = len(self.session.lines)
        self.session.logon(user, user, WITHIN)
        self.start: list[str] = self.session.lines[mark:]

    def run(self, command: str, rc: int = 0) -> tuple[str, ...]:
        """What a command wrote; it must end with this return code."""
        answer = self.answer(command)
        assert answer.rc == rc, (command, answer)
        return answer.lines

    def answer(self, command: str) -> Answer:
        """What a command wrote, and its Ready message."""
        return self.session.command(command, WITHIN)

    def type(self, text: str) -> int:
        """Type a line without waiting; the number of the console line that comes next."""
        terminal = self.session.terminal
        terminal.read()
        mark = len(self.session.lines)
        terminal.type(text)
        terminal.enter()
        return mark

    def expect(self, text: str, since: int) -> None:
        """Wait for a console line, from number `since` on, that has `text`."""
        self.session.terminal.wait(
            lambda screen: any(text in line for line in self.session.lines[since:]),
            WITHIN,
            f"'{text}'",
        )

    def close(self) -> None:
        """Log off and leave the terminal."""
        try:
            self.session.logoff(WITHIN)
        finally:
            self.session.close()
