# SPDX-License-Identifier: MIT
"""The cost of a call of each cell, guest by guest, from the trials. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vmkb.accounting.models import Model
from vmkb.accounting.records import Record, Source, Unit, Value
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import grouped
from vmkb.accounting.tables.table import TableError
from vmkb.hercules.wire.profile import profile

CONTROL = 60
"""Bytes of a frame with a control message (guests/vmkb/cp/comm/gms/gms.h)."""
HOME = "CALLER"
IC = Source.IC
Key = tuple[str, str, str, int, int]
"""Way, wait, receive, size, callers."""


@dataclass(frozen=True)
class Used:
    """Of one guest, for each call."""

    instr: float
    moved: float
    summed: float

    def us(self, model: Model) -> float:
        """Microseconds on that machine."""
        counted = Value(self.instr, Unit.INSTR, IC)
        moved, summed = (Value(n, Unit.BYTE, IC) for n in (self.moved, self.summed))
        return float(model.cpu(counted, moved, summed).value)


@dataclass(frozen=True)
class Cost:
    """A trial: what a call beyond the few ones used in each guest, and took by the caller's clock.

    clocked: instructions of CP's work at fixed times meanwhile, a tick or an announcement: as many
    as it took seconds, so they are in no guest's.
    """

    pair: int
    guests: dict[str, Used]
    elapsed: float
    clocked: float = 0

    def instr(self) -> float:
        """Instructions of a call, in all guests."""
        return sum(used.instr for used in self.guests.values())

    def moved(self) -> float:
        """Bytes moved by a call, in all guests."""
        return sum(used.moved for used in self.guests.values())


Cells = Mapping[Key, Sequence[Cost]]


def key(trial: Trial) -> Key:
    """Which cell, alone or with many outstanding."""
    p = trial.params
    return p["way"], p["wait"], p["receive"], int(p["size"]), int(p["callers"])


def _samples(trial: Trial) -> dict[tuple[str, str], list[Record]]:
    """Answers of QUERY TIME by guest and machine."""

    def where(record: Record) -> tuple[str, str]:
        guest, _, machine = record.word("userid").rpartition(" ")
        return guest or HOME, machine

    return grouped((r for r in trial.records if r.kind == "connect"), where)


def _more(samples: Sequence[Record], name: str, trial: Trial) -> float:
    """The use of the run of many beyond that of few. The caller's guest was asked before and
    after each, the others once between the two."""
    values = [r.value(name).value for r in samples]
    if len(values) not in (3, 4):
        raise TableError(f"trial {trial.id}: a machine told its CPU {len(values)} times")
    return (values[-1] - values[-2]) - (values[1] - values[0])


def cost(trial: Trial) -> Cost:
    """The cost of a call; TableError if the answers are not all there."""
    calls = int(trial.params["more"])
    guests: dict[str, Used] = {}
    clocked = 0.0
    for (guest, _), samples in _samples(trial).items():

        def a_call(name: str, samples: Sequence[Record] = samples) -> float:
            told = all(name in r.fields for r in samples)
            return _more(samples, name, trial) / calls if told else 0.0

        by_clock = a_call("clock_instr")
        clocked += by_clock
        so_far = guests.get(guest, Used(0, 0, 0))
        guests[guest] = Used(
            so_far.instr + a_call("total_instr") - by_clock,
            so_far.moved + a_call("total_moved"),
            so_far.summed + a_call("total_summed"),
        )
    took = [r.value("elapsed").value for r in trial.records if r.kind == "gms_calls"]
    if len(took) != 2:
        raise TableError(f"trial {trial.id}: GMSBENCH told its time {len(took)} times")
    return Cost(trial.pair, guests, (took[1] - took[0]) / calls, clocked)


def costs_by_cell(trials: Iterable[Trial]) -> dict[Key, list[Cost]]:
    """The costs of each cell in the order in which they ran."""
    ordered = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    return {k: [cost(t) for t in mine] for k, mine in grouped(ordered, key).items()}


def estimated(costs: Sequence[Cost], measure: Callable[[Cost], float]) -> Estimate:
    """The mean of a measure with its interval."""
    return mean_estimate([measure(c) for c in costs])


def difference(
    more: Sequence[Cost], less: Sequence[Cost], measure: Callable[[Cost], float]
) -> Estimate | None:
    """By how much one cell exceeds another, over the rounds that have both; None without one."""
    base = {c.pair: measure(c) for c in less}
    apart = [measure(c) - base[c.pair] for c in more if c.pair in base]
    return mean_estimate(apart) if apart else None


class Machines:
    """The models of the guests and the wire between them. `measured`: the guests were such machines
    on such a wire, on virtual time, so what a call took is a figure of theirs."""

    def __init__(self, caller: Model, server: Model, wire: str, measured: bool) -> None:
        self.caller, self.server = caller, server
        self.measured = measured
        self._profile = profile(wire)
        self.rate = self._profile.rate

    def cpu(self, cost: Cost) -> dict[str, float]:
        """Microseconds of each guest for a call."""
        return {
            guest: used.us(self.caller if guest == HOME else self.server)
            for guest, used in cost.guests.items()
        }

    def all_cpu(self, cost: Cost) -> float:
        """Microseconds of all guests together for a call."""
        return sum(self.cpu(cost).values())

    def wire(self, way: str, size: int) -> float:
        """Microseconds of the wire for a call: its frames, one after the other."""
        hops = 1 if way == "2-way" else 2
        requests = hops * self._profile.seconds(CONTROL)
        return 1e6 * (requests + self._profile.seconds(CONTROL + size))

    def adapter(self, way: str) -> float:
        """Microseconds of the adapters for a call: one for each of its messages."""
        return 1e6 * self._profile.adapter * (2 if way == "2-way" else 3)

    def latency(self, cost: Cost, way: str, size: int) -> float:
        """Microseconds of one call alone, if nothing of it overlaps: the CPU of all guests and the
        wire."""
        return self.all_cpu(cost) + self.wire(way, size)

    def interval(self, cost: Cost, size: int) -> float:
        """Microseconds between calls with many outstanding: those of what is busiest, a guest's
        CPU or the wire into the caller's."""
        return max(*self.cpu(cost).values(), 1e6 * self._profile.seconds(CONTROL + size))
