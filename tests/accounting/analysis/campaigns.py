# SPDX-License-Identifier: MIT
"""Campaigns that are drawn from real residuals: what builds and seeds did to the ratios of Totals
in a run of `ftp --builds 8 --trials 3`, its mean taken off each case."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from vmkb.accounting.analysis.rule import Ruling, judged
from vmkb.accounting.stats import Luck, ratio_estimate
from vmkb.accounting.tables.group import TOTAL, Column, total_us_kb
from vmkb.accounting.tables.lines import Comparison, Known, Line

#: Logarithms of the ratio of Totals, lwIP 2.2.1 to 2.1.3, of eight builds, seeds averaged
#: (2026-11-23, Debian's gcc 12.2 for s390x, exact counter, virtual time).
BUILDS = {
    "G2M_A": (-0.0014179, -0.0014286, -0.0003408, -0.0014766, -0.0003465, -0.0011276,
              -0.0004094, -0.0014439),
    "G2M_B": (-0.0032912, -0.0031007, -0.0007602, -0.0034798, -0.0007468, -0.0026577,
              -0.0009045, -0.0031078),
    "G24KA": (-0.000496, -0.0005744, 0.0002938, -0.0004963, 0.0003874, -0.0003997,
              0.0004406, -0.0004301),
    "G24KB": (-0.0008112, -0.0009275, 0.0004684, -0.0006604, 0.0005176, -0.000513,
              0.0001818, -0.0005503),
    "P2M_B": (0.0033904, 0.0027886, 0.0046969, 0.0027056, 0.0041756, 0.002921,
              0.0044804, 0.0022131),
    "P24KB": (0.0002274, 0.0004657, 0.0016117, 0.0005673, 0.001551, 0.0006722,
              0.0013405, 0.0006488),
    "P2M_A": (0.001483, 0.0014958, 0.0040891, 0.0026712, 0.003908, 0.0021131,
              0.0040212, 0.0016068),
    "P24KA": (0.0003982, 0.0003899, 0.0013385, 0.0004976, 0.0012853, 0.0006386,
              0.0015031, 0.0003713),
}  # fmt: skip
#: Standard deviation of the same from seed to seed, within a build.
SEEDS = {"G2M_A": 9.0e-5, "G2M_B": 3.3e-4, "G24KA": 2.0e-4, "G24KB": 2.9e-4,
         "P2M_B": 5.2e-4, "P24KB": 2.0e-4, "P2M_A": 2.2e-4, "P24KA": 2.5e-4}  # fmt: skip
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
