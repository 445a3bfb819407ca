# SPDX-License-Identifier: MIT
"""The FTP workload: one guest measured, and one in the file server's role."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from vmkb.accounting.analysis.specification import Given, Specification
from vmkb.accounting.records import Record
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.guests.base import Ability, Contents, Driver, FileName, Role, Running, Wishes, driver
from vmkb.guests.compiled import PLAIN
from vmkb.guests.contents import Content, Text
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.definition import Style
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import POOLS, read_console
from vmkb.workloads.base.results import failed, keep_wire
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Outcome, Stage, answering
from vmkb.workloads.ftp import execs
from vmkb.workloads.ftp.content import source_files, transfers
from vmkb.workloads.ftp.measures import cells
from vmkb.workloads.ftp.plan import Definition, Planned, plan
from vmkb.workloads.ftp.readout import compare_digests, read_trial
from vmkb.workloads.ftp.tables import close_sentences, resent, sanity_table, wire_table

SILENCE_S = 150.0
"""A trial may be silent so long: longer than the 120 s after which FTP gives a server up."""
WARM_UP_WIRE = "fast"
CLIENT_ADDRESS = "10.17.0.11"
TIME_WAITS = 32
"""Connections that the guest's TCPIP remembers in TIME-WAIT (its port/tcp.c), and looks through for
each segment that comes: of the first trials fewer, in all others as many."""
_NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.FTP})


def station_name(release: str, build: int) -> str:
    """The name of a build's guest in the lab: its folder and its port of the wire."""
    return release if build == PLAIN else f"{release}-{build}"


class Workload(base.Workload[Definition, Planned]):
    """FTP get and put between two guests."""

    kind = Definition
    roles = (Role("client", _NEEDED | {Ability.CPU}), Role("file server", _NEEDED))
    options = frozenset({"builds", "profile", "ip"})
    servers = "serve"
    on_stock = True
    programs = frozenset({"cp", "cms", "tcpip"})

    def usual_cases(self, style: Style) -> Sequence[str]:
        """With --full those that are published."""
        return [c.id for c in self.definition.case if c.published] if style == "full" else ()

    def plan(self, settings: Settings) -> list[Planned]:
        """Every trial, in order."""
        return plan(self.definition, settings.style, self.rounds(settings))

    def about(self, settings: Settings) -> dict[str, str]:
        """The server, the client's buffers, and how many builds."""
        other = answering(self.definition, settings)
        return {
            "server": f"VM/KB FTPSERVE, {other.title}" if other else self.definition.server.title,
            "data_buffer_pool_size": str(self.definition.data_buffer_pool_size),
            "builds": str(settings.builds),
        }

    def contents(self, driver: Driver) -> Contents:
        """The client's entry, its procedures, and the files that are transferred."""
        client = self.definition.client
        files = dict(self._sources)
        for name, text in execs.exec_texts(driver, self.definition.part, client.user).items():
            files[name, "EXEC"] = Text(text)
        return Contents({client.user: client.entry}, files={client.user: files})

    @cached_property
    def _sources(self) -> dict[FileName, Content]:
        return source_files(self.definition)

    @cached_property
    def _originals(self) -> dict[str, dict[FileName, tuple[str, int]]]:
        """SHA-256 and size of each source as a guest holds it, by the guest's name."""
        return {}

    def start(self, planned: Planned) -> Hashable:
        """A build of a release: what is transferred is the case's own."""
        return planned.release.name, planned.build

    def begin(self, stage: Stage[Planned]) -> FtpBench:
        """Both guests, tried out once."""
        guest = stage.lab.guest
        if guest.name not in self._originals:
            stored = {name: driver(guest).stored(each) for name, each in self._sources.items()}
            self._originals[guest.name] = {
                name: (hashlib.sha256(data).hexdigest(), len(data)) for name, data in stored.items()
            }
        return FtpBench(self.definition, stage, self._originals[guest.name])

    def specification(self) -> Specification:
        """Costs by machine, and what only these trials have: what crossed the wire, the books."""
        return replace(
            super().specification(),
            tables=_tables,
            cells=lambda given: cells(self.definition, given),
            doubts=lambda given: close_sentences(given.trials)[1],
            notes=lambda given: [*close_sentences(given.trials)[0], *resent(given.trials)],
        )


def _tables(given: Given) -> list[Table | None]:
    """The tables that only these trials have: what crossed the wire, the books."""
    return [make(given.trials) for make in (wire_table, sanity_table)]


class FtpBench(base.Bench[Planned]):
    """The file server, and a guest of one build of one release, tried out once, unmeasured.
    `losses`: the part of the frames that a port's link loses in trials; `*`: each link."""

    losses: Mapping[str, float] = {}

    def __init__(
        self, definition: Definition, stage: Stage[Planned],
        originals: Mapping[FileName, tuple[str, int]],
    ) -> None:  # fmt: skip
        self.definition = definition
        self.stage = stage
        self._originals = originals
        server, mtu = definition.server, definition.mtu
        level = (answering(definition, stage.settings) or server).parameter
        self._server = stage.boot("server", Wishes(level, server.address, mtu))
        first = stage.left[0]
        release, build = first.release, first.build
        self._station = stage.boot(
            station_name(release.name, build), Wishes(release.parameter, CLIENT_ADDRESS, mtu), build
        )
        self._fill(first)

    def measured(self, planned: Planned) -> Running:
        """The client's guest."""
        return self._station

    def _fill(self, first: Planned) -> None:
        """As many connections as TCPIP remembers: who sends a file ends its connection."""
        size = self.definition.size
        small = min(
            (c for c in self.definition.case if c.direction == "put"),
            key=lambda c: size[c.size].bytes,
            default=None,
        )
        if small is not None:
            name = f"TW{first.release.name}-{first.build}"
            many = first.model_copy(update={"id": name, "case": small, "files": TIME_WAITS})
            with self._warming():
                self._check(many, *self._procedure(many, name))

    def prepare(self, mine: Sequence[Planned]) -> None:
        """Run each case once with each of its files: addresses are learnt, minidisk caches
        filled."""
        size = self.definition.size
        for planned in {p.case.id: p for p in mine}.values():
            files = min(size[planned.case.size].sources, planned.files)
            of = f"-build{planned.build}" if planned.build > 1 else ""
            trial = planned.model_copy(update={"id": f"{planned.run_id}{of}-0", "files": files})
            with self._warming():
                text, _, file = self._play(trial, f"{planned.id}-0")
            self._check(trial, text, file)

    def _check(self, trial: Planned, text: bytes, file: str) -> None:
        """EmulatorError if the TEXT of a warm-up, which is in FILE, says that it failed."""
        read = read_trial(text, file, self.definition, trial)
        if read.broken:
            raise failed(f"The warm-up {trial.id}", read.broken, self.stage.folder / file)

    @contextmanager
    def _warming(self) -> Iterator[None]:
        """Within, the wire takes no time."""
        wire = self.stage.lab.wire
        wire.set_profile("*", WARM_UP_WIRE)
        yield
        wire.set_profile("*", self.stage.settings.wire)
        for port, loss in self.losses.items():
            wire.set_profile(port, self.stage.settings.wire, loss=loss)

    def _play(
        self, planned: Planned, kept: str, progress: Progress | None = None
    ) -> tuple[bytes, list[Record], str]:
        """Run one trial's procedure; its transcript, what the wire counted, where it is: KEPT is
        its name there, of which no trial beside it has the like."""
        wire = self.stage.lab.wire
        before = wire.counters()
        text, file = self._procedure(planned, kept, progress)
        port = station_name(planned.release.name, planned.build)
        counted = keep_wire(self.stage.folder, kept, before, wire.counters(), port)
        return text, [counted], file

    def _procedure(
        self, planned: Planned, kept: str, progress: Progress | None = None
    ) -> tuple[bytes, str]:
        """Run one trial's procedure; its transcript, and the file of that, which is called KEPT."""
        client = self.definition.client
        sources = min(self.definition.size[planned.case.size].sources, planned.files)
        command = execs.command(self.definition, planned, sources)
        lines: list[str] = []
        for line in procedure(
            self._station, client.user, client.password, command, execs.DONE, SILENCE_S,
            f"trial {planned.id} to go on",
        ):  # fmt: skip
            lines.append(line)
            if progress is not None and " bytes transferred in " in line:
                progress.transferred()
        text = "".join(f"{line}\n" for line in lines)
        return text.encode(), self.stage.keep(kept, text)

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """Run the procedure and look at the files at both ends."""
        progress.trial(planned.id, planned.files)
        text, counted, file = self._play(planned, planned.id, progress)
        read = read_trial(text, file, self.definition, planned)
        broken, doubts = read.broken, read.doubts
        if not broken:
            wrong, replaced = self._differ(planned)
            broken, doubts = tuple(wrong), (*doubts, *replaced)
        records = (*read.records, *counted, *self._pools(planned, broken))
        return [Outcome(self._head(planned), records, file, broken, doubts)]

    def _pools(self, planned: Planned, broken: Sequence[str]) -> Sequence[Record]:
        """Of a profiled trial, how much of its storage the client's TCP/IP had in use at most."""
        if broken or not self.stage.settings.profile:
            return ()
        kept = f"{planned.id}-pools"
        text = driver(self.stage.lab.guest).pools(self._station)
        file = self.stage.keep(kept, text)
        return read_console(text.encode(), file, planned.id, POOLS)[0]

    def _differ(self, planned: Planned) -> tuple[list[str], list[str]]:
        """A sentence for each copy that is not what was sent, which has no cost, and for each
        source that is not what was put there."""
        moved = transfers(self.definition, planned)
        client = self.definition.client
        here, there = self._station.image, self._server.image
        put = planned.case.direction == "put"
        source, target = (here, there) if put else (there, here)
        hands = driver(self.stage.lab.guest)
        sources = hands.digests(source, client.user, {s for s, _ in moved})
        targets = hands.digests(target, client.user, [t for _, t in moved])
        replaced = [
            f"{' '.join(name)} is not the file that was put there"
            for name, found in sources.items()
            if found != self._originals[name]
        ]
        return compare_digests(moved, sources, targets), replaced

    def _head(self, planned: Planned) -> Trial:
        case = planned.case
        kilobytes = self.definition.size[case.size].bytes // 1024
        return Trial(
            id=planned.id,
            run=self.stage.run_id,
            case=case.id,
            release=planned.release.name,
            pair=planned.pair,
            seq=planned.seq,
            table=case.table,
            mode=case.mode,
            run_id=planned.run_id,
            parts={p.user: p.label for p in self.definition.part},
            params={
                "direction": case.direction,
                "file": case.size,
                "transfers": f"{planned.files} of {case.size}",
                "file_kb": str(kilobytes),
                "build": str(planned.build),
            },
        )
