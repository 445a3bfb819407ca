# SPDX-License-Identifier: MIT
"""The cost of a kilobyte on a terminal by machine, and the paths beside each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import (
    TOTAL,
    Group,
    estimate,
    estimated,
    figures,
    has,
    instructions_of,
    interval,
    part_cpu,
    value,
)
from vmkb.accounting.models import Model
from vmkb.accounting.stats import Estimate, StatsError
from vmkb.accounting.tables.group import configuration, ratio_of
from vmkb.accounting.tables.listing import (
    Columns,
    Shown,
    grouped,
    listing,
    number,
    parted,
    release,
    series,
)
from vmkb.accounting.tables.table import Cell, Plot, Table, interval_cell, known, ratio_cell
from vmkb.accounting.units import Figure
from vmkb.workloads.terminal.tables.figures import groups, node, path


def cost_table(costs: Sequence[TrialCost], model: Model) -> Table | None:
    """CPU per KB that a terminal showed, by path, node and machine; None without such trials."""
    columns: Columns[tuple[Group, str]] = [
        ("Path", lambda r: path(r[0])),
        ("Node", lambda r: node(r[0])),
        ("Machine", lambda r: r[1]),
        ("", lambda r: value(instructions_of(r[1]))(r[0])),
        ("95 % interval", lambda r: interval(instructions_of(r[1]))(r[0])),
        ("of them in the machine", lambda r: value(instructions_of(r[1], virtual=True))(r[0])),
        ("CPU", lambda r: value(part_cpu(r[1]), "ms/KB")(r[0])),
        ("n", lambda r: number(r[0])),
    ]
    every = list(groups(costs, "type").values())
    bars = series(
        (p.label, f"{path(g)} {node(g)}", estimated(g, instructions_of(p.label)))
        for g in every for p in g[0].parts
    )  # fmt: skip
    notes = (
        "KB: 1024 characters that the terminal showed, echo and Ready message with them. TYPE: the"
        " user's machine, CP's work for it in it; CP itself: what CP did for nobody, such as"
        " interruptions until it is known whose they are. CP by the clock: announcements and hellos"
        " to the LAN, the other node's, ticks; the share of all these trials by time.",
        f"CPU through {model.describe()}.",
        "Configuration: " + configuration(costs) + ".",
    )
    plot = Plot("bars", "Instructions per KB by machine", "instr/KB", bars)
    return listing("cost", "What a kilobyte on one terminal costs", parted(every), columns, notes,
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


def paths(costs: Iterable[TrialCost]) -> list[Path]:
    """The paths with one terminal. The node that serves is the last of each."""
    per_kb, made = instructions_of(TOTAL), []
    counted = [g for g in groups(costs, "type").values() if has(g, per_kb)]
    for nodes in grouped(counted, lambda g: (release(g), path(g))).values():
        at = {node(g): figures(sorted(g, key=lambda c: c.trial.seq), per_kb) for g in nodes}
        made.append(Path(release(nodes[-1]), path(nodes[-1]), at))
    return made


def path_table(costs: Iterable[TrialCost]) -> Table | None:
    """The paths beside each other on each node that they pass, against the first path (TELNET)."""
    every = paths(costs)
    first = {p.release: p for p in reversed(every)}
    nodes = list(dict.fromkeys(node for p in every for node in reversed(p.at)))
    Row = tuple[str, Path]

    def against(row: Row) -> tuple[bool, Estimate | None]:
        """Whether it is the first path, and its ratio to that."""
        base = first[row[1].release]
        return row[1] is base, row[1].against(base, row[0])

    def ratio(row: Row) -> Shown:
        is_first, e = against(row)
        return Cell("1.000", 1.0, "ratio", "(IC)") if is_first else ratio_cell(e, "(IC)")

    def within(row: Row) -> Shown:
        is_first, e = against(row)
        return None if is_first else interval_cell(e, "ratio", "(IC)")

    columns: Columns[Row] = [
        ("Node", lambda r: r[0]),
        ("Path", lambda r: r[1].name),
        ("Release", lambda r: r[1].release),
        ("", lambda r: known(estimate(r[1].at[r[0]]), "instr/KB", "(IC)")),
        ("95 % interval", lambda r: interval_cell(estimate(r[1].at[r[0]]), "instr/KB", "(IC)")),
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
