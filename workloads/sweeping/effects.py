# SPDX-License-Identifier: MIT
"""Main effects: by how much a factor moves the cost, over all settings of the others. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vmkb.accounting.analysis.answer import amount, at_most
from vmkb.accounting.stats import Estimate, ratio_estimate
from vmkb.accounting.tables.listing import Columns, listing
from vmkb.accounting.tables.table import (
    Cell,
    Plot,
    Table,
    interval_cell,
    printed,
    ratio_cell,
)

FACTORS = ("Release", "File", "MTU", "Buffer", "Loss")

Setting = tuple[str, ...]
"""A level of each factor, in the order of FACTORS, and the number of the trial."""


@dataclass(frozen=True)
class Effect:
    """The effect of going from level BASE of a factor to level NEW; LEAST and MOST: the median
    ratio in the setting of the other factors where it does least, and where it does most."""

    factor: str
    base: str
    new: str
    ratio: Estimate
    least: float
    most: float


def effects(costs: Mapping[Setting, float], levels: Mapping[str, Sequence[str]]) -> list[Effect]:
    """The main effects on COSTS. LEVELS: of each factor, the first what others are compared
    with; those of which nothing can be compared are left out."""
    found = []
    for at, factor in enumerate(FACTORS):
        base, *others = levels[factor]
        for new in others:
            sides: tuple[list[float], list[float]] = ([], [])
            cells: dict[Setting, list[float]] = {}
            for setting, cost in costs.items():
                other = (*setting[:at], new, *setting[at + 1 :])
                if setting[at] != base or other not in costs:
                    continue
                sides[0].append(cost)
                sides[1].append(costs[other])
                cells.setdefault(other[:-1], []).append(costs[other] / cost)
            if not cells:
                continue
            middles = [sorted(x)[len(x) // 2] for x in cells.values()]
            ratio = ratio_estimate(*sides, paired=True)
            found.append(Effect(factor, base, new, ratio, min(middles), max(middles)))
    return found


def effect_table(found: Sequence[Effect], source: str, notes: Sequence[str] = ()) -> Table | None:
    """A row for each effect, and a plot of them; None without."""

    def ratio(x: float, e: Effect) -> Cell:
        return printed(x, "ratio", source)

    columns: Columns[Effect] = [
        ("Factor", lambda e: e.factor),
        ("From", lambda e: e.base),
        ("To", lambda e: e.new),
        ("Ratio", lambda e: ratio_cell(e.ratio, source)),
        ("Interval", lambda e: interval_cell(e.ratio, "ratio", source)),
        ("Least", lambda e: ratio(e.least, e)),
        ("Most", lambda e: ratio(e.most, e)),
        ("n", lambda e: str(e.ratio.n)),
    ]
    points = tuple(
        (f"{e.factor} {e.base} -> {e.new}", e.ratio.value, e.ratio.lo, e.ratio.hi) for e in found
    )
    said = (
        "Ratio of CPU per KB (Total, by counts) at the second level to that at the first, all else"
        " equal: the mean over all settings of the other factors and all trials, with its"
        " interval. Least and Most: the setting of the others where the factor does least, and"
        " most; far apart, the factors act on each other.",
        *notes,
    )
    plot = Plot("intervals", "Main effects on CPU per KB", "ratio", (("ratio", points),), 1.0)
    return listing(
        "effects", "Main effects on CPU per KB", found, columns, said, keys=2, plots=(plot,)
    )


def sentence(found: Sequence[Effect]) -> str:
    """The effects by their size; then, of those whose interval covers 1, how large they
    may be."""
    shown = [e for e in found if e.ratio.has_interval and not e.ratio.covers(1)]
    shown.sort(key=lambda e: abs(e.ratio.value - 1), reverse=True)
    parts = []
    for e in shown:
        much, _, within = amount(e.ratio)
        parts.append(f"{e.factor} {e.new} instead of {e.base}: {much} ({within})")
    for e in found:
        if e in shown:
            continue
        what = f"{e.factor} {e.new} instead of {e.base}"
        if e.ratio.has_interval:
            parts.append(f"{what}: at most {at_most(e.ratio.largest_change)}")
        else:
            parts.append(f"{what}: undecided, there is no interval")
    text = "; ".join(parts) or "nothing was compared"
    return f"CPU per KB: {text}."
