# SPDX-License-Identifier: MIT
"""The workload: one client, the same for all, and a guest for each system that serves."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from accounting.costs import TrialCost
from accounting.records import Record
from accounting.report.answer import answer
from accounting.store import Trial
from accounting.tables.table import Table
from guests.base import Ability, Account, Choice, Contents, Driver, Role, Running, Wishes, driver
from guests.vmkb.disk.records import Stored, from_text
from hercules.deadline import Deadline, EmulatorError, wait_until
from hercules.emulator.boot import find_guest
from workloads.base import workload as base
from workloads.base.definition import Release, Style
from workloads.base.guest import procedure
from workloads.base.progress import Progress
from workloads.base.readout import read_console
from workloads.base.results import failed, keep_line, keep_wire
from workloads.base.settings import Asked, Settings
from workloads.base.workload import Outcome, Stage, rounds
from workloads.errors import UsageError
from workloads.serve import execs
from workloads.serve.even import even_table, price_table
from workloads.serve.fits import fit_table
from workloads.serve.plan import Case, Definition, Planned, content
from workloads.serve.reading import (
    MACHINE,
    Reading,
    ReadingError,
    by_clock,
    cost,
    executed,
    happened,
    records,
    rest,
    used,
)
from workloads.serve.tables import count_table, share_table

SILENCE_S = 90.0
IDLE_S = 0.5
"""How long the guest's idle rate is measured, before each trial."""
AT_ONCE = 4
"""Readings from which is known what one costs."""
LATE_S = 0.7 * execs.PAUSE_S
NET = "10.17.0.{host}"
CLIENT_HOST, FIRST_HOST = 11, 2
COUNTS_LOG = "counts.jsonl"
_FILES = frozenset({Ability.FILES, Ability.LEVELS, Ability.FTP})
SERVER = Role("guest that serves", frozenset({Ability.FTP, Ability.COUNT}))


class Workload(base.Workload[Definition, Planned]):
    """FTP from one client to each of several systems."""

    kind = Definition
    roles = (Role("client", _FILES),)
    compares = True
    options = frozenset({"mtu"})

    def __init__(self, definition: Definition | None = None) -> None:
        super().__init__(definition)
        self._choices: dict[str, Choice] = {}

    def settings(self, asked: Asked) -> Settings:
        """As others, with the releases of the guests that are compared."""
        guests = asked.guests or ("vmkb",)
        names = [n.strip() for n in asked.releases.split(",") if n.strip()]
        made = super().settings(replace(asked, releases="", guests=()))
        releases = tuple(each.name for each in self._chosen(guests, names))
        return made.model_copy(update={"releases": releases, "guests": guests})

    def _chosen(self, guests: Sequence[str], names: Sequence[str]) -> list[Choice]:
        """The systems to compare, in order. A name that is there twice is the same system twice."""
        found: list[Choice] = []
        own = [n for n in names if n[:1].isdigit() or n.startswith("linux")]
        for name in guests:
            hands = driver(find_guest(name))
            if why := SERVER.needs - hands.abilities:
                said = ", or ".join(a.value for a in Ability if a in why)
                raise UsageError(
                    f"Guest '{hands.guest.name}' cannot be the {SERVER.name}: it does not {said}."
                )
            hands.build()
            found += hands.choices(own)
        for choice in found:
            name, title = choice.name, choice.title
            while name in self._choices and self._choices[name] is not choice:
                name, title = f"{name}'", f"{title} again"
            self._choices[name] = replace(choice, name=name, title=title)
        return list(self._choices.values())

    def usual_cases(self, style: Style) -> Sequence[str]:
        """All with --full."""
        return [] if style == "full" else [c.id for c in self.definition.case if c.usual]

    def plan(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        if not self._choices:
            names = [n.rstrip("'") for n in settings.releases if n[:1].isdigit()]
            self._chosen(settings.guests, names)
        releases = [
            Release.model_construct(name=c.name, title=c.title, parameter=c.level)
            for c in self._choices.values()
        ]
        cases = [c for c in self.definition.case if c.id in settings.cases]
        turns = rounds(cases, releases, settings.trials)
        return [
            Planned.model_construct(**{**dict(turn), "case": cast(Case, turn.case)})
            for turn in turns
        ]

    def about(self, settings: Settings) -> dict[str, str]:
        """Which systems, to the digest of their images."""
        shown = {c.name: f"{c.title} {driver(c.guest).digest()}" for c in self._choices.values()}
        return {"servers": "; ".join(f"{name}: {what}" for name, what in shown.items())}

    def contents(self, driver: Driver) -> Contents:
        """The client's entry, its procedures, and its files."""
        cases = self.definition.case
        files = {(c.source, "SOURCE"): content(c)[0] for c in cases}
        for name, text in execs.texts().items():
            files[name, "EXEC"] = from_text(text)
        user = self.definition.user
        return Contents({user: self.definition.entry}, files={user: files})

    def begin(self, stage: Stage[Planned]) -> Bench:
        """The client, and each system with the files that are got from it."""
        return Bench(self.definition, stage, self._choices)

    def tables(self, trials: Sequence[Trial], made: Sequence[Table], model: str) -> list[Table]:
        """Instructions per KB beside each other, as they came and at equally many events, shares,
        what a file and a KB cost; then what all workloads have."""
        own = (
            count_table(trials), even_table(trials), price_table(trials), share_table(trials),
            fit_table(trials),
        )  # fmt: skip
        return [*(t for t in own if t is not None), *made]

    def sentence(
        self, trials: Sequence[Trial], costs: Sequence[TrialCost], base: str, model: str
    ) -> str:
        """The answer, with the names that the trials have."""
        return answer(costs, base, {t.release: t.params.get("title", "") for t in trials})


class Bench(base.Bench[Planned]):
    """The client's guest, and a guest for each system."""

    def __init__(
        self, definition: Definition, stage: Stage[Planned], choices: dict[str, Choice]
    ) -> None:
        self.definition, self.stage = definition, stage
        self._choices = choices
        cases = {p.case.source: p.case for p in stage.left}
        self._kinds = {name: case.kind for name, case in cases.items()}
        self._expected = {name: content(case) for name, case in cases.items()}
        self._mtu = stage.settings.mtu or definition.mtu
        stage.progress.say("Starting the client, and the systems that serve")
        level = definition.releases[0].parameter
        self._client = stage.boot("client", Wishes(level, NET.format(host=CLIENT_HOST), self._mtu))
        self._servers: dict[str, Running] = {}
        self._addresses: dict[str, str] = {}
        wanted = dict.fromkeys(p.release.name for p in stage.left)
        for host, name in enumerate(wanted, start=FIRST_HOST):
            self._addresses[name] = NET.format(host=host)
            self._servers[name] = self._boot(name, host)
            self._seed(name)

    def _boot(self, name: str, host: int) -> Running:
        choice, lab = self._choices[name], self.stage.lab
        wishes = Wishes(choice.level, NET.format(host=host), self._mtu)
        hands = driver(choice.guest)
        station = "serves-" + name.replace("'", "b").replace(".", "-").lower()
        if Ability.LEVELS in hands.abilities:
            return self.stage.boot(station, wishes)
        running = lab.add(station, hands.parameter(wishes), choice.guest)
        hands.bring_up(running.machine)
        lab.wire.wait_connected(running.name, SILENCE_S)
        return running

    def _hands(self, release: str) -> Driver:
        return driver(self._servers[release].guest)

    def _seed(self, release: str) -> None:
        """The client puts the files that are got from a system, unless they are there."""
        account = self._hands(release).account()
        words = [execs.SEED_NAME, *self._reached(release, account)]
        words += [f"{kind} {name}" for name, kind in sorted(self._kinds.items())]
        lines = list(self._play(" ".join(words), f"the files of {release}"))
        if f"{execs.DONE}0" not in lines[-1]:
            file = self.stage.keep(f"seed-{release}", "\n".join(lines) + "\n")
            raise failed(f"Putting files to {release}", [lines[-1]], self.stage.folder / file)
        wrong = self._differ(release, sorted(self._expected.items()), "SOURCE")
        if wrong:
            raise EmulatorError("; ".join(wrong) + ".")

    def _reached(self, release: str, account: Account) -> list[str]:
        return [self._addresses[release], account.user, account.password, account.directory]

    def _play(self, command: str, what: str) -> Iterator[str]:
        user = self.definition.user
        return procedure(self._client, user, user, command, execs.DONE, SILENCE_S, f"{what} to end")

    def _read(self, release: str, word: str) -> Reading:
        said = self._hands(release).count(self._servers[release], word)
        at = time.monotonic()
        return Reading(executed(said), at, said)

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The idle rate, the transfers between two readings, and the files at both ends."""
        case, name = planned.case, planned.release.name
        progress.trial(planned.id, case.files)
        running, hands, stage = self._servers[name], self._hands(name), self.stage
        shares = hands.shares(running)
        hands.begin_count(running)
        at_once = [self._read(name, f"once{n}") for n in range(AT_ONCE)]
        over = Deadline(IDLE_S)
        wait_until(lambda: over.over, IDLE_S + 1, "the idle time to pass")
        found = rest(at_once, self._read(name, "idle"))
        counters = stage.lab.wire.counters()
        verb = [case.direction.upper(), case.kind, str(case.files), case.source]
        words = [execs.NAME, *self._reached(name, hands.account()), *verb, str(execs.PAUSE_S)]
        lines, readings, late = [], {}, 0.0
        for line in self._play(" ".join(words), f"trial {planned.id}"):
            lines.append(line)
            for mark in (execs.BEFORE, execs.AFTER):
                if line.rstrip().endswith(mark):
                    seen = time.monotonic()
                    readings[mark] = self._read(name, mark.split()[1].lower())
                    late = max(late, readings[mark].at - seen)
            if " bytes transferred in " in line:
                progress.transferred()
        port = stage.lab.wire.counters()
        hands.end_count(running)
        grown = used(shares, hands.shares(running))
        file = stage.keep(planned.id, "".join(f"{line}\n" for line in lines))
        wire = keep_wire(stage.folder, planned.id, counters, port, running.name)
        kept, broken = read_console(
            "".join(f"{line}\n" for line in lines).encode(), file, planned.id, ("ftp_transfer",)
        )
        broken += self._incomplete(planned, kept, lines)
        samples: tuple[Record, ...] = ()
        said: dict[str, str] = {}
        if len(readings) != 2:
            broken.append("the guest that serves was not read before and after")
        else:
            try:
                interval = readings[execs.BEFORE], readings[execs.AFTER]
                work = cost(*interval, found)
                said = {
                    "by_clock": str(round(by_clock(*interval, found))),
                    "events": json.dumps(happened(*interval)),
                }
                raw = json.dumps({
                    "trial": planned.id, "reading": round(found.reading),
                    "idle_per_s": round(found.idle), "tick": found.tick and round(found.tick),
                    "at_once": [r.raw for r in at_once], "before": interval[0].raw,
                    "after": interval[1].raw, "seconds": interval[1].at - interval[0].at,
                })  # fmt: skip
                where = keep_line(stage.folder, COUNTS_LOG, raw)
                samples = records(work, stage.settings.model, raw, where)
            except ReadingError as error:
                broken.append(str(error))
        doubts = []
        if late > LATE_S:
            doubts.append(f"a reading took {late:.2f} s, longer than the client waits for it")
        if not broken:
            doubts += self._moved(planned)
        head = self._head(planned, grown, found.idle, said)
        return [Outcome(head, (*kept, *samples, wire), file, tuple(broken), tuple(doubts))]

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
        there = driver(lab.guest).digests(self._client.image, user, [(out, "OUT") for out in outs])
        right = hashlib.sha256(wanted[0].data).hexdigest()
        return [
            f"{' '.join(name)} of the client is not what was got"
            for name, each in there.items()
            if each is None or each[0] != right
        ]

    def _differ(
        self, release: str, files: Sequence[tuple[str, tuple[Stored, bytes]]], kind: str
    ) -> list[str]:
        running, hands = self._servers[release], self._hands(release)
        vmkb = Ability.FILES in hands.abilities
        want = {
            f"{name}.{kind}": hashlib.sha256(own.data if vmkb else plain).hexdigest()
            for name, (own, plain) in files
        }
        found = hands.checksums(running, list(want))
        wrong = Counter(want.values()) - Counter(found)
        if not wrong:
            return []
        names = ", ".join(name for name, digest in want.items() if digest in wrong)
        return [f"{release} has other files than were put there, among {names}"]

    def _head(
        self, planned: Planned, shares: dict[str, float], idle: float, said: dict[str, str]
    ) -> Trial:
        case, release = planned.case, planned.release
        return Trial(
            id=planned.id, run=self.stage.run_id, case=case.id, release=release.name,
            pair=planned.pair, seq=planned.seq, table="Serving files by FTP", mode=case.mode,
            run_id=planned.run_id, parts={MACHINE: "Server's guest"},
            params={
                "title": release.title, "direction": case.direction, "files": str(case.files),
                "file_kb": str(case.bytes // 1024), "idle_per_s": str(round(idle)),
                "shares": json.dumps(shares), **said,
            },
        )  # fmt: skip
