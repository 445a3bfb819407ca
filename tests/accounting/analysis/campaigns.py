# SPDX-License-Identifier: MIT
"""Campaigns that are drawn from real residuals: what builds with one set of the compiler's options
did to the ratios of Totals in a run of `ftp --builds 24 --trials 1`, and what the options did."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from vmkb.accounting.analysis.rule import Ruling, judged
from vmkb.accounting.measures import TOTAL, total_cpu
from vmkb.accounting.stats import Estimate, Luck, ratio_estimate
from vmkb.accounting.tables.group import Column
from vmkb.accounting.tables.lines import Comparison, Known, Line
from vmkb.workloads.base.further import undecided, wanted

OPTIONS = "-O3", "-O2", "-Os"
#: Logarithms of the ratio of Totals, lwIP 2.2.1 to 2.1.3, of eight builds with each option, a seed
#: each (2026-11-27, Debian's gcc 12.2 for s390x, exact counter, virtual time).
BUILDS = {
    "G2M_A": {
        "-O3": (-0.0010930, -0.0010872, -0.0011131, -0.0010808,
                -0.0017933, -0.0010939, -0.0012346, -0.0011129),
        "-O2": (0.0011032, 0.0007129, 0.0007384, 0.0007298,
                0.0007248, 0.0012202, 0.0010064, 0.0011380),
        "-Os": (0.0021388, 0.0020988, 0.0021120, 0.0020577,
                0.0021055, 0.0021306, 0.0019345, 0.0020838),
    },
    "G2M_B": {
        "-O3": (-0.0016101, -0.0016090, -0.0015466, -0.0016118,
                -0.0016702, -0.0016723, -0.0015596, -0.0016217),
        "-O2": (0.0008585, 0.0015800, 0.0011359, 0.0010444,
                0.0013076, 0.0010892, 0.0008440, 0.0011694),
        "-Os": (0.0029206, 0.0030092, 0.0025230, 0.0037887,
                0.0030059, 0.0030750, 0.0034822, 0.0030180),
    },
    "G24KA": {
        "-O3": (-0.0002106, -0.0002169, -0.0002247, -0.0002454,
                -0.0003439, -0.0001960, -0.0002110, -0.0002079),
        "-O2": (0.0008789, 0.0006819, 0.0009950, 0.0007656,
                0.0008922, 0.0006849, 0.0009187, 0.0010014),
        "-Os": (0.0015152, 0.0013661, 0.0014001, 0.0018037,
                0.0015800, 0.0014141, 0.0015492, 0.0018478),
    },
    "G24KB": {
        "-O3": (-0.0003287, -0.0002625, -0.0001747, -0.0002707,
                -0.0005136, -0.0002438, -0.0002282, -0.0002802),
        "-O2": (0.0009558, 0.0007854, 0.0011253, 0.0011922,
                0.0011366, 0.0015097, 0.0013438, 0.0010348),
        "-Os": (0.0016282, 0.0009347, 0.0016168, 0.0016824,
                0.0018116, 0.0015979, 0.0018012, 0.0016976),
    },
    "P2M_B": {
        "-O3": (0.0016936, 0.0020404, 0.0019460, 0.0019193,
                0.0020496, 0.0018363, 0.0017969, 0.0019574),
        "-O2": (0.0015405, 0.0013832, 0.0018952, 0.0020086,
                0.0020602, 0.0021964, 0.0018387, 0.0021946),
        "-Os": (0.0014923, 0.0015227, 0.0023519, 0.0015394,
                0.0020440, 0.0013671, 0.0017389, 0.0015712),
    },
    "P24KB": {
        "-O3": (0.0007395, 0.0008049, 0.0007669, 0.0011710,
                0.0007214, 0.0006626, 0.0007534, 0.0008634),
        "-O2": (0.0011502, 0.0009872, 0.0011140, 0.0012017,
                0.0014942, 0.0017502, 0.0015196, 0.0014156),
        "-Os": (0.0011812, 0.0009982, 0.0013304, 0.0014401,
                0.0013591, 0.0011415, 0.0011637, 0.0015226),
    },
    "P2M_A": {
        "-O3": (0.0014983, 0.0014437, 0.0014235, 0.0014031,
                0.0013721, 0.0009762, 0.0014669, 0.0014434),
        "-O2": (0.0014090, 0.0014644, 0.0014326, 0.0013922,
                0.0010637, 0.0004380, 0.0015440, 0.0014085),
        "-Os": (0.0011324, 0.0010550, 0.0011731, 0.0013049,
                0.0012099, 0.0010910, 0.0011396, 0.0010932),
    },
    "P24KA": {
        "-O3": (0.0005804, 0.0006378, 0.0003388, 0.0004835,
                0.0006727, 0.0006970, 0.0006933, 0.0007018),
        "-O2": (0.0012544, 0.0008360, 0.0010808, 0.0011756,
                0.0009932, 0.0010259, 0.0016679, 0.0010875),
        "-Os": (0.0014822, 0.0010659, 0.0016025, 0.0015946,
                0.0013379, 0.0010502, 0.0011814, 0.0011231),
    },
}  # fmt: skip
CASES = tuple(BUILDS)
#: What is left of each build, all cases together, for builds move them alike.
RESIDUALS = {
    name: tuple(
        tuple(math.sqrt(8 / 7) * (BUILDS[c][name][k] - fmean(BUILDS[c][name])) for c in CASES)
        for k in range(8)
    )
    for name in OPTIONS
}


@dataclass(frozen=True)
class Design:
    """So many builds, with the options in turn; what is known of luck comes from KNOWN builds with
    each option (0: nothing)."""

    builds: int
    known: int = 8


def _build(draw: random.Random, option: str) -> list[float]:
    """Another build: a mixture of those that were measured, so that what they do to one case goes
    with what they do to another."""
    mine = RESIDUALS[option]
    weights = [draw.gauss(0, 1) / math.sqrt(len(mine)) for _ in mine]
    return [sum(w * r[k] for w, r in zip(weights, mine, strict=True)) for k in range(8)]


def campaign(
    design: Design,
    draw: random.Random,
    change: Sequence[float],
    turned: Mapping[str, float] | None = None,
) -> Ruling:
    """The ruling about one campaign in which case k changed by the logarithm CHANGE[k], and by that
    of TURNED more with each option. The luck that is known beforehand is of builds that are drawn
    as well."""
    return _Campaign(design, draw, change, turned or {}).ruling(dict.fromkeys(CASES, 0))


def goes_on(
    design: Design, draw: random.Random, change: Sequence[float], luck: float
) -> tuple[Ruling, int]:
    """The ruling of a run that adds builds to the cases which are undecided, as `vmkb run` does,
    and how many it added; builds differ LUCK times as much as those that were measured."""
    one = _Campaign(design, draw, change, {}, luck)
    had = dict.fromkeys(CASES, 0)
    while True:
        ruling = one.ruling(had)
        more = wanted(undecided([ruling], None), design.builds, had)
        if more == had:
            return ruling, sum(had.values())
        had = more


class _Campaign:
    """Builds that are drawn once, of which a ruling takes as many as it is asked for."""

    def __init__(
        self, design: Design, draw: random.Random, change: Sequence[float],
        turned: Mapping[str, float], scale: float = 1.0,
    ) -> None:  # fmt: skip
        self._design, self._change, self._turned, self._scale = design, change, turned, scale
        self._draw = draw
        self._earlier = {n: [self._build(n) for _ in range(design.known)] for n in OPTIONS}
        self._mine: list[list[float]] = []

    def _build(self, option: str) -> list[float]:
        return [self._scale * x for x in _build(self._draw, option)]

    def ruling(self, further: Mapping[str, int]) -> Ruling:
        """With FURTHER builds of each case."""
        return _ruling({
            case: self._ratio(k, self._design.builds + further[case])
            for k, case in enumerate(CASES)
        })  # fmt: skip

    def _ratio(self, k: int, builds: int) -> Estimate:
        options = {str(n): OPTIONS[n % len(OPTIONS)] for n in range(builds)}
        while len(self._mine) < builds:
            self._mine.append(self._build(OPTIONS[len(self._mine) % len(OPTIONS)]))
        luck = None
        if self._design.known:
            spread = fmean(variance(r[k] for r in each) for each in self._earlier.values())
            luck = Luck(math.sqrt(spread), len(OPTIONS) * (self._design.known - 1))
        new = [
            math.exp(self._change[k] + self._turned.get(option, 0.0) + self._mine[n][k])
            for n, option in enumerate(options.values())
        ]
        names = tuple(options)
        return ratio_estimate(
            [1.0] * len(new), new, paired=True, builds=(names, names), options=options, luck=luck
        )


def _ruling(ratios: Mapping[str, Estimate]) -> Ruling:
    lines = {}
    columns = []
    for case, ratio in ratios.items():
        base = Column("", case, "", "213", case, ())
        column = Column("", case, "", "221", case, ())
        columns += [base, column]
        line = Line(TOTAL, total_cpu)
        lines[column.key, TOTAL] = Known(column, line, ratio, base, ratio, "(IC)", unit="us/KB")
    (ruling,) = judged(Comparison(tuple(columns), lines))
    return ruling


def claims(ruling: Ruling) -> bool:
    """Whether the first sentence says that something changed."""
    return ruling.pooled_differs or bool(ruling.of("dearer", "cheaper"))
