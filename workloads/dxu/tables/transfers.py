# SPDX-License-Identifier: MIT
"""All five tables in one, FTP through loopback and over the wire, and what a KB costs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.models import Model
from vmkb.accounting.tables.group import (
    TOTAL,
    Measure,
    instr_kb,
    part_us_kb,
    rate_kb_s,
    total_us_kb,
)
from vmkb.accounting.tables.listing import (
    Columns,
    Group,
    Shown,
    against,
    case,
    estimated,
    interval,
    listing,
    named,
    number,
    param,
    printed_as,
    release,
    value,
)
from vmkb.accounting.tables.table import Table, lettered
from vmkb.accounting.tables.utilization import saturation
from vmkb.workloads.dxu.tables.figures import (
    INPUTS,
    link,
    of_table,
    printed,
    rate_of_each,
    ratio,
    source_note,
)

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


def published_rate(group: Group) -> Shown:
    """KB/s as printed."""
    return printed_as(printed(group), "KB/s")


def overview_table(found: Sequence[TrialCost], model: Model) -> Table | None:
    """A line for each case and release, but for sizes of which nothing is published; None without
    trials."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        ("What", named("title")),
        ("Published", published_rate),
        ("Ours", value(rate_of_each, "KB/s", 1)),
        ("Ratio", lambda g: ratio(g, estimated(g, rate_of_each), "")),
        ("Slowest link (IN)", link),
        ("CPU us/KB", value(total_us_kb, "us/KB", 2, source="(IC)")),
        ("n", number),
    ]
    rows = (g for g in of_table(found) if param(g[0], "table") != "3" or printed(g))
    notes = (
        "KB/s of each sender or client, of a client by its own clock. What the slowest link on the"
        " way carries is an input (IN): RS1 and RS2 give back the rate of the cards. CPU of all"
        " machines of the guests on channels, through"
        f" {model.describe()}.",
        *([BESIDE_NOTE] if any(param(c, "beside") for c in found) else []),
    )
    made = listing("overview", "The report's figures and ours, KB/s", rows, columns, notes, keys=2)
    return made and lettered(made)


def loopback_table(found: Sequence[TrialCost], model: Model) -> Table | None:
    """KB/s through loopback as run, and where one engine of the model is full; None without
    trials."""
    columns: Columns[Group] = [
        ("Case", case),
        ("Release", release),
        ("Published KB/s (PB)", published_rate),
        ("As run KB/s (FT)", value(rate_kb_s, "KB/s", 1)),
        ("Interval", interval(rate_kb_s, "KB/s", 1)),
        ("KB/s at 100 % of the model (IC)", value(saturation, "KB/s", 1)),
        ("Interval", interval(saturation, "KB/s", 1)),
        ("Ratio of that (IC)",
         lambda g: against(estimated(g, saturation).value, printed(g), "(IC)")),
        ("n", number),
    ]  # fmt: skip
    rows = of_table(found, 1)
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
        source_note(1),
    )
    return listing("loopback", "Table 1: FTP through loopback to the null file", rows, columns,
                   notes)  # fmt: skip


def tcp_table(found: Sequence[TrialCost]) -> Table | None:
    """KB/s of each sender over the wire; None without trials."""

    def of_all(group: Group) -> Shown:
        if param(group[0], "senders") == "1" or case(group) in INPUTS:
            return None
        return against(estimated(group, rate_kb_s).value, printed(group), "(FT)")

    columns: Columns[Group] = [
        ("Case", case),
        ("Test", named("title")),
        ("MTU", named("case_mtu")),
        ("Senders", named("senders")),
        ("Published KB/s (PB)", published_rate),
        ("Each KB/s (FT)", value(rate_of_each, "KB/s", 1)),
        ("Interval", interval(rate_of_each, "KB/s", 1)),
        ("Ratio of each (FT)", lambda g: ratio(g, estimated(g, rate_of_each), "(FT)")),
        ("All KB/s (FT)", value(rate_kb_s, "KB/s", 1)),
        ("Ratio of all (FT)", of_all),
        ("Slowest link KB/s (IN)", link),
        ("n", number),
    ]
    notes = (
        "RS1 and RS2 give back the rate of the clients' cards, which the report has found and this"
        " run was given (IN).",
        *([BOTH_WAYS] if any(case(g).startswith("BI") for g in of_table(found, 2)) else []),
        source_note(2),
    )
    return listing("tcp", "Table 2: FTP over the wire to the null file", of_table(found, 2),
                   columns, notes, keys=2)  # fmt: skip


def cost_table(
    counted: Sequence[TrialCost], asked: Sequence[TrialCost], model: Model
) -> Table | None:
    """A line for each machine of each case: COUNTED by instructions, ASKED as QUERY TIME prints it;
    None without trials."""
    printed_by = {(case(g), release(g)): g for g in of_table(asked)}

    def cost(label: str) -> Measure:
        return total_us_kb if label == TOTAL else part_us_kb(label)

    def as_asked(row: tuple[Group, str]) -> Shown:
        group, label = row
        if param(group[0], "beside"):  # nobody in it is asked for his own time
            return None
        return value(cost(label), "us/KB", 2)(printed_by[case(group), release(group)])

    columns: Columns[tuple[Group, str]] = [
        ("Case", lambda r: case(r[0])),
        ("Release", lambda r: release(r[0])),
        ("Machine", lambda r: r[1]),
        ("Instructions per KB (IC)", lambda r: value(instr_kb(r[1]), "instr/KB", 0)(r[0])),
        ("CPU/KB usec (IC)", lambda r: value(cost(r[1]), "us/KB", 2)(r[0])),
        ("Interval", lambda r: interval(cost(r[1]), "us/KB", 2)(r[0])),
        ("the same as QUERY TIME prints it (QT)", as_asked),
        ("n", lambda r: number(r[0])),
    ]
    rows = [(g, x) for g in of_table(counted) for x in (*(p.label for p in g[0].parts), TOTAL)]
    notes = (
        f"CPU through {model.describe()}.",
        "QUERY TIME prints hundredths of a second. Under a model it makes them of the same counts,"
        " so that column is the coarse one that a classic system gives, and no witness.",
    )
    return listing("cost", "What a KB costs, by machine", rows, columns, notes,
                   by=lambda r: id(r[0]), keys=3)  # fmt: skip
