# SPDX-License-Identifier: MIT
"""More and more terminals: CPU, throughput and fairness, and where a machine is full. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accounting.costs import TrialCost
from accounting.models import Model, models
from accounting.records import Source, Unit
from accounting.store import Trial
from accounting.tables.group import TOTAL, instr_kb
from accounting.tables.table import Plot, Row, Section, Table, printed, word
from accounting.units import Figure
from workloads.terminal.tables.figures import (
    MODES,
    Group,
    all_costs,
    cell,
    estimate,
    groups,
    kilobytes,
    middle,
    mode,
    recorded,
    seconds,
)

HEADS = (
    "Node", "Terminals", "KB/s in all (WI)", "Slowest characters/s (WI)", "Jain (WI)",
    "Instructions per KB (IC)", "CPU % (IC)", "user % (IC)", "kernel % (IC)", "interrupt % (IC)",
    "Wrong (WI)", "n",
)  # fmt: skip
KINDS = ("type", "sweep")
FAIR = 0.95
"""Jain's index below which somebody is starved."""


def _line(key: tuple[str, ...], group: Group, model: Model) -> Row:
    _, path, node, terminals = key
    rates = [Figure(kilobytes(c) / seconds(c), Unit.KB_S, (Source.WI,)) for c in group]
    return Row(
        path,
        (
            word(node),
            word(terminals),
            middle(rates, "KB/s"),
            middle(recorded(group, "sessions", "slowest"), "/s"),
            middle(recorded(group, "sessions", "jain"), "ratio"),
            cell(group, instr_kb(TOTAL), "instr/KB"),
            *(cell(group, mode(k, model), "%") for k in MODES),
            printed(sum(f.value for f in recorded(group, "sessions", "wrong")), 0, "count",
                    "(WI)"),
            word(str(len(group))),
        ),
    )  # fmt: skip


def sweep_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """A line for each path, node and number of terminals; None if only one number was tried."""
    every = groups(found, KINDS)
    if len({terminals for _, _, _, terminals in every}) < 2:
        return None
    order = sorted(every.items(), key=lambda item: (item[0][:3], int(item[0][3])))
    paths = list(dict.fromkeys((path, node) for _, path, node, _ in every))
    sections, lines = [], []
    for path, node in paths:
        mine = [(k, g) for k, g in order if k[1:3] == (path, node)]
        sections.append(Section("body", tuple(_line(k, g, model) for k, g in mine)))
        points: list[tuple[str | float, float, float, float]] = []
        for key, group in mine:
            e = estimate(group, mode("busy", model))
            points.append((float(key[3]), e.value, e.lo, e.hi))
        lines.append((f"{path} {node}", tuple(points)))
    head = Section("head", (Row("Path", tuple(map(word, HEADS))),))
    notes = (
        f"CPU % of one engine of {model.describe()}.",
        "Characters a second from the command to a terminal's last character: 960 is the line's"
        " speed, and what is missing is mostly the time to the first one. Jain's index of these"
        " rates: 1 if all terminals went equally fast. Wrong: terminals that did not show"
        " exactly what the documents say.",
    )
    plot = Plot("lines", f"CPU against terminals, {model.key}", "% of one engine", tuple(lines),
                100.0, "terminals")  # fmt: skip
    return Table("terminals", "More terminals", (head, *sections), notes, (plot,),
                 keys=2)  # fmt: skip


def saturation(points: Sequence[tuple[float, float]]) -> float | None:
    """Terminals at which CPU reaches 100 %, from POINTS (terminals, percent) in order: between two
    of them, or beyond the last, where it goes on as between the last two."""
    if not points or points[-1][1] <= 0:
        return None
    before = (0.0, 0.0)
    for point in points:
        if point[1] >= 100:
            share = (100 - before[1]) / (point[1] - before[1])
            return before[0] + share * (point[0] - before[0])
        before = point
    first = points[-2] if len(points) > 1 else (0.0, 0.0)
    slope = (points[-1][1] - first[1]) / (points[-1][0] - first[0])
    if slope <= 0:
        return None
    return points[-1][0] + (100 - points[-1][1]) / slope


def saturation_table(trials: Sequence[Trial]) -> Table | None:
    """At how many terminals each path fills one engine of each machine that there is a model of."""
    known = [m for m in models().values() if m.available and not m.is_timer]
    columns: dict[str, dict[tuple[str, str], list[tuple[float, float]]]] = {}
    for model in known:
        for key, group in groups(all_costs(trials, model), KINDS).items():
            points = columns.setdefault(model.key, {}).setdefault((key[1], key[2]), [])
            points.append((float(key[3]), estimate(group, mode("busy", model)).value))
    if not columns:
        return None
    rows = []
    measured = 0.0
    for path, node in next(iter(columns.values())):
        cells = [word(node)]
        for model in known:
            points = sorted(columns[model.key][path, node])
            measured = max(measured, points[-1][0])
            found = saturation(points)
            if found is None:
                cells.append(word("-"))
                continue
            cells.append(printed(int(found), 0, "count", "(IC)"))
        rows.append(Row(path, tuple(cells)))
    heads = ("Node", *(f"{m.key} (IC)" for m in known))
    head = Section("head", (Row("Path", tuple(map(word, heads))),))
    notes = (
        "Whole terminals that one engine carries at 9600 baud before it is full, if nothing else"
        f" were in the way. Up to {measured:.0f} terminals were measured; a larger number goes on"
        " from the last two measured ones and is a projection. A LAN of 10 Mbit/s, 80 LAT sessions"
        " and 72 users of a VM/KB node are full earlier than the larger machines.",
    )
    return Table("saturation", "Terminals that fill one engine",
                 (head, Section("body", tuple(rows))), notes, keys=1)  # fmt: skip
