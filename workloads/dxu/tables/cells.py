# SPDX-License-Identifier: MIT
"""Our figures for the cells of the report's five tables, and of its text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import mean

from vmkb.accounting.compare import Lookup, Ours, ours_of
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


def cells(found: Sequence[TrialCost], watched: Sequence[TrialCost]) -> dict[str, Lookup]:
    """By the published tables' names; WATCHED are the trials with the monitor."""
    made: dict[str, Lookup] = {
        PUBLISHED[1]: _rates(found, 1), PUBLISHED[2]: _rates(found, 2),
        PUBLISHED[3]: _writes(found), PUBLISHED[4]: _fetches(found, watched),
        PUBLISHED[5]: _fifteen(found), TEXT: _text(found, watched),
    }  # fmt: skip
    return made


def _by(found: Sequence[TrialCost], number: int, key: Callable[[Group], str]) -> dict[str, Group]:
    """The groups of a table by KEY, the first of each."""
    made: dict[str, Group] = {}
    for group in of_table(found, number):
        made.setdefault(key(group), group)
    return made


def _rates(found: Sequence[TrialCost], number: int) -> Lookup:
    groups = _by(found, number, lambda g: param(g[0], "row"))

    def ours(row: Row, column: str) -> Ours | None:
        group = groups.get(row["test"], [])
        return ours_of(group, rate_of_each, "(IN)" if group and case(group) in INPUTS else "")

    return ours


def _writes(found: Sequence[TrialCost]) -> Lookup:
    groups = _by(found, 3, lambda g: f"{param(g[0], 'row')}/mtu{param(g[0], 'case_mtu')}")

    def ours(row: Row, column: str) -> Ours | None:
        mtu, _, what = column.partition("_")
        group = groups.get(f"{row['write_size']}/{mtu}", [])
        return ours_of(group, thousand_s if what == "elapsed_s" else throughput)

    return ours


def _fetches(found: Sequence[TrialCost], watched: Sequence[TrialCost]) -> Lookup:
    groups = {case(g): g for g in of_table(found, 4)}

    def ours(row: Row, column: str) -> Ours | None:
        what, _, place = column.partition("/")
        name = f"AFS{row['file'].replace(' MB', 'M')}{row['clients']}"
        group = groups.get(f"{name}.DSK" if place else name, [])
        client = row["client"]
        if not group:
            return None
        if what == "elapsed_s":
            return ours_of(group, seconds_of(client))
        if what == "kb_s":
            return ours_of(group, throughput if client == "totals" else speed_of(client))
        if what == "fs_cpu_pct":
            return ours_of(group, busy(SERVER))
        seen = monitored(watched, group, "cpu" if what == "lisa_cpu_pct" else "io")
        return Ours(mean(seen), "(RT)") if seen else None

    return ours


def _fifteen(found: Sequence[TrialCost]) -> Lookup:
    groups = {case(g): g for g in of_table(found, 5)}

    def ours(row: Row, column: str) -> Ours | None:
        group = groups.get("LOAD.ELC2" if column.endswith("/elc2") else "LOAD", [])
        if row["client"] == "average":
            return ours_of(group, average_s)
        return ours_of(group, seconds_of(row["client"]))

    return ours


def _text(found: Sequence[TrialCost], watched: Sequence[TrialCost]) -> Lookup:
    groups = {case(g): g for number in (2, 4, 5) for g in of_table(found, number)}
    one, two = groups.get("AFS10M1", []), groups.get("AFS10M2", [])
    beside = groups.get("AFS10M2.MVS", [])
    load, elc2 = groups.get("LOAD", []), groups.get("LOAD.ELC2", [])

    def two_over_one(what: str, letter: str) -> Ours | None:
        ratio = rise(what, one, two, watched) if one and two else None
        return None if ratio is None else Ours(ratio, letter)

    def fourteen() -> Ours | None:
        return Ours(mean(of_fourteen(c) for c in load), "(WI)") if load else None

    known: dict[str, Callable[[], Ours | None]] = {
        "BI": lambda: ours_of(groups.get("BI", []), throughput),
        "BI11M": lambda: ours_of(groups.get("BI11M", []), throughput),
        "throughput": lambda: two_over_one("throughput", "(WI)"),
        "guest CPU": lambda: two_over_one("guest CPU", "(RT)"),
        "guest IO/s": lambda: two_over_one("guest I/O", "(RT)"),
        "MVS": lambda: Ours(taken(beside), "(IN)") if beside else None,
        "beside MVS": lambda: ours_of(beside, busy("")),
        "fourteen": fourteen,
        "ELC2": lambda: ours_of(elc2, average_s),
        "ELC2 rate": lambda: Ours(profile(_ELC2).rate / 1e6, "(IN)") if elc2 else None,
        "card": lambda: Ours(profile(CARD).rate / 8192, "(IN)") if one else None,
    }

    def ours(row: Row, column: str) -> Ours | None:
        return known[row["id"]]()

    return ours
