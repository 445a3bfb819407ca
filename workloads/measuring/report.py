# SPDX-License-Identifier: MIT
"""The specification of the trials that vmkb measure has kept."""

from __future__ import annotations

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.workloads.measuring.tables import NAME, command_table, sentence

WORKLOAD = "measure"
SHOWN = ("VIRTCPU, ms", "TOTCPU, ms", "Instructions", "Ratio", "n")


def specification() -> Specification:
    """Commands instead of KB: their own table and answer."""
    return Specification(
        select=lambda trials: (),
        tables=lambda given: [command_table(given.trials)],
        alone=True,
        answer=lambda given: sentence(given.trials),
        brief=Brief(NAME, SHOWN),
    )
