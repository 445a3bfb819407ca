# SPDX-License-Identifier: MIT
"""Medians and ratios with intervals that hold for any distribution; nothing is ever dropped.

A trial may be known only within bounds (a clock's step, a counter's systematic part:
accounting.units.Figure.bounds). The interval's lower end is then made of the trials' lower bounds
and its upper end of the upper ones: five trials that all print 0.01 s have no interval of width 0.

The trials of two releases run interleaved (base, new, base, new, ...), so trial k of one is paired
with trial k of the other and what both suffered together, as the host's load, divides out.  The
ratio is the median of the pairs' ratios.  Its interval is the percentile bootstrap of that median
(seeded), moved outward to values that a trial really had until the sign test grants it 95 %.  With
5 trials that is the whole range and 93.75 %, with 2 trials the whole range and 50 %:
`Estimate.confidence` says which, so a table never promises more than the trials can carry.

Counts suffer nothing together: there every new trial is compared with every base trial (Hodges and
Lehmann's estimate, the interval of Mann and Whitney's test), which knows the ratio better.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from random import Random

#: Confidence that is asked for, and the least that five trials give (the default number).
CONFIDENCE = 0.95
FIVE_TRIALS = 0.9375
#: Resamples and seed of every bootstrap, so that a table is the same each time it is printed.
RESAMPLES = 1999
SEED = 1
#: Half width of an interval, in percent of its median, that a measurement should reach.
WIDTH_TARGET = 1.0
#: A step beyond this part of the value is printed beside it, as +/-.
COARSE = 0.05
#: Modified z-score from which a trial is shown as an outlier (Iglewicz and Hoaglin's 3.5).
OUTLIER_SCORE = 3.5
#: Makes the median absolute deviation estimate a normal distribution's standard deviation.
_MAD_SCALE = 1.4826


class StatsError(ValueError):
    """Too few trials, unequal pairs, or a ratio to nothing."""


Bounds = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median with its interval.

    confidence is what the interval really has (0 for one trial); paired says whether it is
    a ratio of trials that ran interleaved; outliers are indices of trials, which are counted all
    the same. step: how far the median may be off because of the sources' steps alone.
    """

    value: float
    lo: float
    hi: float
    n: int
    confidence: float
    outliers: tuple[int, ...] = ()
    paired: bool = False
    step: float = 0.0

    @property
    def half_width_percent(self) -> float:
        """Half the interval in percent of the median; infinite around a median of zero."""
        if self.lo == self.hi:
            return 0.0
        return math.inf if self.value == 0 else 50 * (self.hi - self.lo) / abs(self.value)

    def covers(self, x: float) -> bool:
        """True if X lies in the interval, its ends included."""
        return self.lo <= x <= self.hi

    @property
    def few(self) -> bool:
        """True if there are too few trials for the interval to mean much (fewer than five)."""
        return self.confidence < FIVE_TRIALS

    @property
    def has_interval(self) -> bool:
        """True if the ends are an interval worth its name: five trials, both ends known."""
        return not self.few and math.isfinite(self.lo) and math.isfinite(self.hi)

    @property
    def below_step(self) -> bool:
        """True if nothing is known but that the value is less than the step of its source."""
        return self.step > 0 and abs(self.value) < self.step * (1 - 1e-9)

    @property
    def coarse(self) -> bool:
        """True if the source's step leaves less than two digits of the value."""
        return self.step > COARSE * abs(self.value)

    def misses(self, target: float = WIDTH_TARGET) -> bool:
        """True if the interval is wider than +/- TARGET percent, or has no confidence at all."""
        return self.few or self.half_width_percent > target

    def too_wide(self, target: float = WIDTH_TARGET) -> bool:
        """True if what is known, with or without an interval, is wider than +/- TARGET percent."""
        return self.half_width_percent > target


def median(xs: Sequence[float]) -> float:
    """The middle value, or the mean of the two middle ones; StatsError without any."""
    if not xs:
        raise StatsError("no trials: a median needs at least one")
    ordered = sorted(xs)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def sign_confidence(n: int, rank: int) -> float:
    """Probability that the median lies between the RANK-th smallest and RANK-th largest of N.

    Exact for every continuous distribution: 1 - 2 P(Binomial(n, 1/2) < rank).
    """
    if not 1 <= rank <= (n + 1) // 2:
        raise StatsError(f"rank {rank} is not in the lower half of {n} trials")
    # float first: an odd middle rank meets itself and has no confidence, not a negative one.
    return max(0.0, 1 - 2 * sum(comb(n, k) for k in range(rank)) / float(2**n))


def outliers(xs: Sequence[float], tick: float = 0) -> tuple[int, ...]:
    """Indices of trials far from the median. TICK: step of the clock, the least scale used."""
    centre = median(xs)
    spread = _MAD_SCALE * median([abs(x - centre) for x in xs])
    # Rounding noise of identical trials is no outlier.
    scale = max(spread, tick, 1e-12 * abs(centre))
    if scale == 0:
        return tuple(i for i, x in enumerate(xs) if x != centre)
    return tuple(i for i, x in enumerate(xs) if abs(x - centre) / scale > OUTLIER_SCORE)


@lru_cache(maxsize=64)
def _middles(n: int, seed: int, resamples: int) -> tuple[tuple[int, int], ...]:
    """Where the median of each resample of N ordered values is: between these two of them."""
    rng, low, high = Random(seed), (n - 1) // 2, n // 2
    picks = (sorted(rng.choices(range(n), k=n)) for _ in range(resamples))
    return tuple((pick[low], pick[high]) for pick in picks)


def _resampled_medians(xs: Sequence[float], seed: int) -> list[float]:
    ordered = sorted(xs)
    return [(ordered[i] + ordered[j]) / 2 for i, j in _middles(len(ordered), seed, RESAMPLES)]


def _percentiles(sample: Sequence[float]) -> tuple[float, float]:
    """The values that leave out the same share on either side, CONFIDENCE between them."""
    ordered, tail = sorted(sample), (1 - CONFIDENCE) / 2
    at = (math.ceil(share * len(ordered)) - 1 for share in (tail, 1 - tail))
    low, high = (ordered[k] for k in at)
    return low, high


def median_estimate(
    xs: Sequence[float],
    *,
    tick: float = 0,
    seed: int = SEED,
    bounds: Bounds | None = None,
    step: float = 0.0,
) -> Estimate:
    """The median of one release's trials with its interval (see the module's head).

    BOUNDS: what each trial is known within; STEP: how much of that is the source's step.
    """
    centre, n = median(xs), len(xs)
    ordered = sorted(xs)
    rank = 1
    if sign_confidence(n, 1) > CONFIDENCE:  # else no resampling could narrow the whole range
        lo, hi = _percentiles(_resampled_medians(ordered, seed))
        # The rank whose values enclose both ends of the bootstrap interval.
        rank = min(sum(x <= lo for x in ordered), sum(x >= hi for x in ordered), (n + 1) // 2)
        while sign_confidence(n, rank) < CONFIDENCE:
            rank -= 1
    known = bounds or [(x, x) for x in xs]
    return Estimate(
        value=centre,
        lo=sorted(b[0] for b in known)[rank - 1],
        hi=sorted(b[1] for b in known)[n - rank],
        n=n,
        confidence=sign_confidence(n, rank),
        outliers=outliers(xs, tick),
        step=step,
    )


def _positive(xs: Sequence[float], what: str) -> None:
    for k, x in enumerate(xs, start=1):
        if not (math.isfinite(x) and x > 0):
            raise StatsError(
                f"trial {k} of the {what} is {x}: a ratio needs numbers greater than zero;"
                " use more bytes per run or a finer source"
            )


def _quotient(new: tuple[float, float], base: tuple[float, float]) -> tuple[float, float]:
    """What a ratio lies between; without an upper end where the base may be nothing."""
    low = max(0.0, new[0]) / base[1]
    return low, new[1] / base[0] if base[0] > 0 else math.inf


def ratio_paired(
    base: Sequence[float],
    new: Sequence[float],
    *,
    seed: int = SEED,
    bounds: tuple[Bounds, Bounds] | None = None,
    step: float = 0.0,
) -> Estimate:
    """new/base from interleaved pairs. Both in trial order, equally many, all positive.

    BOUNDS: what the trials of base and of new are known within; STEP: as part of the ratio.
    """
    if len(base) != len(new):
        raise StatsError(f"{len(base)} base trials and {len(new)} new ones do not make pairs")
    _positive(base, "base")
    _positive(new, "new release")
    known = None
    if bounds is not None:
        known = [_quotient(n, b) for b, n in zip(*bounds, strict=True)]
    found = median_estimate(
        [n / b for b, n in zip(base, new, strict=True)], seed=seed, bounds=known
    )
    return replace(found, paired=True, step=step * found.value)


@lru_cache(maxsize=64)
def _pairings(m: int, n: int) -> tuple[int, ...]:
    """How many orders of M and N trials have u of the M times N pairs the wrong way round."""
    counts = [1] + [0] * (m * n)
    for k in range(1, n + 1):  # the Gaussian binomial, one factor (1 - q^(m+k)) / (1 - q^k) each
        for u in range(m * n, m + k - 1, -1):
            counts[u] -= counts[u - m - k]
        for u in range(k, m * n + 1):
            counts[u] += counts[u - k]
    return tuple(counts)


def rank_confidence(m: int, n: int, rank: int) -> float:
    """Probability that a shift lies between the RANK-th smallest and largest of all M N pairs.

    Exact where both have the same continuous distribution but for the shift: 1 - 2 P(U < rank).
    """
    return max(0.0, 1 - 2 * sum(_pairings(m, n)[:rank]) / float(comb(m + n, m)))


def ratio_of_counts(
    base: Sequence[float],
    new: Sequence[float],
    *,
    seed: int = SEED,
    bounds: tuple[Bounds, Bounds] | None = None,
    step: float = 0.0,
) -> Estimate:
    """new/base of counts, each new trial over each base trial: for what the host does not touch.

    A disturbance that both sides of a pair have does no harm but that the interval is wider than
    it must be. With fewer than five trials on a side as ratio_paired, whose arguments it takes.
    """
    if min(len(base), len(new)) < 5:
        return ratio_paired(base, new, seed=seed, bounds=bounds, step=step)
    _positive(base, "base")
    _positive(new, "new release")
    m, n = len(base), len(new)
    found = sorted(y / x for x in base for y in new)
    rank = 1
    while rank_confidence(m, n, rank + 1) >= CONFIDENCE:
        rank += 1
    lows = highs = found
    if bounds is not None:
        around = [_quotient(y, x) for x in bounds[0] for y in bounds[1]]
        lows, highs = (sorted(ends) for ends in zip(*around, strict=True))
    centre = median(found)
    return Estimate(
        value=centre, lo=lows[rank - 1], hi=highs[-rank], n=min(m, n),
        confidence=rank_confidence(m, n, rank),
        outliers=outliers([y / x for x, y in zip(base, new, strict=False)]), paired=True,
        step=step * centre,
    )  # fmt: skip


def ratio_unpaired(
    base: Sequence[float],
    new: Sequence[float],
    *,
    seed: int = SEED,
    bounds: tuple[Bounds, Bounds] | None = None,
    step: float = 0.0,
) -> Estimate:
    """median(new)/median(base) of runs that were not interleaved; both sides are resampled.

    With fewer than five trials on a side the interval is the widest ratio that two trials had,
    and its confidence is that of the smaller side's whole range. BOUNDS and STEP as for pairs.
    """
    _positive(base, "base")
    _positive(new, "new release")
    centre = median(new) / median(base)
    n = min(len(base), len(new))
    if n < 5:
        lo, hi = min(new) / max(base), max(new) / min(base)
        confidence = sign_confidence(n, 1)
    else:
        below, above = _resampled_medians(base, seed), _resampled_medians(new, seed + 1)
        lo, hi = _percentiles([x / y for x, y in zip(above, below, strict=True)])
        confidence = CONFIDENCE
    lo, hi = min(lo, centre), max(hi, centre)
    if bounds is not None:
        less, more = _widest(new, bounds[1], base, bounds[0])
        lo, hi = lo * less, hi * more
    return Estimate(centre, lo, hi, n, confidence, step=step * centre)


def _widest(
    new: Sequence[float], around_new: Bounds, base: Sequence[float], around_base: Bounds
) -> tuple[float, float]:
    """Factors by which bounds may move a ratio down and up, from the least certain trials."""
    tops = [(lo / x, hi / x) for x, (lo, hi) in zip(new, around_new, strict=True)]
    lows = [(lo / x, hi / x) for x, (lo, hi) in zip(base, around_base, strict=True)]
    top = min(lo for lo, _ in tops), max(hi for _, hi in tops)
    return _quotient(top, (min(lo for lo, _ in lows), max(hi for _, hi in lows)))


def places(estimate: Estimate, most: int = 6) -> int:
    """Decimals to print: as many as the interval supports, three significant ones at least (and
    where there is no interval), none below the step of the source.
    """
    half = (estimate.hi - estimate.lo) / 2
    want = 0
    if estimate.value:
        want = 2 - math.floor(math.log10(abs(estimate.value)))
    if not estimate.few and math.isfinite(half) and half > 0:
        want = max(want, -math.floor(math.log10(half)))
    if estimate.step > 0:
        want = min(want, step_places(estimate.step))
    return min(most, max(0, want))


def step_places(step: float) -> int:
    """Decimals of a number whose last digit has the size of STEP."""
    return max(0, -math.floor(math.log10(step)))


def claim(confidences: Iterable[float]) -> str:
    """The heading of intervals: '96.87 % interval', or with the least and the most confidence."""
    found = sorted(c for c in confidences if c > 0)
    if not found:
        return "Interval"
    # What is granted is at least this: cut after the second decimal, never rounded up.
    ends = (f"{math.floor(round(1e4 * c, 6)) / 100:g}" for c in (found[0], found[-1]))
    return f"{'..'.join(dict.fromkeys(ends))} % interval"


def ratio_places(estimate: Estimate, most: int = 5) -> int:
    """Decimals of a ratio: three as the published tables have, more if the interval supports
    them, fewer if the sources' steps leave no more.
    """
    half = (estimate.hi - estimate.lo) / 2
    want = 3
    if not estimate.few and math.isfinite(half) and half > 0:
        want = max(want, -math.floor(math.log10(half)))
    if estimate.step > 0:
        want = min(want, step_places(estimate.step))
    return min(most, want)
