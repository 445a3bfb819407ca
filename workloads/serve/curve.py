# SPDX-License-Identifier: MIT
"""The table of how well counts are known after so many trials, and so many minutes. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from accounting.costs import costs
from accounting.models import model
from accounting.records import Source
from accounting.stats import FIVE_TRIALS, Estimate
from accounting.store import Trial
from accounting.tables.group import TOTAL, columns, instr_kb
from accounting.tables.table import Cell, Row, Section, Table, fixed, word
from workloads.serve.even import even_estimates
from workloads.serve.tables import TARGET, titles_of

STEPS = (5, 9, 17, 33, 65, 129, 257)
"""Trials of a case: about as many as an interval of half the width takes half of."""
_MEASURE = instr_kb(TOTAL)
_FIGURES = ("as it came", "evened")
_Halves = dict[tuple[str, str, str], float]


def _halves(trials: Sequence[Trial]) -> _Halves:
    """Half the interval in percent, by case, release and figure; without those of too few."""
    found = columns(costs(trials, Source.IC, model(trials[0].meta["model"])))
    each: list[tuple[tuple[str, str, str], Estimate]] = [
        ((c.case, c.release, _FIGURES[0]), c.estimate(_MEASURE)) for c in found
    ]
    each += [((*key, _FIGURES[1]), own) for key, own in even_estimates(trials).items()]
    return {key: e.half_width_percent for key, e in each if e.confidence >= FIVE_TRIALS}


def _minutes(trials: Sequence[Trial]) -> float:
    return math.fsum(float(t.params["took_s"]) for t in trials) / 60


def _percent(half: float | None) -> Cell:
    return word("-") if half is None else Cell(fixed(half, 2), half, "%", "")


def curve_table(trials: Sequence[Trial]) -> Table | None:
    """Half the interval of each case and system after its first five trials, nine and so on, the
    minutes that these took, and how many the target takes at that rate. Nothing of trials that do
    not say how long they took, or of less than five."""
    mine = [t for t in trials if t.counts and "took_s" in t.params]
    most = max((t.pair for t in mine), default=0)
    if most < STEPS[0]:
        return None
    steps = [*(k for k in STEPS if k < most), most]
    first = {k: [t for t in mine if t.pair <= k] for k in steps}
    known = {k: _halves(first[k]) for k in steps}
    a_round = _minutes(mine) / most
    titles, rows, longest = titles_of(mine), [], 0.0
    for case, release, figure in sorted(known[most], key=lambda key: _FIGURES.index(key[2])):
        now = known[most][case, release, figure]
        wanted = most * (now / TARGET) ** 2
        reached = now <= TARGET
        takes = next(
            k for k in steps if known[k].get((case, release, figure), math.inf) <= TARGET
        ) if reached else math.ceil(wanted)  # fmt: skip
        longest = max(longest, takes * a_round)
        rows.append(Row(case, (
            word(titles[release]), word(figure),
            *(_percent(known[k].get((case, release, figure))) for k in steps),
            Cell(f"{'' if reached else '~ '}{takes}", takes, "trials", ""),
            Cell(fixed(takes * a_round, 1), takes * a_round, "min", ""),
        )))  # fmt: skip
    took = [_minutes(first[k]) for k in steps]
    rows.append(Row("all", (
        word("all"), word("minutes"), *(Cell(fixed(m, 1), m, "min", "") for m in took),
        word(""), Cell(fixed(longest, 1), longest, "min", ""),
    )))  # fmt: skip
    heads = ("Serves", "Figure", *(f"{k} trials, half %" for k in steps),
             f"Trials for {TARGET:g} %", "Minutes")  # fmt: skip
    head = Section("head", (Row("Case", tuple(map(word, heads))),))
    notes = (
        "From this run's own first trials. ~: reckoned, as if half the interval went on falling"
        " with the root of the number of trials; what the clock's price leaves open does not."
        " Minutes are of trials of all cases and systems in turn, on the host as it was, without"
        " the start.",
    )
    title = "How long it takes to know it"
    return Table("curve", title, (head, Section("body", tuple(rows))), notes, keys=2)
