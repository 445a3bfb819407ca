# SPDX-License-Identifier: MIT
"""The options of `vmkb run ftp` with their defaults filled in."""

from __future__ import annotations

from workloads.ftp.plan import (
    Planned,
    Strict,
    Style,
    Workload,
    choose_cases,
    choose_releases,
    plan,
)
from workloads.settings import SCHEMA


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
    builds: int = 1
    profile: bool = False
    emulator: str = ""
    """`exact`, `stock` or a path; empty: the best one there is."""

    def plan(self, workload: Workload) -> list[Planned]:
        """The trials that these settings mean, in order."""
        return plan(
            workload,
            self.style,
            choose_cases(workload, self.cases),
            choose_releases(workload, ",".join(self.releases)),
            self.trials,
            self.builds,
        )
