# SPDX-License-Identifier: MIT
"""Means and ratios with their 95 % intervals (Student's t); nothing is ever dropped.

A trial may be known only within bounds (a clock's step, a counter's systematic part:
accounting.units.Figure.bounds). The interval then begins below the mean of the lower bounds and
ends above that of the upper ones: five trials that all print 0.01 s have no interval of width 0.

On virtual time a trial is exact, and trials differ by what their seeds draw and by the build that
they ran on. A build is one sample of what a release costs, so where there are several the interval
is over builds; what other builds were seen to do (`Luck`) is part of it. Builds with one set of the
compiler's options are samples of one thing: a ratio's error is what they differ by. The ratio is
known for each set, and its interval holds for each. The errors of a ratio are those of its
logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, variance

from vmkb.accounting.student import quantile
from vmkb.errors import VmkbError

#: The one level of confidence.
LEVEL = 0.95
#: Half width of an interval, in percent, that a measurement should reach.
WIDTH_TARGET = 1.0
#: A step beyond this part of the value is printed beside it, as +/-.
COARSE = 0.05
#: Modified z-score from which a trial is shown as an outlier (Iglewicz and Hoaglin's 3.5).
OUTLIER_SCORE = 3.5
#: Makes the median absolute deviation estimate a normal distribution's standard deviation.
_MAD_SCALE = 1.4826
#: Trials that agree to this part of their value are the same number.
_SAME = 1e-9
#: Bounds within this part of a value leave nothing open: one instruction in a million.
_SHARP = 1e-5


class StatsError(VmkbError, ValueError):
    """Too few trials, unequal pairs, or a ratio to nothing."""


Bounds = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Luck:
    """How far builds move a ratio of two releases: its standard deviation from build to
    build, as part of the ratio, found with FREEDOM degrees of freedom (builds less one)."""

    deviation: float
    freedom: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, or a ratio of two, with its 95 % interval, from LO to HI.

    error: its standard error (of a ratio: of the logarithm), known with `freedom` degrees of
    freedom; 0 of them: there is no interval. exact: all trials agree, to the last instruction.
    step: how far the value may be off because of the sources' steps alone. outliers are indices of
    trials, which are counted all the same. low, high: what the trials are known within (of a
    ratio: as factors). builds: how many there are; same_program: both sides of a ratio ran one.
    each: a ratio's estimate for each of several sets of the compiler's options, by their names.
    """

    value: float
    lo: float
    hi: float
    n: int
    error: float = 0.0
    freedom: float = 0.0
    exact: bool = False
    outliers: tuple[int, ...] = ()
    step: float = 0.0
    low: float = 0.0
    high: float = 0.0
    is_ratio: bool = False
    builds: int = 1
    same_program: bool = False
    each: tuple[tuple[str, Estimate], ...] = ()

    def at(self, level: float) -> tuple[float, float]:
        """The ends of the interval at another LEVEL of confidence: of a ratio it holds for each set
        of the compiler's options."""
        if not self.freedom:
            return self.lo, self.hi
        apart = quantile(level, self.freedom) * self.error
        if not self.is_ratio:
            return self.low - apart, self.high + apart
        ends = [(self.low * math.exp(-apart), self.high * math.exp(apart))]
        ends += [one.at(level) for _, one in self.each]
        return min(lo for lo, _ in ends), max(hi for _, hi in ends)

    @property
    def half_width_percent(self) -> float:
        """Half the interval in percent of the value; infinite around a value of zero."""
        if self.lo == self.hi:
            return 0.0
        return math.inf if self.value == 0 else 50 * (self.hi - self.lo) / abs(self.value)

    def covers(self, x: float) -> bool:
        """True if X lies in the interval, its ends included."""
        return self.lo <= x <= self.hi

    @property
    def has_interval(self) -> bool:
        """True if there is an interval: two trials at least, or builds known, both ends finite."""
        return self.freedom > 0 and math.isfinite(self.lo) and math.isfinite(self.hi)

    @property
    def below_step(self) -> bool:
        """True if nothing is known but that the value is less than the step of its source."""
        return self.step > 0 and abs(self.value) < self.step * (1 - 1e-9)

    @property
    def coarse(self) -> bool:
        """True if the source's step leaves less than two digits of the value."""
        return self.step > COARSE * abs(self.value)

    @property
    def largest_change(self) -> float:
        """Of a ratio: the largest change that the interval leaves, as part of the base."""
        return largest_change(self.lo, self.hi)


def largest_change(lo: float, hi: float) -> float:
    """The largest change that is possible if a ratio lies from LO to HI, as part of the base."""
    return max(abs(lo - 1), abs(hi - 1))


def outliers(xs: Sequence[float], tick: float = 0) -> tuple[int, ...]:
    """Indices of trials far from the median. TICK: step of the clock, the least scale used."""
    centre = median(xs)
    spread = _MAD_SCALE * median([abs(x - centre) for x in xs])
    # Rounding noise of identical trials is no outlier.
    scale = max(spread, tick, 1e-12 * abs(centre))
    if scale == 0:
        return tuple(i for i, x in enumerate(xs) if x != centre)
    return tuple(i for i, x in enumerate(xs) if abs(x - centre) / scale > OUTLIER_SCORE)


def jain(rates: Sequence[float]) -> float:
    """Jain's index of fairness of some rates: 1 if all are equal, 1/n if one has everything."""
    squares = sum(r * r for r in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 0.0


def _grouped(xs: Sequence[float], builds: Sequence[str]) -> dict[str, list[float]]:
    """XS by the build that each is of; all in one group where it is not told."""
    groups: dict[str, list[float]] = {}
    for build, x in zip(builds or [""] * len(xs), xs, strict=True):
        groups.setdefault(build, []).append(x)
    return groups


def _error(
    groups: Mapping[str, Sequence[float]], luck: Luck | None, options: Mapping[str, str]
) -> tuple[float, float]:
    """Variance of the mean of GROUPS' means, one group a build, and its degrees of freedom.
    OPTIONS: what each build was compiled with."""
    builds = len(groups)
    if builds > 1:
        means = {build: fmean(xs) for build, xs in groups.items()}
        alike: dict[str, list[float]] = {}
        for build, mean in means.items():
            alike.setdefault(options.get(build, ""), []).append(mean)
        free = float(builds - len(alike))
        squares = sum(variance(xs) * (len(xs) - 1) for xs in alike.values() if len(xs) > 1)
        if luck is not None:  # what was seen before and what is seen here, by what each knows
            free += luck.freedom
            squares += luck.freedom * luck.deviation**2
        return (squares / free / builds if free else 0.0), free
    (mine,) = groups.values()
    n = len(mine)
    within = variance(mine) / n if n > 1 else 0.0
    if luck is None:
        return within, n - 1
    apart = luck.deviation**2
    below = (within**2 / (n - 1) if n > 1 else 0.0) + apart**2 / luck.freedom
    return within + apart, (within + apart) ** 2 / below if below else luck.freedom


def _agree(xs: Sequence[float], known: Bounds) -> bool:
    """Whether so many exact trials as make a sample are all the same."""
    top = max(map(abs, xs))
    sharp = all(hi - lo <= _SHARP * top for lo, hi in known)
    return len(xs) > 1 and sharp and max(xs) - min(xs) <= _SAME * top


def _alike(base: Sequence[float], new: Sequence[float], *known: Bounds) -> bool:
    """Whether exact trials of a pair agree, in all pairs."""
    sharp = all(hi - lo <= _SHARP * hi for side in known for lo, hi in side)
    return sharp and all(math.isclose(a, b, rel_tol=_SAME) for a, b in zip(base, new, strict=True))


def mean_estimate(
    xs: Sequence[float],
    *,
    tick: float = 0,
    bounds: Bounds | None = None,
    step: float = 0.0,
    builds: Sequence[str] = (),
) -> Estimate:
    """The mean of one release's trials with its interval (see the module's head).

    BOUNDS: what each trial is known within; STEP: how much of that is the source's step; BUILDS:
    the build of each trial. StatsError without trials.
    """
    if not xs:
        raise StatsError("no trials: a mean needs at least one")
    groups = _grouped(xs, builds)
    spread, freedom = _error(groups, None, {})
    known = bounds or [(x, x) for x in xs]
    low, high = fmean(lo for lo, _ in known), fmean(hi for _, hi in known)
    found = Estimate(
        value=fmean(xs), lo=low, hi=high, n=len(xs), error=math.sqrt(spread), freedom=freedom,
        exact=_agree(xs, known), outliers=outliers(xs, tick), step=step, low=low, high=high,
        builds=len(groups),
    )  # fmt: skip
    return _with_ends(found)


def _with_ends(found: Estimate) -> Estimate:
    low, high = found.at(LEVEL)
    return replace(found, lo=low, hi=high)


def _positive(xs: Sequence[float], what: str) -> None:
    for k, x in enumerate(xs, start=1):
        if not (math.isfinite(x) and x > 0):
            raise StatsError(
                f"trial {k} of the {what} is {x}: a ratio needs numbers greater than zero;"
                " use more bytes per run or a finer source"
            )


def _logs(xs: Sequence[float]) -> list[float]:
    return [math.log(x) for x in xs]


def ratio_estimate(
    base: Sequence[float],
    new: Sequence[float],
    *,
    paired: bool,
    bounds: tuple[Bounds, Bounds] | None = None,
    step: float = 0.0,
    builds: tuple[Sequence[str], Sequence[str]] = ((), ()),
    options: Mapping[str, str] | None = None,
    luck: Luck | None = None,
    same_program: bool = False,
) -> Estimate:
    """mean(new) / mean(base), all of them positive.

    PAIRED: trial k of one is beside trial k of the other, on the same seed or run next to each
    other. BOUNDS, BUILDS: of the trials of base and of new; OPTIONS: what each build was compiled
    with; STEP: as part of the ratio. LUCK: what other builds were seen to do; SAME_PROGRAM: both
    sides ran the same program, so that none of it is between them.
    """
    if paired and len(base) != len(new):
        raise StatsError(f"{len(base)} base trials and {len(new)} new ones do not make pairs")
    _positive(base, "base")
    _positive(new, "new release")
    if same_program:
        builds, luck = ((), ()), None
    of = options or {}
    before, after = _logs(base), _logs(new)
    if paired:
        sides = [_grouped([b - a for a, b in zip(before, after, strict=True)], builds[1])]
        spread, freedom = _error(sides[0], luck, of)
    else:
        sides = [_grouped(xs, mine) for xs, mine in zip((before, after), builds, strict=True)]
        spread, freedom = _apart(sides, luck, of)
    known = bounds or ([(x, x) for x in base], [(x, x) for x in new])
    centre, low, high = _centre(base, new, known)
    exact = _agree(base, known[0]) and _agree(new, known[1]) and spread == 0
    # What agrees to the instruction has executed the same code, whatever its bounds are: with any
    # seed, so that a pair of trials tells it. Programs may differ in what did not run.
    if paired and _alike(base, new, *known):
        exact, freedom, spread = True, max(freedom, 1.0), 0.0
    if exact and math.isclose(centre, 1, rel_tol=_SAME) and (same_program or paired):
        centre = low = high = 1.0
    found = Estimate(
        value=centre, lo=low, hi=high, n=min(len(base), len(new)), error=math.sqrt(spread),
        freedom=freedom, exact=exact, step=step * centre, low=low, high=high, is_ratio=True,
        builds=min(map(len, sides)), same_program=same_program,
    )  # fmt: skip
    if builds[1] and not exact:
        found = replace(found, each=_each(found, base, new, known, builds, of))
    return _with_ends(found)


def _centre(
    base: Sequence[float], new: Sequence[float], known: tuple[Bounds, Bounds]
) -> tuple[float, float, float]:
    """The ratio of the means, and what the bounds KNOWN of the trials leave of it."""
    least, most = (fmean(ends) for ends in zip(*known[0], strict=True))
    low = max(0.0, fmean(lo for lo, _ in known[1])) / most
    high = fmean(hi for _, hi in known[1]) / least if least > 0 else math.inf
    return fmean(new) / fmean(base), low, high


def _each(
    whole: Estimate,
    base: Sequence[float],
    new: Sequence[float],
    known: tuple[Bounds, Bounds],
    builds: tuple[Sequence[str], Sequence[str]],
    options: Mapping[str, str],
) -> tuple[tuple[str, Estimate], ...]:
    """The ratio for each set of options that both sides have, if there are several. Builds differ
    in all of them by what they differ in the WHOLE."""
    compiled = [[options.get(build, "") for build in side] for side in builds]
    names = [name for name in dict.fromkeys(compiled[1]) if name in compiled[0]]
    if len(set(compiled[0] + compiled[1])) < 2:
        return ()
    found = []
    for name in names:
        at = [[k for k, of in enumerate(side) if of == name] for side in compiled]
        mine = ([known[0][k] for k in at[0]], [known[1][k] for k in at[1]])
        centre, low, high = _centre([base[k] for k in at[0]], [new[k] for k in at[1]], mine)
        made = len({builds[1][k] for k in at[1]})
        one = Estimate(
            value=centre, lo=low, hi=high, n=min(map(len, at)), low=low, high=high, is_ratio=True,
            error=whole.error * math.sqrt(whole.builds / made), freedom=whole.freedom, builds=made,
        )  # fmt: skip
        found.append((name, _with_ends(one)))
    return tuple(found)


def _apart(
    sides: Sequence[Mapping[str, Sequence[float]]], luck: Luck | None, options: Mapping[str, str]
) -> tuple[float, float]:
    """Variance of the difference of means that were measured apart, and its degrees of freedom
    (Welch). Half of a ratio's luck is each side's."""
    half = None if luck is None else Luck(luck.deviation / math.sqrt(2), luck.freedom)
    errors = [_error(groups, half, options) for groups in sides]
    total = sum(spread for spread, _ in errors)
    if any(freedom == 0 for _, freedom in errors):
        return total, 0.0
    below = sum(spread**2 / freedom for spread, freedom in errors)
    return total, total**2 / below if below else sum(freedom for _, freedom in errors)


def ratio_of_logs(
    centre: float,
    error: float,
    freedom: float,
    *,
    n: int,
    exact: bool = False,
    around: tuple[float, float] | None = None,
) -> Estimate:
    """A ratio from its logarithm CENTRE with its standard ERROR; AROUND: what bounds leave of it,
    as logarithms."""
    low, high = (math.exp(x) for x in around or (centre, centre))
    found = Estimate(
        value=math.exp(centre), lo=low, hi=high, n=n, error=error, freedom=freedom, exact=exact,
        low=low, high=high, is_ratio=True,
    )  # fmt: skip
    return _with_ends(found)
