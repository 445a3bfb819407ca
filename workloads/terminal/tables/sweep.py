# SPDX-License-Identifier: MIT
"""More and more terminals: CPU, throughput and fairness, and where a machine is full. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import (
    TOTAL,
    Group,
    estimated,
    field,
    instructions_of,
    param,
    record,
    value,
)
from vmkb.accounting.models import Model, models
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.listing import Columns, Shown, grouped, listing, named, number, series
from vmkb.accounting.tables.table import Plot, Table
from vmkb.accounting.tables.table import printed as cell
from vmkb.accounting.units import Figure
from vmkb.workloads.terminal.tables.figures import (
    MODES,
    all_costs,
    groups,
    mode,
    node,
    path,
    rate,
    total,
)

KINDS = ("type", "sweep")
FAIR = 0.95
"""Jain's index below which somebody is starved."""


def _slowest(cost: TrialCost) -> Figure | None:
    """Seconds from the command to the last character of the terminal that was last."""
    sessions = record(cost, "sessions")
    if sessions is None:
        return None
    each = sessions.value("characters").value / sessions.value("terminals").value
    return Figure(each / sessions.value("slowest").value, Unit.S, (Source.WI,))


def sweep_table(costs: Iterable[TrialCost], model: Model) -> Table | None:
    """A line for each path, node and number of terminals; None if only one number was tried."""
    every = groups(costs, *KINDS)
    if len({terminals for *_, terminals in every}) < 2:
        return None
    columns: Columns[Group] = [
        ("Path", path),
        ("Node", named("node")),
        ("Terminals", named("terminals")),
        ("In all", value(rate)),
        ("Slowest terminal", value(_slowest)),
        ("Jain", value(field("sessions", "jain"))),
        ("", value(instructions_of(TOTAL))),
        *(("CPU" if k == "busy" else k, value(mode(k, model))) for k in MODES),
        ("Wrong", lambda g: total(g, field("sessions", "wrong"))),
        ("n", number),
    ]
    order = sorted(every, key=lambda k: (k[:3], int(k[3])))
    nodes = grouped(order, lambda k: k[1:3])
    pairs = list(dict.fromkeys(k[1:3] for k in every))
    rows = [every[k] for pair in pairs for k in nodes[pair]]
    busy = mode("busy", model)
    lines = series(
        (f"{p} {n}", float(k[3]), estimated(every[k], busy)) for p, n in pairs for k in nodes[p, n]
    )
    notes = (
        f"CPU % of one engine of {model.describe()}.",
        "KB/s and CPU are over the trial's time, which is a whole number of half seconds from the"
        " command on, as in all tables here. Slowest terminal: from the command to its last"
        " character, at 960 characters a second at most. Jain's index of the terminals' rates: 1 if"
        " all went equally fast. Wrong: terminals that did not show what the documents say.",
    )
    plot = Plot("lines", f"CPU against terminals, {model.key}", "% of one engine",
                lines, 100.0, "terminals")  # fmt: skip
    return listing("terminals", "More terminals", rows, columns, notes,
                   by=lambda g: (path(g), node(g)), keys=2, plots=(plot,))  # fmt: skip


def unfair(trials: Iterable[Trial]) -> list[str]:
    """A doubt for each number of terminals at which some were starved."""
    worst: dict[tuple[str, str], float] = {}
    for trial in trials:
        sessions = record(trial, "sessions")
        if sessions is None or not trial.counts or param(trial, "kind") not in KINDS:
            continue
        if (jain := float(sessions.value("jain").value)) < FAIR:
            key = param(trial, "path"), param(trial, "terminals")
            worst[key] = min(jain, worst.get(key, jain))
    return [f"{p}, {n} terminals: Jain's index is {spoken(jain)}" for (p, n), jain in worst.items()]


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
    points: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for model in known:
        for (_, p, n, terminals), group in groups(all_costs(trials, model), *KINDS).items():
            busy = estimated(group, mode("busy", model)).value
            mine = points.setdefault((p, n), {}).setdefault(model.key, [])
            mine.append((float(terminals), busy))
    measured = max((x for by in points.values() for ps in by.values() for x, _ in ps), default=0.0)

    def full(key: tuple[str, str], model: Model) -> Shown:
        terminals = saturation(sorted(points[key][model.key]))
        return None if terminals is None else cell(int(terminals), "count", "(IC)")

    columns: Columns[tuple[str, str]] = [
        ("Path", lambda k: k[0]),
        ("Node", lambda k: k[1]),
        *((m.key, lambda k, m=m: full(k, m)) for m in known),
    ]
    notes = (
        "Whole terminals that one engine carries at 9600 baud before it is full, if nothing else"
        f" were in the way. Up to {measured:.0f} terminals were measured; a larger number goes on"
        " from the last two measured ones and is a projection. A LAN of 10 Mbit/s, 80 LAT sessions"
        " and 72 users of a VM/KB node are full earlier than the larger machines.",
    )
    return listing("saturation", "Terminals that fill one engine", points, columns, notes)
