# SPDX-License-Identifier: MIT
"""The workload: a guest whose stack is tried. Its service is ECHO's, which sends back what it
gets."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.guests.base import Contents, Driver, Role, Wishes
from vmkb.workloads.base import workload
from vmkb.workloads.base.pair import PairBench
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import read_console
from vmkb.workloads.base.workload import Outcome, Planned, Stage, answering
from vmkb.workloads.conform.network import Network, Network6
from vmkb.workloads.conform.plan import Definition
from vmkb.workloads.conform.tables import answer, notes, table
from vmkb.workloads.conform.tried import Tried
from vmkb.workloads.echo import ADDRESS, NEEDED
from vmkb.workloads.echo import Workload as Echo

ASKS, ITSELF = "10.17.0.11", "10.17.0.12"


class Workload(workload.Workload[Definition, Planned]):
    """Checks of one stack after the other."""

    kind = Definition
    roles = (Role("guest that is tried", NEEDED), Role("guest that asks", NEEDED))
    built = False
    options = frozenset({"ip"})

    def contents(self, driver: Driver) -> Contents:
        """Those of echo."""
        return Echo().contents(driver)

    def start(self, planned: Planned) -> Hashable:
        """A release."""
        return planned.release.name

    def begin(self, stage: Stage[Planned]) -> Bench:
        """The guests."""
        return Bench(self.definition, stage)

    def specification(self) -> Specification:
        """Passed and failed, by name."""
        return replace(
            super().specification(), alone=True, select=lambda trials: (), brief=Brief("conform"),
            tables=lambda given: [table(given.trials)],
            answer=lambda given: answer(given.trials), notes=lambda given: notes(given.trials),
        )  # fmt: skip


class Bench(PairBench[Planned]):
    """The guest that is tried serves; the others ask; peers come and go."""

    def __init__(self, known: Definition, stage: Stage[Planned]) -> None:
        super().__init__(stage, Echo().definition.user)
        release, over_ipv6 = stage.left[0].release, answering(known, stage.settings)
        stage.progress.say(f"Starting {stage.lab.guest.title}: one that is tried, two that ask")
        tried = Wishes(release.parameter, ADDRESS, known.mtu)
        self.serve(release.name, tried, "ECHOSRV", "ECHO: ready")
        asks = over_ipv6.parameter if over_ipv6 else known.asks
        self._tried = Tried(
            stage, self.user, release.name, ADDRESS, Network6 if over_ipv6 else Network,
            stage.boot("asks", Wishes(asks, ASKS, known.mtu)),
            stage.boot("itself", Wishes(release.parameter, ITSELF, known.mtu)),
        )  # fmt: skip

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The check."""
        progress.trial(planned.id, 1)
        params, counted = self._tried.check(planned)
        told = self.ask_far(["QUERY TIME TCPIP (FULL"])
        file = self.stage.keep(planned.id, told)
        records, broken = read_console(told.encode(), file, planned.id)
        head = self.head(planned, params=params)
        return [Outcome(head, (*records, counted), file, tuple(broken))]
