# SPDX-License-Identifier: MIT
"""Table 4: AFS fetches by one client and by two. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

from vmkb.accounting.compare import Ours
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import (
    Group,
    Measure,
    estimated,
    param,
    records,
    throughput,
    value,
)
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.stats import mean_estimate
from vmkb.accounting.tables.listing import Columns, Shown, case, listing, number
from vmkb.accounting.tables.table import Table, known
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
from vmkb.workloads.dxu.content import LOAD
from vmkb.workloads.dxu.tables.figures import (
    SERVER,
    busy,
    fetches,
    link,
    of_table,
    seconds_of,
    speed_of,
)

ALL = "all"


def monitored(watched: Sequence[TrialCost], group: Group, name: str) -> list[float]:
    """RTMSF's figures under NAME in each interval of the trials of this case that it WATCHED."""
    mine = (c for c in watched if c.trial.case == case(group))
    return [float(r.value(name).value) for c in mine for r in records(c, "rtm_system")]


def seen(watched: Sequence[TrialCost], group: Group, name: str, unit: str) -> Shown:
    """The mean of what RTMSF logged under NAME in the trials of this case that it WATCHED."""
    values = monitored(watched, group, name)
    return known(mean_estimate(values), unit, "(RT)") if values else None


def server_of(item: TrialCost) -> str:
    """From where the server had the file, and what else ran beside it."""
    place = "disk" if param(item, "disk") else "cache"
    return f"{place}, beside MVS" if param(item, "beside_mvs") else place


def afs_table(costs: Sequence[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Elapsed time and throughput of each client, and how busy server and guest are; WATCHED are
    the trials with the monitor. None without trials."""
    Fetch = tuple[Group, str]

    def of_all(show: Callable[[Group], Shown]) -> Callable[[Fetch], Shown]:
        return lambda row: show(row[0]) if row[1] == ALL else None

    def speed(row: Fetch) -> Measure:
        return throughput if row[1] == ALL else speed_of(row[1])

    columns: Columns[Fetch] = [
        ("File", lambda r: param(r[0][0], "row")),
        ("Clients", lambda r: param(r[0][0], "senders")),
        ("Served from", lambda r: server_of(r[0][0])),
        ("Client", lambda r: r[1]),
        ("Took", lambda r: None if r[1] == ALL else value(seconds_of(r[1]))(r[0])),
        ("Speed", lambda r: value(speed(r))(r[0])),
        ("Card's", lambda r: None if r[1] == ALL else link(r[0])),
        ("File server", of_all(value(busy(SERVER)))),
        ("Guest", of_all(value(busy("")))),
        ("Guest", of_all(lambda g: seen(watched, g, "cpu", "%"))),
        ("I/O", of_all(lambda g: seen(watched, g, "io", "/s"))),
        ("n", lambda r: number(r[0])),
    ]
    loaded = [c for c in costs if taken(c)]
    notes = (
        "CPU by the counts"
        " is of one engine of the model, at the speed as run; RTMSF's is in a trial of its own, the"
        " mean of its intervals of a second, and has the monitor's work in it, and MVS' beside MVS."
        " I/O are channel programs of disks and of the wire; a READ of the wire that waits is one"
        " when it ends.",
        *([_MVS.format(share=spoken(estimated(loaded, taken).value))] if loaded else []),
        *([_DISK] if any(param(c, "disk") for c in costs) else []),
    )
    rows = [(g, who) for g in of_table(costs, 4)
            for who in (*(r.word("client") for r in fetches(g[0])), ALL)]  # fmt: skip
    return listing("afs", "Table 4: AFS fetches", rows, columns, notes,
                   by=lambda r: id(r[0]), keys=3)  # fmt: skip


_MVS = (
    "MVS is a machine of lisa's guest that works in loops, with an ordinary user's priority, and"
    " took {share} % of the engine (AC); 20 % is an input (IN)."
)
_DISK = (
    "From the disk: CP's cache is off. A 3370 takes half a turn, a seek of 20 ms if its arm moves,"
    " and its data at 1.859 MB/s (IN; hercules/clock/devices.toml). The report's disks are not"
    " known."
)


def taken(cost: TrialCost) -> Figure | None:
    """Percent of the time between the accounts that the machine beside took."""
    mine = [r for r in records(cost, "acnt") if r.word("userid").endswith(f" {LOAD}")]
    span = [r.value("elapsed").value for r in records(cost, "acnt_sum")]
    if len(mine) != 2 or len(span) != 2:
        return None
    used = [sum(r.value(n).value for n in ("virt_time", "cp_time")) for r in mine]
    share = 100 * (used[1] - used[0]) / (span[1] - span[0])
    return Figure(share, Unit.PERCENT, (Source.AC,))


RISES = {"throughput": "", "guest CPU": "cpu", "guest I/O": "io"}
"""Figures of two clients that are set beside one's, as the report's text does, and the monitor's
name of each."""
PAIRS = (
    ("AFS1M1", "AFS1M2"), ("AFS10M1", "AFS10M2"),
    ("AFS1M1.DSK", "AFS1M2.DSK"), ("AFS10M1.DSK", "AFS10M2.DSK"),
)  # fmt: skip


def rise(what: str, one: Group, two: Group, watched: Sequence[TrialCost]) -> Ours | None:
    """WHAT of two clients' trials over that of one's; None where the monitor did not see it."""
    if not RISES[what]:
        before, after = (estimated(g, throughput).value for g in (one, two))
        return Ours(after / before, "(WI)")
    seen_by = [monitored(watched, g, RISES[what]) for g in (one, two)]
    return Ours(mean(seen_by[1]) / mean(seen_by[0]), "(RT)") if all(seen_by) else None


def two_table(costs: Sequence[TrialCost], watched: Sequence[TrialCost]) -> Table | None:
    """Two clients against one, in three ratios; None without both."""
    groups = {case(g): g for g in of_table(costs, 4)}
    pairs = [(groups[one], groups[two]) for one, two in PAIRS if {one, two} <= set(groups)]

    def ratio(one: Group, two: Group, what: str) -> Shown:
        ours = rise(what, one, two, watched)
        return ours and cell(ours.value, "ratio", ours.source)

    columns: Columns[tuple[Group, Group, str]] = [
        ("File", lambda r: param(r[0][0], "row")),
        ("Served from", lambda r: server_of(r[0][0])),
        ("Two clients over one", lambda r: r[2]),
        ("Ratio", lambda r: ratio(*r)),
    ]
    notes = (
        "The report's ratios are of its 10 MB test. As CPU and I/O grew like the throughput, it"
        " could not tell from them what the limit was.",
    )
    rows = [(one, two, what) for one, two in pairs for what in RISES]
    return listing("two", "Table 4: two clients against one", rows, columns, notes,
                   by=lambda r: id(r[0]), keys=3)  # fmt: skip
