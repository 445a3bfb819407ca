# SPDX-License-Identifier: MIT
"""Two guests and the line between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vmkb.workloads.base.guest import OPERATOR, procedure
from vmkb.workloads.line import execs
from vmkb.workloads.line.plan import Case

if TYPE_CHECKING:
    from vmkb.guests.base import Running
    from vmkb.workloads.base.lab import Wire

NEAR, FAR = "near", "far"


@dataclass
class Told:
    """The texts of both guests in one trial, and the wire's counters before and after."""

    near: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    counters: list[dict[str, Any]] = field(default_factory=list)
    late: bool = False
    """The far host was asked when the near one had already gone on."""


class Pair:
    """A near and a far guest on WIRE, with the line of CASE between them."""

    def __init__(self, wire: Wire, near: Running, far: Running, case: Case) -> None:
        self.wire = wire
        self.near = near
        self.operator = far.logon(OPERATOR, OPERATOR)
        wire.set_profile(near.name, case.line)
        wire.set_profile(far.name, case.far)

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


def capture_file(folder: Path, trial: str) -> Path:
    """Where a trial's capture is kept."""
    return folder / "transcripts" / f"{trial}.pcapng"
