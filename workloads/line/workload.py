# SPDX-License-Identifier: MIT
"""The line workload: two guests with a line between them, on virtual time.

The far guest is a file server whose TCP behaves as its release says; the near one fetches a file
with its FTP command.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
from collections.abc import Hashable, Sequence
from dataclasses import replace

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.accounting.compare import PUBLISHED
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Contents, Driver, Role, Wishes, driver
from vmkb.guests.contents import Text
from vmkb.workloads.base import accounts, readout, workload
from vmkb.workloads.base.accounts import SYSTEM, do_not_add_up
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import not_sampled, of_guest, read_console
from vmkb.workloads.base.results import keep_line, keep_wire
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.ftp.content import text_lines
from vmkb.workloads.line import execs
from vmkb.workloads.line.measures import TABLE, cells
from vmkb.workloads.line.pair import FAR, NEAR, Pair, Told, capture_file
from vmkb.workloads.line.plan import Case, Definition, Planned
from vmkb.workloads.line.readout import NoTransfer, read_capture, sender_record
from vmkb.workloads.line.tables import line_tables, sentence

NEAR_ADDRESS, FAR_ADDRESS = "10.17.0.1", "10.17.0.2"
NEAR_LEVEL = "TCPIP=221 BEHAVIOR=LWIP,WINDOW,{window}"
SEED = 1990
SEQUENCE_LOG = "sequence.jsonl"
QUICK = ("96N", "12N", "12P")
SLOWEST = 40
"""A transfer that takes so many times as long as at best has failed."""
SESSION_S = 600.0
"""Seconds, of the guests' clocks, for what is around the transfer."""
_NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.FTP, Ability.CPU})
MACHINES = ("TCPIP", SYSTEM)
FAR_MACHINES = ("TCPIP", "FTPSERVE", SYSTEM)

SHOWN = ("bps", "published bytes/s", "ours", "ratio", "said")


class Workload(workload.Workload[Definition, Planned]):
    """FTP over a line."""

    kind = Definition
    roles = (Role("near host, which fetches", _NEEDED), Role("far host, which serves", _NEEDED))

    def usual_cases(self, style: str) -> Sequence[str]:
        """Quick runs have the noisy lines of the printed figures, full ones all."""
        return QUICK if style == "quick" else ()

    def settings(self, asked: Asked) -> Settings:
        """Full runs have all far hosts. Trials are as many as the printed figures need."""
        if asked.style == "full" and not asked.releases:
            every = ",".join(r.name for r in self.definition.releases)
            asked = dataclasses.replace(asked, releases=every)
        return super().settings(asked).model_copy(update={"fixed": True})

    def plan(self, settings: Settings) -> list[Planned]:
        """Round by round, line by line, all far hosts together."""
        size = getattr(self.definition.bytes, settings.style)
        made = [Planned(**dict(turn), size=size) for turn in self.rounds(settings)]
        there = [p for p in made if not p.case.releases or p.release.name in p.case.releases]
        if not there:
            only = made[0].case
            raise UsageError(
                f"Case {only.id} has no far host but {', '.join(only.releases)}: name it with"
                " --releases, or name another case."
            )
        return [p.model_copy(update={"seq": k}) for k, p in enumerate(there, start=1)]

    def contents(self, driver: Driver) -> Contents:
        """The user of both guests: procedures, the file in its two sizes, small files for dir."""
        user, sizes = self.definition.user, self.definition.bytes
        files = {
            (name, "EXEC"): Text(text) for name, text in execs.texts(driver, user, MACHINES).items()
        }
        for size in {sizes.quick, sizes.full}:
            lines = text_lines(size, random.Random(f"{SEED} {size}"))
            files[execs.source(size)] = Text("\n".join(lines) + "\n")
        for number in range(execs.SMALL_FILES):
            files[f"SMALL{number:02}", "TEXT"] = Text("A small file.\n")
        return Contents(added=self.definition.entry, files={user: files})

    def start(self, planned: Planned) -> Hashable:
        """A far system, and what the near one offers it: the line comes later."""
        return planned.release.name, planned.case.window

    def begin(self, stage: Stage[Planned]) -> LineBench:
        """The pair of guests of the stage's one trial."""
        return LineBench(self.definition, stage)

    def specification(self) -> Specification:
        """Bytes a second first, then CPU, then what each TCP did; CPU of trials with a cost: all in
        which bytes were moved and both hosts were asked."""
        return replace(
            super().specification(), select=_select, brief=Brief(f"{PUBLISHED}{TABLE}", SHOWN),
            tables=lambda given: line_tables(self.definition, given.trials),
            cells=lambda given: cells(self.definition, given.trials),
            answer=lambda given: sentence(self.definition, given.trials),
        )  # fmt: skip


def _select(trials: Sequence[Trial]) -> list[Trial]:
    return [t for t in trials if t.data is not None and t.data.value]


class LineBench(workload.Bench[Planned]):
    """The pair of one trial is up."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.definition, self.stage = definition, stage
        (planned,) = stage.left
        stage.progress.say(f"Starting a line to {planned.release.title}")
        level = NEAR_LEVEL.format(window=planned.case.window)
        self._near = stage.boot(NEAR, Wishes(level, NEAR_ADDRESS, definition.mtu))
        far = Wishes(planned.release.parameter, FAR_ADDRESS, definition.far_mtu)
        self._far = stage.boot(FAR, far)

    def prepare(self, mine: Sequence[Planned]) -> None:
        """The line of the one trial."""
        (planned,) = mine
        self._pair = Pair(self.stage.lab.wire, self._near, self._far, planned.case)

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """One transfer, captured."""
        progress.trial(planned.id, 1)
        case, user, wire = planned.case, self.definition.user, self.stage.lab.wire
        allowed = planned.size / case.best * SLOWEST + SESSION_S
        questions = driver(self.stage.lab.guest).cpu_questions(FAR_MACHINES)
        source = ".".join(execs.source(planned.size))
        command = execs.command(planned.id, FAR_ADDRESS, user, case.what, source)
        wire.start_capture(capture_file(self.stage.folder, planned.id))
        try:
            told = self._pair.run(user, command, questions, allowed)
        finally:
            wire.stop_capture()
        return [self._outcome(planned, told)]

    def _outcome(self, planned: Planned, told: Told) -> Outcome:
        user, folder = self.definition.user, self.stage.folder
        near = "".join(f"{line}\n" for line in told.near)
        far = "".join(f"{line}\n" for line in told.far)
        files = self.stage.keep(planned.id, near), self.stage.keep(f"{planned.id}.far", far)
        kinds = (*readout.KINDS, *accounts.KINDS, "ftp_transfer")
        records, broken = read_console(near.encode(), files[0], planned.id, kinds)
        there, more = read_console(far.encode(), files[1], planned.id)
        broken += more
        # a line so bad that nobody could log in: there is no cost then, and the transfer failed
        unasked = not_sampled(records, (*MACHINES, user), user) + not_sampled(there, FAR_MACHINES)
        if f"{execs.DONE}0\n" not in near:
            broken.append("the procedure did not end well")
        before, after = told.counters
        wire = keep_wire(folder, planned.id, before, after, NEAR)
        every: list[Record] = [*records, *of_guest("FAR", there), wire]
        moved = 0
        with contextlib.suppress(NoTransfer):  # what has no record of it has failed
            seen = read_capture(capture_file(folder, planned.id))
            raw = json.dumps({"trial": planned.id, **seen})
            where = keep_line(folder, f"{planned.id}.{SEQUENCE_LOG}", raw)
            every.append(sender_record(seen, raw, where))
            moved = seen["bytes"]
        doubts = do_not_add_up(records)
        if told.late:
            doubts.append("the far host was asked when the near one had gone on")
        fetched = [r.value("bytes").value for r in records if r.kind == "ftp_transfer"]
        if fetched and fetched != [planned.size]:
            doubts.append(f"{fetched} bytes were fetched, not {planned.size}")
        head = self._head(planned, 0 if unasked else moved)
        return Outcome(head, tuple(every), files[0], tuple(broken), tuple(doubts))

    def _head(self, planned: Planned, moved: int) -> Trial:
        case: Case = planned.case
        user = self.definition.user
        return Trial(
            id=planned.id, run=self.stage.run_id, case=case.id, release=planned.release.name,
            pair=planned.pair, seq=planned.seq, table=f"CPU at {case.title}",
            run_id=planned.run_id,
            parts={"FAR TCPIP": "Far TCPIP", "FAR FTPSERVE": "FTPSERVE", "TCPIP": "Near TCPIP",
                   user: "Client"},
            data=Value(moved, Unit.BYTE, Source.WI),
            params={"what": case.what, "best": str(case.best), "line": case.line,
                    "title": case.title, "window": str(case.window)},
        )  # fmt: skip
