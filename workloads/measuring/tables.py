# SPDX-License-Identifier: MIT
"""What a command costs, for each variant: CPU per command and per KB. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accounting.analysis.answer import amount
from accounting.costs import under_model
from accounting.intervals import between, samples
from accounting.records import Source, Unit, Value
from accounting.stats import Estimate, StatsError, places, ratio_places
from accounting.store import Trial
from accounting.tables.group import estimate, ratio_of
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    interval_cell,
    known,
    ratio_cell,
    scaled,
    word,
)
from accounting.units import Figure, cpu_per_kb, tv_ratio

REPEAT = "repeat"
NAME = "commands"

HEADS = ("VIRTCPU, ms", "TOTCPU, ms", "Interval", "T/V", "ms/KB", "Instructions", "Interval",
         "Ratio", "Interval", "Runs an interval", "n")  # fmt: skip

Measure = Callable[[Trial], Figure | None]


def _used(trial: Trial, name: str) -> Value | None:
    found = between(samples(trial.records))
    return found[0].used.get(name) if found and found[0].valid else None


def _each(*names: str) -> Measure:
    """Growth of the first of these counters that there is, for one of the runs in an interval."""

    def measure(trial: Trial) -> Figure | None:
        found = (_used(trial, name) for name in names if _prints(trial, name))
        value = next((v for v in found if v is not None), None)
        if value is None:
            return None
        repeat = int(trial.params[REPEAT])
        return Figure(value.value / repeat, value.unit, (value.source,), value.tick / repeat)

    return measure


def _kb(trial: Trial) -> Figure | None:
    """TOTCPU for each KB that the command moves."""
    spent = total(trial)
    if spent is None or trial.data is None:
        return None
    one = Value(trial.data.value / int(trial.params[REPEAT]), trial.data.unit, trial.data.source)
    return cpu_per_kb(Value(spent.value, Unit.US, Source.QT, spent.tick), one)


def _prints(trial: Trial, name: str) -> bool:
    """Under a machine model the microseconds are still the CPU timer's: what is printed counts."""
    return name not in _TIMER or not under_model(trial.records)


def _tv(trial: Trial) -> Figure | None:
    whole, own = total(trial), virtual(trial)
    if whole is None or own is None or own.value <= own.tick:
        return None
    sides = (Value(f.value, Unit.US, Source.QT, f.tick) for f in (whole, own))
    return tv_ratio(*sides)


_TIMER = ("virt_time", "total_time")
virtual, total = _each("virt_time", "virtcpu"), _each("total_time", "totcpu")
instructions = _each("total_instr")


def finest(trials: Sequence[Trial]) -> Measure:
    """Instructions if every trial counts them, else TOTCPU."""
    return instructions if all(instructions(t) is not None for t in trials) else total


def by_variant(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """The trials of each variant, in the order in which variants first ran."""
    found: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda t: t.seq):
        found.setdefault(trial.release, []).append(trial)
    return found


def _figures(trials: Sequence[Trial], measure: Measure) -> list[Figure]:
    return [f for t in trials if (f := measure(t)) is not None]


def _pair(e: Estimate | None, unit: str, source: str) -> tuple[Cell, Cell]:
    if e is None:
        return word("-"), word("-")
    if e.below_step:
        return known(e, unit, source), word("")
    return known(e, unit, source), interval_cell(e, places(e), unit, source)


def _estimate(trials: Sequence[Trial], measure: Measure, scale: float = 1.0) -> Estimate | None:
    found = _figures(trials, measure)
    return scaled(estimate(found), scale) if len(found) == len(trials) else None


def compared(base: Sequence[Trial], new: Sequence[Trial]) -> Estimate | None:
    """The ratio of the finest measure of NEW to BASE, over interleaved pairs where they ran in one
    session; None where there is none."""
    measure = finest([*base, *new])
    if len({t.run for t in [*base, *new]}) > 1:
        try:
            return ratio_of(_figures(base, measure), _figures(new, measure), paired=False)
        except StatsError:
            return None
    before = {t.pair: t for t in base}
    pairs = [(before[t.pair], t) for t in new if t.pair in before]
    sides = [_figures([p[k] for p in pairs], measure) for k in (0, 1)]
    try:
        return ratio_of(sides[0], sides[1], paired=True)
    except StatsError:
        return None


def command_table(trials: Sequence[Trial], notes: Sequence[str] = ()) -> Table:
    """CPU of one command, by variant, the ratio to the first of them."""
    groups = by_variant(trials)
    base = next(iter(groups.values()))
    rows = []
    for label, group in groups.items():
        spent = _pair(_estimate(group, total, 1e-3), "ms", Source.QT)
        count = _estimate(group, instructions)
        counted = _pair(count, "instr", Source.IC)
        against: tuple[Cell, Cell] = (Cell("1.000", 1.0, "ratio"), word(""))
        if group is not base:
            e = compared(base, group)
            letter = Source.IC if finest([*base, *group]) is instructions else Source.QT
            against = (
                ratio_cell(e, letter),
                interval_cell(e, ratio_places(e) if e else 3, "ratio", letter),
            )
        virt, tv = _estimate(group, virtual, 1e-3), _estimate(group, _tv)
        kb = _estimate(group, _kb, 1e-3)
        runs = sorted({t.params[REPEAT] for t in group}, key=int)
        rows.append(
            Row(
                label,
                (
                    known(virt, "ms", Source.QT) if virt else word("-"), *spent,
                    known(tv, "ratio", Source.QT, most=3) if tv else word("-"),
                    known(kb, "ms/KB", "(QT/PB)") if kb else word("-"), *counted, *against,
                    word(", ".join(runs)), word(str(len(group))),
                ),
            )
        )  # fmt: skip
    head = Section("head", (Row("One command", tuple(map(word, HEADS))),))
    said = (
        "VIRTCPU and TOTCPU of the user's machine as the system tells them (QT), divided by the"
        " runs of the command in an interval; T/V is TOTCPU over VIRTCPU. Means.",
        *notes,
    )
    return Table(NAME, "CPU of one command", (head, Section("body", tuple(rows))), said)


def sentence(trials: Sequence[Trial]) -> str:
    """What the variants' ratio says, or what one command costs."""
    groups = by_variant(trials)
    (name, base), *others = groups.items()
    if not others:
        spent = _estimate(base, total, 1e-3)
        count = _estimate(base, instructions)
        said = []
        if count is not None:
            said.append(f"{known(count, 'instr', Source.IC).text} instructions")
        if spent is not None:
            said.append(f"{known(spent, 'ms', Source.QT).text} ms of TOTCPU")
        return f"One '{name}' costs {', '.join(said)}."
    parts = []
    for label, group in others:
        e = compared(base, group)
        if e is None or not e.has_interval:
            parts.append(f"whether '{label}' differs from '{name}' is not known: no interval")
        elif e.covers(1):
            parts.append(f"no difference between '{label}' and '{name}' is shown")
        else:
            much, word_of, within = amount(e)
            parts.append(f"'{label}' costs {much} CPU {word_of} '{name}' ({within})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
