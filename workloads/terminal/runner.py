# SPDX-License-Identifier: MIT
"""Runs the terminal workload: two nodes up, trials in turn, each kept on disk before the next.

A trial is read from what was printed and shown: QUERY TIME at the meter's console, RTMSF's log, the
terminals' own text, and the wire's counters; all of it is kept.
"""

from __future__ import annotations

import json
import math
import platform
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from accounting.records import Record, Source, Unit, Value
from accounting.store import Store, Trial
from hercules.deadline import EmulatorError, pause, wait_until
from hercules.emulator.choice import Emulator, choose
from hercules.guest import Guest
from hercules.lat.station import LatTerminal
from workloads.accounts import SYSTEM
from workloads.lab import image_digest
from workloads.progress import Progress
from workloads.results import (
    TERMINALS_LOG,
    TRANSCRIPTS,
    WIRE_LOG,
    counter_doubts,
    emulator_metadata,
    good_trials,
    keep_layout_error,
    keep_line,
)
from workloads.terminal import chain, content, readout
from workloads.terminal.chain import Step, Typist
from workloads.terminal.network import SERVERS, Network
from workloads.terminal.plan import Planned, Release, Workload
from workloads.terminal.settings import Settings
from workloads.volume import make_volume, put_files

SILENCE_S = 60.0
ECHO_WITHIN = 5.0
BEAT_S = 0.5
"""TCPIP looks at its timers every quarter of a second."""
THINKS_S = (0.12, 0.28)
"""Seconds from a character's echo to the next key: a fast typist, never in step with a timer."""
TITLES = {
    "type": "TYPE at one terminal, 9600 baud",
    "monitor": "TYPE at one terminal, 9600 baud, with the monitor",
    "echo": "Echo of typed characters",
    "idle": "Nothing to do",
    "sweep": "TYPE at many terminals, 9600 baud",
}
"""What the trials' table is called where somebody else's tables are made of them."""
KEYS = "* the quick brown fox jumps over the lazy dog and goes on to the next one"


def metadata(
    workload: Workload, settings: Settings, guest: Guest, emulator: Emulator
) -> dict[str, str]:
    """What was run on what: the note under each table, and what must agree before mixing."""
    return {
        "workload": workload.name,
        **emulator_metadata(emulator),
        "guest": guest.title,
        "guest_image": image_digest(guest),
        "model": settings.model,
        "wire": settings.wire,
        "mtu": str(workload.mtu),
        "terminal": f"{workload.characters_per_second} characters/s",
        "trials": str(settings.trials),
        "size": settings.style,
        "host": platform.processor() or platform.machine(),
    }


def nodes_of(workload: Workload, planned: Planned) -> list[str]:
    """The nodes that a trial's sessions pass through."""
    far = workload.far.name
    return [planned.path.enter, far] if planned.path.enter != far else [far]


@dataclass(frozen=True)
class Done:
    """What a trial's terminals did: characters shown, seconds it took, and records about it."""

    characters: int
    seconds: float
    records: tuple[Record, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """What one node said in a trial: its meter, the monitor's log, and the time of day (UTC,
    seconds since midnight) when the terminals began and ended."""

    meter: str
    monitor: str
    begun: float
    ended: float


class TerminalRun:
    """One run into FOLDER. `left` are the trials that have no result there yet."""

    def __init__(self, workload: Workload, settings: Settings, guest: Guest, folder: Path) -> None:
        self.workload = workload
        self.settings = settings
        self.guest = guest
        self.folder = folder
        self.store = Store(folder)
        self.run_id = folder.resolve().name
        self.emulator = choose(settings.emulator)
        self.meta = metadata(workload, settings, guest, self.emulator)
        self.plan = settings.plan(workload)
        done = good_trials(folder, self.meta)
        self.left = [
            p for p in self.plan
            if not all(f"{p.id}-{node}" in done for node in nodes_of(workload, p))
        ]  # fmt: skip
        self._phase: object = None

    def run(self, progress: Progress) -> None:
        """Run what is left. EmulatorError when a guest fails: what was done stays."""
        if not self.left:
            return
        (self.folder / TRANSCRIPTS).mkdir(exist_ok=True)
        volume = self.folder / "volume.fba"
        try:
            self._make_volume(volume)
            for release in {p.release.name: p.release for p in self.left}.values():
                self._under(release, volume, progress)
        finally:
            volume.unlink(missing_ok=True)

    def _make_volume(self, image: Path) -> None:
        added = content.added_users(self.workload)
        make_volume(self.guest.folder / "volume", content.replaced_users(), image, added)
        for owner, files in content.disks(self.workload).items():
            put_files(image, owner, 0x191, files)

    def _under(self, release: Release, volume: Path, progress: Progress) -> None:
        names = " and ".join(n.name for n in self.workload.node)
        progress.say(f"Starting {names}: {self.guest.title} with {release.title}")
        self._phase = None
        with Network(
            self.workload, release, self.guest, self.folder / "guests", volume,
            self.settings.wire, self.settings.model, self.emulator,
        ) as network:  # fmt: skip
            if not self.emulator.exact:
                self.meta |= keep_layout_error(self.folder, network.calibrate())
            begun = datetime.now(UTC).isoformat("T", "seconds")
            self.store.begin_run(self.run_id, self.meta, begun)
            for planned in self.left:
                if planned.release == release:
                    self._trial(network, planned, progress)

    def _typists(self, network: Network, planned: Planned) -> list[Typist]:
        """The people of a trial. With one terminal every path has its own user, so that the paths
        take turns; a sweep has the nodes for itself."""
        phase = planned.path.id if planned.kind == "sweep" else "one"
        if phase != self._phase:
            network.everybody_leaves()
            self._phase = phase
            if phase == "one":
                self._warm_up(network, planned.release)
        first = 1 if planned.kind == "sweep" else self.workload.path.index(planned.path) + 1
        return network.typists(planned.path, first, planned.terminals)

    def _warm_up(self, network: Network, release: Release) -> None:
        """All paths TYPE at once what their trials will, unread: the first time the documents come
        from the disk, and TCP begins with small windows."""
        one = [p for p in self.left if p.kind != "sweep" and p.release == release]
        typists = [
            network.typists(path, self.workload.path.index(path) + 1, 1)[0]
            for path in dict.fromkeys(p.path for p in one)
        ]
        documents = self.workload.amount(self.settings.style).documents
        steps = [Step(f"{content.TYPE_NAME.lower()} {documents}", content.READY, True)]
        chain.all_do(typists, lambda _: steps, SILENCE_S)

    def _trial(self, network: Network, planned: Planned, progress: Progress) -> None:
        typists = self._typists(network, planned)
        first, last = typists[0].n, typists[-1].n
        nodes = nodes_of(self.workload, planned)
        progress.trial(planned.id, max(1, self._expected(planned) * len(typists) // 1024))
        watch = (
            network.monitored(nodes, self.workload.amount(self.settings.style).monitor_seconds)
            if planned.kind == "monitor"
            else nullcontext()
        )
        with watch:
            said = {node: network.meter(node, "BEFORE", first, last) for node in nodes}
            since = time.monotonic()
            before = network.lab.wire.counters()
            begun = _of_day()
            act = {"echo": self._echo, "idle": self._idle}.get(planned.kind, self._type)
            done = act(planned, typists, progress)
            if planned.kind == "type":
                done = replace(done, seconds=_whole_beats(since))
            ended = _of_day()
            after = network.lab.wire.counters()
            for node in nodes:
                said[node] += network.meter(node, "AFTER", first, last)
        if planned.kind == "echo":  # what was typed is sent when it is measured
            chain.all_do(typists, lambda _: [Step(" ", content.READY, True)], SILENCE_S)
        done = replace(done, records=(*done.records, self._lan(planned, before, after)))
        doubts = list(done.doubts)
        for node in nodes:
            monitor = network.monitor_log(node) if planned.kind == "monitor" else ""
            doubts += self._keep(
                planned, node, typists, Said(said[node], monitor, begun, ended), done
            )
        progress.done("NOT TRUSTED: " + doubts[0] if doubts else "good")

    def _expected(self, planned: Planned) -> int:
        return len(content.shown(self.workload, planned.documents)) or planned.keys

    def _keep(
        self, planned: Planned, node: str, typists: Sequence[Typist], said: Said, done: Done
    ) -> list[str]:
        """Write NODE's part of a trial to disk; why not to trust it."""
        head = self._head(planned, node, typists, done)
        self.store.begin_trial(head)
        files = {
            kind: self.folder / TRANSCRIPTS / f"{head.id}-{kind}.txt"
            for kind in ("meter", "monitor")
        }
        files["meter"].write_text(said.meter, "utf-8")
        if said.monitor:
            files["monitor"].write_text(said.monitor, "utf-8")
        where = {kind: f"{TRANSCRIPTS}/{path.name}" for kind, path in files.items()}
        users = [*SERVERS, *(content.user(t.n) for t in typists)]
        read = readout.read_meter(said.meter.encode(), where["meter"], head.id, users)
        if read.broken:
            why = "; ".join(read.broken)
            self.store.end_trial(head.id, "failed", why)
            raise EmulatorError(f"Trial {head.id} failed: {why}. Its transcript: {files['meter']}.")
        doubts = counter_doubts(read.records, self.emulator)
        model = readout.model_of(read.records)
        if model.upper() != self.settings.model.upper():
            doubts.append(f"CP's model was {model or 'not told'}, not {self.settings.model}")
        monitor = readout.read_monitor(
            said.monitor.encode(), where["monitor"], head.id, said.begun, said.ended
        )
        self.store.add_records(head.id, [*read.records, *monitor, *done.records])
        every = [*done.doubts, *doubts]
        self.store.end_trial(head.id, "untrusted" if every else "good", "; ".join(every))
        return doubts

    def _type(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """All TYPE the documents at the same time, as fast as their lines go."""
        command = f"{content.TYPE_NAME.lower()} {planned.documents}"
        marks = [len(t.terminal.shown) for t in typists]
        told = _Steps(progress, sum(marks))
        begun = time.monotonic()
        steps = [Step(command, content.READY, True)]
        chain.all_do(typists, lambda _: steps, SILENCE_S, told)
        last = max(t.terminal.shown_at for t in typists)
        texts = [
            bytes(t.terminal.shown[m:]).decode("latin-1")
            for t, m in zip(typists, marks, strict=True)
        ]
        rates = [
            len(text) / (t.terminal.shown_at - begun)
            for t, text in zip(typists, texts, strict=True)
        ]
        expected = content.shown(self.workload, planned.documents)
        wrong = [t for t, x in zip(typists, texts, strict=True) if not _is(x, command, expected)]
        self._save_terminals(planned, texts)
        characters = sum(map(len, texts))
        shown = {"rates": [round(r, 1) for r in rates], "wrong": [t.n for t in wrong]}
        raw = json.dumps({"trial": planned.id, **shown})
        where = keep_line(self.folder, TERMINALS_LOG, raw)
        record = readout.sessions_record(rates, characters, len(wrong), raw, where)
        doubts = [
            f"terminal {t.n} did not show what the documents say, character for character"
            for t in wrong
        ]
        return Done(characters, last - begun, (record,), tuple(doubts))

    def _save_terminals(self, planned: Planned, texts: Sequence[str]) -> None:
        path = self.folder / TRANSCRIPTS / f"{planned.id}-terminals.json"
        path.write_text(json.dumps(texts), "utf-8")

    def _echo(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """One types a line, each key when the one before is shown and a moment has passed."""
        terminal = typists[0].terminal
        moments = random.Random(planned.id)
        begun = time.monotonic()
        start = len(terminal.shown)
        waits = []
        for k, key in enumerate(KEYS[: planned.keys], start=1):
            pause(moments.uniform(*THINKS_S))
            typed = time.monotonic()
            terminal.type(key)
            wait_until(_shows(terminal, start + k), ECHO_WITHIN, f"the echo of key {k}")
            waits.append(terminal.shown_at - typed)
        seconds = time.monotonic() - begun
        line = bytes(terminal.shown[start:]).decode("latin-1")
        raw = json.dumps({"trial": planned.id, "ms": [round(1000 * w, 3) for w in waits]})
        self._save_terminals(planned, [line])
        record = readout.echo_record(waits, raw, keep_line(self.folder, TERMINALS_LOG, raw))
        wrong = line != KEYS[: planned.keys]
        doubts = ("the echo is not what was typed",) if wrong else ()
        return Done(len(line), seconds, (record,), doubts)

    def _idle(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """Nobody does anything."""
        begun = time.monotonic()
        pause(planned.idle_seconds)
        return Done(0, time.monotonic() - begun, ())

    def _lan(self, planned: Planned, before: Mapping[str, Any], after: Mapping[str, Any]) -> Record:
        ports = {"before": before["ports"], "after": after["ports"]}
        raw = json.dumps({"trial": planned.id, **ports})
        where = keep_line(self.folder, WIRE_LOG, raw)
        # The whole reading is in that file; a copy in each node's records would be long.
        short = json.dumps({"trial": planned.id})
        return readout.lan_record(before, after, short, where)

    def _head(self, planned: Planned, node: str, typists: Sequence[Typist], done: Done) -> Trial:
        path = planned.path.id
        passing = node != self.workload.far.name
        parts = {}
        if path == "TELNET":
            parts = {"TCPIP": "TCPIP"} if passing else {"TELNETD": "TELNETD", "TCPIP": "TCPIP"}
        label = {"TELNET": "TELNET", "SET HOST": "SET HOST"}[path] if passing else "TYPE"
        parts |= {content.user(t.n): label for t in typists}
        parts[SYSTEM] = "CP itself"
        return Trial(
            id=f"{planned.id}-{node}",
            run=self.run_id,
            case=f"{path} {node}",
            release=planned.release.name,
            # No pair: releases run one after the other here, and the paths are no releases.
            seq=planned.seq,
            table=TITLES[planned.kind],
            mode=path,
            parts=parts,
            data=Value(done.characters, Unit.BYTE, Source.WI) if done.characters else None,
            elapsed=Value(round(1e6 * done.seconds), Unit.US, Source.WI),
            params={
                "kind": planned.kind,
                "path": path,
                "node": node,
                "terminals": str(planned.terminals),
                "documents": str(planned.documents),
                "keys": str(planned.keys),
            },
        )


class _Steps:
    """Tells a progress bar of each kilobyte more that was shown."""

    def __init__(self, progress: Progress, start: int) -> None:
        self._progress = progress
        self._start = start
        self._told = 0

    def __call__(self, characters: int) -> None:
        while self._told < (characters - self._start) // 1024:
            self._told += 1
            self._progress.transferred()


def _whole_beats(since: float) -> float:
    """Waits until a whole number of beats have passed since then, and says how many seconds it is:
    so each trial has as many ticks of the nodes' service machines."""
    seconds = BEAT_S * math.ceil((time.monotonic() - since) / BEAT_S)
    pause(max(0.0, since + seconds - time.monotonic()))
    return seconds


def _of_day() -> float:
    return time.time() % 86_400


def _shows(terminal: LatTerminal, length: int) -> Callable[[], bool]:
    return lambda: len(terminal.shown) >= length


def _is(shown: str, command: str, expected: str) -> bool:
    """Whether a terminal showed the command's echo, the documents and one Ready message."""
    head = command + "\r\n" + expected
    return (
        shown.startswith(head)
        and shown[len(head) - 2 :].startswith(content.READY)
        and (shown.endswith("\r\n") and shown.count("\n", len(head)) == 1)
    )
