# SPDX-License-Identifier: MIT
"""The cost of a command, for each variant: CPU per command and per KB. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vmkb.accounting.analysis.answer import amount, at_most
from vmkb.accounting.costs import under_model
from vmkb.accounting.intervals import between, samples
from vmkb.accounting.measures import estimated, has, interval, param, value
from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.stats import Estimate, StatsError
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import ratio_of
from vmkb.accounting.tables.listing import Columns, Shown, grouped, listing, number, release, shown
from vmkb.accounting.tables.table import Cell, Table, interval_cell, ratio_cell, scaled
from vmkb.accounting.units import Figure, cpu_per_kb, tv_ratio

REPEAT = "repeat"
NAME = "commands"

Measure = Callable[[Trial], Figure | None]
Show = Callable[[Sequence[Trial]], Shown]


def _used(trial: Trial, name: str) -> Value | None:
    intervals = between(samples(trial.records))
    return intervals[0].used.get(name) if intervals and intervals[0].valid else None


def _each(*names: str) -> Measure:
    """Growth of the first of these counters that there is, for one of the runs in an interval."""

    def measure(trial: Trial) -> Figure | None:
        values = (_used(trial, name) for name in names if _prints(trial, name))
        value = next((v for v in values if v is not None), None)
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
    return grouped(sorted(trials, key=lambda t: t.seq), lambda t: t.release)


def _figures(trials: Sequence[Trial], measure: Measure) -> list[Figure]:
    return [f for t in trials if (f := measure(t)) is not None]


def compared(base: Sequence[Trial], new: Sequence[Trial]) -> Estimate | None:
    """The ratio of the finest measure of NEW to BASE, over interleaved pairs where they ran in one
    session; None where there is none."""
    measure, sides = finest([*base, *new]), [base, new]
    if paired := len({t.run for t in [*base, *new]}) == 1:
        before = {t.pair: t for t in base}
        beside = [t for t in new if t.pair in before]
        sides = [[before[t.pair] for t in beside], beside]
    try:
        return ratio_of(*(_figures(side, measure) for side in sides), paired=paired)
    except StatsError:
        return None


def command_table(trials: Sequence[Trial], notes: Sequence[str] = ()) -> Table | None:
    """CPU of one command, by variant, the ratio to the first of them."""
    groups = by_variant(trials)
    base = next(iter(groups.values()))

    def within(measure: Measure, unit: str, scale: float, source: Source) -> Show:
        def cell(group: Sequence[Trial]) -> Shown:
            if not has(group, measure):
                return None
            coarse = scaled(estimated(group, measure), scale).below_step
            return "" if coarse else interval(measure, unit, source=source)(group)

        return cell

    def letter(group: Sequence[Trial]) -> Source:
        return Source.IC if finest([*base, *group]) is instructions else Source.QT

    def ratio(group: Sequence[Trial]) -> Shown:
        if group is base:
            return Cell("1.000", 1.0, "ratio")
        return ratio_cell(compared(base, group), letter(group))

    def around(group: Sequence[Trial]) -> Shown:
        if group is base:
            return ""
        e = compared(base, group)
        return interval_cell(e, "ratio", letter(group))

    columns: Columns[Sequence[Trial]] = [
        ("One command", release),
        ("VIRTCPU", value(virtual, "ms", source=Source.QT)),
        ("TOTCPU", value(total, "ms", source=Source.QT)),
        ("Interval", within(total, "ms", 1e-3, Source.QT)),
        ("T/V", value(_tv, source=Source.QT)),
        ("", value(_kb, "ms/KB", source="(QT/PB)")),
        ("", value(instructions, source=Source.IC)),
        ("Interval", within(instructions, "instr", 1.0, Source.IC)),
        ("Ratio", ratio),
        ("Interval", around),
        ("Runs an interval", lambda g: ", ".join(sorted({param(t, REPEAT) for t in g}, key=int))),
        ("n", number),
    ]
    said = (
        "VIRTCPU and TOTCPU of the user's machine as the system tells them (QT), divided by the"
        " runs of the command in an interval; T/V is TOTCPU over VIRTCPU. Means.",
        *notes,
    )
    return listing(NAME, "CPU of one command", groups.values(), columns, said, keys=0)


def sentence(trials: Sequence[Trial]) -> str:
    """The variants' ratio in a sentence, or the cost of one command."""
    groups = by_variant(trials)
    (name, base), *others = groups.items()
    if not others:
        count, spent = value(instructions)(base), value(total, "ms")(base)
        said = [
            f"{shown(cell).text} {unit}"
            for cell, unit in ((count, "instructions"), (spent, "ms of TOTCPU"))
            if cell is not None
        ]
        return f"One '{name}' costs {', '.join(said)}."
    parts = []
    for label, group in others:
        e = compared(base, group)
        if e is None or not e.has_interval:
            parts.append(f"whether '{label}' differs from '{name}' is not known: no interval")
        elif e.covers(1):
            most = at_most(e.largest_change)
            parts.append(f"'{label}' and '{name}' differ by at most {most}")
        else:
            much, word_of, within = amount(e)
            parts.append(f"'{label}' costs {much} CPU {word_of} '{name}' ({within})")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
