# SPDX-License-Identifier: MIT
"""What a whole guest has executed: from what it says to what a trial cost it. Pure."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from accounting.records import Record, Source, Unit, Value, Where

MACHINE = "SERVER"
"""The whole guest that serves, as a part of a trial."""
WRAPS = 1 << 32
"""A guest that reads the emulator's counter sees its low 32 bits."""
EVENTS = ("clock", "channel", "switches", "softirqs", "sent", "received", "merged")
"""What a guest may say beside its counter: interruptions of the clock and of the channel to the
wire, switches between processes, work of interruptions that was put off, packets that were handed
to IP (several of TCP's segments may be one there), those that IP handed on, and how many segments
of these were put together with others before TCP looked at them, since a program just had the
connection."""
_COUNT = re.compile(r"^COUNT \S+ (\d+)(?: (\d+)((?: \d+)*))?$", re.M)
_ROW = re.compile(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", re.M)
_NOT_WORK = ("TOTAL", "*IDLE")


class Reading(NamedTuple):
    """Instructions so far, when that was said (seconds of the host's clock), and the answer."""

    total: int
    at: float
    raw: str

    @property
    def events(self) -> tuple[int, ...]:
        """How many events there have been, in the order of EVENTS; nothing if it does not say."""
        found = _COUNT.search(self.raw)
        return () if found is None or found[3] is None else tuple(map(int, found[3].split()))

    @property
    def user(self) -> int:
        """Of the total, instructions in problem state; 0 if it does not say."""
        found = _COUNT.search(self.raw)
        return 0 if found is None else int(found[2] or 0)


class ReadingError(ValueError):
    """An answer without a count."""


def executed(answer: str) -> int:
    """The instructions in an ANSWER: the counter, or the sum of CP's accounts, whose wait executes
    none. ReadingError."""
    found = _COUNT.search(answer)
    if found is not None:
        return int(found[1])
    rows = [int(count) for who, count in _ROW.findall(answer) if who not in _NOT_WORK]
    if not rows:
        raise ReadingError(f"no count of instructions is in {answer.strip()!r}")
    return sum(rows)


def grown(first: Reading, last: Reading) -> int:
    """Instructions between two readings."""
    wraps = first.raw.startswith("COUNT")
    return (last.total - first.total) % WRAPS if wraps else last.total - first.total


def happened(first: Reading, last: Reading) -> dict[str, int]:
    """The events between two readings, the reading's own with them."""
    each = zip(first.events, last.events, strict=True)
    return dict(zip(EVENTS, (after - before for before, after in each), strict=False))


class Rest(NamedTuple):
    """What a guest executes without work: for one `reading`, in a second, and, of one that says
    how often its clock interrupts, for each such interruption: then the reading is without."""

    reading: float
    idle: float
    tick: float | None = None
    error: float = 0.0
    """The part of idle, or of tick, that is its standard error."""


def rest(at_once: Sequence[Reading], later: Sequence[Reading]) -> Rest:
    """From two or more readings at once, and one after each of some pieces of idle time, whose
    differences tell how well the rate is known. The guest may do something of its own between two
    of the first: the cheapest is what a reading costs."""
    first, second = min(itertools.pairwise(at_once), key=lambda pair: grown(*pair))
    reading, clocked = grown(first, second), happened(first, second).get("clock", 0)
    pieces = list(itertools.pairwise((at_once[-1], *later)))
    spent = [max(0.0, grown(*piece) - reading) for piece in pieces]
    ticks = [happened(*piece).get("clock", 0) - clocked for piece in pieces]
    seconds = [after.at - before.at for before, after in pieces]
    if sum(ticks) <= 0:
        idle, error = _rate(spent, seconds)
        return Rest(reading, idle, None, error)
    tick, error = _rate(spent, ticks)
    own = max(0.0, reading - tick * clocked)
    whole = sum(spent) + len(pieces) * (reading - own)
    return Rest(own, max(0.0, whole / sum(seconds)), tick, error)


def _rate(spent: Sequence[float], times: Sequence[float]) -> tuple[float, float]:
    """How much was SPENT each time, over all pieces, and the part of it that is its standard error
    by how the pieces differ; 0 where there is one."""
    rate = sum(spent) / sum(times)
    if len(spent) < 2 or rate == 0:
        return rate, 0.0
    off = sum((s - rate * t) ** 2 for s, t in zip(spent, times, strict=True))
    return rate, math.sqrt(off * len(spent) / (len(spent) - 1)) / sum(spent)


def by_clock(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions between two readings that follow from how long that took: the idle rate's, or
    as many times an interruption of the clock as there were."""
    if found.tick is not None:
        return found.tick * happened(before, after)["clock"]
    return found.idle * (after.at - before.at)


def in_user_mode(before: Reading, after: Reading, at_once: Sequence[Reading]) -> int:
    """Instructions of programs between two readings, less the reading's own; 0 if it is not
    said."""
    own = min((b.user - a.user) % WRAPS for a, b in itertools.pairwise(at_once))
    return max(0, (after.user - before.user) % WRAPS - own)


def cost(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions of the work between two readings: less one reading, and what follows from the
    time that it took."""
    return grown(before, after) - found.reading - by_clock(before, after, found)


def left_open(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions by which that may be wrong, as the idle rate is known to two standard errors."""
    return 2 * found.error * by_clock(before, after, found)


def records(
    work: float, model: str, raw: str, where: Where, open_by: float = 0.0
) -> tuple[Record, Record]:
    """The cost as two samples of one machine, which is how costs are read everywhere; it is known
    to OPEN_BY instructions."""
    return tuple(
        Record(
            "connect",
            {
                "userid": MACHINE,
                "total_instr": Value(count, Unit.INSTR, Source.IC, open_by),
                "model": model,
            },
            raw,
            where,
        )
        for count in (0, round(work))
    )  # type: ignore[return-value]


def used(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """How much each part's share has grown."""
    return {name: count - before.get(name, 0.0) for name, count in after.items()}
