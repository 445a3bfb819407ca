# SPDX-License-Identifier: MIT
"""All five tables in one, FTP through loopback and over the wire, and what a KB costs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import (
    Group,
    instructions_of,
    interval,
    param,
    part_cpu,
    throughput,
    total_cpu,
    value,
)
from vmkb.accounting.models import Model
from vmkb.accounting.tables.listing import (
    Columns,
    Shown,
    case,
    listing,
    named,
    number,
    parted,
    printed_as,
    release,
    with_interval,
)
from vmkb.accounting.tables.table import Table
from vmkb.accounting.tables.utilization import saturation
from vmkb.workloads.dxu.tables.figures import link, of_table, printed, rate_of_each, ratio

BESIDE_NOTE = (
    "Of a guest beside VM/KB (Table 1) CPU is of instructions alone, which is less than all."
)
WHOLE = (
    "{names}, whose own client sends to its own server over lo (APPE). A KB's cost is all"
    " instructions of the guest, less what it executes when idle; what the model takes for the"
    " bytes that one instruction moves or sums is in VM/KB's cost and not in this one, as nobody"
    " counts them there: so the speed at 100 % is at most that."
)


BOTH_WAYS = (
    "The report prints (each) for two RS/6000s and not for both ways. By its text both ways is"
    " better than twice one way; 1000 beside 1400 is not, be it of each sender or of both."
)


def overview_table(costs: Sequence[TrialCost], model: Model) -> Table | None:
    """A line for each case and release, but for sizes of which nothing is published; None without
    trials."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        ("What", named("title")),
        ("Published", lambda g: printed_as(printed(g), "KB/s")),
        ("Ours", value(rate_of_each)),
        ("Ratio", ratio),
        ("Slowest link", link),
        ("CPU", value(total_cpu, source="(IC)")),
        ("n", number),
    ]
    rows = (g for g in of_table(costs) if param(g[0], "table") != "3" or printed(g))
    notes = (
        "KB/s of each sender or client, of a client by its own clock. What the slowest link on the"
        " way carries is an input (IN): RS1 and RS2 give back the rate of the cards. CPU of all"
        " machines of the guests on channels, through"
        f" {model.describe()}.",
        *([BESIDE_NOTE] if any(param(c, "beside") for c in costs) else []),
    )
    return listing("overview", "The report's figures and ours", rows, columns, notes, keys=2)


def loopback_table(costs: Sequence[TrialCost], model: Model) -> Table | None:
    """KB/s through loopback as run, and where one engine of the model is full; None without
    trials."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        *with_interval("As run", throughput),
        *with_interval("At 100 % of the model", saturation),
        ("n", number),
    ]
    rows = of_table(costs, 1)
    as_run = (
        "As run has the waits in it."
        if all(c.trial.meta.get("clock") == "virtual" for g in rows for c in g)
        else "As run is this computer's speed."
    )
    beside = {release(g): title for g in rows if (title := param(g[0], "beside"))}
    names = " and ".join(f"{k}: {v}" for k, v in beside.items())
    notes = (
        f"At 100 %: one engine of {model.describe()}, if nothing else were in the way, from what a"
        f" kilobyte costs all machines of the guest. {as_run}",
        "The report's RISC System/6000 (1100) and RT (1500) are no guests and are not here.",
        *([WHOLE.format(names=names)] if beside else []),
    )
    return listing(
        "loopback", "Table 1: FTP through loopback to the null file", rows, columns, notes
    )


def tcp_table(costs: Sequence[TrialCost]) -> Table | None:
    """KB/s of each sender over the wire; None without trials."""

    columns: Columns[Group] = [
        ("Case", case),
        ("Test", named("title")),
        ("MTU", named("case_mtu")),
        ("Senders", named("senders")),
        *with_interval("Each", rate_of_each),
        ("All", value(throughput)),
        ("Slowest link", link),
        ("n", number),
    ]
    notes = (
        "RS1 and RS2 give back the rate of the clients' cards, which the report has found and this"
        " run was given (IN).",
        *([BOTH_WAYS] if any(case(g).startswith("BI") for g in of_table(costs, 2)) else []),
    )
    return listing("tcp", "Table 2: FTP over the wire to the null file", of_table(costs, 2),
                   columns, notes, keys=2)  # fmt: skip


def cost_table(
    counted: Sequence[TrialCost], asked: Sequence[TrialCost], model: Model
) -> Table | None:
    """A line for each machine of each case: COUNTED by instructions, ASKED as QUERY TIME prints it;
    None without trials."""
    printed_by = {(case(g), release(g)): g for g in of_table(asked)}

    def as_asked(row: tuple[Group, str]) -> Shown:
        group, label = row
        if param(group[0], "beside"):  # nobody in it is asked for his own time
            return None
        return value(part_cpu(label))(printed_by[case(group), release(group)])

    columns: Columns[tuple[Group, str]] = [
        ("Case", lambda r: case(r[0])),
        ("Release", lambda r: release(r[0])),
        ("Machine", lambda r: r[1]),
        ("", lambda r: value(instructions_of(r[1]))(r[0])),
        ("CPU", lambda r: value(part_cpu(r[1]))(r[0])),
        ("Interval", lambda r: interval(part_cpu(r[1]))(r[0])),
        ("CPU as QUERY TIME prints it", as_asked),
        ("n", lambda r: number(r[0])),
    ]
    notes = (
        f"CPU through {model.describe()}.",
        "QUERY TIME prints hundredths of a second. Under a model it makes them of the same counts,"
        " so that column is the coarse one that a classic system gives, and no witness.",
    )
    return listing("cost", "What a KB costs, by machine", parted(of_table(counted)), columns, notes,
                   by=lambda r: id(r[0]), keys=3)  # fmt: skip
