# SPDX-License-Identifier: MIT
"""Tables 4 and 5: AFS fetches by one client, two and fifteen, published beside reproduced. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.published import published
from vmkb.accounting.records import Unit
from vmkb.accounting.stats import mean_estimate
from vmkb.accounting.tables.group import Measure, rate_kb_s
from vmkb.accounting.tables.listing import (
    Columns,
    Group,
    Shown,
    against,
    case,
    estimated,
    listing,
    number,
    param,
    printed_as,
    ready,
    value,
)
from vmkb.accounting.tables.table import Table, fixed, known
from vmkb.accounting.tables.table import printed as cell
from vmkb.workloads.dxu.tables.figures import (
    NEAR,
    PUBLISHED,
    SERVER,
    busy,
    fetches,
    line_of,
    of_table,
    seconds_of,
    source_note,
    speed_of,
)

ALL = "all"


def _monitored(
    watched: Sequence[TrialCost], group: Group, name: str, unit: str, most: int
) -> Shown:
    """The mean of what RTMSF logged under NAME in each interval of the trials of this case that
    it WATCHED."""
    values = [
        float(r.value(name).value)
        for c in watched
        if c.trial.case == case(group)
        for r in c.trial.records
        if r.kind == "rtm_system"
    ]
    return known(mean_estimate(values), unit, "(RT)", most=most) if values else None


def afs_table(found: Iterable[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Elapsed time and throughput of each client, and how busy server and guest are; WATCHED are
    the trials with the monitor. None without trials."""
    Fetch = tuple[Group, str]

    def theirs(row: Fetch) -> dict[str, str]:
        (first, *_), client = row
        keys = {"file": param(first, "row"), "clients": param(first, "senders")}
        if client != ALL:
            return line_of(4, **keys, client=client)
        one = line_of(4, **keys, client=fetches(first)[0].word("client"))
        return one | line_of(4, **keys, client="totals")

    def of_all(shown: Shown, row: Fetch) -> Shown:
        return shown if row[1] == ALL else None

    def speed(row: Fetch) -> Measure:
        return rate_kb_s if row[1] == ALL else speed_of(row[1])

    columns: Columns[Fetch] = [
        ("File", lambda r: param(r[0][0], "row")),
        ("Clients", lambda r: param(r[0][0], "senders")),
        ("Client", lambda r: r[1]),
        ("Published s (PB)",
         lambda r: None if r[1] == ALL else printed_as(theirs(r).get("elapsed_s", ""), "s")),
        ("Ours s (WI)", lambda r: None if r[1] == ALL else value(seconds_of(r[1]), "s", 3)(r[0])),
        ("Published KB/s (PB)", lambda r: printed_as(theirs(r).get("kb_s", ""), "KB/s")),
        ("Ours KB/s (WI)", lambda r: value(speed(r), "KB/s", 1)(r[0])),
        ("Ratio (WI)", lambda r: against(estimated(r[0], speed(r)).value,
                                         theirs(r).get("kb_s", ""), "(WI)")),
        ("File server % (IC/WI)", lambda r: of_all(value(busy(SERVER), "%", 2)(r[0]), r)),
        ("Guest % (IC/WI)", lambda r: of_all(value(busy(""), "%", 2)(r[0]), r)),
        ("Guest % (RT)", lambda r: of_all(_monitored(watched, r[0], "cpu", "%", 2), r)),
        ("I/O a second (RT)", lambda r: of_all(_monitored(watched, r[0], "io", "/s", 1), r)),
        ("n", lambda r: number(r[0])),
    ]  # fmt: skip
    said = "; ".join(
        f"{r['file']} to {r['clients']}: "
        + (f"file server {r['fs_cpu_pct']} %, " if r["fs_cpu_pct"] else "")
        + f"guest {r['lisa_cpu_pct']} %, {r['lisa_io_s']} I/O a second"
        for r in published(PUBLISHED[4]).rows
        if r["lisa_cpu_pct"]
    )
    notes = (
        f"Published utilization (PB): {said}.",
        "Ours by the counts is of one engine of the model, at the speed as run; RTMSF's is in a"
        " trial of its own, the mean of its intervals of a second, and has the monitor's work in"
        " it. I/O are channel programs of disks and of the wire; a READ of the wire that waits is"
        " one when it ends.",
        source_note(4),
    )
    rows = [(g, who) for g in of_table(found, 4)
            for who in (*(r.word("client") for r in fetches(g[0])), ALL)]  # fmt: skip
    return listing("afs", "Table 4: AFS fetches", rows, columns, notes, by=lambda r: id(r[0]),
                   keys=2)  # fmt: skip


def jain(values: Sequence[float]) -> float:
    """Jain's index of fairness: 1 if all are equal."""
    squares = sum(x * x for x in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else 0.0


def fairness(cost: TrialCost) -> float:
    """Jain's index of the clients' rates on the common bus."""
    rates = [1 / r.value("elapsed").value for r in fetches(cost) if r.word("client") != NEAR]
    return jain(rates)


def load_table(found: Iterable[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Each client's elapsed time with fifteen at once, their average, how fair it was, and how busy
    the server; None without trials."""
    group = next(iter(of_table(found, 5)), [])
    if not group:
        return None
    average = mean_estimate([_mean(c) for c in group])
    rows: list[tuple[str, Shown, Shown, Shown]] = []
    for client in (*(r.word("client") for r in fetches(group[0])), "average"):
        theirs = line_of(5, client=client).get("elapsed_s", "")
        ours = average if client == "average" else estimated(group, seconds_of(client))
        most = 2 if client == "average" else 3
        rows.append((client, printed_as(theirs, "s"), known(ours, "s", "(WI)", most=most),
                     against(ours.value, theirs, "(WI)")))  # fmt: skip
    every = [float(r["elapsed_s"]) for r in published(PUBLISHED[5]).rows
             if r["client"] not in (NEAR, "average")]  # fmt: skip
    fair = [fairness(c) for c in group]
    others: list[tuple[str, Shown, Shown, Shown]] = [
        ("Jain's index, all but pumper", cell(jain([1 / x for x in every]), 3, "ratio", "(PB)"),
         cell(median(fair), 3, "ratio", "(WI)"), None),
        ("all clients, KB/s", None, value(rate_kb_s, "KB/s", 1)(group), None),
        ("file server, % (IC/WI)", None, value(busy(SERVER), "%", 2)(group), None),
        ("guest, % (IC/WI)", None, value(busy(""), "%", 2)(group), None),
        ("guest, % (RT)", None, _monitored(watched, group, "cpu", "%", 2), None),
        ("I/O a second (RT)", None, _monitored(watched, group, "io", "/s", 1), None),
    ]  # fmt: skip
    notes = (
        f"{len(group)} trial(s); means. Jain's index is of the rates; the least of a trial is"
        f" {fixed(min(fair), 3)}. Fourteen clients are on one Ethernet behind a router of"
        " 131,072 bytes, pumper alone on another; the campus ring between the report's FDDI and its"
        " Ethernets is not modelled.",
        source_note(5),
    )
    heads = ("Client", "Published s (PB)", "Ours s (WI)", "Ratio (WI)")
    return listing("clientload", "Table 5: clientload, fifteen clients at once",
                   [*rows, *others], ready(*heads), notes,
                   by=lambda r: r in others, keys=0)  # fmt: skip


def _mean(cost: TrialCost) -> float:
    every = [r.value("elapsed").to(Unit.S).value for r in fetches(cost)]
    return sum(every) / len(every)
