# SPDX-License-Identifier: MIT
"""The options of `vmkb run terminal` with their defaults filled in."""

from __future__ import annotations

from workloads.settings import SCHEMA
from workloads.terminal.plan import (
    Planned,
    Strict,
    Style,
    Workload,
    choose_paths,
    choose_releases,
    plan,
)


class Settings(Strict):
    """Kept in the run's folder (workloads.settings)."""

    schema_number: int = SCHEMA
    workload: str
    style: Style
    trials: int
    releases: tuple[str, ...]
    cases: tuple[str, ...]
    model: str
    wire: str
    emulator: str = ""
    """`exact`, `stock` or a path; empty: the best one there is."""

    def plan(self, workload: Workload) -> list[Planned]:
        """The trials that these settings mean, in order."""
        return plan(
            workload,
            self.style,
            choose_paths(workload, self.cases),
            choose_releases(workload, ",".join(self.releases)),
            self.trials,
        )
