# SPDX-License-Identifier: MIT
"""The cost of a kilobyte by commit: each commit is built and measured once.

What is built and measured, a stack, VM/KB or a kernel, its `Subject` says. Commits that give the
same program share one trial. Builds go on while trials run.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vmkb.accounting.costs import CostError, TrialCost, costs
from vmkb.accounting.digits import bare
from vmkb.accounting.models import model
from vmkb.accounting.profile.summary import Profile
from vmkb.accounting.profile.tables import changes_table
from vmkb.accounting.records import Source as Of
from vmkb.accounting.store import read as read_store
from vmkb.accounting.tables.table import Table
from vmkb.accounting.tables.trail import Change, Point
from vmkb.errors import UsageError
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.git import log, tags
from vmkb.guests.release.making import stop
from vmkb.guests.release.sandbox import warning
from vmkb.guests.release.sizes import Sizes
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import choose, cost_of_stock
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.here import Here
from vmkb.workloads.base.profile.report import profiles
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Own, Settings, save
from vmkb.workloads.base.workload import Workload
from vmkb.workloads.sweeping.kept import Commit, Row, keep, once, rows

AT_ONCE = 8
"""Programs that are measured in one run."""
AHEAD = 2 * AT_ONCE
"""Commits whose builds may be waiting for a trial: what is kept of builds is limited."""


class Built(NamedTuple):
    """A commit as a release, digests of its text and program, and the program's sizes."""

    own: Own
    text: str
    program: str
    sizes: Sizes | None


Known = Mapping[str, tuple[str, Sizes | None]]
"""Program and sizes by text."""


class Subject(ABC):
    """What a trail is of. Its `name`; what git is asked about (`logged`); what the sizes are of
    (`sized`); the machine whose part is told (`part`), or nothing; the client's `guest`."""

    name: str
    logged: tuple[str, ...]
    sized: str
    part: str
    guest: Guest

    @abstractmethod
    def digest(self) -> str:
        """What names the guest in which it is measured."""

    def about(self) -> dict[str, str]:
        """What else all of a trail's commits are measured with."""
        return {}

    @abstractmethod
    def settings(self, case: str) -> Settings:
        """Those of a run of CASE. UsageError."""

    @abstractmethod
    def build(self, repo: Path, commit: str, known: Known) -> Built:
        """COMMIT of REPO, built if its text is not KNOWN. SourceError."""

    @abstractmethod
    def planned(
        self, settings: Settings, own: Sequence[Own], profile: bool
    ) -> tuple[Workload[Any, Any], Settings]:
        """The run of SETTINGS with the releases OWN, and a PROFILE."""

    @abstractmethod
    def named(self, repo: Path, commit: str, name: str) -> Own:
        """COMMIT as release NAME. SourceError."""

    def tells(self, profile: Profile) -> bool:
        """Whether the functions of a step are PROFILE's, too."""
        return True

    def let_go(self) -> None:  # noqa: B027
        """No run uses what was built any more."""


class Trail:
    """The commits FIRST to LAST of SUBJECT in the repository REPO, in CASE. FOLDER keeps their
    costs, so that none is measured twice. So many WORKERS run trials; 0: one for each processor.
    UsageError for a bad repository or case."""

    def __init__(
        self, subject: Subject, repo: Path, first: str, last: str, case: str, folder: Path,
        say: Callable[[str], None], workers: int = 0,
    ) -> None:  # fmt: skip
        self._subject, self._repo, self._workers = subject, repo, workers
        self._folder, self._say = folder, say
        self.name, self.sized = subject.name, subject.sized
        try:
            self.commits = [Commit(*words) for words in log(repo, first, last, subject.logged)]
            tagged = tags(repo, first, last, [c.name for c in self.commits])
        except SourceError as error:
            raise UsageError(f"{error}.") from None
        self._tags: dict[str, list[str]] = {}
        for tag, commit in tagged:
            self._tags.setdefault(commit, []).append(tag)
        self._settings = subject.settings(case)
        if len(self._settings.cases) != 1:
            raise UsageError(f"--case {case} is {', '.join(self._settings.cases)}: choose one.")
        self.case = self._settings.cases[0]
        emulator = choose()
        if cost := cost_of_stock(emulator):
            say(f"{emulator.name}: {cost}")
        self._about = {
            "case": self.case, "guest": subject.digest(), "model": self._settings.model,
            "emulator": emulator.name, **subject.about(),
        }  # fmt: skip
        self.rows: dict[str, Row] = {}
        self._costs: dict[str, Row] = {}
        self._programs: dict[str, tuple[str, Sizes | None]] = {}
        for row in rows(folder, self._about):
            # A trial that failed is tried again: the reason may have been this computer's.
            if row.total is not None or not row.program:
                self._know(row)
        self._batches = len(list(folder.glob("batch-*")))

    def _know(self, row: Row) -> None:
        self.rows[row.commit] = row
        if row.program:
            self._programs[row.text] = row.program, row.sizes
        if row.total is not None:
            self._costs.setdefault(row.program, row)

    def _keep(self, row: Row) -> None:
        keep(self._folder, row)
        self._know(row)
        found = next(n for n, c in enumerate(self.commits) if c.name == row.commit)
        cost = row.why if row.total is None else f"{bare(row.total)} us/KB"
        self._say(f"{found + 1} of {len(self.commits)}, {row.commit[:10]}: {cost}")

    def measure(self, commits: Iterable[Commit]) -> None:
        """Measure those of COMMITS that are not known."""
        left = deque(c for c in commits if c.name not in self.rows)
        built: list[tuple[Commit, Built]] = []
        ahead: deque[Future[tuple[Commit, Built] | Row]] = deque()
        if left and (said := warning()):
            self._say(said)
        builder = ThreadPoolExecutor(1)  # a build uses all processors itself
        try:
            while left or ahead:
                while left and len(ahead) < AHEAD:
                    ahead.append(builder.submit(self._build, left.popleft()))
                made = ahead.popleft().result()
                if isinstance(made, Row):
                    self._keep(made)
                    continue
                built.append(made)
                if len({b.program for _, b in built} - self._costs.keys()) == AT_ONCE:
                    self._measure(built)
                    built = []
        finally:
            stop()
            builder.shutdown(cancel_futures=True)
        self._measure(built)

    def _build(self, commit: Commit) -> tuple[Commit, Built] | Row:
        """COMMIT, built; a row without a cost if that fails."""
        try:
            built = self._subject.build(self._repo, commit.name, self._programs)
            self._programs[built.text] = built.program, built.sizes
            return commit, built
        except SourceError as error:
            why = str(error).partition("; the log is ")[0]  # which does not stay for long
            return Row(commit.name, "", why=why)

    def _measure(self, built: Sequence[tuple[Commit, Built]]) -> None:
        """Run a trial of each program of BUILT that is new."""
        new: dict[str, Own] = {}
        for _, one in built:
            if one.program not in self._costs:
                number = len(new)
                new.setdefault(one.program, one.own.model_copy(update={"name": f"C{number}"}))
        found = self._run(list(new.values()))
        for commit, one in built:
            cost = self._costs.get(one.program) or found[new[one.program].name]
            self._keep(
                Row(commit.name, one.own.source, one.text, one.program, cost.total, cost.part,
                    cost.why, one.sizes)
            )  # fmt: skip
        self._subject.let_go()

    def _run(self, own: Sequence[Own]) -> dict[str, Row]:
        """A trial of each of OWN: a row by its name. If one of several fails, each is run alone,
        so that it is known which."""
        if not own:
            return {}
        self._batches += 1
        folder = self._folder / f"batch-{self._batches:04d}"
        try:
            return self._trials(own, folder)
        except EmulatorError as error:
            if len(own) == 1:
                why = str(error).splitlines()[0].partition(" Its transcript is ")[0]
                return {own[0].name: Row("", "", why=why)}
        return {name: row for each in own for name, row in self._run([each]).items()}

    def _trials(self, own: Sequence[Own], folder: Path) -> dict[str, Row]:
        made = {}
        wanted = self._subject.part
        for cost in self._costs_of(own, folder):
            if cost.trial.status != "good":
                made[cost.trial.release] = Row("", "", why=cost.trial.why)
                continue
            part = next((p.per_kb for p in cost.parts if p.label == wanted), None)
            if cost.total is None or (wanted and part is None):
                raise CostError(f"{cost.trial.id}: {'; '.join(cost.missing)}")
            told = None if part is None else part.value
            made[cost.trial.release] = Row("", "", total=cost.total.value, part=told)
        return made

    def _costs_of(
        self, own: Sequence[Own], folder: Path, profile: bool = False
    ) -> Sequence[TrialCost]:
        """Run what is left of a trial of each of OWN in FOLDER: what they cost."""
        folder.mkdir(exist_ok=True)
        workload, settings = self._subject.planned(self._settings, own, profile)
        try:
            run = Run(workload, settings, self._subject.guest, folder)
            save(settings, folder)
            run.run(Progress(), Here(self._workers))
        finally:
            shutil.rmtree(folder / "guests", ignore_errors=True)
            for trace in (folder / "transcripts").glob("*.trace.gz"):
                trace.unlink()  # most of the folder; a replay makes it again
        return costs(read_store(folder).trials, Of.IC, model(settings.model))

    def functions(self, change: Change) -> Table | None:
        """Functions that grew and shrank in the commit of CHANGE, for a stack those of TCPIP, from
        a profiled trial on each side of it. None if there are none, or none can be had."""
        assert change.before is not None
        folder = self._folder / f"step-{change.before.short}-{change.point.short}"
        names = change.before.commit, change.point.commit
        folder.mkdir(exist_ok=True)
        try:
            return once(folder, lambda: self._functions(names, folder))
        except (SourceError, UsageError, EmulatorError) as error:
            self._say(f"{change.point.short}: no functions: {error}")
            return None

    def _functions(self, names: Iterable[str], folder: Path) -> Table | None:
        own = [self._subject.named(self._repo, name, name[:8].upper()) for name in names]
        found = profiles(folder, self._costs_of(own, folder, profile=True))
        self._subject.let_go()
        table = changes_table([p for p in found if self._subject.tells(p)])
        return table and replace(table, name="step-functions")

    def points(self) -> list[Point]:
        """The rows that are kept, oldest commit first."""
        known = [(c, self.rows[c.name]) for c in self.commits if c.name in self.rows]
        return [
            Point(c.name, c.date, c.subject, r.total, r.part, r.program, r.why, r.sizes,
                  tuple(self._tags.get(c.name, ())))
            for c, r in known
        ]  # fmt: skip

    def steps(self, threshold: float) -> None:
        """Measure those commits that it takes to find each change of more than THRESHOLD, a part
        of the cost: the ends and releases, then the middle of what differs, until neighbours
        do."""
        ends = self.commits[0], self.commits[-1]
        self.measure([c for c in self.commits if c in ends or c.name in self._tags])
        while True:
            middles = self._middles(threshold)
            if not middles:
                return
            self.measure(middles)

    def _middles(self, threshold: float) -> list[Commit]:
        known = [n for n, c in enumerate(self.commits) if self._cost(c) is not None]
        found = []
        for a, b in zip(known, known[1:], strict=False):
            before, after = self._cost(self.commits[a]), self._cost(self.commits[b])
            assert before is not None and after is not None
            between = [c for c in self.commits[a + 1 : b] if c.name not in self.rows]
            if between and abs(after / before - 1) > threshold:
                found.append(between[len(between) // 2])
        return found

    def _cost(self, commit: Commit) -> float | None:
        row = self.rows.get(commit.name)
        return row.total if row else None
