# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accounting.costs import costs
from accounting.models import model as find_model
from accounting.records import Source
from accounting.store import Trial
from accounting.tables.table import Table
from workloads.dxu.tables.cost import cost_table
from workloads.dxu.tables.figures import usable
from workloads.dxu.tables.overview import overview_table
from workloads.dxu.tables.rx import fit_table, packets_table, rx_table
from workloads.dxu.tables.transfers import loopback_table, tcp_table


def sentence(trials: Sequence[Trial], model: str) -> str:
    """The answer."""
    return "answer"


def make_tables(trials: Sequence[Trial], made: Sequence[Table], model: str) -> list[Table]:
    """The tables that TRIALS give, with CPU on the machine of MODEL; MADE are those of every
    workload, which follow and do not take the first screen."""
    chosen = find_model(model)
    ordered = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    found = usable(costs(ordered, Source.IC, chosen))
    own = (
        overview_table(found, chosen), loopback_table(found, chosen), tcp_table(found),
        rx_table(found), fit_table(found), packets_table(found),
        cost_table(found, usable(costs(ordered, Source.QT)), chosen),
    )  # fmt: skip
    others = (replace(t, name=f"of-{t.name}") for t in made)
    return [*(t for t in own if t is not None), *others]
