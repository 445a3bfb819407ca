# SPDX-License-Identifier: MIT
"""The table of what a file costs, a packet and a KB, from files of several sizes. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from accounting.costs import costs
from accounting.models import model
from accounting.records import Source
from accounting.solve import fitted
from accounting.stats import mean_estimate, places
from accounting.store import Trial
from accounting.tables.group import TOTAL, columns, instr_kb
from accounting.tables.table import Cell, Row, Section, Table, fixed, interval_cell, known, word

_HEADERS = 40
"""Bytes of a packet that are IP's and TCP's."""
_KINDS = ("a file", "a packet", "a KB")


class _Point(NamedTuple):
    """One size: units of a file (itself, its packets, its KB), and what each trial said that a
    file costs, in instructions."""

    units: tuple[float, float, float]
    costs: tuple[float, ...]


def _points(trials: Sequence[Trial]) -> dict[tuple[str, str], list[_Point]]:
    """By direction and title of the system, in the order of first appearance."""
    mine = [t for t in trials if t.counts and t.mode == "Binary"]
    found: dict[tuple[str, str], list[_Point]] = defaultdict(list)
    if not mine:
        return found
    for column in columns(costs(mine, Source.IC, model(mine[0].meta["model"]))):
        head = column.trials[0].trial
        params, kb = head.params, float(head.params["file_kb"])
        packets = kb * 1024 / (float(head.meta["mtu"]) - _HEADERS)
        per_kb = column.values(instr_kb(TOTAL))
        point = _Point((1.0, packets, kb), tuple(each * kb for each in per_kb))
        found[params["direction"], params.get("title", column.release)].append(point)
    return found


def fit_table(trials: Sequence[Trial]) -> Table | None:
    """What a file and a KB cost, fitted over binary files of several sizes; over trials of two
    MTUs, what a packet costs too."""
    rows = []
    for (direction, title), points in _points(trials).items():
        sizes = {p.units[2] for p in points}
        packed = len({round(p.units[1] / p.units[2], 6) for p in points}) > 1
        kinds = (0, 1, 2) if packed else (0, 2)
        if len(sizes) < 2:
            continue
        some = min(len(p.costs) for p in points)
        each = [
            fitted([([p.units[k] for k in kinds], p.costs[n]) for p in points])[0]
            for n in range(some)
        ]
        _, worst = fitted([([p.units[k] for k in kinds], median(p.costs)) for p in points])
        for at, kind in enumerate(kinds):
            own = mean_estimate([found[at] for found in each])
            free = len(points) > len(kinds)
            rows.append(Row(direction, (
                word(title), word(_KINDS[kind]), known(own, "instr", "(IC)"),
                interval_cell(own, places(own), "instr", "(IC)"),
                Cell(fixed(worst, 1), worst, "%", "") if free and not at else word("-"),
                word(str(len(points))),
            )))  # fmt: skip
    if not rows:
        return None
    heads = ("Serves", "Of", "Instructions (IC)", "Interval", "Worst misfit %", "Sizes")
    head = Section("head", (Row("Direction", tuple(map(word, heads))),))
    notes = (
        "Least squares of relative errors over the sizes of binary files, once for each trial; the"
        " misfit is that of the medians. A file: its commands and its data connection. Where there"
        " is one MTU a KB has its packets in it; of two (vmkb compare --allow mtu of two runs), a"
        " packet is a full one, with what acknowledges it.",
    )
    title = "What a file costs, a packet, and a KB"
    return Table("fit", title, (head, Section("body", tuple(rows))), notes, keys=1)
