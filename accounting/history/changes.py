# SPDX-License-Identifier: MIT
"""Where a series of figures changed its level: ruptures proposes, the interval of the ratio
decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from vmkb.accounting.stats import Estimate, ratio_estimate

#: Runs on each side of a change: one run that is odd is not a level.
LEAST = 3
#: Price of a change, in variances of a run times the logarithm of the number of runs: two for its
#: two parameters (Schwarz), one more because figures of runs are not quite independent.
PRICE = 3.0
_MAD_SCALE = 1.4826
#: Half of a 95 % interval of a normal distribution, in standard deviations.
_HALF = 1.96


@dataclass(frozen=True)
class Level:
    """Runs FIRST to LAST (their numbers, from 0, both in it), and how their level compares with the
    one before; no ratio for the first level."""

    first: int
    last: int
    figure: float
    ratio: Estimate | None = None

    @property
    def dearer(self) -> bool:
        """True if it lies above the level before by more than the interval."""
        return self.ratio is not None and self.ratio.lo > 1

    @property
    def differs(self) -> bool:
        """True if the interval of the ratio does not cover 1."""
        return self.ratio is not None and not self.ratio.covers(1)


def noise(figures: Sequence[Estimate]) -> float:
    """Standard deviation of a run, from neighbouring runs, which a change hardly touches; not less
    than what runs know of themselves."""
    values = [e.value for e in figures]
    steps = [abs(b - a) for a, b in zip(values, values[1:], strict=False)]
    between = _MAD_SCALE * median(steps) / math.sqrt(2) if steps else 0.0
    own = median([(e.hi - e.lo) / 2 / _HALF for e in figures])
    return max(between, own, 1e-9 * abs(median(values)))


def levels(figures: Sequence[Estimate]) -> list[Level]:
    """The levels of a series of figures, oldest first."""
    values = [e.value for e in figures]
    cuts = [0, *_proposed(figures), len(values)]
    while True:
        made = [_level(values, cuts, k) for k in range(len(cuts) - 1)]
        weak = next((k for k, level in enumerate(made) if k and not level.differs), None)
        if weak is None:
            return made
        del cuts[weak]


def _level(values: Sequence[float], cuts: Sequence[int], k: int) -> Level:
    mine = values[cuts[k] : cuts[k + 1]]
    before = values[cuts[k - 1] : cuts[k]]
    ratio = ratio_estimate(before, mine, paired=False) if k else None
    return Level(cuts[k], cuts[k + 1] - 1, fmean(mine), ratio)


def _proposed(figures: Sequence[Estimate]) -> list[int]:
    """Numbers of the runs at which a level may begin."""
    if len(figures) < 2 * LEAST:
        return []
    import numpy
    import ruptures

    scale = noise(figures)
    signal = numpy.array([e.value / scale for e in figures]).reshape(-1, 1)
    # The linear kernel's cost is the sum of squares around the mean of a level.
    search = ruptures.KernelCPD(kernel="linear", min_size=LEAST).fit(signal - signal.mean())
    found = search.predict(pen=PRICE * math.log(len(figures)))
    return [int(n) for n in found[:-1]]
