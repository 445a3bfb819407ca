# SPDX-License-Identifier: MIT
"""Our figures for the cells of the report's five tables, and of its text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean

from vmkb.accounting.compare import Lookup, Ours, mean_under, ours_of
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Group, param, throughput
from vmkb.accounting.tables.listing import case
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.dxu.tables.afs import monitored, rise, taken
from vmkb.workloads.dxu.tables.figures import (
    CARD,
    INPUTS,
    PUBLISHED,
    SERVER,
    busy,
    of_table,
    rate_of_each,
    seconds_of,
    speed_of,
)
from vmkb.workloads.dxu.tables.load import average_s, of_fourteen
from vmkb.workloads.dxu.tables.rx import thousand_s

TEXT = "citi_dxu_6_text"
_ELC2 = "bti-elc2"
Row = Mapping[str, str]


def cells(costs: Sequence[TrialCost], watched: Sequence[TrialCost]) -> dict[str, Lookup]:
    """By the published tables' names; WATCHED are the trials with the monitor."""
    groups = {case(g): g for g in of_table(costs)}
    writes = {
        (param(g[0], "row"), f"mtu{param(g[0], 'case_mtu')}"): g
        for g in reversed(of_table(costs, 3))
    }
    return {
        PUBLISHED[1]: _rates(costs, 1), PUBLISHED[2]: _rates(costs, 2),
        PUBLISHED[3]: mean_under(
            writes,
            lambda row, column: (row["write_size"], column.partition("_")[0]),
            lambda row, column: thousand_s if column.endswith("_elapsed_s") else throughput,
        ),
        PUBLISHED[4]: _fetches(groups, watched),
        PUBLISHED[5]: mean_under(
            groups,
            lambda row, column: "LOAD.ELC2" if column.endswith("/elc2") else "LOAD",
            lambda row, column: average_s
            if row["client"] == "average" else seconds_of(row["client"]),
        ),
        TEXT: _text(groups, watched),
    }  # fmt: skip


def _rates(costs: Sequence[TrialCost], number: int) -> Lookup:
    groups = {param(g[0], "row"): g for g in reversed(of_table(costs, number))}

    def ours(row: Row, column: str) -> Ours | None:
        group = groups.get(row["test"], [])
        return ours_of(group, rate_of_each, "(IN)" if group and case(group) in INPUTS else "")

    return ours


def _fetches(groups: Mapping[str, Group], watched: Sequence[TrialCost]) -> Lookup:
    def ours(row: Row, column: str) -> Ours | None:
        what, _, place = column.partition("/")
        name = f"AFS{row['file'].replace(' MB', 'M')}{row['clients']}"
        group, client = groups.get(f"{name}.DSK" if place else name, []), row["client"]
        measures = {
            "elapsed_s": seconds_of(client), "fs_cpu_pct": busy(SERVER),
            "kb_s": throughput if client == "totals" else speed_of(client),
        }  # fmt: skip
        if what in measures:
            return ours_of(group, measures[what])
        seen = group and monitored(watched, group, "cpu" if what == "lisa_cpu_pct" else "io")
        return Ours(mean(seen), "(RT)") if seen else None

    return ours


def _text(groups: Mapping[str, Group], watched: Sequence[TrialCost]) -> Lookup:
    one, two, beside, load, elc2 = (
        groups.get(name, []) for name in ("AFS10M1", "AFS10M2", "AFS10M2.MVS", "LOAD", "LOAD.ELC2")
    )

    def rises(what: str) -> Ours | None:
        return rise(what, one, two, watched) if one and two else None

    def put_in(group: Group, value: float) -> Ours | None:
        return Ours(value, "(IN)") if group else None

    known: dict[str, Callable[[], Ours | None]] = {
        "BI": lambda: ours_of(groups.get("BI", []), throughput),
        "BI11M": lambda: ours_of(groups.get("BI11M", []), throughput),
        "throughput": lambda: rises("throughput"),
        "guest CPU": lambda: rises("guest CPU"),
        "guest IO/s": lambda: rises("guest I/O"),
        "MVS": lambda: ours_of(beside, taken, "(IN)"),
        "beside MVS": lambda: ours_of(beside, busy("")),
        "fourteen": lambda: ours_of(load, of_fourteen),
        "ELC2": lambda: ours_of(elc2, average_s),
        "ELC2 rate": lambda: put_in(elc2, profile(_ELC2).rate / 1e6),
        "card": lambda: put_in(one, profile(CARD).rate / 8192),
    }
    return lambda row, column: known[row["id"]]()
