# SPDX-License-Identifier: MIT
"""The workload's tables: instructions per KB of whole systems, beside each other. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence

from vmkb.accounting.analysis.answer import release_name
from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.measures import (
    TOTAL,
    Measure,
    instructions_of,
    interval,
    param,
    throughput,
    value,
)
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.group import Column, base_of, columns, ratio
from vmkb.accounting.tables.listing import Columns, Shown, grouped, listing, mean
from vmkb.accounting.tables.table import Table, interval_cell, printed, ratio_cell
from vmkb.workloads.serve.reading import EVENTS

NOTES = (
    "All that the guest executed while the files were moved, less what it executes in as much time"
    " without work, which follows at once. The logon to the server is outside. The client is the"
    " same for all: VM/KB's FTP in a guest of its own. Idle is with one reading. A kernel that was"
    " built from source has builds, links of the same objects in other orders; all else has one.",
)


LEAST = 1.0
"""Instructions of CP per KB for which a cause has a row."""


def titles_of(trials: Sequence[Trial]) -> dict[str, str]:
    """The name of each release in a table, and of which run it is where two stand beside each
    other."""
    each = {t.release.partition(" ")[0]: t.params.get("title", t.release) for t in trials}
    return {t.release: release_name(t.release, each) for t in trials}


def systems(trials: Sequence[Trial]) -> list[Column]:
    """The costs of trials that came to their end, by case and system."""
    mine = [t for t in trials if t.counts]
    return columns(costs(mine, Source.IC, model(mine[0].meta["model"]))) if mine else []


def count_table(
    trials: Sequence[Trial], moved: str = "FT",
    title: str = "What a KB costs the system that serves it", about: Sequence[str] = NOTES,
) -> Table | None:  # fmt: skip
    """Instructions per KB and rate of each case and system, with their ratios to the first. MOVED
    is the source of the bytes and their time."""
    served, per = systems(trials), f"(IC/{moved})"
    cost = instructions_of(TOTAL)

    def to_base(c: Column, measure: Measure) -> Estimate | None:
        base = base_of(c, served)
        return None if base is None or base is c else ratio(base, c, measure)

    def beside(measure: Measure, source: str) -> Callable[[Column], Shown]:
        def cell(c: Column) -> Shown:
            if not c.has(measure):
                return None
            e = to_base(c, measure)
            return "1.000" if e is None else ratio_cell(e, source)

        return cell

    def within(c: Column) -> Shown:
        e = to_base(c, cost)
        return "" if e is None else interval_cell(e, "ratio", per)

    def idle(c: Column) -> Shown:
        each = sorted(int(param(t, "idle_per_s")) for t in c.trials)
        return printed(each[len(each) // 2] / 1000, "1000/s", "(IC)")

    rows: Columns[Column] = [
        *_named(trials),
        ("", lambda c: value(cost, source=per)(c.trials)),
        ("Interval", lambda c: interval(cost, source=per)(c.trials)),
        ("Ratio", beside(cost, per)),
        ("Interval", within),
        ("Rate", lambda c: value(throughput, source=f"({moved})")(c.trials)),
        ("Ratio of rates", beside(throughput, f"({moved})")),
        ("Idle", idle),
        ("n", lambda c: str(len(c.trials))),
        ("Builds", lambda c: str(len(set(c.builds)))),
    ]
    return listing("serve", title, served, rows, about)


def event_table(trials: Sequence[Trial]) -> Table | None:
    """Events of each kind for a MB, of systems that tell them, and their user mode."""
    told = [t for t in trials if len(json.loads(t.params.get("events", "{}"))) > 1]

    def events(kind: str) -> Callable[[TrialCost], float]:
        return lambda c: 1024 * json.loads(param(c, "events")).get(kind, 0)

    rows: Columns[Column] = [
        *_named(trials),
        ("User mode", _per_kb(lambda c: float(param(c, "user_instr") or 0))),
        ("Taken off as idle", _per_kb(lambda c: float(param(c, "idle_instr") or 0))),
        *((f"{kind.capitalize()} per MB", _per_kb(events(kind), "count")) for kind in EVENTS),
    ]
    notes = (
        "User mode: instructions of programs, most of them the FTP server's; the rest is the"
        " kernel's. Sent and received are what TCP hands to IP and what IP hands on; merged are"
        " segments that TCP puts together with others before it looks at them.",
    )
    return listing("events", "What the system did for that", systems(told), rows, notes)


def served_kb(item: Trial | TrialCost) -> float:
    """The KB of all files of a trial."""
    return float(param(item, "file_kb")) * int(param(item, "files"))


def _named(trials: Sequence[Trial]) -> Columns[Column]:
    """The columns that say what a row is of."""
    titles = titles_of(trials)
    return [("Case", lambda c: c.case), ("Serves", lambda c: titles[c.release])]


def _per_kb(
    amount: Callable[[TrialCost], float], unit: str = "instr/KB"
) -> Callable[[Column], Shown]:
    """The mean of an amount of the whole trial for each KB of its files."""

    def each(c: TrialCost) -> float:
        return amount(c) / served_kb(c)

    return lambda column: mean([each(c) for c in column.trials], unit, "(IC)")


def machine_table(trials: Sequence[Trial]) -> Table | None:
    """Instructions of a virtual machine that serves, and of CP for it."""
    told = [t for t in trials if json.loads(t.params.get("machine", "{}"))]

    def part(which: str) -> Callable[[Column], Shown]:
        return _per_kb(lambda c: float(json.loads(param(c, "machine"))[which]))

    rows: Columns[Column] = [
        *_named(trials),
        ("VIRT", part("virt")),
        ("CP for it", part("cp")),
        ("CP besides", part("rest")),
    ]
    notes = (
        "VIRT is the machine's own instructions, as a native guest's; CP for it is what QUERY TIME"
        " has in TOTCPU besides.",
    )
    return listing("machine", "The virtual machine and CP", systems(told), rows, notes)


def cause_table(trials: Sequence[Trial]) -> Table | None:
    """For what a virtual machine that serves comes back to CP, how often, and what each costs."""
    titles = titles_of(trials)
    Cause = tuple[str, str, str, float, float, float]
    rows: list[Cause] = []
    told = [t for t in trials if json.loads(t.params.get("causes", "{}"))]
    for (name, case), mine in grouped(told, lambda t: (t.release, t.case)).items():
        kb = sum(map(served_kb, mine))
        times, instructions = Counter[str](), Counter[str]()
        for trial in mine:
            for cause, (often, executed) in json.loads(trial.params["causes"]).items():
                times[cause] += often
                instructions[cause] += executed
        rows += [
            (case, titles[name], cause.lower(), 1024 * times[cause] / kb,
             instructions[cause] / times[cause], instructions[cause] / kb)
            for cause in sorted(times, key=lambda c: -instructions[c])
            if times[cause] > 0 and instructions[cause] / kb >= LEAST
        ]  # fmt: skip
    shown: Columns[Cause] = [
        ("Case", lambda r: r[0]),
        ("Serves", lambda r: r[1]),
        ("Cause", lambda r: r[2]),
        ("Per MB", lambda r: printed(r[3], "count", "(IC)")),
        ("Each", lambda r: printed(r[4], "instr", "(IC)")),
        ("", lambda r: printed(r[5], "instr/KB", "(IC)")),
    ]
    notes = (
        "Causes for which the machine under SIE came back to CP, and CP's instructions from its"
        " entry to the end of what it did (INDICATE SIE), less those of as much time without work."
        f" Causes of less than {LEAST:g} instruction per KB are not shown.",
    )
    return listing("causes", "What CP does for the virtual machine", rows, shown, notes)


def share_table(trials: Sequence[Trial]) -> Table | None:
    """Where a guest says that its time, or its instructions, went: shares of all trials of a case
    together. System closes the sum."""
    titles = titles_of(trials)
    Part = tuple[str, str, str, float]
    rows: list[Part] = []
    for (name, case), mine in grouped(trials, lambda t: (t.release, t.case)).items():
        parts = sum((Counter(json.loads(t.params.get("shares", "{}"))) for t in mine), Counter())
        whole = sum(parts.values())
        shares = {p: 100 * n / whole for p, n in parts.items()}
        rows += [
            (case, titles[name], p, x)
            for p, x in sorted(shares.items(), key=lambda each: -each[1])
            if x >= 1.0
        ]
    shown: Columns[Part] = [
        ("Case", lambda r: r[0]),
        ("Serves", lambda r: r[1]),
        ("Part", lambda r: r[2]),
        ("Share", lambda r: printed(r[3], "%", "")),
    ]
    notes = (
        "Shares, not counts, over whole trials with the logon: of Linux what /proc says of its CPU"
        " time, in steps of 10 ms, with its idle work in it; of VM/KB the"
        " instructions of its accounts. Parts below 1 % are not shown. Asked around the first"
        " trials of each case only: a shell that answers takes longer than a small file.",
    )
    return listing("shares", "Where it goes", rows, shown, notes)
