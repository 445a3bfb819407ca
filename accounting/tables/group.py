# SPDX-License-Identifier: MIT
"""Trials put into columns (one case under one release) and columns into comparisons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.counter import BUILD, COMPILED, PROGRAM
from vmkb.accounting.measures import Measure, estimated, figures, has
from vmkb.accounting.models import Model
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate, Luck, ratio_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import TableError
from vmkb.accounting.units import Figure


@dataclass(frozen=True)
class Column:
    """All usable trials of one case under one release, in the order in which they ran."""

    table: str
    case: str
    mode: str
    release: str
    run_id: str
    trials: tuple[TrialCost, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Table, case and release: what tells it from other columns."""
        return self.table, self.case, self.release

    @property
    def builds(self) -> list[str]:
        """The build that each trial ran on."""
        return [c.trial.params.get(BUILD, "1") for c in self.trials]

    @property
    def head(self) -> str:
        """The column's name: the run id, or the case where there is none."""
        return self.run_id or self.case

    @property
    def per(self) -> str:
        """The word for what its costs are of."""
        return self.trials[0].per

    @property
    def labels(self) -> list[str]:
        """Labels of the parts, in printed order."""
        return [p.label for p in self.trials[0].parts] if self.trials else []

    def figures(self, measure: Measure) -> list[Figure]:
        """The measure of every trial; TableError if a trial has no such number."""
        return figures(self.trials, measure)

    def values(self, measure: Measure) -> list[float]:
        """The bare numbers of every trial."""
        return [f.value for f in self.figures(measure)]

    def has(self, measure: Measure) -> bool:
        """True if every trial has the number."""
        return has(self.trials, measure)

    def estimate(self, measure: Measure) -> Estimate:
        """Mean of the measure with its interval, which holds what the sources leave open."""
        return estimated(self.trials, measure)


def columns(costs: Iterable[TrialCost]) -> list[Column]:
    """Columns in the order in which tables, cases and releases first appear."""
    groups: dict[tuple[str, str, str], list[TrialCost]] = {}
    for cost in sorted((c for c in costs if c.usable), key=lambda c: c.trial.seq):
        t = cost.trial
        groups.setdefault((t.table, t.case, t.release), []).append(cost)
    tables = list(dict.fromkeys(k[0] for k in groups))
    cases = list(dict.fromkeys(k[:2] for k in groups))
    releases = list(dict.fromkeys(k[2] for k in groups))
    made = []
    for table, case in sorted(cases, key=lambda k: (tables.index(k[0]), cases.index(k))):
        for release in releases:
            mine = groups.get((table, case, release))
            if mine:
                head = mine[0].trial
                made.append(Column(table, case, head.mode, release, head.run_id, tuple(mine)))
    return made


def releases(every: Sequence[Column]) -> list[str]:
    """Releases in order of appearance."""
    return list(dict.fromkeys(c.release for c in every))


def base_of(column: Column, every: Sequence[Column], base: str = "") -> Column | None:
    """The column that COLUMN is compared with: same case, release BASE (or the first)."""
    same = [c for c in every if (c.table, c.case) == (column.table, column.case)]
    if base:
        return next((c for c in same if c.release == base), None)
    return same[0] if same else None


def paired(base: Column, new: Column) -> list[tuple[TrialCost, TrialCost]]:
    """Trials that ran next to each other: one run, one pair number, each once."""
    before = {(c.trial.run, c.trial.pair): c for c in base.trials if c.trial.pair}
    return [
        (before[key], c)
        for c in new.trials
        if (key := (c.trial.run, c.trial.pair)) in before and c.trial.pair
    ]


def ratio(base: Column, new: Column, measure: Measure, luck: Luck | None = None) -> Estimate:
    """new/base of a measure: of trials beside each other where there are any, else of all. LUCK:
    what other builds do to it.

    StatsError for zero or negative numbers. TableError where a trial lacks the number.
    """
    pairs = paired(base, new)
    sides = tuple(zip(*pairs, strict=True)) if pairs else (base.trials, new.trials)
    known = [[f for c in side if (f := measure(c)) is not None] for side in sides]
    if any(len(numbers) != len(side) for numbers, side in zip(known, sides, strict=True)):
        raise TableError("a trial has no number for this table")
    counted = Source.IC in known[0][0].sources
    return ratio_of(
        *known, paired=bool(pairs), luck=luck if counted else None,
        builds=tuple(
            [c.trial.params.get(BUILD, "1") if counted else "" for c in side] for side in sides
        ),
        options={
            c.trial.params.get(BUILD, "1"): c.trial.params.get(COMPILED, "")
            for side in sides for c in side
        },
        same_program=_programs(sides[0]) == _programs(sides[1]),
    )  # fmt: skip


def _programs(side: Sequence[TrialCost]) -> object:
    """The program of each build; of trials that do not name it, something that equals nothing."""
    programs = {(c.trial.params.get(BUILD, "1"), c.trial.params.get(PROGRAM, "")) for c in side}
    return programs if all(program for _, program in programs) else object()


def ratio_of(
    base: Sequence[Figure],
    new: Sequence[Figure],
    *,
    paired: bool,
    builds: tuple[Sequence[str], ...] = ((), ()),
    options: Mapping[str, str] | None = None,
    luck: Luck | None = None,
    same_program: bool = False,
) -> Estimate:
    """new/base of figures in trial order (accounting.stats.ratio_estimate)."""
    before, after = [f.value for f in base], [f.value for f in new]
    step = 0.0
    if median(before) > 0 and median(after) > 0:
        step = median([f.step for f in base]) / median(before)
        step += median([f.step for f in new]) / median(after)
    around = ([f.bounds for f in base], [f.bounds for f in new])
    return ratio_estimate(
        before, after, paired=paired, bounds=around, step=step, luck=luck,
        builds=(builds[0], builds[1]), options=options, same_program=same_program,
    )  # fmt: skip


def letters_of(every: Iterable[Column], measure: Measure) -> str:
    """Source letters of one row, '(QT/FT)'; TableError if trials have different ones."""
    return letters(every, lambda c: f.letters if (f := measure(c)) else None)


def letters(every: Iterable[Column], what: Callable[[TrialCost], object]) -> str:
    """Source letters of one row, '(QT/FT)'; TableError if trials have different ones."""
    seen = {str(what(c)) for column in every for c in column.trials} - {"None", ""}
    if len(seen) > 1:
        raise TableError(
            f"one row would mix {' and '.join(sorted(seen))}: choose one source with --source"
        )
    return next(iter(seen), "")


def left_out(costs: Iterable[TrialCost]) -> list[str]:
    """Why trials have no number, one sentence each."""
    return [why for c in costs for why in c.missing]


def counted_costs(trials: Iterable[Trial], model: Model) -> list[TrialCost]:
    """The costs by the counts of all that came to their end, as they ran; TableError if the
    samples of one do not give them."""
    ended = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    made = costs(ended, Source.IC, model)
    if why := left_out(made):
        raise TableError(why[0])
    return made


def said(costs: Iterable[TrialCost]) -> list[str]:
    """The notes of costs, each sentence once."""
    return list(dict.fromkeys(note for c in costs for note in c.notes))


def configuration(costs: Sequence[TrialCost]) -> str:
    """The whole configuration of what was measured, for the note under a table."""
    seen: dict[str, list[str]] = {}
    for cost in costs:
        for key, value in cost.trial.meta.items():
            if value not in seen.setdefault(key, []):
                seen[key].append(value)
    return "; ".join(f"{k.replace('_', ' ')} {', '.join(v)}" for k, v in seen.items())
