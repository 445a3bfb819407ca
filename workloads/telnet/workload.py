# SPDX-License-Identifier: MIT
"""The workload: terminals on one guest, whose users are logged on by TELNET to each system."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from vmkb.accounting.analysis.specification import Given, Specification
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.guests.base import Ability, Choice, Contents, Driver, Role
from vmkb.guests.contents import Text
from vmkb.hercules.deadline import present
from vmkb.hercules.lat.station import LatStation
from vmkb.workloads.base.guest import TELNET_READY
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import keep_wire
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.serve.compared import SILENCE_S, Compared, Counted, Systems
from vmkb.workloads.serve.reading import MACHINE, ReadingError
from vmkb.workloads.serve.tables import count_table
from vmkb.workloads.telnet.plan import Definition, Planned, shown, text, user
from vmkb.workloads.terminal import chain
from vmkb.workloads.terminal.chain import Step, Typist

SERVER = Role("TELNET host", frozenset({Ability.TELNET, Ability.FTP, Ability.COUNT}))
"""FTP brings the files where the volume does not."""
_CLIENT = frozenset({Ability.FILES, Ability.LEVELS, Ability.FTP, Ability.TELNET, Ability.LAT})
SILENT_S = 30.0
"""How long a guest may not answer its terminals: a host that shares its processor with other work
may keep it waiting."""
SEED_NAME, SEEDED = "HOSTSEED", "HOSTSEED ENDED RC=0"
SEED = """\
/* SPDX-License-Identifier: MIT */
/* HOSTSEED host user password directory file ..: these files of text go to a system */
parse upper arg host user password directory files
queue user password
queue 'CD' directory
do while files <> ''
  parse var files file files
  queue 'PUT' file'.SOURCE' file'.SOURCE'
end
queue 'QUIT'
'FTP' host '(EXIT'
say 'HOSTSEED ENDED RC='rc
"""
NOTES = (
    "All that the guest executed while the file was typed, from the command to the prompt behind"
    " it, less what it executes in as much time without work. The logon is outside. A KB is 1024"
    " characters shown, with carriage returns.",
)


class Workload(Compared[Definition, Planned]):
    """TYPE, or cat, from each of several systems to a terminal of VM/KB's."""

    kind = Definition
    roles = (Role("client", _CLIENT),)
    server = SERVER

    def plan(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        return [Planned.model_construct(**dict(turn)) for turn in self.turns(settings)]

    def contents(self, driver: Driver) -> Contents:
        """The terminals' users; the files, and the procedure that puts them to a system."""
        known = self.definition
        entries = "".join(known.entry.format(name=user(n + 1)) for n in range(known.systems_max))
        files = {(c.source, "SOURCE"): Text(text(c)) for c in known.case}
        files[SEED_NAME, "EXEC"] = Text(SEED)
        return Contents(added=entries, files={driver.account().user: files})

    def start(self, planned: Planned) -> Hashable:
        """The guest with the terminals and one system."""
        return planned.release.name

    def begin(self, stage: Stage[Planned]) -> Bench:
        """The guest with the terminals, and the system."""
        return Bench(self.definition, stage, self._choices)

    def specification(self) -> Specification:
        """Instructions per KB beside each other; then what all workloads have."""
        return replace(super().specification(), tables=_tables)


def _tables(given: Given) -> list[Table | None]:
    title = "What a KB on a TELNET terminal costs the system"
    return [count_table(given.trials, "WI", title, NOTES)]


class Bench(Systems[Planned]):
    """The guest with the terminals, and the system's."""

    def __init__(
        self, definition: Definition, stage: Stage[Planned], choices: dict[str, Choice]
    ) -> None:
        super().__init__(stage, choices, definition.mtu)
        self.definition = definition
        stage.progress.say("Starting the guest with the terminals, and the system")
        self._client = self.boot_client(definition.releases[0].parameter, (definition.node, ""))
        self._station: LatStation | None = None
        self._typists: dict[str, Typist] = {}
        list(self.boot_servers())

    def prepare(self, mine: Sequence[Planned]) -> None:
        """Somebody is logged on to the system, which is ready for readings."""
        known, lab = self.definition, self.stage.lab
        self._station = LatStation(
            lab.wire.add_stream("lat"), "LAT01", len(self.servers), None,
            timer=known.circuit_timer, resends=round(SILENT_S / known.circuit_timer),
            beside=lab.beside("lat"),
        )  # fmt: skip
        files = list(dict.fromkeys(p.case.source for p in mine))
        for n, name in enumerate(self.servers, start=1):
            self._typists[name] = self._logged_on(name, n, self._station, files)
        self.begin_counts()

    def close(self) -> None:
        """The terminal server goes; the lab ends the guests."""
        if self._station is not None:
            self._station.close()

    def _seeded(self, release: str, files: Sequence[str]) -> list[Step]:
        """The client that puts FILES to a system whose volume lacks them."""
        hands = self.hands(release)
        if Ability.FILES in hands.abilities:
            self.servers[release].machine.wait_log(TELNET_READY, SILENCE_S)
            return []
        words = [SEED_NAME, *self.reached(release, hands.account()), *files]
        return [Step(" ".join(words), SEEDED, True)]

    def _logged_on(self, release: str, n: int, station: LatStation, files: Sequence[str]) -> Typist:
        """User number N of the client, who has gone on to a system."""
        use = self.hands(release).terminal()
        typist = Typist(station.terminal(n), n)
        chain.arrive(typist, self.definition.node, [
            *chain.logon(n), *self._seeded(release, files),
            Step(f"TELNET {self.addresses[release]}", use.greeting),
            *(Step(typed, answer) for typed, answer in use.logon[:-1]),
            Step(*use.logon[-1], True),
        ])  # fmt: skip
        return typist

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The file between two readings, and what the terminal showed."""
        case, name, stage = planned.case, planned.release.name, self.stage
        progress.trial(planned.id, 1)
        use, typist = self.hands(name).terminal(), self._typists[name]
        terminal, running = typist.terminal, self.servers[name]
        terminal.set_speed(case.characters_per_second or None)
        command = use.show.format(name=case.source, kind="SOURCE")
        counted = Counted(self, name)
        wire = stage.lab.wire.counters()
        counted.begin()
        mark, begun = len(terminal.shown), present().now()
        chain.all_do([typist], lambda _: [Step(command, use.ready, True)], SILENCE_S)
        counted.end()
        told = keep_wire(stage.folder, planned.id, wire, stage.lab.wire.counters(), running.name)
        seconds = terminal.shown_at - begun
        progress.transferred()
        there = bytes(terminal.shown[mark:]).decode("latin-1")
        file = stage.keep(planned.id, there)
        samples: tuple[Record, ...] = ()
        said: dict[str, str] = {}
        broken, doubts = [], []
        try:
            samples, said = counted.records(stage, planned.id), counted.said()
        except ReadingError as error:
            broken.append(str(error))
        if not chain.showed(there, command, shown(case), use.ready):
            doubts.append("the terminal did not show what the file says, character for character")
        head = Trial(
            id=planned.id, run=stage.run_id, case=case.id, release=name, pair=planned.pair,
            seq=planned.seq, table="Files on a TELNET terminal", run_id=planned.run_id,
            parts={MACHINE: "Host's guest"},
            elapsed=Value(round(1e6 * seconds), Unit.US, Source.WI),
            data=Value(len(shown(case)), Unit.BYTE, Source.WI),
            params={"title": planned.release.title, **said},
        )  # fmt: skip
        return [Outcome(head, (*samples, told), file, tuple(broken), tuple(doubts))]
