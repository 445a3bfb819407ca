# SPDX-License-Identifier: MIT
"""Our figures for the cells of the report, and of its text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vmkb.accounting.compare import Lookup, Ours, ours_of
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Measure
from vmkb.accounting.models import Model
from vmkb.accounting.units import Figure
from vmkb.workloads.terminal.tables.figures import groups, job_share, mode, rate
from vmkb.workloads.terminal.tables.lan import in_all, lan_rate, others, packet

TEXT = "cmu_telnet_words"
MODES = {"cpu_busy_pct": "busy", "kernel_pct": "kernel", "user_pct": "user",
         "interrupt_pct": "interrupt"}  # fmt: skip
PARTS = {"telnet_server_pct": "TELNETD", "ip_acp_pct": "TCPIP", "type_pct": "TYPE"}
NEAR_PARTS = {"telnet_server_pct": "TELNET", "ip_acp_pct": "TCPIP"}
FAR, NEAR = "CLE750", "LNS53"
Row = Mapping[str, str]


def _overhead(cost: TrialCost) -> Figure | None:
    """The bytes on the LAN beyond the text, twice: to the near node and to the terminal."""
    every, text = lan_rate(cost), rate(cost)
    return every and every._replace(value=every.value - 2 * text.value)


def cells(costs: Sequence[TrialCost], model: Model, name: str) -> dict[str, Lookup]:
    """By the published tables' names; NAME is that of the table."""
    first = {c.trial.release for c in costs[:1]}
    mine = [c for c in costs if c.trial.release in first]
    typed = {(path, node): g for (_, path, node, _), g in groups(mine, "type").items()}
    jobs = {node: g for (_, _, node, _), g in groups(mine, "job").items()}

    def busy(row: Row, column: str) -> Ours | None:
        what, _, how = column.partition("/")
        path = f"{row['path']} CMU" if how else row["path"]
        group = typed.get((path, row["node"]), [])
        if what in MODES:
            return ours_of(group, mode(MODES[what], model))
        if what in PARTS:
            label = PARTS[what] if row["node"] == FAR else NEAR_PARTS[what]
            return ours_of(group, lambda c: c.part(label).utilization(c.span))
        if what == "ethernet_kb_s_during":
            return ours_of(group, in_all)
        return ours_of(group, others, "(IN)")

    def told(row: Row, column: str) -> Ours | None:
        return known[row["id"]](f"{row['path']} CMU" if "/" in column else row["path"])

    def far(measure: Measure) -> Callable[[str], Ours | None]:
        return lambda path: ours_of(typed.get((path, FAR), []), measure)

    def shares(path: str) -> Ours | None:
        def measure(cost: TrialCost) -> Figure | None:
            one, other = (cost.part(x).utilization(cost.span) for x in ("TELNET", "TCPIP"))
            return one and other and one._replace(value=one.value / other.value)

        return ours_of(typed.get((path, NEAR), []), measure)

    known: dict[str, Callable[[str], Ours | None]] = {
        "packet": far(packet), "rise": far(lan_rate), "overhead": far(_overhead),
        "terminal": far(rate), "LAT rise": far(lan_rate), "shares": shares,
        "job": lambda path: ours_of(jobs.get(NEAR, []), job_share),
    }  # fmt: skip
    return {name: busy, TEXT: told}
