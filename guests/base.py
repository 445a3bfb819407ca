# SPDX-License-Identifier: MIT
"""A guest's driver: how workloads and commands use a guest, and what it can and cannot do.

A guest is a folder with a guest.toml (its machine, how it starts, what its lines mean) and, where
that is not enough, a driver.py with a class derived from `Driver`, named by `DRIVER = ThatClass`.
The folder may lie outside of the project. A guest without a driver.py is booted, talked to and
ended as its guest.toml says, and can play no part in a workload.

A workload says here what it needs, also where it is only reported on: what runs guests is imported
when one is run.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from vmkb.guests.compiled import PLAIN
from vmkb.guests.contents import Content, Text
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, Timeout, wait_until

if TYPE_CHECKING:
    from vmkb.guests.release.sizes import Sizes
    from vmkb.hercules.clock.guest import GuestClock
    from vmkb.hercules.emulator.choice import Emulator
    from vmkb.hercules.emulator.machine import Hercules
    from vmkb.hercules.guest import Guest
    from vmkb.hercules.tn3270.session import UserSession

LAYERS = "layers.toml"
_POLL_S = 0.01
DIES_WITHIN = 1.0
"""Seconds from an emulator's last answer to its end."""

FileName = tuple[str, str]
"""A filename and a filetype, or what a guest has in their place."""


class Ability(StrEnum):
    """The abilities that a role in a workload may need of a guest."""

    CPU = "tell the CPU of each of its machines"
    FILES = "take files and users before it starts"
    LEVELS = "choose the level of its TCP/IP at IPL"
    TCP = "run programs that use TCP"
    FTP = "serve and use FTP"
    TELNET = "serve and use TELNET"
    DECNET = "serve and use SET HOST"
    LAT = "serve LAT terminals"
    MONITOR = "log what a monitor sees"
    GMS = "call other systems' CPs by gms_net"
    COUNT = "tell what the whole of it has executed"
    LOOPBACK = "send files to itself at its driver's word"
    SYMBOLS = "name the functions of its kernel"
    STACKS = "stand beside TCP/IP stacks"


class Loopback(Protocol):
    """FTP from a guest's own client to its own server, over its loopback, onto the null file: the
    client is logged in and waits."""

    def go(self) -> None:
        """The client puts its files, between `begin_count` and `end_count` of the guest's driver;
        returns when it has ended. EmulatorError if it does not."""

    def said(self) -> str:
        """The client's words on that, once nothing is counted."""


@dataclass(frozen=True)
class Contents:
    """The wishes of a workload for a guest's volume: entries of users in place of the guest's own
    (by userid), entries behind those (`added`), in the form of the guest's directory; and the files
    of their owners."""

    replaced: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    files: Mapping[str, Mapping[FileName, Content]] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """One system that a guest can be: what a table calls it, what it is, and its IPL's `level`.
    `builds` makes so many builds of the same source, the first of which is `guest`; None if no
    other can be made."""

    name: str
    title: str
    guest: Guest
    level: str = ""
    builds: Callable[[int], Sequence[Guest]] | None = None


@dataclass(frozen=True)
class Account:
    """Who uses a guest's FTP server: `user`, `password`, and the `directory` for files."""

    user: str
    password: str
    directory: str


@dataclass(frozen=True)
class TerminalUse:
    """How somebody at a TELNET terminal uses a guest: what it shows at first, then what is typed
    and what is shown then, line by line, up to `ready`, which each answer ends with from then on;
    and what types the file `{name}` of type `{kind}` that the FTP server's `account` has."""

    greeting: str
    logon: tuple[tuple[str, str], ...]
    ready: str
    show: str


@dataclass(frozen=True)
class Wishes:
    """The wishes of a workload for one start: the `level` of TCP/IP in the guest's own words, an IP
    `address`, `mtu` in bytes, the CPU `model`, and its own and all nodes' names and DECnet
    addresses."""

    level: str = ""
    address: str = ""
    mtu: int | None = None
    model: str = ""
    node: tuple[str, str] | None = None
    nodes: Sequence[tuple[str, str]] = ()


class Running:
    """One guest that runs: its emulator, its folder, its log, and one terminal."""

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
        """USER at this guest's one terminal, as new or reconnected, when commands are read."""
        from vmkb.hercules.emulator.boot import open_session

        try:
            if self._session is None:
                self._session = open_session(self.guest, self.machine)
            self._session.logon(user, password)
        except EmulatorError:
            with contextlib.suppress(Timeout):  # its sockets are gone before it is
                wait_until(
                    lambda: not self.machine.running, DIES_WITHIN, "the emulator to be gone",
                    clock=HOST,
                )  # fmt: skip
            self.machine.check_running()  # a dead emulator is the better reason
            raise
        return self._session

    @property
    def session(self) -> UserSession | None:
        """Who is at the terminal, if anybody is."""
        return self._session

    def become(self, pid: int) -> None:
        """Its emulator is PID from now on, which goes on from where the one before was. Nobody may
        be at the terminal."""
        assert self._session is None, "a terminal's connection cannot be had twice"
        self.machine.become(pid)
        self.log.reopen()

    def leave(self) -> None:
        """Let go of the terminal; a user who is logged on stays so, disconnected."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def follow(self, mark: int, last: str, silence: float, expected: str) -> Iterator[str]:
        """Log lines from number MARK on, up to one that contains LAST: the first and that one as
        they come, those between within a second.

        Raises Timeout when no line has come for SILENCE seconds, EmulatorError when the emulator
        has ended.
        """
        seen = mark
        deadline = Deadline(silence)
        virtual = self.machine.virtual
        while True:
            now = self.log.mark()
            if now == seen:
                self.machine.check_running()
                if deadline.over:
                    raise Timeout(expected, deadline.elapsed, (), self.log.tail())

                def grown(known: int = seen) -> bool:
                    return self.log.mark() > known

                if virtual is not None and seen > mark:
                    virtual.await_text(last.encode())
                try:
                    wait_until(grown, min(1.0, deadline.quiet + 0.01), expected, poll=_POLL_S)
                except Timeout:
                    pass
                finally:
                    if virtual is not None:
                        virtual.await_text(b"")
                continue
            deadline = Deadline(silence)
            for line in self.log.since(seen):
                seen += 1
                yield line
                if last in line:
                    return

    def close(self) -> None:
        """Let go of the terminal and of the log, and end the guest; its log stays."""
        self.leave()
        driver(self.guest).end(self.machine)
        self.log.close()


class Driver:
    """How one guest is used. What a guest does otherwise its own driver says; what it cannot do
    stays as it is here, and is not among its `abilities`."""

    abilities: frozenset[Ability] = frozenset()
    takes_paths = False
    """Whether `choices` takes NAME=PATH[@REF], a system of the user's own."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest

    def is_ours(self, path: str) -> bool:
        """Whether PATH[@REF] looks like such a system."""
        return False

    def surroundings(self) -> str:
        """What names all that such a system is used with. EmulatorError."""
        return ""

    def build(self) -> None:
        """Make what guest.toml names and the guest's folder does not have yet. EmulatorError if it
        cannot be made. (What takes a compiler is made by scripts/setup.)"""

    def with_disks(self, place: Path, write: bool = False, ipl: int | None = None) -> Guest:
        """The guest with the user's disks that are at PLACE, a folder or a Hercules configuration,
        IPLed from device IPL if not from its usual one. It changes them only if it may WRITE on
        them. EmulatorError if they are none, or if it has disks of its own."""
        raise EmulatorError(f"Guest '{self.guest.name}' has disks of its own: leave out --disks.")

    def left_out(self, place: Path) -> str:
        """A sentence that says what the guest does not have of the machine that a user describes
        at PLACE beside his disks; empty if there is nothing."""
        return ""

    def digest(self) -> str:
        """Twelve hexadecimal digits that name what is IPLed."""
        self.guest.check_built()
        total = hashlib.sha256()
        for path in self._loaded():
            total.update(path.read_bytes())
        return total.hexdigest()[:12]

    def program(self, level: str) -> str:
        """The digest of the program that LEVEL of TCP/IP chooses, SHA-256 in hexadecimal:
        equal ones do the same. Empty if the guest does not tell."""
        return ""

    def _loaded(self) -> Iterator[Path]:
        """The programs that the .ins file names; of a guest IPLed from a device, its files."""
        if self.guest.ipl.device is not None:
            yield from map(self.guest.path, self.guest.files.values())
            return
        image = self.guest.image
        for line in image.read_text("utf-8").splitlines():
            words = line.split()
            path = image.parent / words[0] if words else None
            if path is not None and path.is_file() and path.suffix == ".bin":
                yield path

    def prepare(self, contents: Contents, image: Path) -> None:
        """Make the volume that the guest runs on, with CONTENTS, in the file IMAGE. The guest's own
        folder is not changed. ContentsError if they do not fit."""
        raise self._cannot(Ability.FILES)

    def stored(self, content: Content) -> bytes:
        """CONTENT as the guest's disk holds it. ContentsError if the guest cannot."""
        return content.text.encode() if isinstance(content, Text) else content.data

    def put(self, image: Path, owner: str, files: Mapping[FileName, Content]) -> None:
        """Write FILES of OWNER on the volume IMAGE of a guest that does not run. ContentsError if
        they do not fit."""
        raise self._cannot(Ability.FILES)

    def fetch(self, image: Path, owner: str, name: FileName) -> str | None:
        """A file of text of OWNER's from the volume IMAGE, also while the guest runs; None if it is
        not there."""
        raise self._cannot(Ability.FILES)

    def digests(
        self, image: Path, owner: str, names: Iterable[FileName]
    ) -> dict[FileName, tuple[str, int] | None]:
        """SHA-256 and size of OWNER's files as the volume IMAGE has them; None for those that are
        not there. The guest may run, and rests."""
        raise self._cannot(Ability.FILES)

    def parameter(self, wishes: Wishes) -> str:
        """The IPL parameter for WISHES."""
        raise self._cannot(Ability.LEVELS)

    def start(
        self, name: str, folder: Path, volume: Path, lines: Sequence[str], parameter: str | None,
        emulator: Emulator, holds: Sequence[int] = (), virtual: GuestClock | None = None,
    ) -> Running:  # fmt: skip
        """Boot the guest as NAME in the empty FOLDER on a copy of VOLUME, with LINES to the wire;
        its emulator HOLDS these file descriptors open, and has the clock VIRTUAL, if there is one.
        EmulatorError when it does not start."""
        from vmkb.hercules.emulator.boot import boot
        from vmkb.hercules.emulator.sparse import copy_sparse

        for own in self.guest.files:
            copy_sparse(volume, folder / own)
        machine = boot(
            self.guest, folder, keep=True, ctce=lines, parameter=parameter, holds=holds,
            emulator=emulator, virtual=virtual,
        )  # fmt: skip
        return Running(name, self.guest, machine, folder)

    def bring_up(self, machine: Hercules) -> None:
        """Start the guest's network and its servers; returns when they are ready. EmulatorError if
        they are not in time."""
        from vmkb.hercules.network import start_services

        if self.guest.network is None:
            raise EmulatorError(f"Guest '{self.guest.name}' has no network.")
        start_services(self.guest.network, machine)

    def choices(self, wanted: Sequence[str], builds: int = PLAIN) -> Sequence[Choice]:
        """The systems that this guest can be, of those that are WANTED, or the usual ones: of each
        one image is made, if it is not there, and so many BUILDS if it has several. EmulatorError
        for one that there is not."""
        return [Choice(self.guest.name[:8].upper(), self.guest.title, self.guest)]

    def account(self) -> Account:
        """Who may put files to the guest's FTP server, and get them."""
        raise self._cannot(Ability.FTP)

    def terminal(self) -> TerminalUse:
        """How somebody at a TELNET terminal uses the guest."""
        raise self._cannot(Ability.TELNET)

    def begin_count(self, running: Running) -> None:
        """Make ready for `count`, which then costs the guest little. It may be asked other things
        between."""
        raise self._cannot(Ability.COUNT)

    def count(self, running: Running, word: str) -> str:
        """The guest's count of the instructions that it has executed; WORD names the reading."""
        raise self._cannot(Ability.COUNT)

    def end_count(self, running: Running) -> None:
        """No more readings."""
        raise self._cannot(Ability.COUNT)

    def shares(self, running: Running) -> Mapping[str, float]:
        """The use of each part of the guest, in a unit of the guest's own, by its name."""
        raise self._cannot(Ability.COUNT)

    def checksum(self, data: bytes) -> str:
        """The digest of DATA, as `checksums` has it: SHA-256, or what costs the guest
        less."""
        return hashlib.sha256(data).hexdigest()

    def checksums(self, running: Running, names: Sequence[str]) -> Sequence[str]:
        """The checksum of each of the FTP server's files NAMES, which are all of one kind
        (F001.OUT, F002.OUT), as the guest itself has them, in any order; none of those that are not
        there."""
        raise self._cannot(Ability.FTP)

    def loopback(self, running: Running, size: int, files: int) -> AbstractContextManager[Loopback]:
        """The guest's client, who is to put a file of SIZE bytes FILES times on the null file of
        the guest's server."""
        raise self._cannot(Ability.LOOPBACK)

    def stand_beside_stacks(self, running: Running) -> None:
        """Let `count` tell bytes moved and summed, too, and send back what comes to TCP's port 7.
        EmulatorError if it does not begin to."""
        raise self._cannot(Ability.STACKS)

    def symbols(self, emulator: Emulator) -> str:
        """The functions of the guest's kernel, as accounting.profile.kallsyms reads them; asked of
        the guest on EMULATOR, if they are not here. EmulatorError if it does not say."""
        raise self._cannot(Ability.SYMBOLS)

    def pools(self, running: Running) -> str:
        """What its TCP/IP says of how much of its storage was in use at most, as
        accounting.grammar.netstat reads it; empty if it says nothing."""
        return ""

    def program_of_kernel(self) -> Path | None:
        """The guest's kernel as a program with debugging data, if there is one."""
        return None

    def control_program(self) -> Guest | None:
        """The guest whose control program the kernel runs under, if it is in a virtual machine."""
        return None

    def layers(self) -> str:
        """The text of the layers of its profile."""
        return (self.guest.folder / LAYERS).read_text("utf-8")

    def sizes(self) -> Sizes | None:
        """Bytes of the guest's kernel, if they are known."""
        return None

    def modules(self, running: Running) -> str:
        """Where the kernel has its modules, in the lines that `symbols` begins with."""
        raise self._cannot(Ability.SYMBOLS)

    def cpu_questions(self, users: Sequence[str], asker: str = "") -> tuple[list[str], list[str]]:
        """The commands that ask for the CPU of USERS before and after the work of ASKER."""
        raise self._cannot(Ability.CPU)

    def end(self, machine: Hercules) -> bool:
        """End the guest, then its emulator; False if it had to be cut off."""
        from vmkb.hercules.emulator.boot import shut_down

        return shut_down(self.guest, machine)

    def _cannot(self, ability: Ability) -> EmulatorError:
        return EmulatorError(f"Guest '{self.guest.name}' does not {ability.value}.")


@dataclass(frozen=True)
class Role:
    """A part that a guest plays in a workload, and what it must be able to do for that."""

    name: str
    needs: frozenset[Ability]


def refusal(driver: Driver, roles: Iterable[Role]) -> str:
    """Why DRIVER's guest cannot play one of ROLES, in a sentence; empty if it can play all."""
    for role in roles:
        lacking = [a.value for a in Ability if a in role.needs - driver.abilities]
        if lacking:
            return (
                f"Guest '{driver.guest.name}' cannot be the {role.name}: it does not"
                f" {', or '.join(lacking)}."
            )
    return ""


def driver(guest: Guest) -> Driver:
    """The driver of GUEST. EmulatorError when its driver.py is not one."""
    path = guest.folder / "driver.py"
    if not path.is_file():
        return Driver(guest)
    module = _module(guest, path)
    kind = getattr(module, "DRIVER", None)
    if not (isinstance(kind, type) and issubclass(kind, Driver)):
        raise EmulatorError(f"{path} names no driver; write DRIVER = and its class there.")
    return kind(guest)


def _module(guest: Guest, path: Path) -> ModuleType:
    from vmkb.hercules.guest import GUESTS

    if guest.folder.resolve().parent == GUESTS:
        return importlib.import_module(f"vmkb.guests.{guest.folder.name}.driver")
    spec = importlib.util.spec_from_file_location(f"guest_{guest.name}_driver", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a stranger's file raises, it is that file's mistake
        raise EmulatorError(f"{path}: {type(error).__name__}: {error}.") from error
    return module
