# SPDX-License-Identifier: MIT
"""The workload's tables, in the terms of IBM's reports. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import (
    Measure,
    elapsed,
    estimated,
    field,
    of_value,
    over,
    param,
    value,
)
from vmkb.accounting.models import Model, model
from vmkb.accounting.published import published
from vmkb.accounting.records import Source, Unit, Value
from vmkb.accounting.stats import StatsError
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import Column, base_of, columns, ratio
from vmkb.accounting.tables.listing import Columns, Shown, listing
from vmkb.accounting.tables.table import UNSAID, Cell, Table, printed, ratio_cell
from vmkb.accounting.units import Figure
from vmkb.workloads.cms.plan import Definition, shares

EVENT = "command"
NOTES = (
    "After CMS1, not CMS1: the scripts are ours, and procedures in REXX stand for compilers."
    " A command is a line or a key that is answered. ETR is of the time measured, all else of the"
    " scripts begun in it, to their ends. PBT/CMD has all users' accounts and CP's own;"
    " EMUL/CMD is what users' machines executed, CP/CMD the rest. ITR is ETR by the part of the"
    " time that the processor is busy. AVG FIRST and AVG LAST are to the first and the last write"
    " to the display, on the way to which nothing takes time: no control unit, no line.",
)


def made(given: Given, definition: Definition) -> list[Table | None]:
    """The tables of a command's cost, its answers, and the scripts that were played."""
    told = [t for t in given.trials if t.counts]
    if not told:
        return []
    chosen = model(told[0].meta["model"])
    return [
        command_table(columns(costs(told, Source.IC, chosen)), chosen),
        published_table(),
        counts_table(columns(costs(told, Source.IC, chosen))),
        script_table(told, definition),
    ]


def sentence(given: Given) -> str | None:
    """The cost of a command, as trials have it on the average; None for several releases, which are
    compared."""
    told = [t for t in given.trials if t.counts]
    if given.base or len({t.release for t in given.trials}) > 1 or not told:
        return None
    played = costs(told, Source.IC, model(told[0].meta["model"]))

    def mean(name: str) -> str:
        return spoken(estimated(played, ROWS[name]).value)

    return (
        f"{told[0].params['users']} users: a command takes {mean('PBT/CMD')} ms of CPU,"
        f" {mean('CP/CMD')} of it CP's; its answer is whole after {mean('AVG LAST')} s."
    )


def _commands(cost: TrialCost) -> int:
    return int(cost.trial.params["count"])


def without_rate(played: Sequence[TrialCost], chosen: Model) -> list[TrialCost]:
    """The costs without the time between the samples. Commands go on to the ends of their scripts,
    so that their number by that time is no rate at which they were given, as ETR is."""
    return [replace(cost, span=None) for cost in played]


def _sum(cost: TrialCost, own: bool = False) -> float:
    """Microseconds of all machines; OWN: of what they executed themselves."""
    used = (p.virtual if own else p.cpu for p in cost.parts if not own or p.label == "Users")
    return sum(float(cpu.to(Unit.US).value) for cpu in used if cpu is not None)


def _of(
    measure: Callable[[TrialCost], float], unit: Unit, *sources: Source, per: str = ""
) -> Measure:
    return lambda cost: Figure(measure(cost), unit, sources, per=per)


def _etr(cost: TrialCost) -> float:
    given, took = field("commands", "given")(cost), elapsed(cost)
    assert given is not None and took is not None
    return given.value / took.value


def _busy(cost: TrialCost) -> float:
    return _etr(cost) * _sum(cost) / 1e6 / _commands(cost)


_IC, _VT = Source.IC, Source.VT
ROWS: Mapping[str, Measure] = {
    "Users": _of(lambda c: int(param(c, "users")), Unit.COUNT, Source.IN),
    "ETR": _of(_etr, Unit.PER_S, _VT, per=EVENT),
    "ITR": _of(lambda c: 1e6 * _commands(c) / _sum(c), Unit.PER_S, _IC, per=EVENT),
    "PBT/CMD": _of(lambda c: _sum(c) / _commands(c) / 1000, Unit.MS, _IC),
    "CP/CMD": _of(lambda c: (_sum(c) - _sum(c, True)) / _commands(c) / 1000, Unit.MS, _IC),
    "EMUL/CMD": _of(lambda c: _sum(c, True) / _commands(c) / 1000, Unit.MS, _IC),
    "T/V": _of(lambda c: _sum(c) / _sum(c, True), Unit.RATIO, _IC),
    "Processor busy": _of(lambda c: 100 * _busy(c), Unit.PERCENT, _IC, _VT),
    "AVG FIRST": field("commands", "first", Unit.S),
    "AVG LAST": field("commands", "last", Unit.S),
}
PUBLISHED = "zvm310_cms1"


def command_table(runs: Sequence[Column], chosen: Model) -> Table | None:
    """A row for each measure with its unit and source, a column for each release, with the ratio to
    the first."""

    def named(row: tuple[str, Measure]) -> str:
        figure = row[1](runs[0].trials[0]) if runs else None
        if figure is None:
            return row[0]
        unit = "" if figure.quantity in UNSAID else f", {figure.quantity}"
        return f"{row[0]}{unit} {figure.letters}"

    shown: list[tuple[str, Callable[[tuple[str, Measure]], Shown]]] = [("", named)]
    for c in runs:
        shown.append((c.run_id, _cell_of(c)))
        base = base_of(c, runs)
        if base is not None and base is not c:
            shown.append(("Ratio", _ratio_of(base, c)))
    titles = ("A command of CMS, after CMS1", f"CPU on {chosen.describe()}.")
    return listing("cms", titles[0], ROWS.items(), shown, (titles[1], *NOTES), lettering=False)


def published_table() -> Table | None:
    """IBM's figures of CMS1: how two of its measures changed from one release to another."""
    known = published(PUBLISHED)
    rows: Columns[Mapping[str, str]] = [
        ("Change", lambda r: r["release"]),
        ("Measure", lambda r: r["measure"]),
        ("Ratio", lambda r: Cell(r["ratio"], float(r["ratio"]), "ratio", "(PB)")),
    ]
    notes = (f"{known.source}. A ratio of two releases of IBM's, none to be put beside ours.",)
    return listing("cms_published", "IBM's CMS1, as printed", known.rows, rows, notes, keys=2)


def _cell_of(column: Column) -> Callable[[tuple[str, Measure]], Shown]:
    return lambda row: value(row[1])(column.trials)


def _ratio_of(base: Column, column: Column) -> Callable[[tuple[str, Measure]], Shown]:
    def cell(row: tuple[str, Measure]) -> Shown:
        try:
            return None if row[0] == "Users" else ratio_cell(ratio(base, column, row[1]), "")
        except StatsError:
            return None

    return cell


def counts_table(runs: Sequence[Column]) -> Table | None:
    """Instructions per command of users and CP, and how far the accounts are from the emulator's
    own count."""

    def instructions(label: str) -> Measure:
        def counted(cost: TrialCost) -> Value | None:
            return cost.part(label).instructions if label else cost.instructions

        return over(lambda c: of_value(counted(c)), _commands, Unit.INSTR, EVENT)

    def apart(cost: TrialCost) -> Figure | None:
        counted = field("commands", "instructions")(cost)
        if cost.instructions is None or counted is None:
            return None
        beyond = cost.instructions.value - counted.value
        return Figure(100 * beyond / counted.value, Unit.PERCENT, (_IC,))

    every = instructions("")

    def half(column: Column) -> Shown:
        e = column.estimate(every)
        if not e.has_interval:
            return None
        return printed(50 * (e.hi - e.lo) / e.value, "%", "(IC)")

    rows: Columns[Column] = [
        ("Run", lambda c: c.run_id),
        ("Commands", lambda c: value(_of(_commands, Unit.COUNT, _VT))(c.trials)),
        ("", lambda c: value(every)(c.trials)),
        ("Half interval", half),
        ("Users", lambda c: value(instructions("Users"))(c.trials)),
        ("System", lambda c: value(instructions("System"))(c.trials)),
        ("Accounts beyond the emulator's count", lambda c: value(apart)(c.trials)),
        ("n", lambda c: str(len(c.trials))),
    ]
    return listing("cms_counts", "Instructions per command", runs, rows)


def script_table(trials: Sequence[Trial], definition: Definition) -> Table | None:
    """How many commands of each script there were, and its weight."""
    weights = shares(definition.script)
    every = [json.loads(t.params["scripts"]) for t in trials]
    whole = sum(sum(each.values()) for each in every)

    rows: Columns[tuple[str, str]] = [
        ("Script", lambda s: s[0]),
        ("After", lambda s: s[1]),
        ("Drawn", lambda s: printed(weights[s[0]], "%", "(IN)")),
        (
            "Commands",
            lambda s: printed(100 * sum(e.get(s[0], 0) for e in every) / whole, "%", "(VT)"),
        ),
    ]
    notes = ("No copy of IBM's page has its shares: it ends in front of that column.",)
    return listing(
        "cms_scripts", "Scripts", [(s.name, s.after) for s in definition.script], rows, notes
    )
