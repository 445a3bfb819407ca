# SPDX-License-Identifier: MIT
"""A workload. workloads.base.run runs one, workloads.base.report prints it."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.models import ModelError
from vmkb.accounting.models import model as find_model
from vmkb.accounting.records import Record
from vmkb.accounting.stats import Luck
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.lines import Lucks
from vmkb.errors import UsageError
from vmkb.guests.base import driver
from vmkb.guests.compiled import PLAIN
from vmkb.hercules.emulator.choice import BUILDER, choose
from vmkb.hercules.wire.profile import ProfileError, named_profiles, profile
from vmkb.workloads.base.definition import (
    Case,
    Definition,
    Found,
    Release,
    Strict,
    Style,
    choose_cases,
    choose_releases,
    load,
)
from vmkb.workloads.base.guest import FTP_READY
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.variants import variant

if TYPE_CHECKING:
    from vmkb.guests.base import Contents, Driver, Role, Running, Wishes
    from vmkb.hercules.emulator.choice import Emulator
    from vmkb.hercules.guest import Guest
    from vmkb.workloads.base.lab import Lab
    from vmkb.workloads.base.profile.kernel import Whole
    from vmkb.workloads.base.progress import Progress


class Planned(Strict):
    """One trial that is to be run. `id` stays the same over resumes; `pair` counts from 1: the
    trials of one pair run next to each other, each under its release, in build `build`."""

    id: str
    case: Case
    release: Release
    pair: int
    seq: int
    build: int = PLAIN

    @property
    def run_id(self) -> str:
        """The head of its column."""
        return f"{self.case.id}{self.release.name}"

    @property
    def like(self) -> str:
        """Trials of which this is the same take about equally long."""
        return self.case.id


D = TypeVar("D", bound=Definition)
P = TypeVar("P", bound=Planned)


@dataclass(frozen=True)
class Outcome:
    """The results of a trial: its head, what was read, why it has no numbers (`broken`), why not to
    trust them (`doubts`), and the file in the run's folder in which its `transcript` is kept; and,
    if a `whole` guest was profiled, which part of its profile is the trial's."""

    head: Trial
    records: tuple[Record, ...]
    transcript: str
    broken: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    whole: Whole | None = None


@dataclass(frozen=True)
class Stage(Generic[P]):
    """Where trials are to be run: the LAB that all of LEFT share, and the FOLDER of results."""

    lab: Lab
    settings: Settings
    folder: Path
    left: Sequence[P]
    progress: Progress

    @property
    def run_id(self) -> str:
        """The name of the run in its trials."""
        return self.folder.resolve().name

    def boot(
        self, name: str, wishes: Wishes, build: int = PLAIN, ready: str = FTP_READY
    ) -> Running:
        """A guest called NAME in build BUILD with its network up as WISHES say, but for the model,
        which is the run's; READY is what its log then shows."""
        guest = variant(self.lab.guest, build, wishes.level)
        parameter = driver(guest).parameter(replace(wishes, model=self.settings.model))
        running = self.lab.add(name, parameter, guest)
        self.lab.start_network(running, ready)
        return running

    def keep(self, name: str, text: str) -> str:
        """Keep TEXT among the transcripts; the file's name in the FOLDER."""
        file = f"{TRANSCRIPTS}/{name}.txt"
        (self.folder / file).write_text(text, "utf-8")
        return file


class Bench(ABC, Generic[P]):
    """A lab with everything up, in which trials are run one after the other."""

    def prepare(self, mine: Sequence[P]) -> None:
        """Do what the trials of a world, MINE, need before the first of them. EmulatorError when a
        guest fails."""
        return

    @abstractmethod
    def trial(self, planned: P, progress: Progress) -> Sequence[Outcome]:
        """Run a trial; what it left, once for each head. EmulatorError when a guest fails."""

    def measured(self, planned: P) -> Running:
        """The guest that a trial's profile is of."""
        raise NotImplementedError(planned.id)

    def profiled(self, planned: P) -> Mapping[str, Running]:
        """The guests that a trial's profile is of, by what names of their machines begin with, if
        the trial has machines of several guests."""
        return {"": self.measured(planned)}

    def close(self) -> None:
        """Let go of what is not the lab's."""


class Workload(ABC, Generic[D, P]):
    """A measurement: what it asks, what it runs, and what it makes of that.

    The package NAME has a NAME.toml, which `kind` says how to read, and a subclass of this called
    Workload. `options` are the options of a run that it has beside those that all have. Its costs
    are of a KB, or of the events called `per`, whose number each trial has as parameter `count`.
    """

    kind: ClassVar[type[Definition]] = Definition
    roles: ClassVar[tuple[Role, ...]]
    options: ClassVar[frozenset[str]] = frozenset()
    per: ClassVar[str] = ""
    servers: ClassVar[str] = ""
    """The workload that is run for guests that can only be the last of the roles."""
    compares: ClassVar[bool] = False
    """Whether the guests that --guest names are compared, each in one role."""
    beside: ClassVar[Role | None] = None
    """The role of guests that --guest names behind the first, if there may be any."""
    built: ClassVar[bool] = True
    """Whether its releases are programs that we build, each build of which is another sample."""
    stacks: ClassVar[bool] = True
    """Whether its releases differ in their TCP/IP alone, unless one is a VM/KB of the user's.
    Otherwise it takes no stack of the user's."""
    programs: ClassVar[frozenset[str]] = frozenset()
    """Those of VM/KB that run in the guest of a release, if its others do not."""
    on_stock: ClassVar[bool] = False
    """Whether it runs on a stock emulator too, whose time is this computer's."""

    def __init__(self, definition: D | None = None) -> None:
        self.definition: D = definition or self._load()

    @classmethod
    def _folder(cls) -> Path:
        package = sys.modules[cls.__module__]
        assert package.__file__ is not None
        return Path(package.__file__).parent

    @classmethod
    def _load(cls) -> D:
        folder = cls._folder()
        made: D = load(cls.kind, folder / f"{folder.name}.toml")  # type: ignore[assignment]
        return made

    @property
    def name(self) -> str:
        """Its name."""
        return self.definition.name

    @property
    def question(self) -> str:
        """Its question, in one sentence."""
        return self.definition.question

    # What is to be run

    def settings(self, asked: Asked) -> Settings:
        """The request ASKED with this workload's defaults; UsageError for what it does not have."""
        for option in ("builds", "profile", "mtu", "users", "ip"):
            if getattr(asked, option) and option not in self.options:
                raise UsageError(f"Workload {self.name} has no --{option}.")
        style: Style = "full" if asked.style == "full" else "quick"
        cases = asked.cases or self.usual_cases(style)
        known = self.definition
        self.check(choose(asked.emulator))
        return Settings(
            workload=self.name,
            style=style,
            trials=asked.trials or getattr(known.trials, style),
            releases=tuple(r.name for r in choose_releases(known, asked.releases)),
            cases=tuple(c.id for c in choose_cases(known.case, cases)),
            builds=asked.builds or (getattr(known.builds, style) if known.builds else PLAIN),
            profile=asked.profile,
            model=_model(asked.model or known.model),
            wire=_wire(asked.wire or known.wire, asked.mtu or asked.wire and known.mtu or 0),
            emulator=asked.emulator,
            mtu=asked.mtu,
            fixed=bool(asked.trials or asked.builds),
        )

    def check(self, emulator: Emulator) -> None:
        """UsageError if it does not run on EMULATOR."""
        if not (self.on_stock or emulator.exact):
            raise UsageError(
                f"Workload {self.name} needs virtual time, which the counting emulator has:"
                f" {BUILDER} builds it."
            )

    def usual_cases(self, style: Style) -> Sequence[str]:
        """The cases that are run if none are named; none: all of them."""
        return ()

    def rounds(self, settings: Settings) -> list[Planned]:
        """Cases and releases in turn (`rounds`), and the rounds that were found to be wanted."""
        return rounds(
            *self.chosen(settings), settings.trials, settings.builds, settings.more,
            "builds" in self.options, settings.builds_here,
        )  # fmt: skip

    def chosen(self, settings: Settings) -> tuple[tuple[Case, ...], tuple[Release, ...]]:
        """The cases and releases that SETTINGS name."""
        return (
            choose_cases(self.definition.case, settings.cases),
            choose_releases(self.definition, ",".join(settings.releases)),
        )

    def plan(self, settings: Settings) -> Sequence[P]:
        """Every trial, in the order in which it is run."""
        return self.rounds(settings)  # type: ignore[return-value] # P is Planned where this stays

    def heads(self, planned: P) -> Sequence[str]:
        """The ids that a trial's results have."""
        return (planned.id,)

    def about(self, settings: Settings) -> dict[str, str]:
        """Its own part of the note under each table."""
        return {}

    # Running it

    def kernels(self, settings: Settings) -> Mapping[str, Guest]:
        """The guests whose kernels have functions to be profiled, by their releases."""
        return {}

    @abstractmethod
    def contents(self, driver: Driver) -> Contents:
        """The content of the volume of each guest, which DRIVER knows how to use."""

    def world(self, planned: P) -> Hashable:
        """Trials of which this says the same are run in one world, in the plan's order; each has
        the same `pair`, which is the world's seed."""
        return planned.id

    def start(self, planned: P) -> Hashable | None:
        """Worlds whose first trials this says the same of begin alike, so what they begin with is
        made once; their seeds draw what comes later. None: a world is not like any other."""
        return None

    @abstractmethod
    def begin(self, stage: Stage[P]) -> Bench[P]:
        """Start the guests that the stage's trials need. EmulatorError when one does not start.

        For worlds that begin alike (`start`) the stage has the trials of the first: nothing may
        follow from them that is not the same in all."""

    # What it makes of it

    def specification(self) -> Specification:
        """Its description for the analysis."""
        known = self.definition
        return Specification(
            name=known.name,
            releases={r.name: r.title for r in known.releases},
            cases={c.id: c.title or c.id for c in known.case},
            unit=self.per or "KB",
            count="count" if self.per else "",
            luck=self._luck(),
            built=self.built,
        )

    def _luck(self) -> Lucks:
        """How far builds move it, as luck.toml beside its own file says; nothing where there is
        none."""
        path = self._folder() / "luck.toml"
        if not path.exists():
            return {}
        told = load(Found, path)
        return {
            case: {row: Luck(x / 100, told.builds - told.options) for row, x in rows.items()}
            for case, rows in told.deviation_percent.items()
        }


def answering(known: Definition, settings: Settings) -> Release | None:
    """Over IPv6 the release of KNOWN that the guest at the other end of SETTINGS has, the first of
    the run: vmkb's own have IPv4 alone. None over IPv4."""
    if not any(o.ip == 6 for o in settings.own):
        return None
    return choose_releases(known, settings.releases[0])[0]


def rounds(
    cases: Iterable[Case],
    releases: Sequence[Release],
    trials: int,
    builds: int = PLAIN,
    more: Mapping[str, int] | None = None,
    new_builds: bool = False,
    builds_here: int | None = None,
) -> list[Planned]:
    """Every trial round by round, each case under one release and then under the next, so that
    what changes on the host meets all releases alike. A round is in one build, the next in the
    next one: TRIALS rounds in each of BUILDS. MORE: so many rounds behind these of each case that
    is in it, each in another build if NEW_BUILDS, or in turn in those BUILDS_HERE if there are no
    others.
    """
    if trials < 1:
        raise UsageError(f"--trials {trials}: at least one trial is needed.")
    cases, extra = list(cases), more or {}
    last = trials * builds
    turns = [
        (pair, case, release)
        for pair in range(1, last + max(extra.values(), default=0) + 1)
        for case in cases
        for release in releases
        if pair <= last + extra.get(case.id, 0)
    ]

    def build(pair: int) -> int:
        if pair <= last:
            return (pair - 1) % builds + 1
        if not new_builds:
            return PLAIN
        made = builds + pair - last
        return made if builds_here is None or made <= builds_here else (pair - 1) % builds_here + 1

    return [
        Planned(
            id=f"{case.id}{release.name}-{pair}", case=case, release=release, pair=pair, seq=seq,
            build=build(pair),
        )
        for seq, (pair, case, release) in enumerate(turns, start=1)
    ]  # fmt: skip


def _model(name: str) -> str:
    """A CPU model's name as it is spelt; UsageError if there is none."""
    try:
        return find_model(name).key
    except ModelError as error:
        raise UsageError(str(error)) from None


def _wire(name: str, mtu: int) -> str:
    """A wire profile's name as it is spelt; UsageError if there is none, or if packets of MTU bytes
    do not go over it."""
    try:
        found = profile(name)
    except ProfileError as error:
        raise UsageError(str(error)) from None
    if found.mtu < mtu:
        others = ", ".join(x.name for x in named_profiles().values() if x.mtu >= mtu)
        raise UsageError(
            f"Wire {found.name} carries packets of {found.mtu} bytes, and these guests send up to"
            f" {mtu}; wires that carry them: {others}."
        )
    return found.name
