# SPDX-License-Identifier: MIT
"""A kernel in a machine of VM/KB beside the same one natively: the instructions that both execute
themselves, and how many channel programs each starts. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from vmkb.accounting.measures import TOTAL, instructions_of
from vmkb.accounting.profile.beside import UNDER
from vmkb.accounting.stats import Estimate, ratio_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import Column
from vmkb.accounting.tables.listing import Columns, Shown, listing, mean
from vmkb.accounting.tables.table import Table, interval_cell, ratio_cell
from vmkb.workloads.serve.tables import served_kb, systems, titles_of

STARTS = "SSCH"
Pair = tuple[Column, Column]
"""Natively, and in a machine."""
NOTES = (
    "VIRT to native: instructions that the machine executed itself, to those of the same kernel on"
    " a machine of its own. A channel program moves what packets wait as it begins, so one that"
    " ends sooner or later changes how many there are: natively the interruptions of the CTC are"
    " counted, in the virtual machine each START SUBCHANNEL that CP carried out.",
)


def native_table(trials: Sequence[Trial]) -> Table | None:
    """Each kernel that ran both ways; None if none did."""
    titles = titles_of(trials)
    known = {(c.case, titles[c.release]): c for c in systems(trials)}
    pairs = [
        (base, c)
        for (case, title), c in known.items()
        if UNDER in title and (base := known.get((case, title.partition(UNDER)[0])))
    ]
    cost = instructions_of(TOTAL)

    def channel(trial: Trial) -> float:
        return float(_told(trial, "events")["channel"])

    def change(pair: Pair) -> Estimate | None:
        natively = [f.value for c in pair[0].trials if (f := cost(c))]
        mine = [_per_kb(c.trial, _told(c.trial, "machine")["virt"]) for c in pair[1].trials]
        return ratio_estimate(natively, mine, paired=len(natively) == len(mine))

    rows: Columns[Pair] = [
        ("Case", lambda p: p[0].case),
        ("Kernel", lambda p: titles[p[0].release]),
        ("VIRT to native", lambda p: ratio_cell(change(p), "(IC)")),
        ("Interval", lambda p: interval_cell(change(p), "ratio", "(IC)")),
        (
            "Channel per MB, native",
            lambda p: _per_mb(p[0], channel),
        ),
        ("SSCH per MB, VIRT", lambda p: _per_mb(p[1], lambda t: _told(t, "causes")[STARTS][0])),
    ]
    return listing("native", "The kernel itself, natively and in a machine", pairs, rows, NOTES)


def _per_mb(column: Column, count: Callable[[Trial], float]) -> Shown:
    return mean([1024 * _per_kb(c.trial, count(c.trial)) for c in column.trials], "count", "(IC)")


def _per_kb(trial: Trial, count: float) -> float:
    return count / served_kb(trial)


def _told(trial: Trial, name: str) -> Any:
    return json.loads(trial.params[name])
