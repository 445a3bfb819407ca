# SPDX-License-Identifier: MIT
"""What a kilobyte on a terminal costs by machine, and the paths beside each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.models import Model
from vmkb.accounting.stats import Estimate, StatsError, places, ratio_places
from vmkb.accounting.tables.group import (
    TOTAL,
    configuration,
    estimate,
    instr_kb,
    part_us_kb,
    ratio_of,
    total_us_kb,
)
from vmkb.accounting.tables.listing import (
    Columns,
    Group,
    Shown,
    estimated,
    grouped,
    has,
    interval,
    listing,
    number,
    release,
    value,
)
from vmkb.accounting.tables.table import Cell, Plot, Table, interval_cell, known, ratio_cell
from vmkb.accounting.units import Figure, add_figures
from vmkb.workloads.terminal.tables.figures import groups, node, path


def cost_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """CPU per KB that a terminal showed, by path, node and machine; None without such trials."""
    found = list(found)
    Part = tuple[Group, str]

    def cost(part: Part) -> Shown:
        group, label = part
        measure = total_us_kb if label == TOTAL else part_us_kb(label)
        return value(measure, "ms/KB", scale=1e-3)(group)

    columns: Columns[Part] = [
        ("Path", lambda r: path(r[0])),
        ("Node", lambda r: node(r[0])),
        ("Machine", lambda r: r[1]),
        ("Instructions per KB (IC)", lambda r: value(instr_kb(r[1]), "instr/KB")(r[0])),
        ("95 % interval (IC)", lambda r: interval(instr_kb(r[1]), "instr/KB")(r[0])),
        ("of them in the machine (IC)",
         lambda r: value(instr_kb(r[1], virtual=True), "instr/KB")(r[0])),
        ("CPU/KB msec (IC)", cost),
        ("n", lambda r: number(r[0])),
    ]  # fmt: skip
    every = list(groups(found, "type").values())
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for group in every:
        for label in (p.label for p in group[0].parts):
            e = estimated(group, instr_kb(label))
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
    """Instructions per KB of a path's trials: on the node that serves, and of NODES nodes."""

    release: str
    name: str
    node: str
    nodes: int
    served: list[Figure]
    every: list[Figure]

    def against(self, base: Path) -> Estimate | None:
        """The cost on the node that serves as part of that by BASE, over trials that ran beside
        each other if it may be; None where there is no ratio."""
        before, after = base.served, self.served
        if self.node != base.node:
            return None
        try:
            return ratio_of(before, after, paired=len(after) == len(before))
        except StatsError:
            return None


def paths(found: Iterable[TrialCost]) -> list[Path]:
    """The paths with one terminal. The node that serves is the last of each."""
    per_kb, made = instr_kb(TOTAL), []
    counted = [g for g in groups(found, "type").values() if has(g, per_kb)]
    for nodes in grouped(counted, lambda g: (release(g), path(g))).values():
        trials = grouped((c for g in nodes for c in g), lambda c: c.trial.seq)
        sums = [_sum(trials[seq]) for seq in sorted(trials)]
        served = [_sum([c]) for c in sorted(nodes[-1], key=lambda c: c.trial.seq)]
        first = nodes[-1]
        made.append(Path(release(first), path(first), node(first), len(nodes), served, sums))
    return made


def _sum(costs: Sequence[TrialCost]) -> Figure:
    return add_figures([f for c in costs if (f := instr_kb(TOTAL)(c)) is not None])


def path_table(found: Iterable[TrialCost]) -> Table | None:
    """The paths beside each other on the node that serves, against the first path (TELNET), and
    the sum over all nodes of each."""
    every = paths(found)
    first = {p.release: p for p in reversed(every)}

    def ratio(p: Path) -> Shown:
        if p is first[p.release]:
            return Cell("1.000", 1.0, "ratio", "(IC)")
        return ratio_cell(p.against(first[p.release]), "(IC)")

    def within(p: Path) -> Shown:
        if p is first[p.release]:
            return None
        e = p.against(first[p.release])
        return interval_cell(e, ratio_places(e) if e else 3, "ratio", "(IC)")

    def around(figures: list[Figure]) -> Shown:
        e = estimate(figures)
        return interval_cell(e, places(e), "instr/KB", "(IC)")

    columns: Columns[Path] = [
        ("Path", lambda p: p.name),
        ("Release", lambda p: p.release),
        ("Serving node", lambda p: p.node),
        ("Instructions per KB, serving node (IC)",
         lambda p: known(estimate(p.served), "instr/KB", "(IC)")),
        ("95 % interval (IC)", lambda p: around(p.served)),
        ("Ratio to the first path (IC)", ratio),
        ("95 % interval of ratio (IC)", within),
        ("Nodes", lambda p: str(p.nodes)),
        ("Instructions per KB, all nodes (IC)",
         lambda p: known(estimate(p.every), "instr/KB", "(IC)")),
        ("95 % interval, all nodes (IC)", lambda p: around(p.every)),
        ("n", lambda p: str(len(p.every))),
    ]  # fmt: skip
    notes = (
        "The ratio is of the node that serves, which every path has. The LAT path has no other: its"
        " terminal server is no VM system and has no account.",
        *(["no interval: one trial of the path."] if any(len(p.every) < 2 for p in every) else []),
    )
    return listing("paths", "The paths beside each other", every, columns, notes)
