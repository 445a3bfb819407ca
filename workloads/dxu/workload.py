# SPDX-License-Identifier: MIT
"""The dxu workload: guests up, an MTU after the other, and trials in turn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.accounting.records import Record
from vmkb.accounting.store import Trial
from vmkb.guests.base import Ability, Choice, Contents, Driver, Role, Running, driver
from vmkb.hercules.deadline import present
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.definition import Style
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import failed, keep_wire
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.dxu import answer, content
from vmkb.workloads.dxu.acts import Act, Calls, Fetches, Hang, Sender, Transfers
from vmkb.workloads.dxu.content import LOAD, SENDERS
from vmkb.workloads.dxu.head import TITLES, head_of
from vmkb.workloads.dxu.loopback import BESIDE, BesideBench, choices
from vmkb.workloads.dxu.network import Network
from vmkb.workloads.dxu.plan import Case, Definition, Planned, plan
from vmkb.workloads.dxu.readout import DAY_S, Said, read_meter, read_monitor
from vmkb.workloads.dxu.stations import Workstations
from vmkb.workloads.serve.compared import release_of

LOOPBACK = "127.0.0.1"
WARM_FILES = 2
"""Files or calls of a transfer that is not measured, at most."""
_NEEDED = frozenset({Ability.FILES, Ability.LEVELS, Ability.CPU, Ability.TCP, Ability.FTP})

SHOWN = ("What", "Published", "Ours", "Ratio")


class Workload(base.Workload[Definition, Planned]):
    """The five tables of the report."""

    kind = Definition
    roles = (Role("guest on a channel", _NEEDED),)
    beside = BESIDE
    options = frozenset({"profile"})

    def __init__(self, definition: Definition | None = None) -> None:
        super().__init__(definition)
        self._beside: dict[str, Choice] = {}

    def settings(self, asked: Asked) -> Settings:
        """As others, with what the guests beside the first are among the releases."""
        known = {r.name for r in self.definition.releases}
        named = [n for part in asked.releases.split(",") if (n := part.strip())]
        others = [n for n in named if n.upper() not in known] if asked.guests else []
        own = ",".join(n for n in named if n not in others)
        made = super().settings(replace(asked, releases=own))
        self._beside = choices(asked.guests, others)
        names = (*made.releases, *self._beside)
        return made.model_copy(update={"releases": names, "guests": asked.guests})

    def usual_cases(self, style: Style) -> list[str]:
        """Those that this style has trials of."""
        known = self.definition
        return [c.id for c in known.case if getattr(c.trials or known.trials, style)]

    def plan(self, settings: Settings) -> list[Planned]:
        """Every trial, in order."""
        known = {r.name for r in self.definition.releases}
        own = tuple(n for n in settings.releases if n in known)
        others = [n for n in settings.releases if n not in known]
        if others and not self._beside:  # a run that is taken up again
            self._beside = choices(settings.guests, others)
        cases, releases = self.chosen(settings.model_copy(update={"releases": own}))
        return plan(
            self.definition, settings.style, [c for c in cases if isinstance(c, Case)], releases,
            settings.trials, [release_of(choice) for choice in self._beside.values()],
        )  # fmt: skip

    def about(self, settings: Settings) -> dict[str, str]:
        """The endpoints' links, and the guests beside."""
        cards = {s.wire: s.name for s in self.definition.system if s.wire}
        said = {"cards": ", ".join(cards)} if cards else {}
        there = [f"{c.title} {driver(c.guest).digest()}" for c in self._beside.values()]
        return said | ({"beside": "; ".join(there)} if there else {})

    def contents(self, driver: Driver) -> Contents:
        """Senders, their files and procedures, and the meter."""
        return content.contents(self.definition, driver, self.definition.case)

    def start(self, planned: Planned) -> Hashable | None:
        """The same guests under one release, and what serves there."""
        case = planned.case
        if planned.beside:
            return None
        serves = None if case.kind == "ftp" else (case.kind, case.server or case.pairs[0][1])
        return planned.release.name, case.guests, case.wire, planned.mtu, serves

    def begin(self, stage: Stage[Planned]) -> base.Bench[Planned]:
        """The guests of one MTU, or those beside."""
        if stage.left[0].beside:
            return BesideBench(stage, self._beside)
        return DxuBench(self.definition, stage)

    def specification(self) -> Specification:
        """The report's five tables and what limits; CPU of bytes that all came, without the
        monitor, of guests with machines in them."""
        return replace(
            super().specification(), select=_select, tables=answer.make_tables, alone=True,
            answer=answer.sentence, cells=answer.make_cells, brief=Brief("overview", SHOWN),
        )  # fmt: skip


def _select(trials: Sequence[Trial]) -> list[Trial]:
    own = (t for t in trials if not t.params.get("beside"))
    return [t for t in own if not t.params.get("monitored") and t.data is not None]


class DxuBench(base.Bench[Planned]):
    """The guests of one MTU."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.definition, self.stage = definition, stage
        self.network = Network(definition, stage, stage.settings.releases[0])
        self._workstations: Workstations | None = None

    def prepare(self, mine: Sequence[Planned]) -> None:
        """The meters are there, the workstations too, and caches are filled."""
        stage = self.stage
        self.network.back()
        stage.progress.say("Filling caches: each case once or more, unmeasured")
        served = {p.case.server: p for p in mine if p.case.kind == "afs"}
        for name, planned in served.items():
            server = self.network.station(planned, name).address
            self._workstations = Workstations(
                stage.lab.wire, stage.lab.beside("workstations"), server, self.definition
            )
            sizes = {p.case.bytes for p in mine if p.case.kind == "afs"}
            self._workstations.put(sorted(sizes))
            if planned.case.disk:
                self.network.station(planned, name).cp("SET MDC OFF")
        style, table = stage.settings.style, 0
        turns = getattr(self.definition.warm, style)
        for planned in {(p.case.id, p.release.name): p for p in mine}.values():
            if planned.case.kind == "hang":
                continue
            if planned.case.kind == "afs" and style == "quick":
                continue  # the server has read the file, and no client keeps it
            if style == "full" and planned.case.table != table:  # minutes each
                table = planned.case.table
                stage.progress.say(f"Filling caches: {TITLES[table]}")
            for turn in range(1 if planned.case.kind == "rx" else turns):
                self._warm_up(planned, turn)

    def profiled(self, planned: Planned) -> dict[str, Running]:
        """Of the guests on channels."""
        return {s.name.upper(): s.running for s in self.network.metered(planned)}

    def close(self) -> None:
        """Terminals and workstations go."""
        if self._workstations is not None:
            self._workstations.close()
        self.network.close()

    def _warm_up(self, planned: Planned, turn: int) -> None:
        name = f"{planned.id}.W{turn + 1}"
        warm = planned.model_copy(update={"id": name, "files": min(planned.files, WARM_FILES)})
        work, file = self._act(warm, self._senders(warm)).go()
        if work.broken:
            raise failed(f"The warm-up {name}", work.broken, self.stage.folder / file)

    def _act(self, planned: Planned, senders: Sequence[Sender]) -> Act:
        if planned.case.kind == "ftp":
            return Transfers(planned, senders, self.stage.keep)
        if planned.case.kind == "rx":
            return Calls(planned, senders, self.stage.keep)
        if planned.case.kind == "hang":
            server = self.network.station(planned, planned.case.pairs[0][1])
            return Hang(planned, senders, server, self.stage.keep)
        assert self._workstations is not None
        return Fetches(planned, self._workstations, self.stage.folder)

    def _senders(self, planned: Planned) -> list[Sender]:
        made: list[Sender] = []
        for source, target in planned.case.pairs:
            station = self.network.station(planned, source)
            user = SENDERS[sum(s is station for s, _, _ in made)]
            address = self.network.station(planned, target).address
            made.append((station, user, LOOPBACK if source == target else address))
        return made

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The transfers or calls, with what both guests say of their CPU around them."""
        stage, kind = self.stage, planned.case.kind
        progress.trial(planned.id, 1)
        senders, metered = self._senders(planned), self.network.metered(planned)
        act = self._act(planned, senders)
        with ExitStack() as watched:
            if planned.monitored:
                for station in metered:
                    watched.enter_context(station.monitored())
            if planned.case.load:
                for station in metered:
                    watched.enter_context(station.loaded())
            before = {s.name: s.meter(kind, "BEFORE") for s in metered}
            counters, begun = stage.lab.wire.counters(), _of_day()
            work, file = act.go()
            ended, later = _of_day(), stage.lab.wire.counters()
            meters = {s.name: before[s.name] + s.meter(kind, "AFTER") for s in metered}
        progress.transferred()
        ports = [s.running.name for s in metered]
        wires = [keep_wire(stage.folder, planned.id, counters, later, port) for port in ports]
        records: list[Record] = [*work.records, *wires]
        broken = list(work.broken)
        doubts: list[str] = []
        parts: dict[str, str] = {}
        for name, text in meters.items():
            said = Said(text, stage.keep(f"{planned.id}.{name}-meter", text))
            users = [user for station, user, _ in senders if station.name == name]
            serves = name in (planned.case.server, *(target for _, target in planned.case.pairs))
            others = [LOAD] if planned.case.load else []
            read = read_meter(said, name, kind, users, serves, planned.id, others)
            # The clock of the first guest's accounts is the trial's.
            records += [r for r in read.records if r.kind != "acnt_sum" or not parts]
            broken += read.broken
            doubts += read.doubts
            parts |= {f"{name.upper()} {user}": f"{name} {who}" for user, who in read.parts}
        for station in metered if planned.monitored else ():
            log = station.monitor_log()
            kept = stage.keep(f"{planned.id}.{station.name}-monitor", log)
            records += read_monitor(log, kept, planned.id, begun, ended)
        head = head_of(stage, planned, parts, work)
        return [Outcome(head, tuple(records), file, tuple(broken), tuple(doubts))]


def _of_day() -> float:
    return present().date() % DAY_S
