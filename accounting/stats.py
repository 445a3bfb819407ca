# SPDX-License-Identifier: MIT
"""Medians and ratios with intervals that hold for any distribution; nothing is ever dropped.

The trials of two releases run interleaved (base, new, base, new, ...), so trial k of one is paired
with trial k of the other and what both suffered together divides out.  The ratio is the median of
the pairs' ratios.  Its interval is the percentile bootstrap of that median (seeded), moved
outward to values that a trial really had until the sign test grants it 95 %.  With 5 trials that
is the whole range and 93.75 %, with 2 trials the whole range and 50 %: `Estimate.confidence` says
which, so a table never promises more than the trials can carry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
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
#: Modified z-score from which a trial is shown as an outlier (Iglewicz and Hoaglin's 3.5).
OUTLIER_SCORE = 3.5
#: Makes the median absolute deviation estimate a normal distribution's standard deviation.
_MAD_SCALE = 1.4826


class StatsError(ValueError):
    """Too few trials, unequal pairs, or a ratio to nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median with its interval.

    confidence is what the interval really has (0 for one trial); paired says whether it is
    a ratio of interleaved pairs; outliers are indices of trials, which are counted all the same.
    """

    value: float
    lo: float
    hi: float
    n: int
    confidence: float
    outliers: tuple[int, ...] = ()
    paired: bool = False

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

    def misses(self, target: float = WIDTH_TARGET) -> bool:
        """True if the interval is wider than +/- TARGET percent, or has no confidence at all."""
        return self.few or self.half_width_percent > target


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


def median_estimate(xs: Sequence[float], *, tick: float = 0, seed: int = SEED) -> Estimate:
    """The median of one release's trials with its interval (see the module's head)."""
    centre, n = median(xs), len(xs)
    ordered = sorted(xs)
    rank = 1
    if sign_confidence(n, 1) > CONFIDENCE:  # else no resampling could narrow the whole range
        lo, hi = _percentiles(_resampled_medians(ordered, seed))
        # The rank whose values enclose both ends of the bootstrap interval.
        rank = min(sum(x <= lo for x in ordered), sum(x >= hi for x in ordered), (n + 1) // 2)
        while sign_confidence(n, rank) < CONFIDENCE:
            rank -= 1
    return Estimate(
        value=centre,
        lo=ordered[rank - 1],
        hi=ordered[n - rank],
        n=n,
        confidence=sign_confidence(n, rank),
        outliers=outliers(xs, tick),
    )


def _positive(xs: Sequence[float], what: str) -> None:
    for k, x in enumerate(xs, start=1):
        if not (math.isfinite(x) and x > 0):
            raise StatsError(
                f"trial {k} of the {what} is {x}: a ratio needs numbers greater than zero;"
                " use more bytes per run or a finer source"
            )


def ratio_paired(
    base: Sequence[float], new: Sequence[float], *, seed: int = SEED
) -> Estimate:
    """new/base from interleaved pairs. Both in trial order, equally many, all positive."""
    if len(base) != len(new):
        raise StatsError(f"{len(base)} base trials and {len(new)} new ones do not make pairs")
    _positive(base, "base")
    _positive(new, "new release")
    found = median_estimate([n / b for b, n in zip(base, new, strict=True)], seed=seed)
    return Estimate(
        found.value, found.lo, found.hi, found.n, found.confidence, found.outliers, paired=True
    )


def ratio_unpaired(
    base: Sequence[float], new: Sequence[float], *, seed: int = SEED
) -> Estimate:
    """median(new)/median(base) of runs that were not interleaved; both sides are resampled.

    With fewer than five trials on a side the interval is the widest ratio that two trials had,
    and its confidence is that of the smaller side's whole range.
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
    return Estimate(centre, min(lo, centre), max(hi, centre), n, confidence)


def decimals(estimate: Estimate, tick: float = 0, most: int = 6) -> int:
    """Decimals that the interval supports: the last one printed has the size of its half width.

    TICK is the step of the source: no digit below it is printed. At most MOST.
    """
    half = max((estimate.hi - estimate.lo) / 2, tick)
    if half <= 0:
        return most if estimate.n > 1 else 3
    return min(most, max(0, -math.floor(math.log10(half))))
