# SPDX-License-Identifier: MIT
"""What a trial on a node used: by machine and mode, in counts and on a modelled CPU. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from accounting.intervals import Interval, between, samples
from accounting.models import Model
from accounting.records import Record, Source, Unit, Value
from accounting.stats import Estimate, median_estimate
from accounting.store import Trial
from accounting.tables.table import Cell, TableError, estimated, word
from workloads.terminal.readout import SYSTEM

NO_BYTES = Value(0, Unit.BYTE, Source.IC)


@dataclass(frozen=True)
class Use:
    """CPU of one account over a trial: instructions, and microseconds on the model's machine."""

    instructions: float
    us: float
    virtual_instructions: float
    virtual_us: float
    qt_us: float
    """As QUERY TIME printed TOTCPU, in hundredths of a second."""

    def plus(self, other: Use) -> Use:
        """Both together."""
        return Use(
            self.instructions + other.instructions,
            self.us + other.us,
            self.virtual_instructions + other.virtual_instructions,
            self.virtual_us + other.virtual_us,
            self.qt_us + other.qt_us,
        )


NOTHING = Use(0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Figures:
    """A trial on one node. `parts` by printed label, in order; `interrupt`: the part of CP's work
    that was done in interruptions, for anybody."""

    trial: Trial
    parts: Mapping[str, Use]
    interrupt: Use

    @property
    def seconds(self) -> float:
        """How long the terminals were at it."""
        assert self.trial.elapsed is not None
        return self.trial.elapsed.to(Unit.S).value

    @property
    def kilobytes(self) -> float:
        """What the terminals showed."""
        return self.trial.data.to(Unit.KB).value if self.trial.data else 0.0

    @property
    def total(self) -> Use:
        """All parts."""
        total = NOTHING
        for use in self.parts.values():
            total = total.plus(use)
        return total

    def percent(self, us: float) -> float:
        """Microseconds as percent of one engine over the trial."""
        return us / (1e4 * self.seconds)

    def modes(self) -> dict[str, float]:
        """Percent of one engine: busy, user (in the machines), kernel (in CP), interrupt."""
        total, interrupt = self.total, self.interrupt.us
        shares = {
            "busy": total.us,
            "user": total.virtual_us,
            # Interruptions for the meter are in the one and not in the other.
            "kernel": max(0.0, total.us - total.virtual_us - interrupt),
            "interrupt": interrupt,
        }
        return {k: self.percent(us) for k, us in shares.items()}

    def param(self, name: str) -> str:
        """A parameter of the trial."""
        return self.trial.params.get(name, "")

    def record(self, kind: str) -> Record | None:
        """The trial's one record of a kind."""
        return next((r for r in self.trial.records if r.kind == kind), None)


def _grown(interval: Interval, name: str) -> Value:
    found = interval.used.get(name)
    if found is None:
        raise TableError(f"{interval.machine} has no {name}: QUERY TIME (FULL prints it")
    return found


def _us(interval: Interval, side: str, model: Model) -> float:
    if model.is_timer:
        return _grown(interval, f"{side}_time").value
    counts = [_grown(interval, f"{side}_{what}") for what in ("instr", "moved", "summed")]
    return model.cpu(counts[0], counts[1], counts[2]).value


def _use(interval: Interval, model: Model) -> Use:
    return Use(
        _grown(interval, "total_instr").value,
        _us(interval, "total", model),
        _grown(interval, "virt_instr").value,
        _us(interval, "virt", model),
        _grown(interval, "totcpu").value,
    )


def figures(trial: Trial, model: Model) -> Figures:
    """The figures of TRIAL through MODEL; TableError if its samples do not give them."""
    found = {i.machine: i for i in between(samples(trial.records), trial.engines)}
    parts: dict[str, Use] = {}
    for machine, label in trial.parts.items():
        if machine not in found or not found[machine].valid:
            why = "; ".join(found[machine].notes) if machine in found else "it was not asked twice"
            raise TableError(f"trial {trial.id}: {machine}: {why}")
        parts[label] = parts.get(label, NOTHING).plus(_use(found[machine], model))
    system = found[SYSTEM]
    instructions = _grown(system, "intr_instr").value
    interrupt = Use(instructions, _us(system, "intr", model), 0, 0, 0)
    return Figures(trial, parts, interrupt)


def all_figures(trials: Iterable[Trial], model: Model) -> list[Figures]:
    """The figures of every trial that came to its end, in the order in which they ran."""
    counted = sorted((t for t in trials if t.counts), key=lambda t: t.seq)
    return [figures(t, model) for t in counted]


Group = Sequence[Figures]


def groups(found: Iterable[Figures], kinds: Sequence[str]) -> dict[tuple[str, ...], list[Figures]]:
    """Trials of KINDS by release, path, node and number of terminals."""
    made: dict[tuple[str, ...], list[Figures]] = {}
    for f in found:
        if f.param("kind") in kinds:
            key = (f.trial.release, f.param("path"), f.param("node"), f.param("terminals"))
            made.setdefault(key, []).append(f)
    return made


def estimate(group: Group, measure: Callable[[Figures], float]) -> Estimate:
    """Median of a measure over trials, with its interval."""
    return median_estimate([measure(f) for f in group])


def cell(group: Group, measure: Callable[[Figures], float], places: int, unit: str, source: str
         ) -> Cell:  # fmt: skip
    """The median of a measure over trials."""
    return estimated(estimate(group, measure), places, unit, source)


def whole(group: Group, measure: Callable[[Figures], float], unit: str, source: str) -> Cell:
    """The median of a measure as a whole number."""
    e = estimate(group, measure)
    return Cell(f"{e.value:.0f}", e.value, unit, source, e.lo, e.hi, e.n, e.confidence)


def recorded(group: Group, kind: str, name: str) -> list[float]:
    """A field of the record KIND of every trial of a group; empty if one lacks it."""
    found = [f.record(kind) for f in group]
    if not found or any(r is None or name not in r.fields for r in found):
        return []
    return [float(r.value(name).value) for r in found if r is not None]


def middle(values: Sequence[float], places: int, unit: str, source: str) -> Cell:
    """The median of some values, or a dash."""
    return estimated(median_estimate(values), places, unit, source) if values else word("-")
