# SPDX-License-Identifier: MIT
"""The tables and the answer of what vmkb measure has kept, where these are all that there is."""

from __future__ import annotations

from collections.abc import Sequence

from accounting.costs import TrialCost, costs
from accounting.records import Source
from accounting.store import Trial
from accounting.tables.table import Table
from workloads.measuring.tables import command_table, sentence

WORKLOAD = "measure"


def measured(trials: Sequence[Trial]) -> tuple[list[Table], list[TrialCost], str] | None:
    """Tables, costs and sentence of TRIALS if all of them are measured commands; else None."""
    if {t.meta.get("workload", "") for t in trials} != {WORKLOAD}:
        return None
    return [command_table(trials)], costs(trials, Source.QT), sentence(trials)
