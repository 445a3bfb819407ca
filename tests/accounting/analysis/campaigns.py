# SPDX-License-Identifier: MIT
"""Campaigns that are drawn from real residuals: what builds and seeds did to the ratios of Totals
in a run of `ftp --builds 8 --trials 3`, its mean taken off each case."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from accounting.analysis.rule import Ruling, judged
from accounting.stats import Luck, ratio_estimate
from accounting.tables.group import TOTAL, Column, total_us_kb
from accounting.tables.lines import Comparison, Known, Line

#: Logarithms of the ratio of Totals, lwIP 2.2.1 to 2.1.3, of eight builds, seeds averaged
#: (2026-11-23, Debian's gcc 12.2 for s390x, exact counter, virtual time).
BUILDS = {
    "G2M_A": (-0.0014179, -0.0008059, 0.0001392, 0.0001589, -0.0003425, -0.0016586, 0.0006274,
              -0.0005429),
    "G2M_B": (-0.0032912, -0.001774, 0.0002855, -4.17e-05, -0.0006936, -0.0035994, 0.0014245,
              -0.0017244),
    "G24KA": (-0.000496, -7.77e-05, 0.0008681, 0.0009699, 2.62e-05, -0.0008683, 0.0009884,
              0.0005822),
    "G24KB": (-0.0008112, -8.53e-05, 0.0012338, 0.0013264, 3.98e-05, -0.0011061, 0.0012096,
              0.0009297),
    "P2M_B": (0.0033904, 0.004275, 0.0050156, 0.0038309, 0.0042138, 0.0022551, 0.0059148,
              0.0037375),
    "P24KB": (0.0002274, 0.000949, 0.0023656, 0.0022602, 0.0009949, 0.0002007, 0.0022536,
              0.0017252),
    "P2M_A": (0.001483, 0.0042648, 0.0045483, 0.0033671, 0.0039084, 0.0010998, 0.0045526,
              0.0037045),
    "P24KA": (0.0003982, 0.0008509, 0.0019839, 0.0019989, 0.0008369, 0.0001686, 0.0019112,
              0.0014835),
}  # fmt: skip
#: Standard deviation of the same from seed to seed, within a build.
SEEDS = {"G2M_A": 1.3e-4, "G2M_B": 2.9e-4, "G24KA": 1.4e-4, "G24KB": 2.1e-4, "P2M_B": 4.4e-4,
         "P24KB": 1.6e-4, "P2M_A": 3.5e-4, "P24KA": 1.4e-4}  # fmt: skip
CASES = tuple(BUILDS)
#: What is left of each build, all cases together, for builds move them alike.
RESIDUALS = tuple(
    tuple(math.sqrt(8 / 7) * (BUILDS[c][k] - fmean(BUILDS[c])) for c in CASES) for k in range(8)
)


@dataclass(frozen=True)
class Design:
    """So many builds and seeds; what is known of luck comes from KNOWN builds (0: nothing)."""

    builds: int
    seeds: int
    known: int = 8


def _build(draw: random.Random) -> list[float]:
    """Another build: a mixture of those that were measured, so that what they do to one case goes
    with what they do to another."""
    weights = [draw.gauss(0, 1) / math.sqrt(len(RESIDUALS)) for _ in RESIDUALS]
    return [sum(w * r[k] for w, r in zip(weights, RESIDUALS, strict=True)) for k in range(8)]


def campaign(design: Design, draw: random.Random, change: Sequence[float]) -> Ruling:
    """The ruling about one campaign in which case k changed by the logarithm CHANGE[k]. The luck
    that is known beforehand is of builds that are drawn as well."""
    earlier = [_build(draw) for _ in range(design.known)]
    mine = [_build(draw) for _ in range(design.builds)]
    lines = {}
    columns = []
    for k, case in enumerate(CASES):
        luck = None
        if design.known:
            spread = stdev(residual[k] for residual in earlier)
            seen = math.hypot(spread, SEEDS[case] / math.sqrt(3))
            luck = Luck(seen, design.known - 1)
        names = [str(n) for n in range(design.builds) for _ in range(design.seeds)]
        new = [
            math.exp(change[k] + residual[k] + draw.gauss(0, SEEDS[case]))
            for residual in mine
            for _ in range(design.seeds)
        ]
        ratio = ratio_estimate([1.0] * len(new), new, paired=True, builds=(names, names), luck=luck)
        base = Column("", case, "", "213", case, ())
        column = Column("", case, "", "221", case, ())
        columns += [base, column]
        line = Line(TOTAL, total_us_kb, "us/KB")
        lines[column.key, TOTAL] = Known(column, line, ratio, base, ratio, "(IC)")
    (ruling,) = judged(Comparison(tuple(columns), lines))
    return ruling


def claims(ruling: Ruling) -> bool:
    """Whether the first sentence says that something changed."""
    return ruling.pooled_differs or bool(ruling.of("dearer", "cheaper"))
