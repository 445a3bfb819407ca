# SPDX-License-Identifier: MIT
"""Calls between the CPs of two and three guests: Table 1 of the gms_net paper, cell by cell.

A trial is two runs of the CMS command GMSBENCH in the calling guest, with few calls and with many,
between which every guest is asked for its CPU: what the calls beyond the few cost is the
difference, so that the command, the questions and the terminals are in neither.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.guests.base import Ability, Contents, Driver, Role, Running, Wishes, driver
from vmkb.guests.contents import Text
from vmkb.workloads.base import readout, workload
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import of_guest, read_console
from vmkb.workloads.base.results import keep_wire
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Outcome, Planned, Stage
from vmkb.workloads.rpc.definition import Case, Definition
from vmkb.workloads.rpc.tables.answer import make_cells, make_tables, sentence

if TYPE_CHECKING:
    from vmkb.hercules.tn3270.session import UserSession

CALLER, SERVER, DIRECTORY = "CALLER", "SERVER", "DIRECT"
"""The guests, and their names on the LAN."""
FILE = 1
PAGES = 8
WITHIN = 60.0
CONNECTED_WITHIN = 15.0
_NEEDED = frozenset({Ability.FILES, Ability.CPU, Ability.GMS})
TRY = """\
/* SPDX-License-Identifier: MIT */
/* GMSTRY node file how kind bytes count callers: calls, and the CPU before and after them */
parse arg what
'CP QUERY TIME SYSTEM (FULL'
'CP QUERY TIME (FULL'
'GMSBENCH' what
code = rc
'CP QUERY TIME (FULL'
'CP QUERY TIME SYSTEM (FULL'
exit code
"""


class Workload(workload.Workload[Definition, Planned]):
    """Calls from one guest's CP to another's."""

    kind = Definition
    per = "call"
    roles = (
        Role("guest that calls", _NEEDED),
        Role("guest that has the pages", _NEEDED),
        Role("guest that knows where they are", _NEEDED),
    )

    def plan(self, settings: Settings) -> list[Planned]:
        """Every cell in turn. A trial's id names files, too: it has no blanks."""
        made = self.rounds(settings)
        return [p.model_copy(update={"id": p.id.replace(" ", "_")}) for p in made]

    def contents(self, driver: Driver) -> Contents:
        """The machine that is in each guest, with the procedure of a trial."""
        user = self.definition.user
        return Contents(
            added=self.definition.entry,
            files={user: {("GMSTRY", "EXEC"): Text(TRY)}},
        )

    def start(self, planned: Planned) -> Hashable:
        """Whether there is a directory."""
        return cast(Case, planned.case).way

    def begin(self, stage: Stage[Planned]) -> RpcBench:
        """Three guests; two if no trial needs the directory."""
        return RpcBench(self.definition, stage)

    def specification(self) -> Specification:
        """The published table and ours, and the differences that are read off it. A call moves no
        bytes of a file, so no trial stands in a table of CPU."""
        return replace(
            super().specification(), select=lambda trials: (), alone=True,
            answer=lambda given: sentence(given.trials, given.model, self.definition),
            tables=lambda given: make_tables(given.trials, given.model, self.definition),
            cells=lambda given: make_cells(given.trials, given.model, self.definition),
            brief=Brief("parts"),
        )  # fmt: skip


class RpcBench(workload.Bench[Planned]):
    """The guests are up, the pages are there, and a machine is logged on in each."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.definition, self.stage = definition, stage
        needed = [CALLER, SERVER]
        if any(cast(Case, p.case).way == "3-way" for p in stage.left):
            needed.append(DIRECTORY)
        stage.progress.say(f"Starting {stage.lab.guest.title}: {len(needed)} systems on one wire")
        self._guests = {name: self._boot(name) for name in needed}
        for name in needed:
            stage.lab.wire.wait_connected(name, CONNECTED_WITHIN)

    def prepare(self, mine: Sequence[Planned]) -> None:
        """Somebody at each guest, and the file's pages at the server."""
        user = self.definition.user
        self._sessions = {name: g.logon(user, user) for name, g in self._guests.items()}
        self._ask(SERVER, f"GMSSERVE PATTERN {FILE} {PAGES}")
        if DIRECTORY in self._guests:
            self._ask(DIRECTORY, f"GMSSERVE DIRECTORY {FILE} {SERVER}")

    def _boot(self, name: str) -> Running:
        lab, caller = self.stage.lab, self.stage.settings.model
        model = caller if name == CALLER else self.definition.server_model
        wishes = Wishes(model=model, node=(name, ""))
        return lab.add(name, driver(lab.guest).parameter(wishes), model=model)

    def _ask(self, name: str, command: str) -> str:
        session: UserSession = self._sessions[name]
        return session.command(command, WITHIN).text()

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """Few calls and many of one cell."""
        case, stage, definition = cast(Case, planned.case), self.stage, self.definition
        progress.trial(planned.id, 1)
        node = DIRECTORY if case.way == "3-way" else SERVER
        others = [SERVER, DIRECTORY] if case.way == "3-way" else [SERVER]
        short = case.wait == "Nap" or case.callers > 1
        amount = definition.many_calls if short else definition.calls
        more = getattr(amount, stage.settings.style)
        counts = [max(definition.few, case.callers)]
        counts.append(counts[0] + more)
        wire = stage.lab.wire
        near = ""
        far = dict.fromkeys(others, "")
        kind = case.receive.rpartition("+")[2] if case.receive == "Unsol+Copy" else case.receive
        words = f"GMSTRY {node} {FILE} {case.wait} {kind} {case.size}"
        # What only the first calls of a kind do, such as clearing storage, is in neither sample.
        self._ask(CALLER, f"{words} {counts[0]} {case.callers}")
        before = wire.counters()
        for calls in counts:
            for name in others:
                far[name] += self._question(name)
            near += self._ask(CALLER, f"{words} {calls} {case.callers}") + "\n"
        for name in others:
            far[name] += self._question(name)
        counted = keep_wire(stage.folder, planned.id, before, wire.counters(), CALLER)
        files = {CALLER: stage.keep(planned.id, near)}
        files |= {n: stage.keep(f"{planned.id}.{n}", text) for n, text in far.items()}
        kinds = (*readout.KINDS, "gms_calls")
        records, broken = read_console(near.encode(), files[CALLER], planned.id, kinds)
        every = [*(_named(r, definition.user) for r in records), counted]
        for n, text in far.items():
            there, wrong = read_console(text.encode(), files[n], planned.id)
            broken += wrong
            every += of_guest(n, there)
            if sum(r.kind == "connect" for r in there) != 3:
                broken.append(f"{n} did not tell its CPU three times")
        done = [r for r in records if r.kind == "gms_calls"]
        if [r.value("calls").value for r in done] != counts:
            broken.append(f"GMSBENCH did not make {' and '.join(map(str, counts))} calls")
        if any(r.value("failed").value for r in done):
            broken.append("calls failed")
        doubts = []
        if (lost := counted.value("dropped").value) > 0:
            doubts.append(f"the wire lost {lost} frames")
        head = Trial(
            id=planned.id, run=stage.run_id, case=case.id, release=planned.release.name,
            pair=planned.pair, seq=planned.seq, table="Calls", run_id=case.id,
            parts={definition.user: "Caller", SYSTEM: "Caller's CP",
                   **{f"{n} {SYSTEM}": f"{n.title()}'s CP" for n in others}},
            data=Value(
                counted.value("bytes_in").value + counted.value("bytes_out").value, Unit.BYTE,
                Source.WI,
            ),
            params={"way": case.way, "wait": case.wait, "receive": case.receive,
                    "size": str(case.size), "callers": str(case.callers), "more": str(more),
                    "count": str(sum(counts))},
        )  # fmt: skip
        return [Outcome(head, tuple(every), files[CALLER], tuple(broken), tuple(doubts))]

    def _question(self, name: str) -> str:
        return self._ask(name, "CP QUERY TIME SYSTEM (FULL") + "\n"


def _named(record: Record, user: str) -> Record:
    """CP does not name a machine that asks for its own CPU."""
    if record.kind != "connect" or record.word("userid"):
        return record
    return record._replace(fields={**record.fields, "userid": user})
