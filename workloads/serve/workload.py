# SPDX-License-Identifier: MIT
"""The workload: one client, the same for all, and a guest for each system that serves."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from vmkb.accounting.analysis.specification import Given, Specification
from vmkb.accounting.records import Record
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Choice, Contents, Driver, Role, driver
from vmkb.guests.contents import Content, Text
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base.definition import Style
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import read_console
from vmkb.workloads.base.results import failed, keep_wire
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.serve import execs
from vmkb.workloads.serve.compared import SILENCE_S, Compared, Counted, Systems
from vmkb.workloads.serve.fits import fit_table
from vmkb.workloads.serve.native import native_table
from vmkb.workloads.serve.plan import Definition, Planned, content
from vmkb.workloads.serve.reading import MACHINE, ReadingError, used
from vmkb.workloads.serve.tables import (
    cause_table,
    count_table,
    event_table,
    machine_table,
    share_table,
)

SHARED = 1
"""Trials of a case whose shares are asked for: what a shell takes to answer is dead time, and the
shares are of all these together."""
_FILES = frozenset({Ability.FILES, Ability.LEVELS, Ability.FTP})
SERVER = Role("guest that serves", frozenset({Ability.FTP, Ability.COUNT}))


class Workload(Compared[Definition, Planned]):
    """FTP from one client to each of several systems."""

    kind = Definition
    roles = (Role("client", _FILES),)
    server = SERVER
    options = frozenset({"builds", "mtu", "profile"})

    def settings(self, asked: Asked) -> Settings:
        """As others; a profile is of systems whose functions have names."""
        made = super().settings(asked)
        if made.profile and not self.kernels(made):
            raise UsageError(
                f"Workload {self.name} profiles Linux only: add --guest linux; vmkb run ftp"
                " --profile profiles VM/KB."
            )
        return made

    def usual_cases(self, style: Style) -> Sequence[str]:
        """All with --full."""
        return [] if style == "full" else [c.id for c in self.definition.case if c.usual]

    def plan(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        return [Planned.model_construct(**dict(turn)) for turn in self.turns(settings)]

    def contents(self, driver: Driver) -> Contents:
        """The client's entry, its procedures, and its files."""
        cases = self.definition.case
        files = {(c.source, "SOURCE"): content(c) for c in cases}
        for name, text in execs.texts().items():
            files[name, "EXEC"] = Text(text)
        user = self.definition.user
        return Contents({user: self.definition.entry}, files={user: files})

    def start(self, planned: Planned) -> Hashable:
        """The client and one build of a system: the files are the case's own."""
        return planned.release.name, planned.build

    def begin(self, stage: Stage[Planned]) -> Bench:
        """The client, and the system that serves."""
        return Bench(self.definition, stage, self.systems(stage.left))

    def specification(self) -> Specification:
        """Instructions per KB beside each other, the events of that, shares, what a file and a KB
        cost; then what all workloads have."""
        return replace(super().specification(), tables=_tables)


def _tables(given: Given) -> list[Table | None]:
    makers = (
        count_table, event_table, machine_table, native_table, cause_table, share_table, fit_table,
    )  # fmt: skip
    return [make(given.trials) for make in makers]


class Bench(Systems[Planned]):
    """The client's guest, and that of the system that serves."""

    def __init__(
        self, definition: Definition, stage: Stage[Planned], choices: dict[str, Choice]
    ) -> None:
        super().__init__(stage, choices, stage.settings.mtu or definition.mtu)
        self.definition = definition
        self._kinds: dict[str, str] = {}
        self._expected: dict[str, Content] = {}
        stage.progress.say("Starting the client, and the system that serves")
        self._client = self.boot_client(definition.releases[0].parameter)
        list(self.boot_servers())

    def prepare(self, mine: Sequence[Planned]) -> None:
        """The files that are got are there, and the system is ready for readings."""
        cases = {p.case.source: p.case for p in mine}
        self._kinds = {name: case.kind for name, case in cases.items()}
        self._expected = {name: content(case) for name, case in cases.items()}
        for name in self.servers:
            self._seed(name)
        self.begin_counts()

    def _seed(self, release: str) -> None:
        """The client puts the files that are got from a system, unless they are there."""
        account = self.hands(release).account()
        words = [execs.SEED_NAME, *self.reached(release, account)]
        words += [f"{kind} {name}" for name, kind in sorted(self._kinds.items())]
        lines = list(self._play(" ".join(words), f"the files of {release}"))
        if f"{execs.DONE}0" not in lines[-1]:
            file = self.stage.keep(f"seed-{release}", "\n".join(lines) + "\n")
            raise failed(f"Putting files to {release}", [lines[-1]], self.stage.folder / file)
        wrong = self._differ(release, sorted(self._expected.items()), "SOURCE")
        if wrong:
            raise EmulatorError("; ".join(wrong) + ".")

    def _play(self, command: str, what: str) -> Iterator[str]:
        user = self.definition.user
        return procedure(self._client, user, user, command, execs.DONE, SILENCE_S, f"{what} to end")

    def _wake(self, mark: str) -> bool:
        """Let the client go on, which sleeps since it typed MARK; False if it did not sleep."""
        user = self.definition.user
        said = rf"^{user} *: "
        last = [line for line in self._client.log.tail() if re.match(said, line)][-1:]
        if not "".join(last).rstrip().endswith(mark):
            return False
        self._client.machine.operator(f"SEND {user}", said, SILENCE_S)
        return True

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The transfers between two readings, and the files at both ends."""
        case, name = planned.case, planned.release.name
        progress.trial(planned.id, case.files)
        running, hands, stage = self.servers[name], self.hands(name), self.stage
        shared = planned.pair <= SHARED
        shares = hands.shares(running) if shared else {}
        lines, waited = [], True
        counted = Counted(self, name)
        counters = stage.lab.wire.counters()
        verb = [case.direction.upper(), case.kind, str(case.files), case.source]
        words = [execs.NAME, *self.reached(name, hands.account()), *verb, execs.WAITS]
        for line in self._play(" ".join(words), f"trial {planned.id}"):
            lines.append(line)
            for mark, count in ((execs.BEFORE, counted.begin), (execs.AFTER, counted.end)):
                if line.rstrip().endswith(mark):
                    count()
                    waited &= self._wake(mark)
            if " bytes transferred in " in line:
                progress.transferred()
        port = stage.lab.wire.counters()
        grown = used(shares, hands.shares(running)) if shared else {}
        file = stage.keep(planned.id, "".join(f"{line}\n" for line in lines))
        wire = keep_wire(stage.folder, planned.id, counters, port, running.name)
        kept, broken = read_console(
            "".join(f"{line}\n" for line in lines).encode(), file, planned.id, ("ftp_transfer",)
        )
        broken += self._incomplete(planned, kept, lines)
        samples: tuple[Record, ...] = ()
        said: dict[str, str] = {}
        if not counted.complete:
            broken.append("the guest that serves was not read before, after and at rest")
        else:
            try:
                samples, said = counted.records(stage, planned.id), counted.said()
            except ReadingError as error:
                broken.append(str(error))
        doubts = []
        if not waited:
            doubts.append("the client did not wait until the guest that serves had been read")
        if not broken:
            doubts += self._moved(planned)
        head = self._head(planned, grown, said)
        modules = self.modules(name)
        whole = counted.whole(modules) if modules is not None and counted.complete else None
        records = (*kept, *samples, wire)
        return [Outcome(head, records, file, tuple(broken), tuple(doubts), whole)]

    def _incomplete(
        self, planned: Planned, kept: Sequence[Record], lines: Sequence[str]
    ) -> list[str]:
        said = []
        if not lines or f"{execs.DONE}0" not in lines[-1]:
            said.append(f"the procedure ended with {lines[-1] if lines else 'nothing'}")
        moved = [r for r in kept if r.kind == "ftp_transfer"]
        if len(moved) != planned.case.files:
            said.append(f"{len(moved)} of {planned.case.files} files were transferred")
        return said

    def _moved(self, planned: Planned) -> list[str]:
        """A sentence for each file that is not what it should be where it came to."""
        case = planned.case
        outs = [f"F{n + 1:03d}" for n in range(case.files)]
        wanted = self._expected[case.source]
        if case.direction == "put":
            return self._differ(planned.release.name, [(out, wanted) for out in outs], "OUT")
        user, lab = self.definition.user, self.stage.lab
        client = driver(lab.guest)
        there = client.digests(self._client.image, user, [(out, "OUT") for out in outs])
        right = hashlib.sha256(client.stored(wanted)).hexdigest()
        return [
            f"{' '.join(name)} of the client is not what was got"
            for name, each in there.items()
            if each is None or each[0] != right
        ]

    def _differ(self, release: str, files: Sequence[tuple[str, Content]], kind: str) -> list[str]:
        running, hands = self.servers[release], self.hands(release)
        want = {f"{name}.{kind}": hands.checksum(hands.stored(file)) for name, file in files}
        found = hands.checksums(running, list(want))
        wrong = Counter(want.values()) - Counter(found)
        if not wrong:
            return []
        names = ", ".join(name for name, digest in want.items() if digest in wrong)
        return [f"{release} has other files than were put there, among {names}"]

    def _head(self, planned: Planned, shares: dict[str, float], said: dict[str, str]) -> Trial:
        case, release = planned.case, planned.release
        return Trial(
            id=planned.id, run=self.stage.run_id, case=case.id, release=release.name,
            pair=planned.pair, seq=planned.seq, table="Serving files by FTP", mode=case.mode,
            run_id=planned.run_id, parts={MACHINE: "Server's guest"},
            params={
                "title": release.title, "direction": case.direction, "files": str(case.files),
                "file_kb": str(case.bytes // 1024), "shares": json.dumps(shares), **said,
                **self.built(planned),
            },
        )  # fmt: skip
