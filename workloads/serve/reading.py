# SPDX-License-Identifier: MIT
"""Instructions of a whole guest: from its readings to the cost of a trial. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.errors import VmkbError

MACHINE = "SERVER"
"""The whole guest that serves, as a part of a trial."""
WRAPS = 1 << 32
"""A guest that reads the emulator's counter sees its low 32 bits."""
EVENTS = ("clock", "channel", "switches", "softirqs", "sent", "received", "merged")
"""Words that a guest may say beside its counter: interruptions of the clock and of the channel to
the wire, switches between processes, work of interruptions that was put off, packets that were
handed to IP (several of TCP's segments may be one there), those that IP handed on, and how many
segments of these were put together with others before TCP looked at them, since a program just had
the connection."""
_COUNT = re.compile(r"^COUNT \S+((?: \d+)*) (\d+) (\d+) (\d+) (\d+)$", re.M)
"""The events and bytes, the counter and its part in problem state as the reading began, and as it
ended."""
_BYTES = slice(len(EVENTS), None)
"""Where the bytes moved and summed are, if they are told."""
_ROW = re.compile(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", re.M)
_NOT_WORK = ("TOTAL", "*IDLE")
_CAUSES = re.compile(r"^CAUSE +TIMES +INSTRUCTIONS$(.*?)^TOTAL ", re.M | re.S)
_CAUSE = re.compile(r"^(\S.*?) +(\d+) +(\d+) *$", re.M)
_MACHINE = re.compile(r"^(VIRT|TOTAL) +\d+ US (\d+) INSTR", re.M)
"""CP's counts of one machine: its own instructions, and those with CP's for it."""


class Reading(NamedTuple):
    """Instructions until the reading began, when it was asked for (seconds of the present clock),
    and the answer."""

    total: int
    at: float
    raw: str

    @property
    def events(self) -> tuple[int, ...]:
        """How many events there have been, in the order of EVENTS; nothing if it does not say.
        They are looked at while the reading is taken."""
        return self._counts()[: len(EVENTS)]

    @property
    def bytes(self) -> tuple[int, ...]:
        """Bytes moved and summed until the reading was taken; nothing if it does not say."""
        return self._counts()[_BYTES]

    def _counts(self) -> tuple[int, ...]:
        found = _COUNT.search(self.raw)
        return () if found is None else tuple(map(int, found[1].split()))

    @property
    def ended(self) -> int:
        """Instructions until it had been taken, all but the answer; of accounts the total."""
        found = _COUNT.search(self.raw)
        return self.total if found is None else int(found[4])

    @property
    def user(self) -> tuple[int, int]:
        """Of the total, instructions in problem state, and of those until it had been taken; 0 if
        it does not say."""
        found = _COUNT.search(self.raw)
        return (0, 0) if found is None else (int(found[3]), int(found[5]))

    @property
    def machine(self) -> dict[str, int]:
        """VIRT and TOTAL of the virtual machine that serves; nothing if it is in none."""
        return {which: int(count) for which, count in _MACHINE.findall(self.raw)}

    @property
    def causes(self) -> dict[str, tuple[int, int]]:
        """How often the machine came back to CP for each cause, and the instructions of CP about
        it; nothing if it is in none."""
        found = _CAUSES.search(self.raw)
        rows = _CAUSE.findall(found[1]) if found else []
        return {cause: (int(times), int(instructions)) for cause, times, instructions in rows}


class ReadingError(VmkbError, ValueError):
    """An answer without a count."""


def executed(answer: str) -> int:
    """The instructions in an ANSWER: the counter, or the sum of CP's accounts, whose wait executes
    none. ReadingError."""
    found = _COUNT.search(answer)
    if found is not None:
        return int(found[2])
    rows = [int(count) for who, count in _ROW.findall(answer) if who not in _NOT_WORK]
    if not rows:
        raise ReadingError(f"no count of instructions is in {answer.strip()!r}")
    return sum(rows)


def grown(first: Reading, last: Reading) -> int:
    """Instructions between two readings: after the first was taken, until the last began."""
    wraps = _COUNT.search(first.raw) is not None
    between = last.total - first.ended
    return between % WRAPS if wraps else between


def happened(first: Reading, last: Reading) -> dict[str, int]:
    """The events between two readings, with those in what each does behind its look at them."""
    each = zip(first.events, last.events, strict=True)
    return dict(zip(EVENTS, (after - before for before, after in each), strict=False))


def cost(before: Reading, after: Reading, rested: Reading) -> int:
    """Instructions of the work between the readings BEFORE and AFTER: less those until RESTED, as
    much later, without work. So the reading and the guest's clock are in neither."""
    return grown(before, after) - grown(after, rested)


def bytes_of_work(before: Reading, after: Reading, rested: Reading) -> tuple[int, int]:
    """The same of bytes moved and summed. ReadingError if the guest does not say."""
    told = [reading.bytes for reading in (before, after, rested)]
    if not all(told):
        raise ReadingError("the guest does not say how many bytes were moved")
    moved, summed = (
        (after - before) % WRAPS - (rested - after) % WRAPS
        for before, after, rested in zip(*told, strict=True)
    )
    return moved, summed


def in_user_mode(before: Reading, after: Reading, rested: Reading) -> int:
    """The same of instructions of programs; 0 if the guest does not say."""

    def between(first: Reading, last: Reading) -> int:
        return (last.user[0] - first.user[1]) % WRAPS

    return max(0, between(before, after) - between(after, rested))


def in_machine(before: Reading, after: Reading, rested: Reading) -> dict[str, int]:
    """The same of a virtual machine: its own instructions (virt), CP's on its behalf (cp), and what
    else CP did (rest). Nothing if the system is in none."""
    if not rested.machine:
        return {}
    three = before.machine, after.machine, rested.machine
    grown_by = {which: _of_work(*(m[which] for m in three)) for which in ("VIRT", "TOTAL")}
    whole = cost(before, after, rested)
    return {
        "virt": grown_by["VIRT"],
        "cp": grown_by["TOTAL"] - grown_by["VIRT"],
        "rest": whole - grown_by["TOTAL"],
    }


def caused(before: Reading, after: Reading, rested: Reading) -> dict[str, tuple[int, int]]:
    """The same of the causes for which the machine came back to CP: times and instructions."""

    three = before.causes, after.causes, rested.causes
    found = {}
    for cause in rested.causes:
        times, instructions = zip(*(each.get(cause, (0, 0)) for each in three), strict=True)
        found[cause] = _of_work(*times), _of_work(*instructions)
    return found


def _of_work(before: int, after: int, rested: int) -> int:
    """How much a count grew by the work, less by how much it grew without it."""
    return (after - before) - (rested - after)


def records(
    work: int, model: str, raw: str, where: Where, copied: tuple[int, int] | None = None
) -> tuple[Record, Record]:
    """The cost as two samples of one machine, which is how costs are read everywhere: instructions,
    and bytes moved and summed, if they are COPIED."""

    def bytes_at(end: int) -> dict[str, Value]:
        names = zip(("total_moved", "total_summed"), copied or (), strict=False)
        return {name: Value(end * count, Unit.BYTE, Source.IC) for name, count in names}

    return tuple(
        Record(
            "connect",
            {
                "userid": MACHINE,
                "total_instr": Value(end * work, Unit.INSTR, Source.IC),
                **bytes_at(end),
                "model": model,
            },
            raw,
            where,
        )
        for end in (0, 1)
    )  # type: ignore[return-value]


def used(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """How much each part's share has grown."""
    return {name: count - before.get(name, 0.0) for name, count in after.items()}
