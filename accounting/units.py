# SPDX-License-Identifier: MIT
"""Quotients of measured values, with their units and sources checked.

A `Value` (accounting.records) is something that was read; a `Figure` is what is made of
several, so it names every source that went into it, the CPU's first.  Each function takes values
of one dimension each and raises UnitError (a TypeError) for any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from vmkb.accounting.records import Source, Unit, UnitError, Value
from vmkb.errors import VmkbError

T = TypeVar("T")


class FigureError(VmkbError, ValueError):
    """A quotient that has no meaning, such as CPU per zero bytes."""


class Figure(NamedTuple):
    """A derived number, and how well it is known.

    tick is the width of what the sources' steps leave open, in the same unit: a counter that is
    read twice in steps of 0.01 s leaves 0.02 s, so the figure is known to half a tick on either
    side. systematic is a part of the value by which the counter itself may be wrong, the same way
    in every trial, so that no number of trials makes it smaller. per: what it is for each of, such
    as a call, where the unit does not say it.
    """

    value: float
    unit: Unit
    sources: tuple[Source, ...]
    tick: float = 0.0
    systematic: float = 0.0
    per: str = ""

    @property
    def quantity(self) -> str:
        """The unit as it is printed: `us/KB`, `us/round trip`, `commands/s`."""
        if not self.per:
            return str(self.unit)
        return f"{self.per}s/s" if self.unit is Unit.PER_S else f"{self.unit}/{self.per}"

    def to(self, quantity: str) -> Figure:
        """The same in another unit for each of the same thing: ms/KB of us/KB; UnitError
        otherwise."""
        if quantity == self.quantity:
            return self
        by, (unit, _, per) = factor(self.quantity, quantity), quantity.partition("/")
        return self._replace(value=self.value * by, unit=Unit(unit), tick=self.tick * by, per=per)

    @property
    def step(self) -> float:
        """How far the true value may be from `value` because of the sources' steps."""
        return self.tick / 2

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends between which the true value lies, steps and systematic part together.

        No interval in a table is made without it: accounting.stats widens by these bounds.
        """
        apart = self.step + self.systematic * abs(self.value)
        return self.value - apart, self.value + apart

    @property
    def letters(self) -> str:
        """The source letters as printed behind a number: (QT), or (QT/FT) for two."""
        return "(" + "/".join(self.sources) + ")"

    def __str__(self) -> str:
        return f"{self.value:g} {self.quantity} {self.letters}"


KB = "KB"


def factor(quantity: str, wanted: str) -> float:
    """The factor from the unit QUANTITY to WANTED; UnitError if that is another quantity, or is for
    each of another thing."""
    if quantity == wanted:
        return 1.0
    (top, _, below), (unit, _, same) = quantity.partition("/"), wanted.partition("/")
    try:
        if below != same:
            raise ValueError(wanted)
        return float(Value(1, Unit(top), Source.IN).to(Unit(unit)).value)
    except ValueError:
        raise UnitError(f"what is in {quantity} is not printed in {wanted}") from None


def _sources(*values: Value) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(v.source for v in values))


def _over(top: Value, below: Value, what: str) -> float:
    if not (math.isfinite(below.value) and below.value > 0):
        raise FigureError(f"{what} needs more than {below}")
    return top.value / below.value


def cpu_per_kb(cpu: Value, data: Value) -> Figure:
    """CPU microseconds per 1024 bytes; 1/1000 of it is the published layout's msec."""
    time, size = cpu.to(Unit.US), data.to(Unit.KB)
    cost = _over(time, size, "CPU per KB")
    return Figure(cost, Unit.US_KB, _sources(cpu, data), time.tick / size.value)


def utilization(cpu: Value, elapsed: Value) -> Figure:
    """CPU per second in percent: 100 is one engine fully busy."""
    time, span = cpu.to(Unit.US), elapsed.to(Unit.US)
    part = _over(time, span, "utilization")
    tick = 100 * (time.tick + part * span.tick) / span.value
    return Figure(100 * part, Unit.PERCENT, _sources(cpu, elapsed), tick)


def rate(data: Value, elapsed: Value) -> Figure:
    """Throughput in KB/s, KB = 1024 bytes."""
    size, span = data.to(Unit.KB), elapsed.to(Unit.S)
    speed = _over(size, span, "a rate")
    return Figure(speed, Unit.KB_S, _sources(data, elapsed), speed * span.tick / span.value)


def cp_share(virtual: Value, total: Value) -> Figure:
    """CP's part of TOTCPU in percent: what CP did on the machine's behalf."""
    overhead = total.minus(virtual.to(total.unit))
    part = _over(overhead, total, "CP's share")
    return Figure(100 * part, Unit.PERCENT, _sources(total), 100 * overhead.tick / total.value)


def tv_ratio(total: Value, virtual: Value) -> Figure:
    """T/V: TOTCPU over VIRTCPU, 1 where CP did nothing for the machine."""
    same = virtual.to(total.unit)
    part = _over(total, same, "the T/V ratio")
    return Figure(part, Unit.RATIO, _sources(total), part * (total.tick + same.tick) / same.value)


def add(values: Iterable[Value]) -> Value:
    """Sum of values of one dimension *and one source*; UnitError if sources are mixed.

    Two sources never flow into one sum unsaid: a caller who means it makes a Figure.
    """
    total: Value | None = None
    for value in values:
        if total is None:
            total = value
            continue
        if value.source is not total.source:
            raise UnitError(
                f"{value} and {total} come from different sources and are not added;"
                " choose one source"
            )
        same = value.to(total.unit)
        total = Value(total.value + same.value, total.unit, total.source, total.tick + same.tick)
    if total is None:
        raise FigureError("there is nothing to add up")
    return total


def complete(items: Iterable[T | None]) -> list[T]:
    """ITEMS, or nothing if one of them is unknown."""
    every = list(items)
    there = [item for item in every if item is not None]
    return there if len(there) == len(every) else []


def add_figures(figures: Sequence[Figure]) -> Figure:
    """Sum of figures of one unit: what is not known of each adds up, its sources too."""
    if not figures:
        raise FigureError("there is nothing to add up")
    value = sum(f.value for f in figures)
    apart = sum(f.systematic * abs(f.value) for f in figures)
    return Figure(
        value, figures[0].unit, tuple(dict.fromkeys(s for f in figures for s in f.sources)),
        sum(f.tick for f in figures), apart / abs(value) if value else 0.0, figures[0].per,
    )  # fmt: skip
