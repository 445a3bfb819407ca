# SPDX-License-Identifier: MIT
"""Workloads in which systems serve one client in turn: which systems, and the guests of a lab."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, TypeVar

from accounting.costs import TrialCost
from accounting.records import Record
from accounting.report.answer import answer
from accounting.store import Trial
from guests.base import Ability, Account, Choice, Driver, Role, Running, Wishes, driver
from hercules.deadline import pause, present
from hercules.emulator.boot import find_guest
from workloads.base import workload as base
from workloads.base.definition import Definition, Release
from workloads.base.results import keep_line
from workloads.base.settings import Asked, Settings
from workloads.base.workload import Planned, Stage, rounds
from workloads.errors import UsageError
from workloads.serve.reading import (
    Reading,
    Rest,
    by_clock,
    cost,
    executed,
    happened,
    in_user_mode,
    left_open,
    records,
    rest,
)
from workloads.serve.tables import titles_of

SILENCE_S = 90.0
AT_ONCE = 4
"""Readings with no idle time between: what one costs is known from these and the pieces."""
PIECES = 8
"""Pieces of idle time, by whose differences is known how well its rate is known."""
COUNTS_LOG = "counts.jsonl"
NET = "10.17.0.{host}"
CLIENT_HOST, FIRST_HOST = 11, 2
D = TypeVar("D", bound=Definition)
P = TypeVar("P", bound=Planned)


def release_of(choice: Choice) -> Release:
    """A choice as trials name it."""
    return Release.model_construct(name=choice.name, title=choice.title, parameter=choice.level)


class Compared(base.Workload[D, P]):
    """Several systems, each in one role (`server`), are beside each other."""

    compares = True
    server: ClassVar[Role]

    def __init__(self, definition: D | None = None) -> None:
        super().__init__(definition)
        self._choices: dict[str, Choice] = {}

    def settings(self, asked: Asked) -> Settings:
        """As others, with the releases of the guests that are compared."""
        guests = asked.guests or ("vmkb",)
        names = [n.strip() for n in asked.releases.split(",") if n.strip()]
        made = super().settings(replace(asked, releases="", guests=()))
        releases = tuple(each.name for each in self._chosen(guests, names))
        return made.model_copy(update={"releases": releases, "guests": guests})

    def _chosen(self, guests: Sequence[str], names: Sequence[str]) -> list[Choice]:
        """The systems to compare, in order. A name that is there twice is the same system twice."""
        found: list[Choice] = []
        own = [n for n in names if n[:1].isdigit() or n.startswith("linux")]
        for name in guests:
            hands = driver(find_guest(name))
            if why := self.server.needs - hands.abilities:
                said = ", or ".join(a.value for a in Ability if a in why)
                raise UsageError(
                    f"Guest '{hands.guest.name}' cannot be the {self.server.name}: it does not"
                    f" {said}."
                )
            hands.build()
            found += hands.choices(own)
        for choice in found:
            name, title = choice.name, choice.title
            while name in self._choices and self._choices[name] is not choice:
                name, title = f"{name}'", f"{title} again"
            self._choices[name] = replace(choice, name=name, title=title)
        return list(self._choices.values())

    def turns(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        if not self._choices:
            names = [n.rstrip("'") for n in settings.releases if n[:1].isdigit()]
            self._chosen(settings.guests, names)
        releases = [release_of(c) for c in self._choices.values()]
        cases = [c for c in self.definition.case if c.id in settings.cases]
        return rounds(cases, releases, settings.trials)

    def about(self, settings: Settings) -> dict[str, str]:
        """Which systems, to the digest of their images."""
        shown = {c.name: f"{c.title} {driver(c.guest).digest()}" for c in self._choices.values()}
        return {"servers": "; ".join(f"{name}: {what}" for name, what in shown.items())}

    def sentence(
        self, trials: Sequence[Trial], costs: Sequence[TrialCost], base: str, model: str
    ) -> str:
        """The answer, with the names that the trials have."""
        return answer(costs, base, titles_of(trials))


class Systems(base.Bench[P]):
    """The guests on a lab's wire: `servers` by the name of their release."""

    def __init__(self, stage: Stage[P], choices: dict[str, Choice], mtu: int) -> None:
        self.stage = stage
        self._choices = choices
        self._mtu = mtu
        self.servers: dict[str, Running] = {}
        self.addresses: dict[str, str] = {}
        self.at_rest: dict[str, tuple[Sequence[Reading], Rest]] = {}

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
        """What a system has executed so far; WORD names the reading."""
        said = self.hands(release).count(self.servers[release], word)
        at = present().now()
        return Reading(executed(said), at, said)

    def rest(self, idle_s: float) -> None:
        """What each system executes without work, in IDLE_S seconds in which all have none: once
        for all trials, so that these need not wait for it."""
        for name, running in self.servers.items():
            self.hands(name).begin_count(running)
        at_once = {
            name: [self.read(name, f"once{n}") for n in range(AT_ONCE)] for name in self.servers
        }
        later: dict[str, list[Reading]] = {name: [] for name in self.servers}
        for piece in range(PIECES):
            pause(idle_s / PIECES)
            for name, mine in later.items():
                mine.append(self.read(name, f"idle{piece}"))
        for name, once in at_once.items():
            self.at_rest[name] = once, rest(once, later[name])


class Counted:
    """What a system executes between the readings `before` and `after`, beside what it does when
    idle."""

    def __init__(self, systems: Systems[P], release: str) -> None:
        self._read = functools.partial(systems.read, release)
        self._at_once, self._rest = systems.at_rest[release]
        self._readings: dict[str, Reading] = {}

    @property
    def idle(self) -> float:
        """Instructions in a second without work."""
        return self._rest.idle

    def read(self, word: str) -> Reading:
        """Take the reading WORD."""
        return self._readings.setdefault(word, self._read(word))

    @property
    def complete(self) -> bool:
        """Whether both readings were taken."""
        return {"before", "after"} <= self._readings.keys()

    def said(self) -> dict[str, str]:
        """What a trial's head says of the interval: instructions by the clock and in user mode, and
        the events."""
        between = self._readings["before"], self._readings["after"]
        return {
            "by_clock": str(round(by_clock(*between, self._rest))),
            "events": json.dumps(happened(*between)),
            "user_instr": str(in_user_mode(*between, self._at_once)),
        }

    def records(self, stage: Stage[P], trial: str) -> tuple[Record, ...]:
        """The cost of what lay between, with the readings kept as a line. ReadingError."""
        before, after = self._readings["before"], self._readings["after"]
        work = cost(before, after, self._rest)
        raw = json.dumps({
            "trial": trial, "reading": round(self._rest.reading),
            "idle_per_s": round(self._rest.idle),
            "tick": self._rest.tick and round(self._rest.tick), "rest_error": self._rest.error,
            "rest_level": round(self._rest.level), "rest_centre": self._rest.centre,
            "at_once": [r.raw for r in self._at_once], "before": before.raw, "after": after.raw,
            "seconds": after.at - before.at,
        })  # fmt: skip
        where = keep_line(stage.folder, f"{trial}.{COUNTS_LOG}", raw)
        open_by = left_open(before, after, self._rest)
        return records(work, stage.settings.model, raw, where, open_by)
