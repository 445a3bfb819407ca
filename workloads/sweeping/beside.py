# SPDX-License-Identifier: MIT
"""Linux beside TCP/IP stacks: a kernel serves what the guest of a stack asks for, and all that its
guest executes is counted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import cast

from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.guests.base import Ability, Choice, Contents, Driver, Role
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import keep_wire
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.base.workload import D, Outcome, Planned, Stage
from vmkb.workloads.conform import Workload as Conform
from vmkb.workloads.conform.network import Network
from vmkb.workloads.conform.plan import Definition as Checks
from vmkb.workloads.conform.tables import SAID
from vmkb.workloads.conform.tried import Tried
from vmkb.workloads.echo import DONE, Case, Definition
from vmkb.workloads.echo import Workload as Echo
from vmkb.workloads.serve.compared import SILENCE_S, Compared, Counted, Systems
from vmkb.workloads.serve.plan import Definition as Served
from vmkb.workloads.serve.plan import Planned as Transfers
from vmkb.workloads.serve.reading import MACHINE
from vmkb.workloads.serve.workload import Bench
from vmkb.workloads.serve.workload import Workload as Serve
from vmkb.workloads.sweeping.lossy import Lossy

LINUX = "linux"
WHOLE = "Server's guest"
"""All that the guest executes, as a part of a trial."""


SERVER = Role("guest beside stacks", frozenset({Ability.FTP, Ability.COUNT, Ability.STACKS}))


class LossyServe(Lossy[Served, Transfers], Serve):
    """Serving files."""

    server = SERVER

    def __init__(self, loss: float = 0.0) -> None:
        super().__init__(Serve().definition, loss)

    def begin(self, stage: Stage[Transfers]) -> Bench:
        """Bytes are priced, as a stack's are."""
        bench = LossyBench(self.definition, stage, self.systems(stage.left))
        bench.loss = self.loss
        return bench


class LossyBench(Bench):
    """`loss`: the part of the frames that the server's link loses once the files are there."""

    priced = True
    loss = 0.0

    def prepare(self, mine: Sequence[Transfers]) -> None:
        """As Bench."""
        for name, running in self.servers.items():
            self.hands(name).stand_beside_stacks(running)
        super().prepare(mine)
        wire = self.stage.lab.wire
        for running in self.servers.values():
            wire.set_profile(running.name, self.stage.settings.wire, loss=self.loss)


class Beside(Compared[D, Planned]):
    """What a guest of VM/KB's asks of each of several systems."""

    roles = Echo.roles[:1]
    server = SERVER

    def plan(self, settings: Settings) -> list[Planned]:
        """Cases and systems in turn."""
        return self.turns(settings)

    def contents(self, driver: Driver) -> Contents:
        """Those of echo."""
        return Echo().contents(driver)


class BesideBench(Systems[Planned]):
    """The client's guest, with TCP/IP of LEVEL, and that of the system, which echoes."""

    def __init__(
        self, stage: Stage[Planned], choices: dict[str, Choice], mtu: int, level: str
    ) -> None:
        super().__init__(stage, choices, mtu)
        stage.progress.say("Starting the client, and the system that answers")
        self.client = self.boot_client(level)
        for name in self.boot_servers():
            self.hands(name).stand_beside_stacks(self.servers[name])

    def prepare(self, mine: Sequence[Planned]) -> None:
        """The system is ready for readings."""
        self.begin_counts()


class EchoServed(Beside[Definition]):
    """Round trips between a program of VM/KB's and each of several systems."""

    kind = Definition
    per = Echo.per
    options = frozenset({"builds"})

    def __init__(self) -> None:
        super().__init__(Echo().definition)

    def start(self, planned: Planned) -> Hashable:
        """The client and one build of a system."""
        return planned.release.name, planned.build

    def begin(self, stage: Stage[Planned]) -> EchoBench:
        """The client, and the system that answers."""
        return EchoBench(self.definition, stage, self.systems(stage.left))


class EchoBench(BesideBench):
    """The client asks."""

    priced = True

    def __init__(
        self, definition: Definition, stage: Stage[Planned], choices: dict[str, Choice]
    ) -> None:
        super().__init__(stage, choices, definition.mtu, definition.releases[0].parameter)
        self._user = definition.user

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The client's command between two readings."""
        case, name, stage = cast(Case, planned.case), planned.release.name, self.stage
        progress.trial(planned.id, 1)
        command = f"ECHOTRY {self.addresses[name]} {case.words}"
        counted = Counted(self, name)
        wire = stage.lab.wire.counters()
        counted.begin()
        lines = list(procedure(self.client, self._user, self._user, command, DONE, SILENCE_S,
                               f"trial {planned.id} to end"))  # fmt: skip
        counted.end()
        told = keep_wire(
            stage.folder, planned.id, wire, stage.lab.wire.counters(), self.servers[name].name
        )
        text = "".join(f"{line}\n" for line in lines)
        file = stage.keep(planned.id, text)
        samples = counted.records(stage, planned.id)
        head = Trial(
            id=planned.id, run=stage.run_id, case=case.id, release=name, pair=planned.pair,
            seq=planned.seq, table="Round trips over TCP", run_id=planned.run_id,
            parts={MACHINE: WHOLE},
            data=Value(told.value("bytes_in").value + told.value("bytes_out").value, Unit.BYTE,
                       Source.WI),
            params={"title": planned.release.title, "count": str(case.count), **counted.said()},
        )  # fmt: skip
        return [Outcome(head, (*samples, told), file, tuple(case.wrong(text)))]


class ConformServed(Beside[Checks]):
    """Checks of each of several systems as VM/KB's stacks are checked, but for those in which the
    same stack asks: it has no program that does."""

    kind = Checks

    def __init__(self) -> None:
        known = Conform().definition
        cases = tuple(case for case in known.case if not case.itself)
        super().__init__(known.model_copy(update={"case": cases}))

    def start(self, planned: Planned) -> Hashable:
        """The client and a system."""
        return planned.release.name

    def begin(self, stage: Stage[Planned]) -> ConformBench:
        """The client, and the system that is tried."""
        return ConformBench(self.definition, stage, self.systems(stage.left))


class ConformBench(BesideBench):
    """The system is tried."""

    def __init__(self, known: Checks, stage: Stage[Planned], choices: dict[str, Choice]) -> None:
        super().__init__(stage, choices, known.mtu, known.asks)
        user = Echo().definition.user
        self._tried = {
            name: Tried(stage, user, tried.name, self.addresses[name], Network, self.client)
            for name, tried in self.servers.items()
        }

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The check, between two readings."""
        name, stage = planned.release.name, self.stage
        progress.trial(planned.id, 1)
        counted = Counted(self, name)
        counted.begin()
        params, told = self._tried[name].check(planned)
        counted.end()
        file = stage.keep(planned.id, f"{params[SAID]}\n")
        samples = counted.records(stage, planned.id)
        head = Trial(
            id=planned.id, run=stage.run_id, case=planned.case.id, release=name, pair=planned.pair,
            seq=planned.seq, run_id=planned.run_id, params=params,
        )  # fmt: skip
        return [Outcome(head, (*samples, told), file, ())]
