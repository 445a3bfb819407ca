# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.compare import Lookup
from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.measures import param
from vmkb.accounting.models import model as find_model
from vmkb.accounting.records import Source
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.workloads.dxu.tables.afs import afs_table, two_table
from vmkb.workloads.dxu.tables.cells import cells
from vmkb.workloads.dxu.tables.figures import usable
from vmkb.workloads.dxu.tables.limits import limits_table
from vmkb.workloads.dxu.tables.limits import sentence as answer_of
from vmkb.workloads.dxu.tables.load import load_table
from vmkb.workloads.dxu.tables.rx import fit_table, hang_table, packets_table, rx_table
from vmkb.workloads.dxu.tables.transfers import (
    cost_table,
    loopback_table,
    overview_table,
    tcp_table,
)


def _counted(trials: Sequence[Trial], model: str) -> list[TrialCost]:
    """The costs by the counts of all trials that came to their end."""
    ordered = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    return usable(costs(ordered, Source.IC, find_model(model)))


def sentence(given: Given) -> str:
    """The answer."""
    every = [c for c in _counted(given.trials, given.model) if not param(c, "beside")]
    return answer_of([c for c in every if not param(c, "monitored") and c.data is not None])


def make_cells(given: Given) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    every = _counted(given.trials, given.model)
    return cells(_measured(every), _watched(every))


def _watched(every: Sequence[TrialCost]) -> list[TrialCost]:
    return [c for c in every if param(c, "monitored")]


def _measured(every: Sequence[TrialCost]) -> list[TrialCost]:
    return [c for c in every if not param(c, "monitored") and c.data is not None]


def make_tables(given: Given) -> list[Table | None]:
    """The report's five tables, then those of every workload, under other names."""
    chosen = find_model(given.model)
    every = _counted(given.trials, given.model)
    watched, found = _watched(every), _measured(every)
    asked = costs([c.trial for c in found], Source.QT)
    own = (
        overview_table(found, chosen), limits_table(found, chosen),
        loopback_table(found, chosen), tcp_table(found),
        rx_table(found), fit_table(found), packets_table(found), hang_table(every),
        afs_table(found, watched), two_table(found, watched), load_table(found, watched),
        cost_table(found, asked, chosen),
    )  # fmt: skip
    others = (replace(t, name=f"of-{t.name}") for t in given.made)
    return [*own, *others]
