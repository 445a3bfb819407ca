# SPDX-License-Identifier: MIT
"""A guest that is tried: those that ask it on a bad wire, and peers by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from typing import cast

from vmkb.accounting.records import Record
from vmkb.guests.base import Running
from vmkb.hercules.deadline import Timeout
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.pair import SILENCE_S
from vmkb.workloads.base.results import TRANSCRIPTS, keep_wire
from vmkb.workloads.base.workload import Planned, Stage
from vmkb.workloads.conform.checks import CHECKS
from vmkb.workloads.conform.network import Network
from vmkb.workloads.conform.peer import Peer
from vmkb.workloads.conform.plan import Case
from vmkb.workloads.conform.tables import CAPTURE, SAID, TITLE
from vmkb.workloads.echo import DONE

HANDS, FIRST_HAND = "10.17.0.{host}", 90
ECHO, FIRST_PORT = 7, 4000
TRIPS = "16384 64"
"""Behind the host in ECHOTRY: bytes of a message, and how many there are."""
WITHIN_S = 600.0
_MESSAGE = re.compile(r"DMSECH\d+E .*")


@dataclass(frozen=True, slots=True)
class Tried:
    """The guest whose port of the wire is NAME serves at ADDRESS, of NETWORK. USER of the guest
    ASKS asks it, and of ITSELF, which runs the same stack, if there is one."""

    stage: Stage[Planned]
    user: str
    name: str
    address: str
    network: type[Network]
    asks: Running
    itself: Running | None = None

    def check(self, planned: Planned) -> tuple[dict[str, str], Record]:
        """PLANNED's check: parameters of the trial, and what its link counted. A capture stays of
        one that did not go well."""
        case, wire = cast(Case, planned.case), self.stage.lab.wire
        kept = f"{TRANSCRIPTS}/{planned.id}.pcapng"
        before = wire.counters()
        wire.start_capture(self.stage.folder / kept)
        said = self._by_hand(case.by_hand) if case.by_hand else self._on_bad_wire(case)
        wire.stop_capture()
        counted = keep_wire(self.stage.folder, planned.id, before, wire.counters(), self.name)
        if not said:
            (self.stage.folder / kept).unlink()
        return {TITLE: case.title, SAID: said, **({CAPTURE: kept} if said else {})}, counted

    def _on_bad_wire(self, case: Case) -> str:
        """Messages there and back while the guest's link is as CASE says."""
        wire, lines = self.stage.lab.wire, list[str]()
        wire.set_profile(self.name, self.stage.settings.wire, **case.changes)
        asks = self.itself if case.itself and self.itself else self.asks
        command = f"ECHOTRY {self.address} {TRIPS}"
        try:
            lines += procedure(
                asks, self.user, self.user, command, DONE, SILENCE_S, "messages that come back"
            )
        except Timeout:
            return f"is silent for {SILENCE_S:.0f} s"
        finally:
            wire.set_profile(self.name, self.stage.settings.wire)
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
            network = self.network(HANDS.format(host=host), self.address)
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
