# SPDX-License-Identifier: MIT
"""The smallest workload: a message over TCP from one guest to another and back, many times.

A trial is one run of the CMS command ECHO in the asking guest, whose procedure asks CP for CPU
around it; the operator of the answering guest is asked before and after.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from pydantic import Field

from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.guests.base import Ability, Contents, Driver, Role, Wishes, driver
from vmkb.guests.contents import Text
from vmkb.workloads.base import accounts, definition, readout, workload
from vmkb.workloads.base.accounts import SYSTEM, do_not_add_up
from vmkb.workloads.base.guest import OPERATOR, in_rexx, procedure
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import not_sampled, of_guest, read_console
from vmkb.workloads.base.results import keep_wire
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Outcome, Planned, Stage

ADDRESS = "10.17.0.2"
FIRST_HOST = 11
SILENCE_S = 60.0
READY = "ECHO: ready"
DONE = "ECHOTRY ENDED RC="
_NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.CPU, Ability.TCP})
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


class Definition(definition.Definition):
    """echo.toml."""

    user: str
    entry: str
    case: tuple[Case, ...] = Field(min_length=1)


class Workload(workload.Workload[Definition, Planned]):
    """Round trips between two guests."""

    kind = Definition
    per = "round trip"
    roles = (Role("guest that asks", _NEEDED), Role("guest that answers", _NEEDED))
    options = frozenset({"builds"})

    def plan(self, settings: Settings) -> list[Planned]:
        """Sizes and releases in turn."""
        return self.rounds(settings)

    def contents(self, driver: Driver) -> Contents:
        """The user who asks and answers, with both procedures."""
        user = self.definition.user
        before, after = map(in_rexx, driver.cpu_questions(["TCPIP", SYSTEM, user], user))
        ask = ASK.format(before=before, after=after, done=DONE)
        files = {("ECHOTRY", "EXEC"): Text(ask), ("ECHOSRV", "EXEC"): Text(SERVE)}
        return Contents(added=self.definition.entry, files={user: files})

    def begin(self, stage: Stage[Planned]) -> EchoBench:
        """The guest that answers, and one for each build of each release that asks it."""
        return EchoBench(self.definition, stage)


class EchoBench(workload.Bench[Planned]):
    """The guest that answers serves; those that ask are up."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.definition, self.stage = definition, stage
        user, mtu = definition.user, definition.mtu
        stage.progress.say(f"Starting {stage.lab.guest.title}: one that answers, others that ask")
        answers = stage.boot("answers", Wishes(definition.releases[0].parameter, ADDRESS, mtu))
        list(procedure(answers, user, user, "ECHOSRV", READY, SILENCE_S, "the echo service"))
        self._operator = answers.logon(OPERATOR, OPERATOR)
        wanted = {(p.release.name, p.build): p.release.parameter for p in stage.left}
        self._asks = {
            (name, build): stage.boot(
                f"{name}-{build}", Wishes(level, f"10.17.0.{host}", mtu), build
            )
            for host, ((name, build), level) in enumerate(wanted.items(), start=FIRST_HOST)
        }

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The command, and what both guests say of their CPU before and after it."""
        case, user, stage = cast(Case, planned.case), self.definition.user, self.stage
        progress.trial(planned.id, 1)
        asks, counters = self._asks[planned.release.name, planned.build], stage.lab.wire.counters()
        before, after = driver(stage.lab.guest).cpu_questions(["TCPIP", user, SYSTEM])
        far = self._far(before)
        command = f"ECHOTRY {ADDRESS} {case.bytes} {case.count} {case.connections}"
        command += " (NEW" if case.new else ""
        lines = procedure(asks, user, user, command, DONE, SILENCE_S, f"trial {planned.id} to end")
        near = "".join(f"{line}\n" for line in lines)
        far += self._far(after)
        wire = keep_wire(stage.folder, planned.id, counters, stage.lab.wire.counters(), asks.name)
        files = stage.keep(planned.id, near), stage.keep(f"{planned.id}.far", far)
        kinds = (*readout.KINDS, *accounts.KINDS)
        records, broken = read_console(near.encode(), files[0], planned.id, kinds)
        there, more = read_console(far.encode(), files[1], planned.id)
        for read in (records, there):
            broken += not_sampled(read, ("TCPIP", user, SYSTEM), user)
        said = _TRIPS.search(near)
        wanted = (str(case.count), str(case.bytes))
        if f"{DONE}0\n" not in near or said is None or said.groups() != wanted:
            broken.append(f"ECHO did not make {' round trips of '.join(wanted)} bytes")
        head = Trial(
            id=planned.id, run=stage.run_id, case=case.id, release=planned.release.name,
            pair=planned.pair, seq=planned.seq, table="Round trips over TCP",
            run_id=f"{case.id}-{planned.release.name}",
            parts={"TCPIP": "TCPIP", user: "Client", SYSTEM: "System", f"FAR {user}": "Server",
                   "FAR TCPIP": "Server's TCPIP", f"FAR {SYSTEM}": "Server's System"},
            data=Value(wire.value("bytes_in").value + wire.value("bytes_out").value, Unit.BYTE,
                       Source.WI),
            params={"bytes": str(case.bytes), "count": str(case.count),
                    "build": str(planned.build)},
        )  # fmt: skip
        every = (*records, *of_guest("FAR", there), wire)
        return [Outcome(head, every, files[0], (*broken, *more), tuple(do_not_add_up(records)))]

    def _far(self, questions: Sequence[str]) -> str:
        return "".join(f"{self._operator.cp(q).text()}\n" for q in questions)
