# SPDX-License-Identifier: MIT
"""The workload's tables: instructions per KB of whole systems, beside each other. Pure."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

from accounting.analysis.answer import release_name
from accounting.costs import costs
from accounting.models import model
from accounting.records import Source
from accounting.stats import mean_estimate, places
from accounting.store import Trial
from accounting.tables.group import (
    TOTAL,
    base_of,
    columns,
    instr_kb,
    rate_kb_s,
    ratio,
)
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    fixed,
    interval_cell,
    known,
    ratio_cell,
    word,
)
from workloads.serve.reading import EVENTS

HEADS = (
    "Serves", "Instructions per KB (IC/{0})", "Interval", "Ratio (IC/{0})", "Interval",
    "KB/s ({0})", "Ratio ({0})", "Idle, 1000 instr/s (IC)", "n",
)  # fmt: skip
NOTES = (
    "All that the guest executed while the files were moved, less what it executes in as much time"
    " without work, which follows at once. The logon to the server is outside. The client is the"
    " same for all: VM/KB's FTP in a guest of its own. Idle is with one reading.",
)


def titles_of(trials: Sequence[Trial]) -> dict[str, str]:
    """What a table calls each release, and of which run it is where two stand beside each other."""
    each = {t.release.partition(" ")[0]: t.params.get("title", t.release) for t in trials}
    return {t.release: release_name(t.release, each) for t in trials}


def count_table(
    trials: Sequence[Trial], moved: str = "FT",
    title: str = "What a KB costs the system that serves it", about: Sequence[str] = NOTES,
) -> Table | None:  # fmt: skip
    """Instructions per KB and rate of each case and system, with their ratios to the first. MOVED
    is the source of the bytes and their time."""
    mine = [t for t in trials if t.counts]
    if not mine:
        return None
    found = columns(costs(mine, Source.IC, model(mine[0].meta["model"])))
    titles = titles_of(mine)
    measure = instr_kb(TOTAL)
    rows = []
    for column in found:
        base = base_of(column, found)
        own = column.estimate(measure)
        other = None if base is None or base is column else ratio(base, column, measure)
        per = f"(IC/{moved})"
        cells = [word(titles[column.release]), known(own, "instr/KB", per),
                 interval_cell(own, places(own), "instr/KB", per)]  # fmt: skip
        if other is None:
            cells += [word("1.000"), word("")]
        else:
            cells += [
                ratio_cell(other, f"(IC/{moved})"),
                interval_cell(other, 4, "ratio", f"(IC/{moved})"),
            ]
        if column.has(rate_kb_s) and base is not None:
            cells.append(known(column.estimate(rate_kb_s), "KB/s", f"({moved})"))
            fast = None if base is column else ratio(base, column, rate_kb_s)
            cells.append(word("1.000") if base is column else ratio_cell(fast, f"({moved})"))
        else:
            cells += [word("-"), word("-")]
        idle = sorted(int(c.trial.params["idle_per_s"]) for c in column.trials)
        cells.append(Cell(fixed(idle[len(idle) // 2] / 1000, 0), idle[len(idle) // 2] / 1000,
                          "1000/s", "(IC)"))  # fmt: skip
        cells.append(word(str(len(column.trials))))
        rows.append(Row(column.case, tuple(cells)))
    head = Section("head", (Row("Case", tuple(word(h.format(moved)) for h in HEADS)),))
    notes = (*about, "~ covers 1.")
    return Table("serve", title, (head, Section("body", tuple(rows))), notes, keys=1)


def event_table(trials: Sequence[Trial]) -> Table | None:
    """What systems that tell their events had of each kind for a MB, and their user mode."""
    mine = [t for t in trials if t.counts and len(json.loads(t.params.get("events", "{}"))) > 1]
    if not mine:
        return None
    titles = titles_of(mine)
    rows = []
    for column in columns(costs(mine, Source.IC, model(mine[0].meta["model"]))):
        each = [c.trial for c in column.trials]
        kilobytes = [float(t.params["file_kb"]) * int(t.params["files"]) for t in each]
        told = [json.loads(t.params["events"]) for t in each]
        users, idles = (
            [float(t.params.get(name, 0)) / kb for t, kb in zip(each, kilobytes, strict=True)]
            for name in ("user_instr", "idle_instr")
        )
        cells = [
            word(titles[column.release]),
            known(mean_estimate(users), "instr/KB", "(IC)"),
            known(mean_estimate(idles), "instr/KB", "(IC)"),
        ]
        for kind in EVENTS:
            rates = [1024 * n.get(kind, 0) / kb for n, kb in zip(told, kilobytes, strict=True)]
            cells.append(known(mean_estimate(rates), "1/MB", "(IC)"))
        rows.append(Row(column.case, tuple(cells)))
    heads = (
        "Serves", "User mode, instr/KB (IC)", "Taken off as idle, instr/KB (IC)",
        *(f"{kind.capitalize()} per MB (IC)" for kind in EVENTS),
    )  # fmt: skip
    head = Section("head", (Row("Case", tuple(map(word, heads))),))
    notes = (
        "User mode: instructions of programs, most of them the FTP server's; the rest is the"
        " kernel's. Sent and received are what TCP hands to IP and what IP hands on; merged are"
        " segments that TCP puts together with others before it looks at them.",
    )
    return Table("events", "What the system did for that", (head, Section("body", tuple(rows))),
                 notes, keys=1)  # fmt: skip


def share_table(trials: Sequence[Trial]) -> Table | None:
    """Where a guest says that its time, or its instructions, went: shares of all trials of a case
    together. System closes the sum."""
    summed: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for trial in trials:
        for name, amount in json.loads(trial.params.get("shares", "{}")).items():
            summed[trial.release, trial.case][name] += amount
    rows = []
    titles = titles_of(trials)
    for (release, case), parts in summed.items():
        whole = sum(parts.values())
        for name, amount in sorted(parts.items(), key=lambda each: -each[1]):
            share = 100 * amount / whole if whole > 0 else 0.0
            if share >= 1.0:
                cells = (word(titles[release]), word(name), Cell(fixed(share, 0), share, "%", ""))
                rows.append(Row(case, cells))
    if not rows:
        return None
    head = Section("head", (Row("Case", (word("Serves"), word("Part"), word("Share %"))),))
    notes = (
        "Shares, not counts, over whole trials with the logon: of Linux what /proc says of its CPU"
        " time, in steps of 10 ms, with its idle work in it; of VM/KB the"
        " instructions of its accounts. Parts below 1 % are not shown. Asked around the first"
        " trials of each case only: a shell that answers takes longer than a small file.",
    )
    return Table("shares", "Where it goes", (head, Section("body", tuple(rows))), notes, keys=1)
