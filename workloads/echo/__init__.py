# SPDX-License-Identifier: MIT
"""The smallest workload: a message over TCP from one guest to another and back, many times.

A trial is one run of the CMS command ECHO in the asking guest.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import cast

from pydantic import Field

from vmkb.accounting.records import Source, Unit, Value
from vmkb.guests.base import Ability, Contents, Driver, Role, Wishes
from vmkb.guests.contents import Text
from vmkb.workloads.base import definition, workload
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.guest import in_rexx
from vmkb.workloads.base.pair import PairBench
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.workload import Outcome, Planned, Stage, answering

ADDRESS = "10.17.0.2"
FIRST_HOST = 11
DONE = "ECHOTRY ENDED RC="
NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.CPU, Ability.TCP})
_TRIPS = re.compile(r"ECHO: (\d+) round trips of (\d+) bytes")
ASK = """\
/* SPDX-License-Identifier: MIT */
/* ECHOTRY host bytes count ...: one trial */
parse arg words
'CP DISCONN'
{before}
'ECHO' words
code = rc
{after}
say '{done}' || code
"""
SERVE = """\
/* SPDX-License-Identifier: MIT */
/* ECHOSRV: the answering side */
'CP DISCONN'
'ECHO SERVE'
"""


class Case(definition.Case):
    """Messages of one size, how many of them make a trial, and over how many connections side by
    side; NEW: each over one of its own."""

    bytes: int = Field(ge=1, le=16384)
    count: int = Field(ge=1, le=1_000_000)
    connections: int = Field(default=1, ge=1, le=64)
    new: bool = False

    @property
    def words(self) -> str:
        """What stands behind the host in the command ECHO."""
        return f"{self.bytes} {self.count} {self.connections}{' (NEW' * self.new}"

    def wrong(self, text: str) -> list[str]:
        """What is wrong by the TEXT that its procedure typed: a sentence, or nothing."""
        trips, said = (str(self.count), str(self.bytes)), _TRIPS.search(text)
        if f"{DONE}0\n" in text and said is not None and said.groups() == trips:
            return []
        return [f"ECHO did not make {' round trips of '.join(trips)} bytes"]


class Definition(definition.Definition):
    """echo.toml."""

    user: str
    entry: str
    case: tuple[Case, ...] = Field(min_length=1)


class Workload(workload.Workload[Definition, Planned]):
    """Round trips between two guests."""

    kind = Definition
    per = "round trip"
    roles = (Role("guest that asks", NEEDED), Role("guest that answers", NEEDED))
    options = frozenset({"builds", "ip"})

    def contents(self, driver: Driver) -> Contents:
        """The user who asks and answers, with both procedures."""
        user = self.definition.user
        before, after = map(in_rexx, driver.cpu_questions(["TCPIP", SYSTEM, user], user))
        ask = ASK.format(before=before, after=after, done=DONE)
        files = {("ECHOTRY", "EXEC"): Text(ask), ("ECHOSRV", "EXEC"): Text(SERVE)}
        return Contents(added=self.definition.entry, files={user: files})

    def start(self, planned: Planned) -> Hashable:
        """A build of a release."""
        return planned.release.name, planned.build

    def begin(self, stage: Stage[Planned]) -> EchoBench:
        """The guest that answers, and one for each build of each release that asks it."""
        return EchoBench(self.definition, stage)


class EchoBench(PairBench[Planned]):
    """The guest that answers serves; those that ask are up."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        super().__init__(stage, definition.user)
        mtu = definition.mtu
        stage.progress.say(f"Starting {stage.lab.guest.title}: one that answers, others that ask")
        release = answering(definition, stage.settings) or definition.releases[0]
        serves = Wishes(release.parameter, ADDRESS, mtu)
        self.serve("answers", serves, "ECHOSRV", "ECHO: ready")
        wanted = {(p.release.name, p.build): p.release.parameter for p in stage.left}
        self._asks = {
            (name, build): stage.boot(
                f"{name}-{build}", Wishes(level, f"10.17.0.{host}", mtu), build
            )
            for host, ((name, build), level) in enumerate(wanted.items(), start=FIRST_HOST)
        }

    @property
    def asking(self) -> list[str]:
        """The names of the guests that ask: their ports of the wire."""
        return [running.name for running in self._asks.values()]

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The command, and what both guests say of their CPU before and after it."""
        case, user = cast(Case, planned.case), self.user
        command = f"ECHOTRY {ADDRESS} {case.words}"
        asks, users = self._asks[planned.release.name, planned.build], ("TCPIP", user, SYSTEM)
        ran = self.run(planned, progress, asks, command, DONE, users, users)
        crossed = ran.wire.value("bytes_in").value + ran.wire.value("bytes_out").value
        head = self.head(
            planned, table="Round trips over TCP", run_id=f"{case.id}-{planned.release.name}",
            parts={"TCPIP": "TCPIP", user: "Client", SYSTEM: "System", f"FAR {user}": "Server",
                   "FAR TCPIP": "Server's TCPIP", f"FAR {SYSTEM}": "Server's System"},
            data=Value(crossed, Unit.BYTE, Source.WI),
            params={"bytes": str(case.bytes), "count": str(case.count),
                    "build": str(planned.build)},
        )  # fmt: skip
        return ran.outcome(head, case.wrong(ran.text))
