# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from dataclasses import replace

from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.compare import Lookup
from vmkb.accounting.costs import costs
from vmkb.accounting.measures import param
from vmkb.accounting.models import model as find_model
from vmkb.accounting.records import Source
from vmkb.accounting.tables.group import counted_costs
from vmkb.accounting.tables.table import Table
from vmkb.workloads.dxu.tables.afs import afs_table, two_table
from vmkb.workloads.dxu.tables.cells import cells
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


class Costs:
    """The costs of all trials that came to their end: of those the MEASURED ones, which moved bytes
    without the monitor, and those that it WATCHED."""

    def __init__(self, given: Given) -> None:
        self.model = find_model(given.model)
        self.every = counted_costs(given.trials, self.model)
        self.watched = [c for c in self.every if param(c, "monitored")]
        self.measured = [c for c in self.every if not param(c, "monitored") and c.data is not None]


def sentence(given: Given) -> str:
    """The answer."""
    return answer_of([c for c in Costs(given).measured if not param(c, "beside")])


def make_cells(given: Given) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    costs = Costs(given)
    return cells(costs.measured, costs.watched)


def make_tables(given: Given) -> list[Table | None]:
    """The report's five tables, then those of every workload, under other names."""
    costs_of = Costs(given)
    model, measured, watched = costs_of.model, costs_of.measured, costs_of.watched
    asked = costs([c.trial for c in measured], Source.QT)
    own = (
        overview_table(measured, model), limits_table(measured, model),
        loopback_table(measured, model), tcp_table(measured),
        rx_table(measured), fit_table(measured), packets_table(measured),
        hang_table(costs_of.every), afs_table(measured, watched), two_table(measured, watched),
        load_table(measured, watched), cost_table(measured, asked, model),
    )  # fmt: skip
    return [*own, *(replace(t, name=f"of-{t.name}") for t in given.made)]
