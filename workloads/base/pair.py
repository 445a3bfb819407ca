# SPDX-License-Identifier: MIT
"""Two guests: one whose user runs a procedure that asks CP for CPU around its work, and one that
answers it, whose operator is asked before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from vmkb.accounting.records import Record
from vmkb.accounting.store import Trial
from vmkb.guests.base import Running, Wishes, driver
from vmkb.workloads.base import accounts, readout
from vmkb.workloads.base.accounts import do_not_add_up
from vmkb.workloads.base.guest import OPERATOR, procedure
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import not_sampled, of_guest, read_console
from vmkb.workloads.base.results import keep_wire
from vmkb.workloads.base.workload import Bench, Outcome, Planned, Stage

FAR = "FAR"
"""The beginning of the answering guest's machines' names in a trial."""
SILENCE_S = 60.0
P = TypeVar("P", bound=Planned)


class Ran(NamedTuple):
    """A procedure that was run: what the guest's consoles said, its records, those of the other
    guest's machines, the wire's counters, what is wrong, and the file of the transcript."""

    text: str
    records: tuple[Record, ...]
    far: tuple[Record, ...]
    wire: Record
    broken: list[str]
    file: str

    def outcome(self, head: Trial, broken: Sequence[str] = ()) -> list[Outcome]:
        """The one outcome of a trial with HEAD; BROKEN: what else is wrong."""
        every, doubts = (*self.records, *self.far, self.wire), do_not_add_up(self.records)
        return [Outcome(head, every, self.file, (*self.broken, *broken), tuple(doubts))]


class PairBench(Bench[P]):
    """The guest that answers serves; those that ask are up. USER is who works in all of them."""

    def __init__(self, stage: Stage[P], user: str) -> None:
        self.stage, self.user = stage, user

    def serve(self, name: str, wishes: Wishes, command: str, ready: str) -> list[str]:
        """Start the guest NAME, whose user gives COMMAND, until its log has READY; what was said
        until then."""
        self._answers = self.stage.boot(name, wishes)
        said = procedure(self._answers, self.user, self.user, command, ready, SILENCE_S, name)
        return list(said)

    def prepare(self, mine: Sequence[P]) -> None:
        """Somebody asks the guest that answers for its CPU."""
        self._operator = self._answers.logon(OPERATOR, OPERATOR)

    def run(
        self, planned: P, progress: Progress, asks: Running, command: str, done: str,
        near: Sequence[str], far: Sequence[str], kinds: Sequence[str] = (),
    ) -> Ran:  # fmt: skip
        """COMMAND in the guest that ASKS, up to a line with DONE. NEAR and FAR are the accounts
        that are asked for here and there; KINDS: records to keep beside those of CPU."""
        stage, user, ident = self.stage, self.user, planned.id
        progress.trial(ident, 1)
        counters = stage.lab.wire.counters()
        before, after = driver(stage.lab.guest).cpu_questions(far)
        there = self.ask_far(before)
        expected = f"trial {ident} to end"
        lines = procedure(asks, user, user, command, done, SILENCE_S, expected)
        here = "".join(f"{line}\n" for line in lines)
        there += self.ask_far(after)
        wire = keep_wire(stage.folder, ident, counters, stage.lab.wire.counters(), asks.name)
        files = stage.keep(ident, here), stage.keep(f"{ident}.far", there)
        kept = (*readout.KINDS, *accounts.KINDS, *kinds)
        records, broken = read_console(here.encode(), files[0], ident, kept)
        others, more = read_console(there.encode(), files[1], ident)
        broken += more + not_sampled(records, near, user) + not_sampled(others, far, user)
        return Ran(here, records, of_guest(FAR, others), wire, broken, files[0])

    def head(self, planned: P, **more: Any) -> Trial:
        """The head of a trial; MORE: its table, parts, data and parameters."""
        return Trial(
            id=planned.id, run=self.stage.run_id, case=planned.case.id,
            release=planned.release.name, pair=planned.pair, seq=planned.seq,
            **{"run_id": planned.case.id, **more},
        )  # fmt: skip

    def ask_far(self, questions: Sequence[str]) -> str:
        """What CP of the guest that answers says to its operator's QUESTIONS."""
        return "".join(f"{self._operator.cp(q).text()}\n" for q in questions)
