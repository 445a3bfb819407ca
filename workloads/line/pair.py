# SPDX-License-Identifier: MIT
"""Two guests and the line between them, on a wire of their own, with clocks that go faster.

The emulators' clocks (TODDRAG) and the wire's are set together while nothing is on the line.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guests.base import Running
from hercules.deadline import Deadline, Timeout
from hercules.wire.process import WireProcess
from workloads.base.guest import OPERATOR, procedure
from workloads.line import execs
from workloads.line.plan import Case

NEAR, FAR = "near", "far"
DRAIN_SPEED = 16
DRAIN_CALM = 64.0
"""Seconds, of the guests' clocks, in which nothing was sent: longer than any time-out but those
that follow many others (RFC 793's upper bound is 60 s)."""
DRAIN_WITHIN = 60.0
POLL_S = 0.2


@dataclass
class Told:
    """What both guests said of one trial, and the wire's counters before and after."""

    near: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    counters: list[dict[str, Any]] = field(default_factory=list)
    late: bool = False
    """The far host was asked when the near one had already gone on."""


class Pair:
    """A near and a far guest, and the line. `name` is the far one's release."""

    def __init__(self, name: str, wire: WireProcess, near: Running, far: Running) -> None:
        self.name = name
        self.wire = wire
        self.near, self.far = near, far
        self.operator = far.logon(OPERATOR, OPERATOR)

    def set(self, case: Case) -> None:
        """The line of CASE, and all clocks at its speed."""
        for port, profile in ((self.near.name, case.line), (self.far.name, case.far)):
            self.wire.set_profile(port, profile)
        self.pace(case.speed)

    def sent(self) -> int:
        """Characters that were sent over the line so far, either way. (Frames would not do: LAT
        and DECnet multicast, and do not cross a line.)"""
        port = self.wire.counters()["ports"][self.near.name]
        return sum(int(port[way].get("characters", 0)) for way in ("up", "down"))

    def pace(self, speed: float) -> None:
        """Let the clocks of both guests and of the wire go SPEED times as fast as the host's."""
        self.wire.speed(speed)
        for running in (self.near, self.far):
            running.machine.command(f"toddrag {1 / speed:g}")

    def run(
        self, user: str, command: str, questions: Sequence[Sequence[str]], silence: float
    ) -> Told:
        """COMMAND of USER at the near guest, and the answers of the far guest's operator to the
        QUESTIONS before and after the transfer. SILENCE: seconds that nothing may be said."""
        told = Told()
        ask = iter(questions)
        lines = procedure(self.near, user, user, command, execs.DONE, silence, command)
        told.counters.append(self.wire.counters())
        for line in lines:
            told.near.append(line)
            if line.rstrip().endswith((execs.BEGINS, execs.ENDS)):
                mark = self.near.log.mark()
                told.far += [self.operator.cp(q).text() for q in next(ask, ())]
                told.late |= any(execs.GOES_ON in x for x in self.near.log.since(mark))
        told.counters.append(self.wire.counters())
        return told


def drain(pairs: Sequence[Pair]) -> bool:
    """Wait until no pair's line carries anything more, and nobody will send again what was never
    acknowledged. True if that is so; else the next transfer finds the line in use."""
    for pair in pairs:
        pair.pace(DRAIN_SPEED)
    seen: list[Any] = []
    calm, whole = Deadline(DRAIN_CALM / DRAIN_SPEED), Deadline(DRAIN_WITHIN)
    while not calm.over:
        now = [pair.sent() for pair in pairs]
        if now != seen:
            seen, calm = now, Deadline(DRAIN_CALM / DRAIN_SPEED)
        if whole.over:
            return False
        time.sleep(POLL_S)
    return True


def side_by_side(works: Sequence[Callable[[], Told]], within: float) -> list[Told]:
    """What all of WORKS give, run at once, each in a thread. The first failure is raised; Timeout
    after WITHIN seconds."""
    results: queue.Queue[tuple[int, Told | BaseException]] = queue.Queue()

    def work(number: int) -> None:
        try:
            results.put((number, works[number]()))
        except BaseException as error:  # it is the main thread's to raise
            results.put((number, error))

    for number in range(len(works)):
        threading.Thread(target=work, args=(number,), daemon=True).start()
    told: dict[int, Told] = {}
    deadline = Deadline(within)
    while len(told) < len(works):
        try:
            # short waits: what the watch raises here must come through
            number, result = results.get(timeout=0.2)
        except queue.Empty:
            if deadline.over:
                raise Timeout("all transfers to end", within, (), ()) from None
            continue
        if isinstance(result, BaseException):
            raise result
        told[number] = result
    return [told[number] for number in range(len(works))]


def capture_file(folder: Path, trial: str) -> Path:
    """Where a trial's capture is kept."""
    return folder / "transcripts" / f"{trial}.pcapng"
