# SPDX-License-Identifier: MIT
"""Runs a workload: its worlds side by side, each trial kept on disk when its turn has come.

What a trial left is read from its transcript, which is kept.
"""

from __future__ import annotations

import io
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Generic, TypeVar

from vmkb.accounting.counter import (
    COMPILED,
    COMPILER,
    LAYOUT_ERROR,
    NOTHING,
    PROGRAM,
    UNLINKED,
)
from vmkb.accounting.records import Record
from vmkb.accounting.store import Store
from vmkb.guests.base import driver
from vmkb.guests.compiled import PLAIN, flags, of_build
from vmkb.guests.release.making import version
from vmkb.hercules.emulator.choice import choose, profiling
from vmkb.hercules.guest import Guest
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.base.commit import commit
from vmkb.workloads.base.definition import Definition
from vmkb.workloads.base.here import Executor, Here, Left
from vmkb.workloads.base.lab import Lab
from vmkb.workloads.base.own import Say, extended, with_own
from vmkb.workloads.base.profile import kept as profiles
from vmkb.workloads.base.progress import InLane, Progress
from vmkb.workloads.base.readout import model_of
from vmkb.workloads.base.results import (
    TRANSCRIPTS,
    counter_doubts,
    emulator_metadata,
    failed,
    good_trials,
    keep_layout_error,
)
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.starts import Start
from vmkb.workloads.base.unlinked import said
from vmkb.workloads.base.variants import variant
from vmkb.workloads.base.virtual import START_SEED, TRACE, VirtualLab, world_record
from vmkb.workloads.base.workload import Bench, Outcome, Planned, Stage, Workload

P = TypeVar("P", bound=Planned)
D = TypeVar("D", bound=Definition)


class Run(Generic[D, P]):
    """One run of WORKLOAD into FOLDER. `left` are the trials that have no result there yet. SAY is
    told what is built of the user's releases."""

    def __init__(
        self, workload: Workload[D, P], settings: Settings, guest: Guest, folder: Path,
        say: Say = lambda said: None,
    ) -> None:  # fmt: skip
        self.workload = extended(workload, settings.own)
        self.settings = settings
        self.plan: Sequence[P] = workload.plan(settings)
        builds = max(map(self.build_of_guest, self.plan), default=PLAIN)
        self.guest = with_own(guest, settings, say, builds)
        self.folder = folder
        self.store = Store(folder)
        self._start: Start[Bench[P]] | None = None
        """Of this process' last world, if others begin like it."""
        self._known_programs: dict[int, dict[str, str]] = {}
        self.emulator = choose(settings.emulator)
        workload.check(self.emulator)
        if settings.profile:
            self.emulator = profiling(self.emulator)
        self.meta = self._metadata()
        done = good_trials(folder, self.meta)
        self.left = [p for p in self.plan if not set(workload.heads(p)) <= done]

    def _metadata(self) -> dict[str, str]:
        """Metadata of a run: the note under each table, and what must agree before mixing."""
        return {
            "workload": self.workload.name,
            **emulator_metadata(self.emulator),
            "guest": self.guest.title,
            "guest_image": driver(self.guest).digest(),
            "model": self.settings.model,
            "wire": self.settings.wire,
            **self._adapter(),
            "mtu": str(self.settings.mtu or self.workload.definition.mtu),
            **self.workload.about(self.settings),
            **{f"release_{own.name}": own.about() for own in self.settings.own},
            **{f"{UNLINKED}{o.name}": said(o) for o in self.settings.own if o.unlinked},
            **{f"{NOTHING}{o.name}": said(o) for o in self.settings.own if o.all_unlinked},
            "trials": str(self.settings.trials),
            "clock": "virtual" if self.virtual else "host",
            "size": self.settings.style,
            **self._compiled(),
            **({"commit": commit()} if commit() else {}),
            "host": platform.processor() or platform.machine(),
        }

    def _adapter(self) -> dict[str, str]:
        """The time of an adapter on virtual time, an input of the run."""
        us = 1e6 * profile(self.settings.wire).adapter
        return {"adapter": f"{us:g} us (IN)"} if self.virtual else {}

    def _compiled(self) -> dict[str, str]:
        """The compiler and its options for the builds, if these are chosen."""
        chosen = self.settings.compiled
        if not chosen:
            return {}
        return {COMPILED: ", ".join(map(flags, chosen)), COMPILER: version()}

    def run(self, progress: Progress, executor: Executor | None = None) -> None:
        """Run what is left by EXECUTOR, or here. EmulatorError when a guest fails: what was done
        stays."""
        if not self.left:
            return
        (self.folder / TRANSCRIPTS).mkdir(exist_ok=True)
        self.meta["begun"] = datetime.now(UTC).isoformat("T", "seconds")
        self._begin()
        with closing((executor or Here()).worlds(self, self.worlds(), progress)) as ended:
            for world, left, seconds in ended:
                if left.calibration and LAYOUT_ERROR not in self.meta:
                    self.meta |= keep_layout_error(self.folder, left.calibration)
                    self._begin()
                for planned, outcomes in zip(world, left.outcomes, strict=True):
                    if planned in self.left:
                        progress.trial(planned.id, 1, time.monotonic() - seconds / len(world))
                        doubts = [doubt for each in outcomes for doubt in self._keep(each)]
                        progress.done("NOT TRUSTED: " + doubts[0] if doubts else "good")

    def _begin(self) -> None:
        self.store.begin_run(self.folder.resolve().name, self.meta, self.meta["begun"])

    @property
    def virtual(self) -> bool:
        """Whether it runs on virtual time: a stock emulator has this computer's alone."""
        return self.emulator.exact

    def build_of_guest(self, planned: P) -> int:
        """The build of the guest in which PLANNED runs; where systems are compared, its own is
        theirs."""
        return PLAIN if self.workload.compares else planned.build

    def worlds(self) -> list[list[P]]:
        """The trials of each world. If one of them is left all are run, since each follows from
        those before it."""
        together = self.workload.world
        wanted = dict.fromkeys(map(together, self.left))
        return [[p for p in self.plan if together(p) == key] for key in wanted]

    def first_of_world(self, planned: P) -> P:
        """The trial that a trial's world is called after."""
        together = self.workload.world
        return next(p for p in self.plan if together(p) == together(planned))

    def in_world(self, world: Sequence[P], volume: Path, guests: Path) -> Left:
        """Run the trials of a WORLD, whose guests write in the folder GUESTS: what it left, with
        its digest."""
        first = world[0]
        for planned in world:  # what an interrupted run has left of it
            for path in (self.folder / TRANSCRIPTS).glob(f"{escape(planned.id)}[.-]*"):
                path.unlink()
        given = self.guest, guests, volume, self.settings.wire, self.emulator

        def begin(lab: Lab) -> Bench[P]:
            return self.workload.begin(Stage(lab, self.settings, self.folder, world, self._within))

        def go_on(lab: Lab, bench: Bench[P]) -> Left:
            return self._trials(lab, bench, world)

        if not self.virtual:
            with Lab(*given) as host:
                return go_on(host, begin(host))
        trace = self.folder / TRANSCRIPTS / f"{first.id}{TRACE}"
        alike = self.workload.start(first)
        if alike is None:
            with VirtualLab(*given, self.settings.model, first.pair, trace) as lab:
                return go_on(lab, begin(lab))
        if self._start is None or self._start.key != alike:
            self.end_start()
            made = VirtualLab(*given, self.settings.model, START_SEED, io.StringIO())
            self._start = Start(alike, made, begin)
        return self._start.world(go_on, first.pair, trace)

    def end_start(self) -> None:
        """No world of the same beginning comes any more."""
        if self._start is not None:
            self._start.close()
            self._start = None

    @property
    def _within(self) -> Progress:
        """Of a world's trials."""
        return InLane() if sys.stderr.isatty() else Progress()

    def _trials(self, lab: Lab, bench: Bench[P], world: Sequence[P]) -> Left:
        """What the trials of a WORLD left, with its digest."""
        within = self._within
        with closing(bench):
            bench.prepare(world)
            left = [self._trial(bench, planned, within) for planned in world]
        if isinstance(lab, VirtualLab):
            said = world_record(lab.world, self.folder, world[0].id)
            for outcomes in left:
                outcomes[0] = replace(outcomes[0], records=(*outcomes[0].records, said))
        told = [
            [self._told(outcome, planned) for outcome in outcomes]
            for planned, outcomes in zip(world, left, strict=True)
        ]
        return Left(told, lab.calibration)

    def _trial(self, bench: Bench[P], planned: P, progress: Progress) -> list[Outcome]:
        profiled = bench.profiled(planned) if self.settings.profile else {}
        since = {name: profiles.mark(guest.folder) for name, guest in profiled.items()}
        outcomes = list(bench.trial(planned, progress))
        for name, guest in profiled.items():
            begun, whole = since[name], outcomes[0].whole
            if outcomes[0].broken:
                continue  # which is told instead
            if whole is None:
                profiles.keep(guest.folder, begun, self.folder, planned.id, name)
            else:
                release = planned.release.name
                profiles.keep_whole(guest.folder, begun, self.folder, planned.id, release, whole)
        return outcomes

    def _told(self, outcome: Outcome, planned: P) -> Outcome:
        """OUTCOME, whose head says which program was measured."""
        program = self._programs(self.build_of_guest(planned)).get(outcome.head.release)
        said = {PROGRAM: program} if program else {}
        if self.settings.compiled:
            said[COMPILED] = flags(of_build(self.settings.compiled, planned.build))
        params = {**outcome.head.params, **said}
        return replace(outcome, head=replace(outcome.head, params=params))

    def _programs(self, build: int) -> dict[str, str]:
        """The digest of each release's program in a build."""
        if build not in self._known_programs:
            self._known_programs[build] = {
                r.name: driver(variant(self.guest, build, r.parameter)).program(r.parameter)
                for r in self.workload.definition.releases
            }
        return self._known_programs[build]

    def _keep(self, outcome: Outcome) -> list[str]:
        """Write what a trial left to disk; why not to trust it. EmulatorError if it is broken."""
        trial = outcome.head.id
        self.store.begin_trial(outcome.head)
        if outcome.broken:
            self.store.end_trial(trial, "failed", "; ".join(outcome.broken))
            raise failed(f"Trial {trial}", outcome.broken, self.folder / outcome.transcript)
        doubts = [*outcome.doubts, *self._of_counts(outcome.records)]
        self.store.add_records(trial, outcome.records)
        self.store.end_trial(trial, "untrusted" if doubts else "good", "; ".join(doubts))
        return doubts

    def _of_counts(self, records: Sequence[Record]) -> list[str]:
        """Why not to trust counts: the model in force, the counter."""
        model = model_of(records)
        wrong = model.upper() != self.settings.model.upper()
        said = [f"CP's model was {model or 'not told'}, not {self.settings.model}"] if wrong else []
        return said + counter_doubts(records, self.emulator)
