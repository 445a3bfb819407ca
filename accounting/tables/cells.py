# SPDX-License-Identifier: MIT
"""Costs of trials as the cells of a published table, ratios of releases beside ratios. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.published import Published
from vmkb.accounting.published.page import Lookup, Ours
from vmkb.accounting.tables.beside import MEASURES, printed_key
from vmkb.accounting.tables.group import Column, Measure, columns, releases
from vmkb.accounting.tables.listing import Group, estimated, letters

_RATIOS = {"rate": "rate_kb_s", "tcpip": "tcpip_ms_kb", "client": "client_ms_kb",
           "total": "total_ms_kb"}  # fmt: skip


def ours_of(group: Group, measure: Measure, source: str = "") -> Ours | None:
    """The mean of MEASURE over the trials of GROUP, with its own letters or those of SOURCE; None
    without trials, or where the first of them does not have it."""
    if not group or measure(group[0]) is None:
        return None
    return Ours(estimated(group, measure).value, source or letters(group, measure))


def release_cells(costs: Sequence[TrialCost], theirs: Published) -> Lookup:
    """By a published row (direction, file, mode) and its column: ours of the release that stands in
    that place; a `ratio_` is to our first release."""
    there = places(costs, theirs)

    def ours(row: Mapping[str, str], column: str) -> Ours | None:
        mine, base = there[row["run_id"]]
        if mine is None or base is None:
            return None
        ratio = column.startswith("ratio_")
        name = _RATIOS[column.removeprefix("ratio_")] if ratio else column
        found, first = _mean(mine, name), _mean(base, name)
        if found is None or first is None:
            return None
        return found._replace(value=found.value / first.value) if ratio else found

    return ours


def total_saved(costs: Sequence[TrialCost], theirs: Published) -> float | None:
    """Percent by which the second release's Total is below the first's: the mean of the published
    cases; None without one."""
    cells = release_cells(costs, theirs)
    ratios = [cells(row, "ratio_total") for row in theirs.rows[1::2]]
    known = [r.value for r in ratios if r is not None]
    return 100 * (1 - fmean(known)) if known else None


def places(
    costs: Sequence[TrialCost], theirs: Published
) -> dict[str, tuple[Column | None, Column | None]]:
    """By run id of a published row: our column in its place, and that of its base."""
    found = columns(costs)
    made: dict[str, tuple[Column | None, Column | None]] = {}
    order = releases(found)
    for row in theirs.rows:
        like = [r for r in theirs.rows if printed_key(r) == printed_key(row)]
        at = like.index(row)
        first = [c for c in found if printed_key(_params(c)) == printed_key(row)]
        by_release = {order.index(c.release): c for c in first}
        made[row["run_id"]] = by_release.get(at), by_release.get(0)
    return made


def _params(column: Column) -> Mapping[str, str]:
    trial = column.trials[0].trial
    return {"mode": trial.mode, **trial.params}


def _mean(column: Column, name: str) -> Ours | None:
    _, measure, scale = MEASURES[name]
    if not column.has(measure):
        return None
    figures = column.figures(measure)
    return Ours(fmean(f.value for f in figures) * scale, figures[0].letters)
