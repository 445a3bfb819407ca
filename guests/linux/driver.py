# SPDX-License-Identifier: MIT
"""How Linux is made and used."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

from vmkb.errors import UsageError
from vmkb.guests.base import (
    Ability,
    Account,
    Choice,
    Driver,
    Loopback,
    Running,
    TerminalUse,
    Wishes,
)
from vmkb.guests.compiled import PLAIN
from vmkb.guests.linux.make import tree
from vmkb.guests.linux.make.image import compiled, image_name, make_image, pieces_folder
from vmkb.guests.linux.make.own import PROGRAM, sizes, sources
from vmkb.guests.linux.make.store import PackageStore, cache_folder
from vmkb.guests.linux.make.suites import suites
from vmkb.guests.linux.symbols import kept_symbols
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.sizes import Sizes
from vmkb.hercules.deadline import Deadline, EmulatorError, Timeout
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import RETYPE, Hercules
from vmkb.hercules.guest import Guest

USER = PASSWORD = "root"
PROMPT = "~ #"
"""The shell's prompt."""
ASKS = "Password:"
COUNTS_WITHIN = 30.0
ANSWERS_WITHIN = 180.0
_asked: WeakKeyDictionary[Hercules, int] = WeakKeyDictionary()
"""Questions of each machine. Each has a number, which is in its answer: one that is typed twice may
be answered later."""
TYPED = 100
"""Characters of a program in a line; the emulator's console takes 150."""
FTP_ROOT = "/srv/ftp"
FOLDER = "pub"
_SAYS = "FTP: "
_SHARES = ("FTP server, user", "FTP server, kernel", "interrupts", "System")


def say(line: str) -> None:
    """Say what takes its time, as it begins."""
    print(f"vmkb: linux: {line}", file=sys.stderr, flush=True)


def short(version: str) -> str:
    """The name of a kernel in tables: 6.12 for 6.12.107."""
    return ".".join(version.split(".")[:2])


def parts(line: str) -> dict[str, float]:
    """The content of the line SHARES, in hundredths of a second: of the FTP server's processes, of
    interrupts, and System, the rest of the time in which the CPU worked."""
    words = [float(word) for word in line.split()[2:]]
    user, nice, system, _idle, _wait, hard, soft, _steal, *server = words
    own_user, own_system, child_user, child_system = server
    inside, outside = own_user + child_user, own_system + child_system
    rest = user + nice + system - inside - outside
    return dict(zip(_SHARES, (inside, outside, hard + soft, rest), strict=True))


class LinuxDriver(Driver):
    """It serves and uses FTP and TELNET; its CPU is counted from outside, by the whole guest."""

    abilities = frozenset(
        {
            Ability.TCP, Ability.FTP, Ability.TELNET, Ability.COUNT, Ability.LOOPBACK,
            Ability.SYMBOLS, Ability.STACKS,
        }
    )  # fmt: skip

    takes_paths = True

    def is_ours(self, path: str) -> bool:
        try:
            return tree.source(path) is not None or bool(sources(Path(path).expanduser()))
        except (SourceError, EmulatorError, OSError):
            return False

    def surroundings(self) -> str:
        return PackageStore(suites(), cache_folder(), say).programs().name

    def build(self) -> None:
        """The kernel of the first suite that has one, as the guest that is booted when none is
        named."""
        (made,) = self.usual(1)
        shutil.copyfile(made.guest.image, self.guest.image)

    def release(self, suite: str) -> Choice:
        """The guest with the kernel that SUITE has, made if it is not here. EmulatorError."""
        store = PackageStore(suites(), cache_folder(), say)
        version = store.kernel(suite)
        kernel = store.kernel_folder(version)
        make_image(version, kernel, store.programs(), self.guest.folder / "build", say)
        title = f"Linux {version}"
        made = self.guest.with_image(image_name(version)).model_copy(update={"title": title})
        return Choice(short(version), title, made)

    def choices(self, wanted: Sequence[str], builds: int = PLAIN) -> Sequence[Choice]:
        known = suites()
        if not wanted:
            return self.usual(known.usual)
        mine = [name for name in wanted if "=" in name or "KB" not in name]
        return [
            self._own(name, builds) if "=" in name else self._choice(name)
            for name in mine or wanted
        ]

    def usual(self, count: int) -> list[Choice]:
        """The kernels of COUNT suites, the usual ones first. A suite whose kernel cannot be had is
        left out, and it is said why. EmulatorError if none can be had."""
        made: list[Choice] = []
        lost: list[str] = []
        for suite in suites().kernels:
            if len(made) == count:
                break
            try:
                made.append(self.release(suite))
            except EmulatorError as error:
                lost.append(str(error))
                why = " ".join(lost[-1].split()).rstrip(".")
                say(f"the kernel of suite {suite} is left out: {why}")
        if not made:
            raise EmulatorError("\n".join(lost))
        return made

    def _own(self, wanted: str, builds: int) -> Choice:
        """The user's kernel in NAME=PATH[@REF], of which so many BUILDS are made: another commit's
        in between would take the compiler's work away."""
        name, _, path = wanted.partition("=")
        guest, *_ = self._own_builds(name, path, builds)
        anew = partial(self._own_builds, name, path) if tree.source(path) else None
        return Choice(name, guest.title, guest, builds=anew)

    def _own_builds(self, name: str, path: str, count: int) -> list[Guest]:
        """The first COUNT builds of the user's kernel NAME at PATH[@REF]. UsageError."""
        store = PackageStore(suites(), cache_folder(), say)
        try:
            found = store.own(path, count)
        except SourceError as error:
            raise UsageError(f"Release {name}: {error}.") from None
        made = []
        for version, kernel in found:
            make_image(kernel.name, kernel, store.programs(), self.guest.folder / "build", say)
            title = f"Linux {version} ({name})"
            guest = self.guest.with_image(image_name(kernel.name))
            made.append(guest.model_copy(update={"title": title}))
        return made

    def _choice(self, wanted: str) -> Choice:
        """The kernel whose version begins as WANTED, in the first suite that has one."""
        store = PackageStore(suites(), cache_folder(), say)
        seen, why = [], []
        here = store.known()
        for suite in sorted(suites().kernels, key=lambda suite: suite not in here):
            try:
                version = store.kernel(suite)
            except EmulatorError as error:
                why.append(str(error))
                continue
            seen.append(f"{version} ({suite})")
            if f"{version}.".startswith(f"{wanted.removeprefix('linux-')}."):
                return self.release(suite)
        said = "\n".join(
            [f"There is no Linux {wanted}; there are {', '.join(seen) or 'none'}.", *why]
        )
        raise EmulatorError(said)

    def parameter(self, wishes: Wishes) -> str:
        words = [f"IP={wishes.address}/24"] if wishes.address else []
        words += [f"MTU={wishes.mtu}"] if wishes.mtu is not None else []
        return " ".join(words)

    def account(self) -> Account:
        return Account("anonymous", "none", FOLDER.upper())

    def terminal(self) -> TerminalUse:
        logon = ((USER, ASKS), (PASSWORD, PROMPT))
        return TerminalUse(
            "login:", logon, f"\r\n{PROMPT}", f"cat {FTP_ROOT}/{FOLDER}/{{name}}.{{kind}}"
        )

    def begin_count(self, running: Running) -> None:
        self._answers(running, "meter", "^METER$", COUNTS_WITHIN)

    def count(self, running: Running, word: str) -> str:
        last = rf"^COUNT {word}( \d+)+$"
        return self._answers(running, f"count {word}", last, COUNTS_WITHIN)[-1]

    def stand_beside_stacks(self, running: Running) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = self.guest.folder / "root"
            for name, options in (("meter", ["-DBYTES"]), ("echod", [])):
                program = compiled(root / f"{name}.c", Path(folder), options)
                self._type(running, name, program)
        self._answers(running, "echod", "^ECHO: ready$", COUNTS_WITHIN)

    def _type(self, running: Running, name: str, program: bytes) -> None:
        """Put PROGRAM where the guest finds it as NAME, at its console: what all guests start with
        stays the same, and so do their figures."""
        text = base64.b64encode(gzip.compress(program, mtime=0)).decode()
        self._answers(running, ":>/tmp/typed;echo TYPES", "^TYPES$")
        for at in range(0, len(text), TYPED):
            line = f"echo {text[at : at + TYPED]}>>/tmp/typed;echo PUT {at}"
            self._answers(running, line, f"^PUT {at}$")
        line = f"base64 -d /tmp/typed|gunzip>/tmp/p;chmod +x /tmp/p;mv /tmp/p /bin/{name};"
        self._answers(running, f"{line}md5sum /bin/{name}", f"^{self.checksum(program)} ")

    def end_count(self, running: Running) -> None:
        self._answers(running, "end", "^METER ENDS$", COUNTS_WITHIN)

    def shares(self, running: Running) -> Mapping[str, float]:
        n = _number(running)
        return parts(self._answers(running, f"shares {n}", rf"^SHARES {n}( \d+){{12}}$")[-1])

    def checksum(self, data: bytes) -> str:
        return hashlib.md5(data, usedforsecurity=False).hexdigest()

    def checksums(self, running: Running, names: Sequence[str]) -> Sequence[str]:
        (kind,) = {name.rpartition(".")[2] for name in names}
        n = _number(running)
        said = "\n".join(self._answers(running, f"sums {kind} {n}", f"^SUMS {n} END$"))
        found = re.findall(rf"^SUM {n} ([0-9a-f]{{32}}) (\d+)$", said, re.M)
        return [digest for digest, count in found for _ in range(int(count))]

    def symbols(self, emulator: Emulator) -> str:
        return kept_symbols(self, emulator, say)

    @property
    def _kernel_folder(self) -> Path:
        """Where the kernel that the guest's image was made of is."""
        store = PackageStore(suites(), cache_folder(), say)
        return store.kernel_folder(pieces_folder(self.guest.image).name)

    def program_of_kernel(self) -> Path | None:
        path = self._kernel_folder / PROGRAM
        return path if path.is_file() else None

    def sizes(self) -> Sizes | None:
        return sizes(self._kernel_folder)

    def modules(self, running: Running) -> str:
        n = _number(running)
        said = self._answers(running, f"symbols modules {n}", f"^SYMBOLS {n} END$")
        return "".join(f"{line}\n" for line in said if line.startswith("MODULE "))

    @contextmanager
    def loopback(self, running: Running, size: int, files: int) -> Iterator[Loopback]:
        n = _number(running)
        self._answers(running, f"loopback ready {size} {files} {n}", f"^LOOPBACK READY {n}$")
        yield _Loopback(self, running)

    def loopback_goes(self, running: Running) -> None:
        """The client of the last `loopback` has done what it was to do."""
        mark = running.machine.log.mark()
        self._answers(running, "go", "^GOES$", COUNTS_WITHIN)
        running.machine.wait_log("^WENT$", ANSWERS_WITHIN, mark)

    def loopback_said(self, running: Running) -> str:
        """The text of the last `loopback` client."""
        said = self._answers(running, "loopback said", "^LOOPBACK ENDS$")
        return "".join(f"{x.removeprefix(_SAYS)}\n" for x in said if x.startswith(_SAYS))

    def _answers(
        self, running: Running, line: str, last: str, within: float = ANSWERS_WITHIN
    ) -> list[str]:
        """The answer to LINE in the log, up to its LAST line."""
        machine = running.machine
        mark = machine.log.mark()
        over = Deadline(within)
        again = RETYPE
        while True:
            machine.operator(line)
            try:
                machine.wait_log(last, min(again, max(over.quiet, 0.1)), mark)
                break
            except Timeout:  # the emulator may drop a line that is typed while the guest types
                if over.over:
                    raise _silent(machine, line, over.elapsed) from None
                again *= 2  # but what is typed cuts off what the guest is typing
        found = list(machine.log.since(mark))
        return found[: next(n for n, each in enumerate(found, 1) if re.search(last, each))]


class _Loopback:
    """Who lets it go is the program that reads the guest, at the 3215."""

    def __init__(self, hands: LinuxDriver, running: Running) -> None:
        self._hands, self._running = hands, running

    def go(self) -> None:
        self._hands.loopback_goes(self._running)

    def said(self) -> str:
        return self._hands.loopback_said(self._running)


def _number(running: Running) -> int:
    """The number of the next question."""
    _asked[running.machine] = n = _asked.get(running.machine, 0) + 1
    return n


def _silent(machine: Hercules, line: str, waited: float) -> EmulatorError:
    tail = "\n".join(f"  {each}" for each in machine.log.tail())
    return EmulatorError(
        f"Linux has not answered '{line}' at its 3215 in {waited:.1f} s; {machine.doing()}. End of"
        f" its log:\n{tail}"
    )


DRIVER = LinuxDriver
