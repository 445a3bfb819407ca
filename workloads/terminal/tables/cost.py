# SPDX-License-Identifier: MIT
"""What a kilobyte on a terminal costs by machine, and the paths beside each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.stats import Estimate, StatsError, places, ratio_places
from accounting.tables.group import (
    TOTAL,
    configuration,
    instr_kb,
    part_us_kb,
    ratio_of,
    total_us_kb,
)
from accounting.tables.group import estimate as estimate_of
from accounting.tables.table import (
    NO_INTERVAL,
    Cell,
    Plot,
    Row,
    Section,
    Table,
    interval_cell,
    known,
    ratio_cell,
    word,
)
from accounting.units import Figure, add_figures
from workloads.terminal.tables.figures import Group, cell, estimate, groups, param


def _row(path: str, node: str, label: str, group: Group) -> Row:
    counted = estimate(group, instr_kb(label))
    cost = total_us_kb if label == TOTAL else part_us_kb(label)
    return Row(
        path,
        (
            word(node),
            word(label),
            known(counted, "instr/KB", "(IC)"),
            interval_cell(counted, places(counted), "instr/KB", "(IC)"),
            cell(group, instr_kb(label, virtual=True), "instr/KB"),
            cell(group, cost, "ms/KB", scale=1e-3),
            word(str(len(group))),
        ),
    )


def path_costs(
    found: Iterable[TrialCost], kind: str = "type"
) -> dict[tuple[str, str], list[Figure]]:
    """Instructions per KB of all nodes together, by release and path, in order of the trials."""
    by_trial: dict[tuple[str, str], dict[int, list[Figure]]] = {}
    for cost in found:
        per_kb = instr_kb(TOTAL)(cost) if param(cost, "kind") == kind else None
        if per_kb is not None:
            key = (cost.trial.release, param(cost, "path"))
            by_trial.setdefault(key, {}).setdefault(cost.trial.seq, []).append(per_kb)
    return {key: [add_figures(sums[p]) for p in sorted(sums)] for key, sums in by_trial.items()}


def cost_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """CPU per KB that a terminal showed, by path, node and machine; None without such trials."""
    found = list(found)
    sections = []
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for (_, path, node, _), group in groups(found, ("type",)).items():
        labels = [p.label for p in group[0].parts]
        rows = [_row(path, node, x, group) for x in [*labels, TOTAL]]
        sections.append(Section("body", tuple(rows)))
        for label in labels:
            e = estimate(group, instr_kb(label))
            bars.setdefault(label, []).append((f"{path} {node}", e.value, e.lo, e.hi))
    if not sections:
        return None
    heads = (
        "Node", "Machine", "Instructions per KB (IC)", "95 % interval (IC)",
        "of them in the machine (IC)", "CPU/KB msec (IC)", "n",
    )  # fmt: skip
    head = Section("head", (Row("Path", tuple(map(word, heads))),))
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
    return Table("cost", "What a kilobyte on one terminal costs", (head, *sections), notes,
                 plots=(plot,), keys=2)  # fmt: skip


def path_ratio(values: list[Figure], base: list[Figure]) -> Estimate | None:
    """The cost of a path against another's, over trials that ran beside each other if it may be."""
    try:
        return ratio_of(base, values, paired=len(values) == len(base))
    except StatsError:
        return None


def path_table(found: Iterable[TrialCost]) -> Table | None:
    """The paths beside each other: both nodes together, and against the first path (TELNET)."""
    found = list(found)
    costs = path_costs(found)
    if not costs:
        return None
    rows = []
    releases = list(dict.fromkeys(release for release, _ in costs))
    for release in releases:
        mine = {path: v for (r, path), v in costs.items() if r == release}
        base_path = next(iter(mine))
        for path, values in mine.items():
            e = estimate_of(values)
            ratio = path_ratio(values, mine[base_path]) if path != base_path else None
            quotient, interval = Cell("1.000", 1.0, "ratio", "(IC)"), word("-")
            if path != base_path:
                quotient = ratio_cell(ratio, "(IC)")
                at = ratio_places(ratio) if ratio else 3
                interval = interval_cell(ratio, at, "ratio", "(IC)")
            rows.append(
                Row(
                    path,
                    (
                        word(release),
                        known(e, "instr/KB", "(IC)"),
                        interval_cell(e, places(e), "instr/KB", "(IC)"),
                        quotient,
                        interval,
                        word(str(e.n)),
                    ),
                )
            )
    heads = (
        "Release", "Instructions per KB, all nodes (IC)", "95 % interval (IC)",
        "Ratio to the first path (IC)", "95 % interval of ratio (IC)", "n",
    )  # fmt: skip
    head = Section("head", (Row("Path", tuple(map(word, heads))),))
    texts = [c.text for r in rows for c in r.cells]
    notes = ["The LAT path has one node: its terminal server is no VM system and has no account."]
    if any("~" in t for t in texts):
        notes.append("~: the interval of the ratio covers 1.")
    if any(NO_INTERVAL in t for t in texts):
        notes.append(f"{NO_INTERVAL}: one trial of the path.")
    body = Section("body", tuple(rows))
    return Table("paths", "The paths beside each other", (head, body), tuple(notes), keys=1)
