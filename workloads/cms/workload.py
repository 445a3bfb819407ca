# SPDX-License-Identifier: MIT
"""The workload: one guest, its users at displays, and a meter who asks CP for all their accounts.

A trial is a world of its own. What its users do follows from the trial's seed; releases have the
same seeds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from vmkb.accounting.analysis.specification import Brief, Specification
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.store import Trial
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Contents, Driver, Role, Running, Wishes, driver
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.seat import Seat
from vmkb.hercules.tn3270.script import Step
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base import workload as base
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.lab import Lab
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.readout import not_sampled, read_console
from vmkb.workloads.base.results import TRANSCRIPTS, keep_line
from vmkb.workloads.base.settings import Asked, Settings
from vmkb.workloads.base.variants import variant
from vmkb.workloads.base.virtual import VirtualLab
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.cms import content, machine, tables
from vmkb.workloads.cms.people import Floor, Person, Response
from vmkb.workloads.cms.plan import Definition, Planned, deal, steps, user

METER_WITHIN = 120.0
RESPONSES = ".responses.jsonl"
"""Behind a trial's id: a line for each response."""
PICKS = "scripts"


class Workload(base.Workload[Definition, Planned]):
    """Scripts of CMS commands, as TPNS played IBM's."""

    kind = Definition
    per = tables.EVENT
    roles = (Role("system", frozenset({Ability.CPU, Ability.FILES, Ability.LEVELS})),)
    options = frozenset({"users", "builds"})
    stacks = False

    def __init__(self, definition: Definition | None = None) -> None:
        super().__init__(definition)
        self._users = 0

    def settings(self, asked: Asked) -> Settings:
        """As others, with the number of users."""
        made = super().settings(asked)
        users = asked.users or getattr(self.definition.users, made.style)
        if users > machine.USERS_MAX:
            raise UsageError(
                f"--users {users}: VM/KB has displays for {machine.USERS_MAX} users of this"
                " workload."
            )
        return made.model_copy(update={"users": users})

    def plan(self, settings: Settings) -> list[Planned]:
        """Releases in turn; each pair has a seed."""
        assert settings.users is not None
        self._users, known, style = settings.users, self.definition, settings.style
        return [
            Planned(
                **dict(turn), users=self._users, warm_s=getattr(known.warm_s, style),
                measured_s=getattr(known.measured_s, style),
            )
            for turn in self.rounds(settings)
        ]  # fmt: skip

    def about(self, settings: Settings) -> dict[str, str]:
        """How many users, and how they think."""
        return {
            "users": str(settings.users),
            "think": f"Bactrian, mean {self.definition.think_s} s",
        }

    def contents(self, driver: Driver) -> Contents:
        """Users and their files."""
        return content.contents(self.definition, self._users)

    def begin(self, stage: Stage[Planned]) -> Bench:
        """The guest, its users logged on."""
        return Bench(self.definition, stage)

    def specification(self) -> Specification:
        """IBM's table, and the mix of scripts; then what all workloads have."""
        return replace(
            super().specification(), tables=lambda given: tables.made(given, self.definition),
            parted=tables.without_rate, answer=tables.sentence, brief=Brief("cms"),
        )  # fmt: skip


class Bench(base.Bench[Planned]):
    """One guest, whose users have come."""

    def __init__(self, definition: Definition, stage: Stage[Planned]) -> None:
        self.stage = stage
        self.definition = definition
        planned, lab = stage.left[0], stage.lab
        assert isinstance(lab, VirtualLab)
        self.running = boot(lab, stage, planned)
        self._meter: UserSession = self.running.logon(content.METER, content.METER)
        self.floor = Floor(lab.world)
        with ExitStack() as until_up:
            seat_people(self.floor, self.running, definition, planned.users, lab.seed, until_up)
            self._stack = until_up.pop_all()
        self.floor.run(0)

    def close(self) -> None:
        """All hang up; the lab ends the guest."""
        self._stack.close()

    def measured(self, planned: Planned) -> Running:
        """The guest."""
        return self.running

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """All go on for the time that is not measured, then for that which is, with the meter
        around it."""
        stage, floor, world = self.stage, self.floor, self.floor.world
        progress.trial(planned.id, 1)
        floor.run(world.now + planned.warm_s * PS, progress.now)
        floor.take()
        said = self._ask("BEFORE", planned.users)
        clock = _clock(self.running)
        executed, sent = clock.node.instructions, sum(clock.sent.values())
        begun = world.now
        floor.run(begun + planned.measured_s * PS, progress.now)
        executed = clock.node.instructions - executed
        sent = sum(clock.sent.values()) - sent
        said += self._ask("AFTER", planned.users)
        file = stage.keep(planned.id, said)
        records, broken = read_console(said.encode(), file, planned.id)
        users = [user(n) for n in range(1, planned.users + 1)]
        broken += not_sampled(records, (*users, SYSTEM), content.METER)
        taken = floor.take()
        if not taken:
            broken.append("nobody gave a command")
        ended = begun + planned.measured_s * PS
        given = sum(r.at < ended for r in taken)
        told = () if broken else (self._told(planned, taken, given, executed),)
        head = self._head(planned, taken, sent)
        return [Outcome(head, (*records, *told), file, tuple(broken), ())]

    def _ask(self, when: str, users: int) -> str:
        asked = f"{content.METER_NAME} {when} {users}"
        return self._meter.command(asked, METER_WITHIN).text() + "\n"

    def _told(
        self, planned: Planned, taken: Sequence[Response], given: int, executed: int
    ) -> Record:
        """Averages of the responses, each of which is kept as a line; how many commands were GIVEN
        in the measured time, while all were at work, and how many instructions were EXECUTED."""
        path = self.stage.folder / TRANSCRIPTS / f"{planned.id}{RESPONSES}"
        lines = [
            {"user": r.user, "script": r.script, "typed": r.text, "at_us": _us(r.at),
             "first_us": _us(r.first - r.at), "last_us": _us(r.last - r.at)}
            for r in taken
        ]  # fmt: skip
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        raw = json.dumps(
            {"trial": planned.id, "commands": len(taken), "given": given, "instructions": executed}
        )
        return Record(
            "commands",
            {
                "commands": Value(len(taken), Unit.COUNT, Source.VT),
                "given": Value(given, Unit.COUNT, Source.VT),
                "first": Value(_mean(r.first - r.at for r in taken), Unit.US, Source.VT),
                "last": Value(_mean(r.last - r.at for r in taken), Unit.US, Source.VT),
                "instructions": Value(executed, Unit.INSTR, Source.IC),
            },
            raw,
            keep_line(self.stage.folder, f"{planned.id}.counts.jsonl", raw),
        )

    def _head(self, planned: Planned, taken: Sequence[Response], sent: int) -> Trial:
        scripts: dict[str, int] = {}
        for response in taken:
            scripts[response.script] = scripts.get(response.script, 0) + 1
        return Trial(
            id=planned.id, run=self.stage.run_id, case=planned.case.id,
            release=planned.release.name, pair=planned.pair, seq=planned.seq,
            table="CMS users, after CMS1", run_id=planned.run_id,
            parts={user(n): "Users" for n in range(1, planned.users + 1)} | {SYSTEM: "System"},
            data=Value(sent, Unit.BYTE, Source.VT),
            elapsed=Value(planned.measured_s * 1_000_000, Unit.US, Source.VT),
            params={"count": str(len(taken)), "users": str(planned.users),
                    "build": str(planned.build), PICKS: json.dumps(scripts)},
        )  # fmt: skip


def boot(lab: Lab, stage: Stage[Planned], planned: Planned) -> Running:
    """The guest in PLANNED's release and build, without a network."""
    guest = variant(lab.guest, planned.build, planned.release.parameter)
    level = f"{planned.release.parameter} {machine.parameter(planned.users)}"
    wishes = Wishes(level, model=stage.settings.model)
    return lab.add("cms", driver(guest).parameter(wishes), machine.enlarged(guest, planned.users))


def seat_people(
    floor: Floor, running: Running, definition: Definition, users: int, seed: int, held: ExitStack
) -> None:
    """So many USERS sit down, each at a display of the guest, HELD until they go."""
    scripts = deal(definition.script, seed)
    clock, port = _clock(running), running.machine.terminal_port

    def choose() -> tuple[str, Sequence[Step]]:
        name = next(scripts)
        return name, steps(name)

    for n in range(1, users + 1):
        draws = random.Random(f"{seed}/user{n}")
        person = Person(
            floor, n, user(n), lambda told: Seat(clock, port, told), choose, definition.think_s,
            draws,
        )  # fmt: skip
        held.callback(person.close)
        floor.greet(person)


def _clock(running: Running) -> GuestClock:
    assert running.machine.virtual is not None
    return running.machine.virtual


def _us(time: int) -> float:
    return round(time / 1e6, 3)


def _mean(times: Iterable[int]) -> float:
    every = list(times)
    return sum(every) / len(every) / 1e6
