# SPDX-License-Identifier: MIT
"""Loopback FTP in guests that are none of the report's systems: their own client and server, and
the whole guest counted from outside."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.records import Record
from vmkb.errors import UsageError
from vmkb.guests.base import Ability, Choice, Role, Running, driver, refusal
from vmkb.hercules.emulator.boot import find_guest
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.workload import Outcome, Stage
from vmkb.workloads.dxu.head import head_of
from vmkb.workloads.dxu.plan import Planned
from vmkb.workloads.dxu.readout import Said, read_loopback
from vmkb.workloads.serve.compared import Counted, Systems
from vmkb.workloads.serve.reading import MACHINE, ReadingError

BESIDE = Role("guest beside the first", frozenset({Ability.LOOPBACK, Ability.COUNT}))
PART = "the whole guest"


def choices(guests: Sequence[str], wanted: Sequence[str]) -> dict[str, Choice]:
    """The choices of GUESTS, of those that are WANTED or the usual ones, by their names in tables;
    each is made if it is not here. UsageError for a guest that cannot be beside another,
    EmulatorError for a choice that there is not."""
    found: dict[str, Choice] = {}
    for name in guests:
        hands = driver(find_guest(name))
        if why := refusal(hands, (BESIDE,)):
            raise UsageError(why)
        hands.build()
        for choice in hands.choices(wanted):
            if choice.name in found:
                raise UsageError(f"--releases and --guest name {choice.title} twice.")
            found[choice.name] = choice
    return found


class BesideBench(Systems[Planned]):
    """The guests beside, each of which sends to itself."""

    def __init__(self, stage: Stage[Planned], known: dict[str, Choice]) -> None:
        super().__init__(stage, known, stage.left[0].mtu)
        names = dict.fromkeys(known[p.release.name].title for p in stage.left)
        stage.progress.say(f"Starting {', '.join(names)}")
        for name in self.boot_servers():
            planned = next(p for p in stage.left if p.release.name == name)
            hands, running = self.hands(name), self.servers[name]
            with hands.loopback(running, planned.case.bytes, 1) as client:  # caches are warm then
                hands.begin_count(running)
                client.go()
                hands.end_count(running)
        self.begin_counts()

    def profiled(self, planned: Planned) -> dict[str, Running]:
        """None: a profile is of machines that CP counts for."""
        return {}

    def trial(self, planned: Planned, progress: Progress) -> list[Outcome]:
        """The transfers between two readings of the whole guest."""
        name, stage = planned.release.name, self.stage
        progress.trial(planned.id, 1)
        running, size = self.servers[name], planned.case.bytes
        with self.hands(name).loopback(running, size, planned.files) as client:
            counted = Counted(self, name)
            counted.begin()
            client.go()
            counted.end()
            text = client.said()
        progress.transferred()
        said = Said(text, stage.keep(planned.id, text))
        work = read_loopback(said, size, planned.files, planned.id)
        samples: tuple[Record, ...] = ()
        broken = list(work.broken)
        try:
            samples = counted.records(stage, planned.id)
        except ReadingError as error:
            broken.append(str(error))
        more = {"beside": self._choices[name].title, **counted.said()}
        head = head_of(stage, planned, {MACHINE: PART}, work, more)
        return [Outcome(head, (*work.records, *samples), said.file, tuple(broken))]
