# SPDX-License-Identifier: MIT
"""Workloads in which systems serve one client in turn: which systems, and the guests of a lab."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, TypeVar

from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.counter import BUILD, PROGRAM
from vmkb.accounting.records import Record
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Account, Choice, Driver, Role, Running, Wishes, driver
from vmkb.guests.compiled import PLAIN
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import VMKB
from vmkb.guests.release.source import read, split
from vmkb.hercules.deadline import pause, present
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.guest import Guest
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.definition import Definition, Release
from vmkb.workloads.base.own import OF_GUEST, levels, own_of, stack_of
from vmkb.workloads.base.profile.kernel import Whole
from vmkb.workloads.base.results import keep_line
from vmkb.workloads.base.settings import Asked, Own, Settings
from vmkb.workloads.base.workload import Planned, Stage, rounds
from vmkb.workloads.serve.reading import (
    Reading,
    bytes_of_work,
    caused,
    cost,
    executed,
    grown,
    happened,
    in_machine,
    in_user_mode,
    records,
)
from vmkb.workloads.serve.tables import titles_of

SILENCE_S = 90.0
SETTLES_S = 0.1
"""Seconds behind the work that belong to it: acknowledgements, and what a kernel puts off."""
COUNTS_LOG = "counts.jsonl"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,7}")
NET = "10.17.0.{host}"
CLIENT_HOST, FIRST_HOST = 11, 2
D = TypeVar("D", bound=Definition)
P = TypeVar("P", bound=Planned)


def _folded(word: str) -> str:
    """A word of --releases: a name of the user's own in capital letters, its path as it is."""
    name, given, path = word.strip().partition("=")
    if not given:
        return name
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"Release {name}: a name has one to eight letters and digits, and begins with a letter."
        )
    return f"{name.upper()}={Path(path).expanduser().resolve()}"


def _system(word: str, stack: str) -> Own | None:
    """The VM/KB that NAME=PATH[@REF] names; None if it is none. UsageError for one that is of no
    use, and for a TCP/IP stack."""
    name, _, where = word.partition("=")
    try:
        path, ref = split(where)
        found = read(Path(path), ref)
    except SourceError as error:
        if (Path(where.partition("@")[0]) / VMKB.mark).is_file():
            raise UsageError(f"Release {name}: {error}.") from None
        return None
    if found.kind is not VMKB:
        raise UsageError(
            f"Release {name}: {path} is {found.kind.name}; whole systems are compared here. Give a"
            " clone of vmkb, or measure a TCP/IP stack by vmkb run ftp."
        )
    return own_of(name, found, stack)


def kernel_of(name: str, path: str, found: Sequence[Choice]) -> Own:
    """The user's release NAME among FOUND, as the run keeps it."""
    choice = next(c for c in found if c.name == name)
    version = choice.title.removeprefix("Linux ").split(" (")[0]
    return Own(
        name=name, path=path, what="Linux", version=version, source=driver(choice.guest).digest()
    )


def release_of(choice: Choice) -> Release:
    """A choice as trials name it."""
    return Release.model_construct(name=choice.name, title=choice.title, parameter=choice.level)


def has_symbols(guest: Guest) -> bool:
    """Whether a profile of it has names."""
    return Ability.SYMBOLS in driver(guest).abilities


class Compared(base.Workload[D, P]):
    """Several systems, each in one role (`server`), are beside each other."""

    compares = True
    built = False
    server: ClassVar[Role]

    def __init__(self, definition: D | None = None) -> None:
        super().__init__(definition)
        self._choices: dict[str, Choice] = {}
        self._builds: dict[str, Sequence[Guest]] = {}

    def alike(self, asked: Asked) -> Settings:
        """What does not depend on which systems are compared."""
        return super().settings(replace(asked, releases="", guests=()))

    def settings(self, asked: Asked) -> Settings:
        """As others, with the releases of the guests that are compared."""
        guests = asked.guests or ("vmkb",)
        names = [_folded(n) for n in asked.releases.split(",") if n.strip()]
        made = self.alike(asked)
        stack = stack_of(self) if OF_GUEST in guests else ""
        systems = {n: each for n in names if stack and "=" in n and (each := _system(n, stack))}
        names = [n for n in names if n not in systems]
        order = [n.partition("=")[0].strip() for n in asked.releases.split(",")]
        builds = PLAIN
        if "builds" in self.options and not asked.profile:
            builds = asked.builds or getattr(self.definition.trials, made.style)
        mine = names and not systems and all("=" in name for name in names)
        found = self._chosen(
            guests, names, tuple(systems.values()), order, builds if mine else PLAIN
        )
        words = (word.partition("=") for word in names)
        own = tuple(kernel_of(name, path, found) for name, given, path in words if given)
        one = next((c.title for c in found if c.builds is None), "")
        if asked.builds not in (None, PLAIN) and (one or asked.profile):
            why = "--profile is of one build" if asked.profile else f"{one} has one build"
            raise UsageError(
                f"{why}: leave out --builds. Kernels that are built from source have several."
            )
        several = builds > PLAIN and not one
        return made.model_copy(update={
            "releases": tuple(each.name for each in found), "guests": guests,
            "own": (*systems.values(), *own),
            **({"builds": builds, "trials": asked.trials or 1} if several else {}),
        })  # fmt: skip

    def _chosen(
        self, guests: Sequence[str], names: Sequence[str], systems: Sequence[Own],
        order: Sequence[str], builds: int,
    ) -> list[Choice]:  # fmt: skip
        """The systems to compare. SYSTEMS are VM/KBs of the user's, in this ORDER, beside which our
        own is if it is among NAMES. A name that is there twice is the same system twice. So many
        BUILDS will be asked for."""
        found: list[Choice] = []
        paths = [n for n in names if "=" in n]
        own = [n for n in names if n in paths or n[:1].isdigit() or n.startswith("linux")]
        for name in guests:
            hands = driver(find_guest(name))
            if why := self.server.needs - hands.abilities:
                said = ", or ".join(a.value for a in Ability if a in why)
                raise UsageError(
                    f"Guest '{hands.guest.name}' cannot be the {self.server.name}: it does not"
                    f" {said}."
                )
            if not (own and own == paths and hands.takes_paths):  # those are made below
                hands.build()
            if name == OF_GUEST and systems:
                ours = [c for c in hands.choices(()) if c.name in names]
                mine = [Choice(o.name, o.title, hands.guest, at) for o, at in levels(systems)]
                found += sorted(ours + mine, key=lambda c: [n.upper() for n in order].index(c.name))
            else:
                theirs = [n for n in own if hands.takes_paths or n not in paths]
                found += hands.choices(theirs, builds)
        if paths and not any(driver(find_guest(name)).takes_paths for name in guests):
            raise UsageError(
                f"Release {paths[0].split('=')[0]}: a kernel of your own is one of guest linux; add"
                " it: --guest vmkb,linux."
            )
        for choice in found:
            name, title = choice.name, choice.title
            while name in self._choices and self._choices[name] is not choice:
                name, title = f"{name}'", f"{title} again"
            self._choices[name] = replace(choice, name=name, title=title)
        return list(self._choices.values())

    def turns(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        if not self._choices:
            systems = [o for o in settings.own if o.what == VMKB.name]
            kernels = [o for o in settings.own if o not in systems]
            names = [n.rstrip("'") for n in settings.releases if n[:1].isdigit() or n == "KB"]
            names += [f"{o.name}={o.path}" for o in kernels]
            self._chosen(settings.guests, names, systems, settings.releases, settings.builds)
            for own in kernels:
                if kernel_of(own.name, own.path, list(self._choices.values())).source != own.source:
                    raise UsageError(
                        f"Release {own.name} has changed since the run began. Start a new run."
                    )
        releases = [release_of(c) for c in self._choices.values()]
        cases = [c for c in self.definition.case if c.id in settings.cases]
        several = settings.builds > PLAIN
        planned = rounds(
            cases, releases, settings.trials, settings.builds, settings.more, new_builds=several
        )
        if several:
            self._build(max(turn.build for turn in planned))
        return planned

    def _build(self, count: int) -> None:
        """Make COUNT builds of each system. UsageError if one has changed meanwhile."""
        for name, choice in self._choices.items():
            assert choice.builds is not None
            if len(self._builds.get(name, ())) < count:
                made = self._builds[name] = choice.builds(count)
                if driver(made[0]).digest() != driver(choice.guest).digest():
                    raise UsageError(
                        f"Release {name} has changed since the run began. Start a new run."
                    )

    def systems(self, planned: Sequence[Planned]) -> dict[str, Choice]:
        """The systems by their names, each in the build that PLANNED, trials that begin alike,
        are of."""
        (build,) = {each.build for each in planned}
        return {
            name: replace(c, guest=self._builds[name][build - 1]) if name in self._builds else c
            for name, c in self._choices.items()
        }

    def about(self, settings: Settings) -> dict[str, str]:
        """Which systems, to the digest of their images."""
        own = {o.name for o in settings.own if o.what == VMKB.name}
        shown = {
            c.name: c.title if c.name in own else f"{c.title} {driver(c.guest).digest()}"
            for c in self._choices.values()
        }
        return {"servers": "; ".join(f"{name}: {what}" for name, what in shown.items())}

    def kernels(self, settings: Settings) -> Mapping[str, Guest]:
        """Those of the systems whose drivers know their functions."""
        return {n: c.guest for n, c in self._choices.items() if has_symbols(c.guest)}

    def specification(self) -> Specification:
        """The systems have the names that the trials say."""
        return replace(super().specification(), named=titles_of)


class Systems(base.Bench[P]):
    """The guests on a lab's wire: `servers` by the name of their release. `priced`: the bytes that
    they move are in their costs, which not all systems count."""

    priced = False

    def __init__(self, stage: Stage[P], choices: dict[str, Choice], mtu: int) -> None:
        self.stage = stage
        self._choices = choices
        self._mtu = mtu
        self.servers: dict[str, Running] = {}
        self.addresses: dict[str, str] = {}
        self._programs: dict[str, str] = {}
        self._modules: dict[str, str] = {}

    def boot_client(self, level: str, node: tuple[str, str] | None = None) -> Running:
        """The guest that all are served to, with TCP/IP of LEVEL, called NODE."""
        wishes = Wishes(level, NET.format(host=CLIENT_HOST), self._mtu, node=node)
        return self.stage.boot("client", wishes)

    def boot_servers(self) -> Iterator[str]:
        """Each system that the stage's trials need; its name when it serves."""
        wanted = dict.fromkeys(p.release.name for p in self.stage.left)
        for host, name in enumerate(wanted, start=FIRST_HOST):
            self.addresses[name] = NET.format(host=host)
            self.servers[name] = self._boot(name, host)
            if self._choices[name].builds is not None:
                self._programs[name] = self.hands(name).digest()
            yield name

    def _boot(self, name: str, host: int) -> Running:
        choice, lab = self._choices[name], self.stage.lab
        wishes = Wishes(choice.level, NET.format(host=host), self._mtu)
        hands = driver(choice.guest)
        station = "serves-" + name.replace("'", "b").replace(".", "-").lower()
        if Ability.LEVELS in hands.abilities:
            return self.stage.boot(station, wishes)
        running = lab.add(station, hands.parameter(wishes), choice.guest)
        hands.bring_up(running.machine)
        lab.wire.wait_connected(running.name, SILENCE_S)
        return running

    def hands(self, release: str) -> Driver:
        """The driver of a system."""
        return driver(self.servers[release].guest)

    def reached(self, release: str, account: Account) -> list[str]:
        """The words with which the client reaches ACCOUNT of a system."""
        return [self.addresses[release], account.user, account.password, account.directory]

    def read(self, release: str, word: str) -> Reading:
        """Instructions of a system so far; WORD names the reading."""
        at = present().now()
        said = self.hands(release).count(self.servers[release], word)
        return Reading(executed(said), at, said)

    def begin_counts(self) -> None:
        """Make all systems ready for readings."""
        for name, running in self.servers.items():
            self.hands(name).begin_count(running)
            if self.stage.settings.profile and has_symbols(running.guest):
                self._modules[name] = self.hands(name).modules(running)

    def profiled(self, planned: P) -> Mapping[str, Running]:
        """The system that serves, if its functions have names."""
        name = planned.release.name
        return {"": self.servers[name]} if name in self._modules else {}

    def built(self, planned: P) -> dict[str, str]:
        """Parameters of a trial's head: which build of the system it is of, if there are
        several."""
        program = self._programs.get(planned.release.name)
        return {BUILD: str(planned.build), PROGRAM: program} if program else {}

    def modules(self, release: str) -> str | None:
        """Where the modules of a system that is profiled are."""
        return self._modules.get(release)


class Counted:
    """Instructions of a system between `begin` and `end`, less what it executes in as much time
    without work, which is behind it."""

    def __init__(self, systems: Systems[P], release: str) -> None:
        self._priced = systems.priced
        self._read = functools.partial(systems.read, release)
        self._readings: list[Reading] = []

    def begin(self) -> None:
        """The work begins now."""
        self._readings = [self._read("before")]

    def end(self) -> None:
        """The work is over, and there is none until this returns: as long as the work took."""
        if len(self._readings) != 1:
            return
        pause(SETTLES_S)
        self._readings.append(self._read("after"))
        before, after = self._readings
        pause(max(0.0, 2 * after.at - before.at - present().now()))
        self._readings.append(self._read("rested"))

    @property
    def complete(self) -> bool:
        """Whether the work was counted."""
        return len(self._readings) == 3

    def said(self) -> dict[str, str]:
        """Parameters of a trial's head: instructions without work, in all and in a second; those in
        user mode, and the events of the work."""
        before, after, rested = self._readings
        idle = grown(after, rested)
        return {
            "idle_instr": str(idle),
            "idle_per_s": str(round(idle / (rested.at - after.at))),
            "events": json.dumps(happened(before, after)),
            "user_instr": str(in_user_mode(before, after, rested)),
            "machine": json.dumps(in_machine(before, after, rested)),
            "causes": json.dumps(caused(before, after, rested)),
        }

    def whole(self, modules: str) -> Whole:
        """Which part of the guest's profile the work and the rest are; its MODULES are there."""
        before, after, rested = self._readings
        if rested.machine:
            first, second, third = (reading.machine["TOTAL"] for reading in self._readings)
            return Whole((first, second), (second, third), modules, in_machine=True)
        return Whole((before.ended, after.total), (after.ended, rested.total), modules)

    def records(self, stage: Stage[P], trial: str) -> tuple[Record, ...]:
        """The cost of what lay between, with the readings kept as a line. ReadingError."""
        before, after, rested = self._readings
        raw = json.dumps({
            "trial": trial, "before": before.raw, "after": after.raw, "rested": rested.raw,
            "seconds": after.at - before.at, "rest_seconds": rested.at - after.at,
        })  # fmt: skip
        where = keep_line(stage.folder, f"{trial}.{COUNTS_LOG}", raw)
        copied = bytes_of_work(before, after, rested) if self._priced else None
        return records(cost(before, after, rested), stage.settings.model, raw, where, copied)
