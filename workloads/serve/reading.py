# SPDX-License-Identifier: MIT
"""What a whole guest has executed: from what it says to what a trial cost it. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from accounting.records import Record, Source, Unit, Value, Where

MACHINE = "SERVER"
"""The whole guest that serves, as a part of a trial."""
WRAPS = 1 << 32
"""A guest that reads the emulator's counter sees its low 32 bits."""
_COUNT = re.compile(r"^COUNT \S+ (\d+)$", re.M)
_ROW = re.compile(r"^(\S+) +\d+ +\d+ +(\d+) +\d+ *$", re.M)
_NOT_WORK = ("TOTAL", "*IDLE")


class Reading(NamedTuple):
    """Instructions so far, when that was said (seconds of the host's clock), and the answer."""

    total: int
    at: float
    raw: str


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


class Rest(NamedTuple):
    """What a guest executes without work: for one `reading`, and in a second."""

    reading: int
    idle: float


def rest(at_once: Sequence[Reading], later: Reading) -> Rest:
    """From two or more readings at once, and one after some idle time. The guest may do something
    of its own between two of the first: the cheapest is what a reading costs."""
    reading = min(grown(a, b) for a, b in itertools.pairwise(at_once))
    idle = (grown(at_once[-1], later) - reading) / (later.at - at_once[-1].at)
    return Rest(reading, max(0.0, idle))


def cost(before: Reading, after: Reading, found: Rest) -> float:
    """Instructions of the work between two readings: less one reading, and the idle rate."""
    return grown(before, after) - found.reading - found.idle * (after.at - before.at)


def records(work: float, model: str, raw: str, where: Where) -> tuple[Record, Record]:
    """The cost as two samples of one machine, which is how costs are read everywhere."""
    return tuple(
        Record(
            "connect",
            {
                "userid": MACHINE,
                "total_instr": Value(count, Unit.INSTR, Source.IC),
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


def fitted(sizes: Mapping[float, float]) -> tuple[float, float, float]:
    """What each file costs and what each KB of it costs, from the cost of a file by its KB: least
    squares of relative errors; and the largest of those, in percent."""
    weights = [(kb, y, 1 / (y * y)) for kb, y in sizes.items()]
    total: Callable[[Callable[[float, float], float]], float] = lambda f: sum(  # noqa: E731
        w * f(kb, y) for kb, y, w in weights
    )
    n, x, y = total(lambda a, b: 1), total(lambda a, b: a), total(lambda a, b: b)
    xx, xy = total(lambda a, b: a * a), total(lambda a, b: a * b)
    each = (n * xy - x * y) / (n * xx - x * x)
    base = (y - each * x) / n
    worst = max(abs(base + each * kb - cost) / cost for kb, cost in sizes.items())
    return base, each, 100 * worst
