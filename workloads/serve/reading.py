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
_COUNT = re.compile(r"^COUNT \S+((?: \d+)*) (\d+) (\d+) (\d+) (\d+)$", re.M)
"""The events, the counter and its part in problem state as the reading began, and as it ended."""
_ROW = re.compile(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", re.M)
_NOT_WORK = ("TOTAL", "*IDLE")


class Reading(NamedTuple):
    """Instructions until the reading began, when that was said (seconds of the host's clock), and
    the answer."""

    total: int
    at: float
    raw: str

    @property
    def events(self) -> tuple[int, ...]:
        """How many events there have been, in the order of EVENTS; nothing if it does not say.
        They are looked at while the reading is taken."""
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


class ReadingError(ValueError):
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


class Rest(NamedTuple):
    """What a guest executes without work: for what of one `reading` lies between two (of Linux its
    answer and the next line, of CP's accounts all), in a second, and, of one that says
    how often its clock interrupts, for each such interruption: then the reading is without."""

    reading: float
    idle: float
    tick: float | None = None
    error: float = 0.0
    """The part of idle, or of tick, that is its standard error."""
    level: float = 0.0
    """The standard error of what a reading costs together with `centre` seconds or interruptions,
    in instructions: of that nothing has to do with the rate's."""
    centre: float = 0.0


def rest(at_once: Sequence[Reading], later: Sequence[Reading]) -> Rest:
    """From two or more readings at once, and one after each of some pieces of idle time: the line
    through what was executed between each two, by how long that took. So what the guest did of its
    own now and then is in the figures as often as it happened, and not left out of one of them."""
    pairs = list(itertools.pairwise((*at_once, *later)))
    spent = [float(grown(*pair)) for pair in pairs]
    ticks = [float(happened(*pair).get("clock", 0)) for pair in pairs]
    seconds = [after.at - before.at for before, after in pairs]
    clocked = sum(ticks) > 0
    line = _line(spent, ticks if clocked else seconds)
    idle = max(0.0, (sum(spent) - len(pairs) * line.reading) / sum(seconds))
    return Rest(
        line.reading, idle if clocked else line.rate, line.rate if clocked else None,
        line.error / line.rate if line.rate else 0.0, line.level, line.centre,
    )  # fmt: skip


class _Line(NamedTuple):
    """What a reading costs, and a unit of time; the rate's standard error, and that of the cost at
    the centre of the times."""

    reading: float
    rate: float
    error: float
    level: float
    centre: float


def _line(spent: Sequence[float], times: Sequence[float]) -> _Line:
    """Least squares. The errors are of what it leaves over, of which two points leave nothing."""
    n = len(spent)
    centre, mean = sum(times) / n, sum(spent) / n
    across = sum((t - centre) ** 2 for t in times)
    rate = sum((t - centre) * (s - mean) for s, t in zip(spent, times, strict=True))
    rate = max(0.0, rate / across) if across else 0.0
    reading = mean - rate * centre
    if n < 3:
        return _Line(reading, rate, 0.0, 0.0, centre)
    off = sum((s - reading - rate * t) ** 2 for s, t in zip(spent, times, strict=True)) / (n - 2)
    error = math.sqrt(off / across) if across else 0.0
    return _Line(reading, rate, error, math.sqrt(off / n), centre)


def by_clock(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions between two readings that follow from how long that took: the idle rate's, or
    as many times an interruption of the clock as there were."""
    if found.tick is not None:
        return found.tick * happened(before, after)["clock"]
    return found.idle * (after.at - before.at)


def in_user_mode(before: Reading, after: Reading, at_once: Sequence[Reading]) -> int:
    """Instructions of programs between two readings, less the reading's own; 0 if it is not
    said."""

    def between(first: Reading, last: Reading) -> int:
        return (last.user[0] - first.user[1]) % WRAPS

    own = min(between(*pair) for pair in itertools.pairwise(at_once))
    return max(0, between(before, after) - own)


def cost(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions of the work between two readings: less one reading, and what follows from the
    time that it took."""
    return grown(before, after) - found.reading - by_clock(before, after, found)


def left_open(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions by which that may be wrong, as what is taken off is known to two standard
    errors: more, the longer the trial was than what the idle rate was found from."""
    if found.tick is None:
        rate, beyond = found.idle, after.at - before.at - found.centre
    else:
        rate, beyond = found.tick, happened(before, after)["clock"] - found.centre
    return 2 * math.hypot(found.level, found.error * rate * beyond)


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
