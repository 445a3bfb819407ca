# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from accounting.costs import costs
from accounting.models import model as find_model
from accounting.records import Source
from accounting.store import Trial
from accounting.tables.table import Table
from workloads.dxu.plan import Definition
from workloads.dxu.tables.figures import usable
from workloads.dxu.tables.transfers import loopback_table, tcp_table


def sentence(trials: Sequence[Trial], model: str) -> str:
    """The answer."""
    return "answer"


def make_tables(
    trials: Sequence[Trial], made: Sequence[Table], model: str, definition: Definition
) -> list[Table]:
    """The tables that TRIALS give; MADE are those of every workload."""
    chosen = find_model(model)
    found = usable(costs(sorted(trials, key=lambda t: t.seq), Source.IC, chosen))
    own = [loopback_table(found, chosen), tcp_table(found)]
    return [*(t for t in own if t is not None), *made]
