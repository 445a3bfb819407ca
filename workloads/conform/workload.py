# SPDX-License-Identifier: MIT
"""The workload: a guest whose stack is tried, those that ask it on a bad wire, and a peer by hand.

The service is ECHO's, which sends back what it gets.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import replace
from itertools import count
from typing import cast

from pydantic import Field, model_validator

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.guests.base import Contents, Driver, Role, Wishes
from vmkb.hercules.deadline import Timeout
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout
from vmkb.workloads.base import definition, workload
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.pair import SILENCE_S, PairBench
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import read_console
from vmkb.workloads.base.results import TRANSCRIPTS, keep_wire
from vmkb.workloads.base.workload import Outcome, Planned, Stage, answering
from vmkb.workloads.conform.checks import CHECKS
from vmkb.workloads.conform.network import Network, Network6
from vmkb.workloads.conform.peer import Peer
from vmkb.workloads.conform.tables import CAPTURE, SAID, TITLE, answer, notes, table
from vmkb.workloads.echo import ADDRESS, DONE, NEEDED
from vmkb.workloads.echo import Workload as Echo

ASKS, ITSELF = "10.17.0.11", "10.17.0.12"
HANDS, FIRST_HAND = "10.17.0.{host}", 90
ECHO, FIRST_PORT = 7, 4000
TRIPS = "16384 64"
"""Behind the host in ECHOTRY: bytes of a message, and how many there are."""
WITHIN_S = 600.0
_MESSAGE = re.compile(r"DMSECH\d+E .*")


class Case(definition.Case):
    """A check: what the wire does to frames (`changes`, of a wire's profile), or the function of
    checks.py that a peer does by hand. `itself`: who asks runs the same stack."""

    changes: dict[str, float] = {}
    itself: bool = False
    by_hand: str = ""

    @model_validator(mode="after")
    def _one(self) -> Case:
        if bool(self.changes) == bool(self.by_hand) or self.by_hand not in ("", *CHECKS):
            raise ValueError(f"{self.id}: changes of the wire, or by_hand one of {list(CHECKS)}")
        return self


class Definition(definition.Definition):
    """conform.toml."""

    asks: str
    case: tuple[Case, ...] = Field(min_length=1)


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
        self._network = Network6 if over_ipv6 else Network
        stage.progress.say(f"Starting {stage.lab.guest.title}: one that is tried, two that ask")
        self._tried = release.name
        tried = Wishes(release.parameter, ADDRESS, known.mtu)
        self.serve(self._tried, tried, "ECHOSRV", "ECHO: ready")
        asks = over_ipv6.parameter if over_ipv6 else known.asks
        self._asks = stage.boot("asks", Wishes(asks, ASKS, known.mtu))
        self._itself = stage.boot("itself", Wishes(release.parameter, ITSELF, known.mtu))

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The check; a capture stays of one that did not go well."""
        case, stage, ident = cast(Case, planned.case), self.stage, planned.id
        progress.trial(ident, 1)
        kept, wire = f"{TRANSCRIPTS}/{ident}.pcapng", stage.lab.wire
        before = wire.counters()
        wire.start_capture(stage.folder / kept)
        said = self._by_hand(case.by_hand) if case.by_hand else self._on_bad_wire(case)
        wire.stop_capture()
        counted = keep_wire(stage.folder, ident, before, wire.counters(), self._tried)
        if not said:
            (stage.folder / kept).unlink()
        told = self.ask_far(["QUERY TIME TCPIP (FULL"])
        file = stage.keep(ident, told)
        records, broken = read_console(told.encode(), file, ident)
        params = {TITLE: case.title, SAID: said, **({CAPTURE: kept} if said else {})}
        head = self.head(planned, params=params)
        return [Outcome(head, (*records, counted), file, tuple(broken))]

    def _on_bad_wire(self, case: Case) -> str:
        """Messages there and back while the link of the guest that is tried is as CASE says."""
        wire, lines = self.stage.lab.wire, list[str]()
        wire.set_profile(self._tried, self.stage.settings.wire, **case.changes)
        command, expected = f"ECHOTRY {ADDRESS} {TRIPS}", "messages that come back"
        try:
            lines += procedure(
                self._itself if case.itself else self._asks, self.user, self.user, command, DONE,
                SILENCE_S, expected,
            )  # fmt: skip
        except Timeout:
            return f"is silent for {SILENCE_S:.0f} s"
        finally:
            wire.set_profile(self._tried, self.stage.settings.wire)
        text = "\n".join(lines)
        if f"{DONE}0" in text:
            return ""
        wrong = _MESSAGE.search(text)
        return f"does not return all: {wrong[0] if wrong else lines[-1]}"

    def _by_hand(self, name: str) -> str:
        """The check called NAME."""
        wire, hosts = self.stage.lab.wire, count(FIRST_HAND)
        beside = self.stage.lab.beside("hand")

        async def come() -> Peer:
            host = next(hosts)
            end = await Endpoint.connect(wire.add_stream(f"hand{host}"))
            network = self._network(HANDS.format(host=host), ADDRESS)
            return Peer(end, network, FIRST_PORT + host, ECHO)

        async def checked() -> str:
            try:
                return await CHECKS[name](come)
            except EndpointTimeout:
                return "does not answer who connects"
            except ConnectionError as error:
                return str(error)

        try:
            return beside.run(checked(), WITHIN_S)
        except TimeoutError:
            return f"has not come to an end in {WITHIN_S:.0f} s"
        finally:
            beside.close()
