# SPDX-License-Identifier: MIT
"""How far a count of instructions may be off, although it repeats: the counter, and the build.

A stock emulator miscounts with the layout of the code (docs/reference/counter.md). What CALIBRATE
measured of that in the run is a systematic part of every count: no number of trials makes it
smaller. And one binary is one sample of what a release costs: what the compiler's order of work
alone does to a ratio of two releases is part of that ratio's interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import stdev

from accounting.stats import Estimate, median

COUNTER = "counter"
EXACT = "exact"
LAYOUT_ERROR = "layout_error_percent"
"""Metadata of a run: the worst layout of CALIBRATE, in percent of the true count."""
BUILD_SPREAD = "build_spread_percent"
"""Metadata of a run: standard deviation of the ratio of two releases between builds, in percent."""
SAME_PROGRAM = "same_program"
"""Metadata of a run: labels, with commas, of parts that run one program under all releases."""
BUILD = "build"
"""Parameter of a trial: the number of the build that it ran on."""
#: Standard deviations of a normal distribution that hold 95 % of it.
COVER = 1.96


def layout_error(meta: Mapping[str, str]) -> float:
    """The part of a count by which the run's counter may be off; 0 for an exact one."""
    return float(meta.get(LAYOUT_ERROR, 0)) / 100


def counter_note(meta: Mapping[str, str]) -> str:
    """What the run's counter does to its figures; nothing for an exact one, or none."""
    counter = meta.get(COUNTER, "")
    if not counter or counter == EXACT:
        return ""
    if not layout_error(meta):
        return (
            f"the {counter} counter miscounts with the layout of the code by an amount that was not"
            " measured in this run: no difference of releases under 12 % means anything"
        )
    return (
        f"the {counter} counter is off by up to {layout_error(meta):.1%} with the layout of the"
        " code, which is part of every interval; scripts/exact-emulator builds one that is exact"
    )


def build_note(meta: Mapping[str, str], builds: int) -> str:
    """What builds do to the ratios of releases; nothing where it was never measured."""
    spread = meta.get(BUILD_SPREAD)
    if spread is None:
        return ""
    if builds == 1:
        return (
            f"one build of each release: that another build's ratio differs by {spread} % (standard"
            f" deviation, measured once) is part of each ratio's interval{_but(meta)}; --builds 3"
            " makes it less"
        )
    return f"{builds} builds of each release: their luck ({spread} % each) is in each interval"


def _but(meta: Mapping[str, str]) -> str:
    """Which parts' ratios builds do not touch."""
    same = _same_program(meta)
    return f" but for {' and '.join(same)}, one program in both" if same else ""


def _same_program(meta: Mapping[str, str]) -> list[str]:
    return [label for label in meta.get(SAME_PROGRAM, "").split(",") if label]


def across_builds(
    ratio: Estimate, meta: Mapping[str, str], pairs: Sequence[tuple[str, float]], label: str = ""
) -> Estimate:
    """RATIO of two releases, its interval wide enough for other builds of both.

    LABEL is of what; a part that runs the same program under both has the same build of it.

    PAIRS: the number of the build and the ratio of each pair of trials. The spread between builds
    is what the run's metadata says, or what these builds have if that is more; the mean of
    several builds has less of it. It adds to the interval of the trials as independent errors do.
    """
    if BUILD_SPREAD not in meta or label in _same_program(meta):
        return ratio
    groups: dict[str, list[float]] = {}
    for build, value in pairs:
        groups.setdefault(build, []).append(value)
    spread = float(meta[BUILD_SPREAD]) / 100
    if len(groups) > 2:
        spread = max(spread, stdev(math.log(median(found)) for found in groups.values()))
    apart = COVER * spread / math.sqrt(max(1, len(groups))) * ratio.value
    return replace(
        ratio,
        lo=ratio.value - math.hypot(ratio.value - ratio.lo, apart),
        hi=ratio.value + math.hypot(ratio.hi - ratio.value, apart),
    )
