# SPDX-License-Identifier: MIT
"""The table of what a file costs, a packet and a KB, from files of several sizes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from vmkb.accounting.measures import TOTAL, instructions_of
from vmkb.accounting.solve import fitted
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Columns, grouped, listing
from vmkb.accounting.tables.table import Table, interval_cell, known, printed
from vmkb.workloads.serve.tables import systems

_HEADERS = 40
"""Bytes of a packet that are IP's and TCP's."""
_KINDS = ("a file", "a packet", "a KB")


class _Point(NamedTuple):
    """One size in one DIRECTION: units of a file (itself, its packets, its KB), and what each trial
    said that a file costs the system called TITLE, in instructions."""

    direction: str
    title: str
    units: tuple[float, float, float]
    costs: tuple[float, ...]


def _points(trials: Sequence[Trial]) -> list[_Point]:
    made = []
    for column in systems([t for t in trials if t.mode == "Binary"]):
        head = column.trials[0].trial
        params, kb = head.params, float(head.params["file_kb"])
        packets = kb * 1024 / (float(head.meta["mtu"]) - _HEADERS)
        each = tuple(x * kb for x in column.values(instructions_of(TOTAL)))
        title = params.get("title", column.release)
        made.append(_Point(params["direction"], title, (1.0, packets, kb), each))
    return made


class _Fit(NamedTuple):
    """The cost of one kind, and the worst misfit of all in percent, where some is left."""

    direction: str
    title: str
    kind: str
    cost: Estimate
    worst: float | None
    sizes: int


def _fits(points: Sequence[_Point]) -> list[_Fit]:
    packed = len({round(p.units[1] / p.units[2], 6) for p in points}) > 1
    kinds = (0, 1, 2) if packed else (0, 2)
    if len({p.units[2] for p in points}) < 2:
        return []
    units = [[p.units[k] for k in kinds] for p in points]
    each = [
        fitted(list(zip(units, said, strict=True)))[0]
        for said in zip(*(p.costs for p in points), strict=False)
    ]
    worst = fitted(list(zip(units, (median(p.costs) for p in points), strict=True)))[1]
    free = len(points) > len(kinds)
    return [
        _Fit(points[0].direction, points[0].title, _KINDS[kind],
             mean_estimate([found[at] for found in each]), worst if free and not at else None,
             len(points))
        for at, kind in enumerate(kinds)
    ]  # fmt: skip


def fit_table(trials: Sequence[Trial]) -> Table | None:
    """The cost of a file and of a KB, fitted over binary files of several sizes; over trials of two
    MTUs, what a packet costs too."""
    columns: Columns[_Fit] = [
        ("Direction", lambda f: f.direction),
        ("Serves", lambda f: f.title),
        ("Of", lambda f: f.kind),
        ("", lambda f: known(f.cost, "instr", "(IC)")),
        ("Interval", lambda f: interval_cell(f.cost, "instr", "(IC)")),
        ("Worst misfit", lambda f: None if f.worst is None else printed(f.worst, "%")),
        ("Sizes", lambda f: str(f.sizes)),
    ]
    notes = (
        "Least squares of relative errors over the sizes of binary files, once for each trial; the"
        " misfit is that of the medians. A file: its commands and its data connection. Where there"
        " is one MTU a KB has its packets in it; of two (vmkb compare --allow mtu of two runs), a"
        " packet is a full one, with what acknowledges it.",
    )
    groups = grouped(_points(trials), lambda p: (p.direction, p.title)).values()
    rows = [f for points in groups for f in _fits(points)]
    return listing("fit", "What a file costs, a packet, and a KB", rows, columns, notes)
