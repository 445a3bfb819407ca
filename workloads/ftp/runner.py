# SPDX-License-Identifier: MIT
"""Runs the FTP workload: guests up, trials in turn, each kept on disk before the next begins.

One guest for each release and one in the file server's role stay up for the whole run, so that
base and new alternate without a boot between them; only one of the measured guests works at a
time. What a trial left is read from its transcript, which is kept.
"""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from accounting.counter import BUILD_SPREAD, SAME_PROGRAM
from accounting.records import Record
from accounting.store import Store, Trial
from guests.vmkb.disk.records import from_text
from hercules.deadline import EmulatorError
from hercules.emulator.choice import Emulator, choose, profiling
from hercules.emulator.cputime import STEP_S
from hercules.guest import Guest
from workloads.accounts import ends_accounts
from workloads.ftp import execs
from workloads.ftp.content import source_files, transfers
from workloads.ftp.plan import Planned, Workload
from workloads.ftp.readout import (
    Readout,
    compare_digests,
    read_trial,
    wire_record,
)
from workloads.ftp.settings import Settings
from workloads.ftp.witness import host_record
from workloads.lab import Lab, Station, image_digest
from workloads.profiling import keep, keep_programs, mark
from workloads.progress import Progress
from workloads.results import (
    HOST_LOG,
    TRANSCRIPTS,
    WIRE_LOG,
    counter_doubts,
    emulator_metadata,
    good_trials,
    keep_layout_error,
    keep_line,
)
from workloads.variants import PLAIN, variant
from workloads.volume import CmsName, digests, make_volume, put_files

SILENCE_S = 150.0
"""A trial may be silent so long: longer than the 120 s after which FTP gives a server up."""
WARM_UP_WIRE = "fast"
CLIENT_NET = "10.17.0.{host}"
FIRST_HOST = 11
TIME_WAITS = 32
"""Connections that the guest's TCPIP remembers in TIME-WAIT (its sock.h), and looks through for
each segment that comes: of the first trials fewer, in all others as many."""


def metadata(
    workload: Workload, settings: Settings, guest: Guest, emulator: Emulator
) -> dict[str, str]:
    """What was run on what: the note under each table, and what must agree before mixing."""
    return {
        "workload": workload.name,
        **emulator_metadata(emulator),
        "guest": guest.title,
        "guest_image": image_digest(guest),
        "server": workload.server.title,
        "model": settings.model,
        "wire": settings.wire,
        "mtu": str(workload.mtu),
        "data_buffer_pool_size": str(workload.data_buffer_pool_size),
        "trials": str(settings.trials),
        "builds": str(settings.builds),
        "size": settings.style,
        "host": platform.processor() or platform.machine(),
    }


def station_name(release: str, build: int) -> str:
    """What the guest of a build is called in the lab: its folder and its port of the wire."""
    return release if build == PLAIN else f"{release}-{build}"


class FtpRun:
    """One run into FOLDER. `left` are the trials that have no result there yet."""

    def __init__(self, workload: Workload, settings: Settings, guest: Guest, folder: Path) -> None:
        self.workload = workload
        self.settings = settings
        self.guest = guest
        self.folder = folder
        self.store = Store(folder)
        self.run_id = folder.resolve().name
        self.emulator = choose(settings.emulator)
        if settings.profile:
            self.emulator = profiling(self.emulator)
        self.meta = metadata(workload, settings, guest, self.emulator)
        self.plan = settings.plan(workload)
        done = good_trials(folder, self.meta)
        self.left = [p for p in self.plan if p.id not in done]
        self._stations: dict[tuple[str, int], Station] = {}
        self._guests = {PLAIN: guest}
        self._server: Station | None = None
        self._originals: dict[CmsName, tuple[str, int] | None] = {}

    def run(self, progress: Progress) -> None:
        """Run what is left. EmulatorError when a guest fails: what was done stays."""
        if not self.left:
            return
        (self.folder / TRANSCRIPTS).mkdir(exist_ok=True)
        volume = self.folder / "volume.fba"
        try:
            self._make_volume(volume)
            with Lab(
                self.guest, self.folder / "guests", volume, self.settings.wire, self.emulator
            ) as lab:
                self._start(lab, progress)
                self.meta |= self._counter()
                begun = datetime.now(UTC).isoformat("T", "seconds")
                self.store.begin_run(self.run_id, self.meta, begun)
                for planned in self.left:
                    self._trial(lab, planned, progress)
        finally:
            volume.unlink(missing_ok=True)

    def _make_volume(self, image: Path) -> None:
        client = self.workload.client
        make_volume(self.guest.folder / "volume", {client.user: client.entry}, image)
        files = dict(source_files(self.workload))
        for name, text in execs.exec_texts(self.workload.part, client.user).items():
            files[name, "EXEC"] = from_text(text)
        vaddr = int(client.minidisk, 16)
        put_files(image, client.user, vaddr, files)
        self._originals = digests(image, client.user, vaddr, files)

    def _start(self, lab: Lab, progress: Progress) -> None:
        """The file server, then a guest for each build of each release, each tried out once,
        unmeasured."""
        wanted = {(p.release.name, p.build): p.release for p in self.left}
        for number in {build for _, build in wanted if build != PLAIN}:
            progress.say(f"Building {self.guest.title} once more, number {number}")
            self._guests[number] = variant(self.guest, number)
        server = self.workload.server
        self._server = self._boot(lab, "server", self.guest, server.parameter, server.address)
        for host, ((name, build), release) in enumerate(wanted.items(), start=FIRST_HOST):
            which = f", build {build}" if self.settings.builds > 1 else ""
            progress.say(f"Starting {self.guest.title} with {release.title}{which}")
            if self.settings.profile:
                keep_programs(self._guests[build], self.folder, build)
            address = CLIENT_NET.format(host=host)
            self._stations[name, build] = self._boot(
                lab, station_name(name, build), self._guests[build], release.parameter, address
            )
        lab.wire.set_profile("*", WARM_UP_WIRE)
        for name, build in wanted:
            self._warm_up(lab, name, build)
        lab.wire.set_profile("*", self.settings.wire)

    def _counter(self) -> dict[str, str]:
        """What is known of how far counts are off: by layouts on a stock counter, by builds."""
        known = {}
        if self.workload.build_spread_percent is not None:
            known[BUILD_SPREAD] = f"{self.workload.build_spread_percent:g}"
            same = (p.label for p in self.workload.part if not p.of_release)
            known[SAME_PROGRAM] = ",".join(same)
        if not self.emulator.exact:
            assert self._server is not None
            how = self.workload.starter
            said = self._server.calibrate(how.user, how.password)
            known |= keep_layout_error(self.folder, said)
        return known

    def _boot(self, lab: Lab, name: str, guest: Guest, level: str, address: str) -> Station:
        parameter = f"{level} IP={address} MTU={self.workload.mtu} MODEL={self.settings.model}"
        station = lab.add(name, parameter, guest)
        how = self.workload.starter
        lab.start_network(station, how.user, how.password, how.command, how.ready)
        return station

    def _warm_up(self, lab: Lab, release: str, build: int) -> None:
        """Each case once with each of its files: addresses are learnt, minidisk caches filled. Then
        as many connections as TCPIP remembers: who sends a file ends its connection."""
        mine = [p for p in self.left if (p.release.name, p.build) == (release, build)]
        size = self.workload.size
        small = min(
            (c for c in self.workload.case if c.direction == "put"),
            key=lambda c: size[c.size].bytes,
            default=None,
        )
        if small is not None:
            many = {"id": f"{mine[0].run_id}-TW", "case": small, "files": TIME_WAITS}
            self._play(lab, mine[0].model_copy(update=many), None)
        for planned in {p.case.id: p for p in mine}.values():
            files = min(self.workload.size[planned.case.size].sources, planned.files)
            trial = planned.model_copy(update={"id": f"{planned.run_id}-0", "files": files})
            text, _, path = self._play(lab, trial, None)
            readout = read_trial(text, f"{TRANSCRIPTS}/{path.name}", self.workload, trial)
            if readout.broken:
                raise self._failed(f"The warm-up {trial.id}", readout.broken, text, path)

    def _failed(self, what: str, broken: Sequence[str], text: bytes, path: Path) -> EmulatorError:
        tail = "\n".join(f"  {line}" for line in text.decode().splitlines()[-20:])
        return EmulatorError(
            f"{what} failed: {'; '.join(broken)}. Its transcript is {path}; its end:\n{tail}"
        )

    def _play(
        self, lab: Lab, planned: Planned, progress: Progress | None
    ) -> tuple[bytes, list[Record], Path]:
        """Run one trial's procedure; its transcript, what wire and host counted, where it is kept.

        The host's clock is read as each answer of QUERY ACNT comes to its end.
        """
        station = self._stations[planned.release.name, planned.build]
        client = self.workload.client
        before = lab.wire.counters()
        session = station.logon(client.user, client.password)
        mark = station.log.mark()
        sources = min(self.workload.size[planned.case.size].sources, planned.files)
        session.terminal.type(execs.command(self.workload, planned, sources))
        session.terminal.enter()
        lines: list[str] = []
        host: list[float] = []
        expected = f"trial {planned.id} to go on"
        for line in station.follow(mark, execs.DONE, SILENCE_S, expected):
            if station.machine.says(line):
                continue  # what the emulator says in between is not of the guest's console
            if not lines:
                station.leave()  # the procedure has disconnected itself
            lines.append(line)
            if ends_accounts(line):
                with contextlib.suppress(EmulatorError):  # a kernel that does not tell
                    host.append(station.machine.cpu_seconds())
            if progress is not None and " bytes transferred in " in line:
                progress.transferred()
        after = lab.wire.counters()
        text = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        path = self.folder / TRANSCRIPTS / f"{planned.id}.txt"
        path.write_bytes(text)
        counted = [self._wire(planned, before, after)]
        if len(host) == 2:
            raw = json.dumps({"trial": planned.id, "cpu_thread_seconds": host})
            where = keep_line(self.folder, HOST_LOG, raw)
            counted.append(host_record(host[0], host[1], STEP_S, raw, where))
        return text, counted, path

    def _wire(
        self, planned: Planned, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Record:
        port = station_name(planned.release.name, planned.build)
        raw = json.dumps(
            {"trial": planned.id, "before": before["ports"][port], "after": after["ports"][port]}
        )
        return wire_record(before, after, port, raw, keep_line(self.folder, WIRE_LOG, raw))

    def _trial(self, lab: Lab, planned: Planned, progress: Progress) -> None:
        progress.trial(planned.id, planned.files)
        self.store.begin_trial(self._head(planned))
        station = self._stations[planned.release.name, planned.build].folder
        since = mark(station)
        text, counted, path = self._play(lab, planned, progress)
        readout = read_trial(text, f"{TRANSCRIPTS}/{path.name}", self.workload, planned)
        if readout.broken:
            self.store.end_trial(planned.id, "failed", "; ".join(readout.broken))
            raise self._failed(f"Trial {planned.id}", readout.broken, text, path)
        if self.settings.profile:
            keep(station, since, self.folder, planned.id)
        doubts = self._check(readout, planned)
        self.store.add_records(planned.id, [*readout.records, *counted])
        self.store.end_trial(planned.id, "untrusted" if doubts else "good", "; ".join(doubts))
        progress.done("NOT TRUSTED: " + doubts[0] if doubts else "good")

    def _check(self, readout: Readout, planned: Planned) -> list[str]:
        """Why not to trust a trial: accounts, the model in force, files that differ."""
        doubts = list(readout.doubts)
        in_force = readout.model
        if in_force.upper() != self.settings.model.upper():
            doubts.append(f"CP's model was {in_force or 'not told'}, not {self.settings.model}")
        doubts += counter_doubts(readout.records, self.emulator)
        moved = transfers(self.workload, planned)
        client = self.workload.client
        here = self._stations[planned.release.name, planned.build].image
        assert self._server is not None
        there = self._server.image
        put = planned.case.direction == "put"
        source, target = (here, there) if put else (there, here)
        vaddr = int(client.minidisk, 16)
        sources = digests(source, client.user, vaddr, {s for s, _ in moved})
        targets = digests(target, client.user, vaddr, [t for _, t in moved])
        doubts += compare_digests(moved, sources, targets)
        doubts += [
            f"{' '.join(name)} is not the file that was put there"
            for name, found in sources.items()
            if found != self._originals[name]
        ]
        return doubts

    def _head(self, planned: Planned) -> Trial:
        case, workload = planned.case, self.workload
        kilobytes = workload.size[case.size].bytes // 1024
        return Trial(
            id=planned.id,
            run=self.run_id,
            case=case.id,
            release=planned.release.name,
            pair=planned.pair,
            seq=planned.seq,
            table=case.table,
            mode=case.mode,
            run_id=planned.run_id,
            parts={p.user: p.label for p in workload.part},
            params={
                "direction": case.direction,
                "file": case.size,
                "transfers": f"{planned.files} of {case.size}",
                "file_kb": str(kilobytes),
                "build": str(planned.build),
            },
        )
