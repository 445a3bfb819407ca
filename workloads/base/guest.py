# SPDX-License-Identifier: MIT
"""The way to a guest, for all workloads: what it can do, its disks, its start and end, its users'
terminals, and how it is asked for CPU. Nothing else of `workloads` knows how a guest does it.

Files are `Stored` as a minidisk has them: make them with `from_text`, `fixed` or `document`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from hercules.deadline import Deadline, EmulatorError, Timeout, wait_until
from hercules.emulator.boot import boot, open_session, shut_down
from hercules.emulator.choice import Emulator
from hercules.emulator.machine import Hercules
from hercules.emulator.sparse import copy_sparse
from hercules.guest import Guest
from hercules.tn3270.session import UserSession
from hercules.volume.errors import VolumeError
from hercules.volume.manifest import document
from hercules.volume.records import Stored, fixed, from_text
from workloads.base.accounts import SYSTEM
from workloads.errors import UsageError
from workloads.variants import PLAIN, variant
from workloads.volume import CmsName, digests, make_volume, put_files, read_text

__all__ = [
    "PLAIN", "Ability", "CmsName", "Contents", "Guest", "Role", "Running", "Stored", "VolumeError",
    "check_roles", "cpu_questions", "digests", "document", "fixed", "from_text", "image_digest",
    "prepare", "read_text", "start", "variant",
]  # fmt: skip
OWN_DISK = 0x191
"""The minidisk that files of a user are put on."""
OPERATOR = "MAINT"
"""Who may start service machines and ask CP for the accounts of others; also the password."""
START_NETWORK = "XAUTOLOG TCPIP"
FTP_READY, TELNET_READY = "DTCFTS0021I", "DTCTND0021I"
"""What the log shows when the network is up as far as these servers."""
_POLL_S = 0.01
DIES_WITHIN = 1.0
"""Seconds from an emulator's last answer to its end."""


class Ability(StrEnum):
    """What a role may need of a guest."""

    CPU = "tell the CPU of each of its machines"
    FILES = "take files and users before it starts"
    LEVELS = "choose the level of its TCP/IP at IPL"
    TCP = "run programs that use TCP"
    FTP = "serve and use FTP"
    TELNET = "serve and use TELNET"
    DECNET = "serve and use SET HOST"
    LAT = "serve LAT terminals"
    MONITOR = "log what a monitor sees"


@dataclass(frozen=True)
class Role:
    """A part that a guest plays in a workload, and what it must be able to do for that."""

    name: str
    needs: frozenset[Ability]


def abilities(guest: Guest) -> frozenset[Ability]:
    """What a guest can do: all of it, if it is one whose volume is made here."""
    made = (guest.folder / "volume" / "volume.toml").is_file()
    return frozenset(Ability) if made else frozenset()


def check_roles(guest: Guest, roles: Iterable[Role]) -> None:
    """UsageError with a sentence for the first of ROLES that GUEST cannot play."""
    can = abilities(guest)
    for role in roles:
        lacking = [a.value for a in Ability if a in role.needs - can]
        if lacking:
            raise UsageError(
                f"Guest '{guest.name}' cannot be the {role.name}: it does not"
                f" {', or '.join(lacking)}."
            )


@dataclass(frozen=True)
class Contents:
    """What a workload wants on a guest's volume: directory entries of users in place of the
    guest's own, entries behind those (`added`), and files for minidisk 191 of their owners."""

    replaced: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    files: Mapping[str, Mapping[CmsName, Stored]] = field(default_factory=dict)


def prepare(guest: Guest, contents: Contents, image: Path) -> None:
    """Make a volume of GUEST with CONTENTS in the file IMAGE. VolumeError if they do not fit."""
    make_volume(guest.folder / "volume", contents.replaced, image, contents.added)
    for owner, files in contents.files.items():
        put_files(image, owner, OWN_DISK, files)


def image_digest(guest: Guest) -> str:
    """Twelve hexadecimal digits that name what the guest's .ins file loads."""
    guest.check_built()
    total = hashlib.sha256()
    for line in guest.image.read_text("utf-8").splitlines():
        words = line.split()
        path = guest.image.parent / words[0] if words else None
        if path is not None and path.is_file() and path.suffix == ".bin":
            total.update(path.read_bytes())
    return total.hexdigest()[:12]


def cpu_questions(users: Sequence[str], asker: str = "") -> tuple[list[str], list[str]]:
    """The commands that ask for the CPU of USERS before and after the work, with counts.

    The asker's own, or else CP's, is asked for last before and first after, so that asking for the
    others is not charged to it. All accounts stand around that: what they say is of the same
    interval, and so is the time that passed in it.
    """
    inmost = asker or SYSTEM
    order = sorted(users, key=lambda user: user == inmost)
    asked = ["QUERY ACNT", *(f"QUERY TIME {user.lstrip('*')} (FULL" for user in order)]
    return asked, asked[::-1]


def in_rexx(questions: Iterable[str], indent: str = "") -> str:
    """CP's commands as a procedure of the guest gives them, a line each."""
    return "\n".join(f"{indent}'CP {question}'" for question in questions)


class Running:
    """One guest that runs: its emulator, the image that it writes on, its log, and one terminal."""

    def __init__(self, name: str, guest: Guest, machine: Hercules, folder: Path) -> None:
        self.name = name
        self.guest = guest
        self.machine = machine
        self.folder = folder
        self.log = machine.open_log()
        self._session: UserSession | None = None

    @property
    def image(self) -> Path:
        """The volume that the guest runs on."""
        return self.folder / next(iter(self.guest.files))

    def logon(self, user: str, password: str) -> UserSession:
        """USER at this guest's one terminal, as new or reconnected, when CMS reads."""
        try:
            if self._session is None:
                self._session = open_session(self.guest, self.machine)
            self._session.logon(user, password)
        except EmulatorError:
            with contextlib.suppress(Timeout):  # its sockets are gone before it is
                wait_until(lambda: not self.machine.running, DIES_WITHIN, "the emulator to be gone")
            self.machine.check_running()  # a dead emulator is the better reason
            raise
        return self._session

    def leave(self) -> None:
        """Let go of the terminal; a user who is logged on stays so, disconnected."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def follow(self, mark: int, last: str, silence: float, expected: str) -> Iterator[str]:
        """Log lines from number MARK on as they come, up to one that contains LAST.

        Raises Timeout when no line has come for SILENCE seconds, EmulatorError when the emulator
        has ended.
        """
        seen = mark
        deadline = Deadline(silence)
        while True:
            now = self.log.mark()
            if now == seen:
                self.machine.check_running()
                if deadline.over:
                    raise Timeout(expected, deadline.elapsed, (), self.log.tail())

                def grown(known: int = seen) -> bool:
                    return self.log.mark() > known

                try:
                    wait_until(grown, min(1.0, deadline.left + 0.01), expected, poll=_POLL_S)
                except Timeout:
                    continue
                continue
            deadline = Deadline(silence)
            for line in self.log.since(seen):
                seen += 1
                yield line
                if last in line:
                    return

    def procedure(
        self, user: str, password: str, command: str, last: str, silence: float, expected: str
    ) -> Iterator[str]:
        """USER gives the COMMAND for a procedure that disconnects itself: what it and everybody
        else types meanwhile, as lines of the log, up to one that contains LAST. Raises as `follow`.
        """
        session = self.logon(user, password)
        mark = self.log.mark()
        session.terminal.type(command)
        session.terminal.enter()
        begun = False
        for line in self.follow(mark, last, silence, expected):
            if not self.machine.says(line):  # the emulator's own are not of the guest's console
                if not begun:
                    self.leave()
                begun = True
                yield line

    def close(self) -> None:
        """Shut the guest down and end its emulator; its log stays."""
        self.leave()
        shut_down(self.guest, self.machine)
        self.log.close()


def start(
    guest: Guest, name: str, folder: Path, volume: Path, lines: Sequence[str], parameter: str,
    emulator: Emulator,
) -> Running:  # fmt: skip
    """Boot GUEST as NAME in the empty FOLDER on a copy of VOLUME, with LINES to the wire and the
    IPL PARAMETER. EmulatorError when it does not start."""
    copy_sparse(volume, folder / next(iter(guest.files)))
    machine = boot(guest, folder, keep=True, ctce=lines, parameter=parameter, emulator=emulator)
    return Running(name, guest, machine, folder)
