# SPDX-License-Identifier: MIT
"""The terminal workload: two nodes up, trials in turn.

A trial is read from what was printed and shown: QUERY TIME at the meter's console, RTMSF's log, the
terminals' own text, and the wire's counters; all of it is kept.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.guests.base import Ability, Contents, Driver, Role
from vmkb.hercules.deadline import pause, present, wait_until
from vmkb.hercules.lat.station import LatTerminal
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import TERMINALS_LOG, TRANSCRIPTS, WIRE_LOG, keep_line
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.terminal import answer, chain, content, readout
from vmkb.workloads.terminal.chain import Step, Typist
from vmkb.workloads.terminal.network import SERVERS, Network
from vmkb.workloads.terminal.plan import Chain, Definition, Planned, plan
from vmkb.workloads.terminal.tables.clock import spread
from vmkb.workloads.terminal.tables.sweep import unfair

SILENCE_S = 60.0
ECHO_WITHIN = 5.0
BEAT_S = 0.5
"""TCPIP looks at its timers every quarter of a second."""
WITH_OTHERS = ("type", "monitor", "job")
"""Kinds of trials in whose world other systems send, too."""
WHOLE = ("type", "monitor", "job", "sweep")
"""Kinds of trials whose time is a whole number of beats, from the command on."""
THINKS_S = (0.12, 0.28)
"""Seconds from a character's echo to the next key: a fast typist, never in step with a timer."""
TITLES = {
    "type": "TYPE at one terminal, 9600 baud",
    "monitor": "TYPE at one terminal, 9600 baud, with the monitor",
    "echo": "Echo of typed characters",
    "idle": "Nothing to do",
    "job": "TYPE at one terminal, 9600 baud, beside a CPU-bound job",
    "sweep": "TYPE at many terminals, 9600 baud",
}
"""The title of the trials' table where somebody else's tables are made of them."""
KEYS = "* the quick brown fox jumps over the lazy dog and goes on to the next one"


def nodes_of(definition: Definition, planned: Planned) -> list[str]:
    """The nodes that a trial's sessions pass through."""
    far = definition.far.name
    return [planned.case.enter, far] if planned.case.enter != far else [far]


def servers_of(planned: Planned, node: str) -> tuple[str, ...]:
    """The machines of NODE whose account is asked for beside the terminals' users."""
    return (
        (*SERVERS, content.JOB) if planned.kind == "job" and node == planned.case.enter else SERVERS
    )


@dataclass(frozen=True)
class Done:
    """The work of a trial's terminals: characters shown, seconds it took, and records about it."""

    characters: int
    seconds: float
    records: tuple[Record, ...]
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Said:
    """The texts of one node in a trial: its meter, the monitor's log, and the time of day (UTC,
    seconds since midnight) when the terminals began and ended."""

    meter: str
    monitor: str
    begun: float
    ended: float


_NODE = frozenset(Ability) - {Ability.TCP, Ability.FTP, Ability.LOOPBACK, Ability.SYMBOLS}

SHOWN = ("Path", "Instructions per KB (IC)", "Ratio to the first path (IC)")


class Workload(base.Workload[Definition, Planned]):
    """TYPE at 9600 baud by several paths."""

    kind = Definition
    roles = (Role("near node", _NODE), Role("far node", _NODE))
    servers = "telnet"

    def plan(self, settings: Settings) -> list[Planned]:
        """Every trial, in order."""
        cases, releases = self.chosen(settings)
        paths = [c for c in cases if isinstance(c, Chain)]
        return plan(self.definition, settings.style, paths, releases, settings.trials)

    def heads(self, planned: Planned) -> list[str]:
        """One for each node that its sessions pass."""
        return [f"{planned.id}-{node}" for node in nodes_of(self.definition, planned)]

    def about(self, settings: Settings) -> dict[str, str]:
        """The speed of the terminals."""
        return {"terminal": f"{self.definition.characters_per_second} characters/s"}

    def contents(self, driver: Driver) -> Contents:
        """Users, documents and procedures."""
        return content.contents(self.definition)

    def start(self, planned: Planned) -> Hashable:
        """Both nodes under one release, with what else is there."""
        path = planned.case
        others = path.others_kb_s if planned.kind in WITH_OTHERS else 0
        return planned.release.name, path.system, tuple(path.idle), others

    def begin(self, stage: Stage[Planned]) -> TerminalBench:
        """Both nodes."""
        return TerminalBench(self.definition, stage)

    def specification(self) -> Specification:
        """The cost of a terminal by each path: tables with rows for paths and nodes. Of several
        releases, how they compare."""
        return replace(
            super().specification(), select=answer.comparable, parted=spread, alone=True,
            tables=answer.make_tables,
            cells=lambda given: answer.make_cells(given, self.definition.published_table),
            doubts=lambda given: unfair(given.trials),
            answer=answer.sentence, brief=Brief("paths", SHOWN),
        )  # fmt: skip


class TerminalBench(base.Bench[Planned]):
    """Both nodes under one release, and who sits at their terminals."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.definition = definition
        self.stage = stage
        self.folder = stage.folder
        self._mine: Sequence[Planned] = ()
        self._phase: object = None
        release, path = stage.left[0].release, stage.left[0].case
        names = " and ".join(n.name for n in definition.node)
        stage.progress.say(f"Starting {names}: {stage.lab.guest.title} with {release.title}")
        self.network = Network(definition, stage, release, path)
        if stage.left[0].kind in WITH_OTHERS and path.others_kb_s:
            self.network.others_send(path.others_kb_s)

    def prepare(self, mine: Sequence[Planned]) -> None:
        """A meter on each node."""
        self._mine = mine
        self.network.back()

    def close(self) -> None:
        """The terminal servers go; the lab ends the nodes."""
        self.network.close()

    def _typists(self, planned: Planned) -> list[Typist]:
        """The people of a trial. With one terminal every path has its own user, so that the paths
        take turns; a sweep has the nodes for itself."""
        phase = planned.case.id if planned.kind == "sweep" else "one"
        if phase != self._phase:
            self.network.everybody_leaves()
            self._phase = phase
            if phase == "one":
                self._warm_up()
        first = 1 if planned.kind == "sweep" else self.definition.case.index(planned.case) + 1
        return self.network.typists(planned.case, first, planned.terminals)

    def _warm_up(self) -> None:
        """All paths TYPE at once what their trials will, unread: the first time the documents come
        from the disk, and TCP begins with small windows."""
        paths = dict.fromkeys(p.case for p in self._mine if p.kind != "sweep")
        typists = [
            self.network.typists(path, self.definition.case.index(path) + 1, 1)[0] for path in paths
        ]
        documents = self.definition.amount(self.stage.settings.style).documents
        steps = [Step(f"{content.TYPE_NAME.lower()} {documents}", chain.READY, True)]
        chain.all_do(typists, lambda _: steps, SILENCE_S)

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """Run the terminals, with the meter before and after; an outcome for each node."""
        network = self.network
        typists = self._typists(planned)
        first, last = typists[0].n, typists[-1].n
        nodes = nodes_of(self.definition, planned)
        progress.trial(planned.id, max(1, self._expected(planned) * len(typists) // 1024))
        seconds = self.definition.amount(self.stage.settings.style).monitor_seconds
        monitored = planned.kind == "monitor"
        watch = network.monitored(nodes, seconds) if monitored else nullcontext()
        beside = network.job(nodes[0]) if planned.kind == "job" else nullcontext()
        with watch, beside:
            asked = {node: servers_of(planned, node) for node in nodes}
            said = {n: network.meter(n, "BEFORE", first, last, asked[n]) for n in nodes}
            since = present().now()
            before = network.lab.wire.counters()
            begun = _of_day()
            act = {"echo": self._echo, "idle": self._idle}.get(planned.kind, self._type)
            done = act(planned, typists, progress)
            if planned.kind in WHOLE:
                done = replace(done, seconds=_whole_beats(since))
            ended = _of_day()
            after = network.lab.wire.counters()
            for node in nodes:
                said[node] += network.meter(node, "AFTER", first, last, asked[node])
        if planned.kind == "echo":  # what was typed is sent when it is measured
            chain.all_do(typists, lambda _: [Step(" ", chain.READY, True)], SILENCE_S)
        done = replace(done, records=(*done.records, self._lan(planned, before, after)))
        outcomes = []
        for node in nodes:
            monitor = network.monitor_log(node) if planned.kind == "monitor" else ""
            heard = Said(said[node], monitor, begun, ended)
            outcomes.append(self._outcome(planned, node, typists, heard, done))
        return outcomes

    def _expected(self, planned: Planned) -> int:
        return len(content.shown(self.definition, planned.documents)) or planned.keys

    def _outcome(
        self, planned: Planned, node: str, typists: Sequence[Typist], said: Said, done: Done
    ) -> Outcome:
        """NODE's part of a trial."""
        head = self._head(planned, node, typists, done)
        meter = self.stage.keep(f"{planned.id}.{node}-meter", said.meter)
        watched = f"{planned.id}.{node}-monitor"
        watched = self.stage.keep(watched, said.monitor) if said.monitor else watched
        users = [*servers_of(planned, node), *(content.user(t.n) for t in typists)]
        read = readout.read_meter(said.meter.encode(), meter, head.id, users)
        monitor = readout.read_monitor(
            said.monitor.encode(), watched, head.id, said.begun, said.ended
        )
        records = (*read.records, *monitor, *done.records)
        return Outcome(head, records, meter, read.broken, done.doubts)

    def _type(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """All TYPE the documents at the same time, as fast as their lines go."""
        command = f"{content.TYPE_NAME.lower()} {planned.documents}"
        marks = [len(t.terminal.shown) for t in typists]
        told = _Steps(progress, sum(marks))
        begun = present().now()
        steps = [Step(command, chain.READY, True)]
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
        expected = content.shown(self.definition, planned.documents)
        wrong = [
            t for t, x in zip(typists, texts, strict=True) if not chain.showed(x, command, expected)
        ]
        self._save_terminals(planned, texts)
        characters = sum(map(len, texts))
        shown = {"rates": [round(r, 1) for r in rates], "wrong": [t.n for t in wrong]}
        raw = json.dumps({"trial": planned.id, **shown})
        where = keep_line(self.folder, f"{planned.id}.{TERMINALS_LOG}", raw)
        record = readout.sessions_record(rates, characters, len(wrong), raw, where)
        doubts = [
            f"terminal {t.n} did not show what the documents say, character for character"
            for t in wrong
        ]
        return Done(characters, last - begun, (record,), tuple(doubts))

    def _save_terminals(self, planned: Planned, texts: Sequence[str]) -> None:
        path = self.folder / TRANSCRIPTS / f"{planned.id}.terminals.json"
        path.write_text(json.dumps(texts), "utf-8")

    def _echo(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """One types a line, each key when the one before is shown and a moment has passed."""
        terminal = typists[0].terminal
        moments = random.Random(f"{planned.pair}/keys")
        begun = present().now()
        start = len(terminal.shown)
        waits = []
        for k, key in enumerate(KEYS[: planned.keys], start=1):
            pause(moments.uniform(*THINKS_S))
            typed = present().now()
            terminal.type(key)
            wait_until(_shows(terminal, start + k), ECHO_WITHIN, f"the echo of key {k}")
            waits.append(terminal.shown_at - typed)
        seconds = present().now() - begun
        line = bytes(terminal.shown[start:]).decode("latin-1")
        raw = json.dumps({"trial": planned.id, "ms": [round(1000 * w, 3) for w in waits]})
        self._save_terminals(planned, [line])
        record = readout.echo_record(
            waits, raw, keep_line(self.folder, f"{planned.id}.{TERMINALS_LOG}", raw)
        )
        wrong = line != KEYS[: planned.keys]
        doubts = ("the echo is not what was typed",) if wrong else ()
        return Done(len(line), seconds, (record,), doubts)

    def _idle(self, planned: Planned, typists: Sequence[Typist], progress: Progress) -> Done:
        """Nobody does anything."""
        begun = present().now()
        pause(planned.idle_seconds)
        return Done(0, present().now() - begun, ())

    def _lan(self, planned: Planned, before: Mapping[str, Any], after: Mapping[str, Any]) -> Record:
        ports = {"before": before["ports"], "after": after["ports"]}
        raw = json.dumps({"trial": planned.id, **ports})
        where = keep_line(self.folder, f"{planned.id}.{WIRE_LOG}", raw)
        # The whole reading is in that file; a copy in each node's records would be long.
        short = json.dumps({"trial": planned.id})
        return readout.lan_record(before, after, short, where)

    def _head(self, planned: Planned, node: str, typists: Sequence[Typist], done: Done) -> Trial:
        path = planned.case.id
        passing = node != self.definition.far.name
        parts = {}
        if planned.case.printed == "TELNET":
            parts = {"TCPIP": "TCPIP"} if passing else {"TELNETD": "TELNETD", "TCPIP": "TCPIP"}
        if content.JOB in servers_of(planned, node):
            parts |= {name: name for name in servers_of(planned, node)}
        label = planned.case.printed if passing else "TYPE"
        parts |= {content.user(t.n): label for t in typists}
        parts[SYSTEM] = "CP itself"
        return Trial(
            id=f"{planned.id}-{node}",
            run=self.stage.run_id,
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
                "printed": planned.case.printed,
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
    seconds = BEAT_S * math.ceil((present().now() - since) / BEAT_S)
    pause(max(0.0, since + seconds - present().now()))
    return seconds


def _of_day() -> float:
    return present().date() % 86_400


def _shows(terminal: LatTerminal, length: int) -> Callable[[], bool]:
    return lambda: len(terminal.shown) >= length
