# SPDX-License-Identifier: MIT
"""Where a series of figures changed its level: ruptures proposes, the interval of the ratio
decides.

The interval is the one of accounting.stats, from the scatter of runs within all levels. As the one
of a case among several (analysis.rule), it holds for all places at once at which a level may begin,
so that a history in which nothing happened claims a change in one of twenty at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from vmkb.accounting.analysis.rule import LEAST as NAMED
from vmkb.accounting.stats import LEVEL, Estimate, Luck, StatsError, ratio_of_logs

#: Runs on each side of a change: one run that is odd is not a level.
LEAST = 3
#: Price of a proposal, in variances of a run times the logarithm of the number of runs: two for its
#: two parameters (Schwarz), one more because figures of runs are not quite independent.
PRICE = 3.0
_MAD_SCALE = 1.4826


@dataclass(frozen=True)
class Level:
    """Runs FIRST to LAST (their numbers, from 0, both in it), and how their level compares with the
    one before; no ratio for the first level. The ratio's interval holds for all levels at once."""

    first: int
    last: int
    figure: float
    ratio: Estimate | None = None

    @property
    def dearer(self) -> bool:
        """True if it lies above the level before by more than the interval."""
        return self.differs and self.ratio is not None and self.ratio.value > 1

    @property
    def differs(self) -> bool:
        """True if the interval of the ratio does not cover 1, and the change is worth its name."""
        e = self.ratio
        return e is not None and not e.covers(1) and abs(e.value - 1) >= NAMED


def noise(values: Sequence[float]) -> float:
    """Standard deviation of a run, from neighbouring runs, which a change hardly touches."""
    steps = [abs(b - a) for a, b in zip(values, values[1:], strict=False)]
    between = _MAD_SCALE * median(steps) / math.sqrt(2) if steps else 0.0
    return max(between, 1e-9 * abs(median(values)))


def levels(
    figures: Sequence[Estimate], builds: Sequence[str] = (), luck: Luck | None = None
) -> list[Level]:
    """The levels of a series of figures, oldest first. BUILDS: the program that each run ran, of
    which LUCK says what a new one does to a ratio. StatsError where a figure is not positive."""
    for n, e in enumerate(figures, start=1):
        if not (math.isfinite(e.value) and e.value > 0):
            raise StatsError(f"run {n} cost {e.value:g}: levels need numbers greater than zero")
    series = _series(figures, builds, luck)
    cuts = [0, *_proposed([e.value for e in figures]), len(figures)]
    while True:
        made = series.levels(cuts)
        weak = [k for k, level in enumerate(made) if k and not level.differs]
        if not weak:
            return made
        del cuts[min(weak, key=lambda k: _strength(made[k].ratio))]


def bound(
    figures: Sequence[Estimate], builds: Sequence[str] = (), luck: Luck | None = None
) -> float:
    """By no more than this part can the level have changed, wherever it did, in a series of one
    level; infinite of too few runs."""
    series = _series(figures, builds, luck)
    places = range(LEAST, len(figures) - LEAST + 1)
    ratios = [series.levels([0, k, len(figures)])[1].ratio for k in places]
    return max((e.largest_change for e in ratios if e is not None), default=math.inf)


def _strength(ratio: Estimate | None) -> float:
    """How far a ratio is from 1, in standard errors."""
    assert ratio is not None
    apart = abs(math.log(ratio.value))
    if not ratio.error:
        return math.inf if apart else 0.0
    return apart / ratio.error


@dataclass(frozen=True)
class _Series:
    """Figures, and what is known of the programs that ran."""

    figures: Sequence[Estimate]
    builds: Sequence[str]
    luck: Luck | None

    def levels(self, cuts: Sequence[int]) -> list[Level]:
        """The levels that begin at CUTS, the last of which is the end."""
        parts = [range(a, b) for a, b in zip(cuts, cuts[1:], strict=False)]
        groups = [self._groups(part) for part in parts]
        own = [_pooled(part)[0] for part in groups]
        within = _pooled(group for part in groups for group in part)
        means = [[fmean(group) for group in part] for part in groups]
        between = _pooled(means, self.luck) if self.luck else (0.0, 0)
        made = []
        for k, part in enumerate(parts):
            ratio = None
            if k:
                ratio = self._ratio(
                    parts[k - 1],
                    part,
                    _of_means(within, (own[k - 1], len(parts[k - 1])), (own[k], len(part))),
                    _of_means(between, (0.0, len(groups[k - 1])), (0.0, len(groups[k]))),
                )
            figure = fmean(self.figures[n].value for n in part)
            made.append(Level(part[0], part[-1], figure, ratio))
        return made

    def _groups(self, part: range) -> list[list[float]]:
        """Logarithms of the figures of PART, a list for each program."""
        found: dict[str, list[float]] = {}
        for n in part:
            build = self.builds[n] if self.builds else ""
            found.setdefault(build, []).append(math.log(self.figures[n].value))
        return list(found.values())

    def _known(self, part: range) -> tuple[float, float]:
        """The mean of PART, and how far the sources' steps may have put it off."""
        mine = [self.figures[n] for n in part]
        return fmean(e.value for e in mine), fmean(e.step for e in mine)

    def _ratio(self, before: range, after: range, *errors: tuple[float, float]) -> Estimate:
        """The ratio of two levels; ERRORS: variances with their degrees of freedom (Welch)."""
        (base, off), (new, far) = (self._known(part) for part in (before, after))
        value = math.log(new / base)
        low = math.log((new - far) / (base + off)) if new > far else -math.inf
        high = math.log((new + far) / (base - off)) if base > off else math.inf
        total = sum(variance for variance, _ in errors)
        below = sum(variance**2 / freedom for variance, freedom in errors if freedom)
        freedom = total**2 / below if below else sum(freedom for _, freedom in errors)
        found = ratio_of_logs(
            value, math.sqrt(total), freedom, n=min(len(before), len(after)),
            exact=total == 0 and low == high, around=(low, high),
        )  # fmt: skip
        places = max(1, len(self.figures) - 2 * LEAST + 1)
        lo, hi = found.at(1 - (1 - LEVEL) / places)
        return replace(found, lo=lo, hi=hi)


def _series(figures: Sequence[Estimate], builds: Sequence[str], luck: Luck | None) -> _Series:
    several = luck is not None and len(set(builds)) > 1
    return _Series(figures, builds if several else (), luck if several else None)


def _pooled(groups: Iterable[Sequence[float]], luck: Luck | None = None) -> tuple[float, float]:
    """Variance within GROUPS and its degrees of freedom. Half of a ratio's LUCK is each side's."""
    squares, freedom = 0.0, 0.0
    if luck is not None:
        squares, freedom = luck.freedom * luck.deviation**2 / 2, luck.freedom
    for group in groups:
        middle = fmean(group)
        squares += sum((x - middle) ** 2 for x in group)
        freedom += len(group) - 1
    return (squares / freedom if freedom else 0.0), freedom


def _of_means(spread: tuple[float, float], *sides: tuple[float, int]) -> tuple[float, float]:
    """Variance of the difference of two means and its degrees of freedom. SIDES: the variance seen
    there, which counts if it is above the usual SPREAD (one odd run is no level), and how many."""
    usual, freedom = spread
    return sum(max(usual, seen) / n for seen, n in sides), freedom


def _proposed(values: Sequence[float]) -> list[int]:
    """Numbers of the runs at which a level may begin."""
    if len(values) < 2 * LEAST:
        return []
    import numpy
    import ruptures

    signal = numpy.array(values).reshape(-1, 1) / noise(values)
    # The linear kernel's cost is the sum of squares around the mean of a level.
    search = ruptures.KernelCPD(kernel="linear", min_size=LEAST).fit(signal - signal.mean())
    found = search.predict(pen=PRICE * math.log(len(values)))
    return [int(n) for n in found[:-1]]
