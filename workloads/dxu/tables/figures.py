# SPDX-License-Identifier: MIT
"""Trials in groups, and the measures and cells that several tables of this workload have. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounting.costs import TrialCost
from accounting.published import published
from accounting.records import Unit
from accounting.stats import Estimate, places
from accounting.tables.group import Measure
from accounting.tables.group import estimate as estimate_of
from accounting.tables.table import Cell, Row, TableError, fixed, interval_cell, known, word
from accounting.units import Figure

Group = Sequence[TrialCost]
PUBLISHED = {
    1: "citi_dxu_1_loopback", 2: "citi_dxu_2_tcp", 3: "citi_dxu_3_rx", 4: "citi_dxu_4_afs",
    5: "citi_dxu_5_clientload",
}  # fmt: skip
MOST = {"KB/s": 1, "%": 2, "s": 3, "ms": 3, "instr/KB": 0, "us/KB": 2, "instr": 0, "/s": 1}
"""Decimals that a cell has at most, by unit."""


def usable(found: Iterable[TrialCost]) -> list[TrialCost]:
    """Those that came to their end with numbers; TableError if the samples of one give none."""
    kept = [c for c in found if c.trial.counts]
    for cost in kept:
        if not cost.usable:
            raise TableError(cost.missing[0])
    return kept


def param(cost: TrialCost, name: str) -> str:
    """A parameter of the trial, or nothing."""
    return cost.trial.params.get(name, "")


def of_table(found: Iterable[TrialCost], number: int) -> dict[tuple[str, str], list[TrialCost]]:
    """The trials of a published table by case and release, in the order in which they ran."""
    made: dict[tuple[str, str], list[TrialCost]] = {}
    for cost in found:
        if param(cost, "table") == str(number):
            made.setdefault((cost.trial.case, cost.trial.release), []).append(cost)
    order = list(dict.fromkeys(case for case, _ in made))
    return dict(sorted(made.items(), key=lambda item: order.index(item[0][0])))


def estimate(group: Group, measure: Measure) -> Estimate:
    """The mean of a measure over trials; TableError if a trial lacks it."""
    found = [measure(c) for c in group]
    if any(f is None for f in found):
        raise TableError(f"trials of {group[0].trial.case} lack a number for this table")
    return estimate_of([f for f in found if f is not None])


def cell(group: Group, measure: Measure, unit: str, scale: float = 1.0) -> Cell:
    """The mean over trials with the digits that are known."""
    letters = f.letters if (f := measure(group[0])) else ""
    e = estimate(group, measure)
    return known(e, unit, letters, scale=scale, most=MOST.get(unit, 3))


def interval(group: Group, measure: Measure, unit: str) -> Cell:
    """The interval of that mean."""
    letters = f.letters if (f := measure(group[0])) else ""
    e = estimate(group, measure)
    return interval_cell(e, min(places(e), MOST.get(unit, 3)), unit, letters)


def elapsed_s(cost: TrialCost) -> Figure | None:
    """Seconds that the work took, by who did it."""
    if cost.trial.elapsed is None:
        return None
    took = cost.trial.elapsed.to(Unit.S)
    return Figure(took.value, Unit.S, (took.source,), took.tick)


def rate_of_each(cost: TrialCost) -> Figure | None:
    """KB/s of one sender, on the average, where several sent at once."""
    if cost.rate is None:
        return None
    senders = int(param(cost, "senders") or 1)
    return cost.rate._replace(value=cost.rate.value / senders, tick=cost.rate.tick / senders)


def printed_cell(text: str, unit: str) -> Cell:
    """A published figure as it was printed."""
    return Cell(text, float(text), unit, "(PB)") if text else word("-")


def against(ours: Estimate, theirs: str, letters: str) -> Cell:
    """Ours as part of the published figure."""
    if not theirs or not float(theirs):
        return word("-")
    ratio = ours.value / float(theirs)
    return Cell(fixed(ratio, 2 if ratio >= 0.1 else 3), ratio, "ratio", letters)


def published_row(number: int, row: str) -> dict[str, str]:
    """The line of the published table NUMBER whose first column is ROW, or nothing."""
    for found in published(PUBLISHED[number]).rows:
        if next(iter(found.values())) == row:
            return dict(found)
    return {}


def published_rate(cost: TrialCost) -> str:
    """KB/s that the report printed for what a trial did, or nothing."""
    number, row = int(param(cost, "table")), param(cost, "row")
    line = published_row(number, row) if row else {}
    if number == 4:
        line = next(
            (dict(r) for r in published(PUBLISHED[4]).rows
             if (r["file"], r["clients"]) == (row, param(cost, "senders"))), {}
        )  # fmt: skip
    name = f"mtu{param(cost, 'case_mtu')}_kb_s" if number == 3 else "kb_s"
    return line.get(name, "")


def source_note(number: int) -> str:
    """Where the published figures are from."""
    return f"Published (PB): {published(PUBLISHED[number]).source}."


def heads(label: str, *names: str) -> Row:
    """A row of column heads."""
    return Row(label, tuple(map(word, names)))
