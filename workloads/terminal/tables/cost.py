# SPDX-License-Identifier: MIT
"""The cost of a kilobyte on a terminal by machine, and the paths beside each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import (
    TOTAL,
    Group,
    estimate,
    estimated,
    has,
    instructions_of,
    interval,
    part_cpu,
    total_cpu,
    value,
)
from vmkb.accounting.models import Model
from vmkb.accounting.stats import Estimate, StatsError
from vmkb.accounting.tables.group import configuration, ratio_of
from vmkb.accounting.tables.listing import Columns, Shown, grouped, listing, number, release
from vmkb.accounting.tables.table import Cell, Plot, Table, interval_cell, known, ratio_cell
from vmkb.accounting.units import Figure
from vmkb.workloads.terminal.tables.figures import groups, node, path


def cost_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """CPU per KB that a terminal showed, by path, node and machine; None without such trials."""
    found = list(found)
    Part = tuple[Group, str]

    def cost(part: Part) -> Shown:
        group, label = part
        measure = total_cpu if label == TOTAL else part_cpu(label)
        return value(measure, "ms/KB")(group)

    columns: Columns[Part] = [
        ("Path", lambda r: path(r[0])),
        ("Node", lambda r: node(r[0])),
        ("Machine", lambda r: r[1]),
        ("", lambda r: value(instructions_of(r[1]))(r[0])),
        ("95 % interval", lambda r: interval(instructions_of(r[1]))(r[0])),
        ("of them in the machine", lambda r: value(instructions_of(r[1], virtual=True))(r[0])),
        ("CPU", cost),
        ("n", lambda r: number(r[0])),
    ]
    every = list(groups(found, "type").values())
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for group in every:
        for label in (p.label for p in group[0].parts):
            e = estimated(group, instructions_of(label))
            point = (f"{path(group)} {node(group)}", e.value, e.lo, e.hi)
            bars.setdefault(label, []).append(point)
    notes = (
        "KB: 1024 characters that the terminal showed, echo and Ready message with them. TYPE: the"
        " user's machine, CP's work for it in it; CP itself: what CP did for nobody, such as"
        " interruptions until it is known whose they are. CP by the clock: announcements and hellos"
        " to the LAN, the other node's, ticks; the share of all these trials by time.",
        f"CPU through {model.describe()}.",
        "Configuration: " + configuration(found) + ".",
    )
    plot = Plot("bars", "Instructions per KB by machine", "instr/KB",
                tuple((k, tuple(v)) for k, v in bars.items()))  # fmt: skip
    rows = [(g, label) for g in every for label in (*(p.label for p in g[0].parts), TOTAL)]
    return listing("cost", "What a kilobyte on one terminal costs", rows, columns, notes,
                   by=lambda r: id(r[0]), keys=2, plots=(plot,))  # fmt: skip


class Path(NamedTuple):
    """Instructions per KB of a path's trials by node; the node that serves is the last."""

    release: str
    name: str
    at: dict[str, list[Figure]]

    @property
    def node(self) -> str:
        """The node that serves."""
        return list(self.at)[-1]

    def against(self, base: Path, node: str) -> Estimate | None:
        """The cost on NODE as part of that by BASE, over trials that ran beside each other if it
        may be; None where there is no ratio."""
        before, after = base.at.get(node, []), self.at.get(node, [])
        if not before or not after:
            return None
        try:
            return ratio_of(before, after, paired=len(after) == len(before))
        except StatsError:
            return None


def paths(found: Iterable[TrialCost]) -> list[Path]:
    """The paths with one terminal. The node that serves is the last of each."""
    per_kb, made = instructions_of(TOTAL), []
    counted = [g for g in groups(found, "type").values() if has(g, per_kb)]
    for nodes in grouped(counted, lambda g: (release(g), path(g))).values():
        at = {
            node(g): [
                f for c in sorted(g, key=lambda c: c.trial.seq) if (f := per_kb(c)) is not None
            ]
            for g in nodes
        }
        made.append(Path(release(nodes[-1]), path(nodes[-1]), at))
    return made


def path_table(found: Iterable[TrialCost]) -> Table | None:
    """The paths beside each other on each node that they pass, against the first path (TELNET)."""
    every = paths(found)
    first = {p.release: p for p in reversed(every)}
    nodes = list(dict.fromkeys(node for p in every for node in reversed(p.at)))
    Row = tuple[str, Path]

    def base(row: Row) -> Path:
        return first[row[1].release]

    def ratio(row: Row) -> Shown:
        if row[1] is base(row):
            return Cell("1.000", 1.0, "ratio", "(IC)")
        return ratio_cell(row[1].against(base(row), row[0]), "(IC)")

    def within(row: Row) -> Shown:
        if row[1] is base(row):
            return None
        e = row[1].against(base(row), row[0])
        return interval_cell(e, "ratio", "(IC)")

    def around(row: Row) -> Shown:
        e = estimate(row[1].at[row[0]])
        return interval_cell(e, "instr/KB", "(IC)")

    columns: Columns[Row] = [
        ("Node", lambda r: r[0]),
        ("Path", lambda r: r[1].name),
        ("Release", lambda r: r[1].release),
        ("", lambda r: known(estimate(r[1].at[r[0]]), "instr/KB", "(IC)")),
        ("95 % interval", around),
        ("Ratio to the first path", ratio),
        ("95 % interval of ratio", within),
        ("n", lambda r: str(len(r[1].at[r[0]]))),
    ]
    rows = [(node, p) for node in nodes for p in every if node in p.at]
    notes = (
        "Node by node: the LAT path does not pass the near node, as its terminal server is no VM"
        " system and has no account.",
        *(["no interval: one trial of the path."]
          if any(len(x) < 2 for p in every for x in p.at.values()) else []),
    )  # fmt: skip
    return listing("paths", "The paths beside each other, node by node", rows, columns, notes,
                   by=lambda r: r[0], keys=2)  # fmt: skip
