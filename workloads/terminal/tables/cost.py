# SPDX-License-Identifier: MIT
"""What a kilobyte on a terminal costs by machine, and the paths beside each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from accounting.models import Model
from accounting.stats import Estimate, decimals, median_estimate, ratio_paired, ratio_unpaired
from accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    estimated,
    printed,
    range_cell,
    word,
)
from workloads.terminal.tables.figures import Figures, Group, Use, cell, estimate, groups, whole

SPREAD_TARGET = 0.01
"""Half the interval of a path's cost, as part of it, that is asked for."""


def _per_kb(f: Figures, use: Use) -> float:
    return use.instructions / f.kilobytes


def _row(path: str, node: str, label: str, group: Group) -> Row:
    def use(f: Figures) -> Use:
        return f.total if label == "Total" else f.parts[label]

    def ms(f: Figures) -> float:
        return use(f).us / 1000 / f.kilobytes

    instructions = estimate(group, lambda f: _per_kb(f, use(f)))
    places = max(3, decimals(estimate(group, ms), most=3))
    return Row(
        path,
        (
            word(node),
            word(label),
            whole(group, lambda f: _per_kb(f, use(f)), "instr/KB", "(IC)"),
            range_cell(instructions, 0, "instr/KB", "(IC)"),
            whole(group, lambda f: use(f).virtual_instructions / f.kilobytes, "instr/KB", "(IC)"),
            cell(group, ms, places, "ms/KB", "(IC)"),
            cell(group, lambda f: use(f).qt_us / 1000 / f.kilobytes, 3, "ms/KB", "(QT)"),
            word(str(len(group))),
        ),
    )


def path_costs(found: Iterable[Figures], kind: str = "type") -> dict[tuple[str, str], list[float]]:
    """Instructions per KB of all nodes together, by release and path, in order of the trials."""
    by_trial: dict[tuple[str, str], dict[int, float]] = {}
    for f in found:
        if f.param("kind") == kind:
            key = (f.trial.release, f.param("path"))
            sums = by_trial.setdefault(key, {})
            sums[f.trial.seq] = sums.get(f.trial.seq, 0.0) + _per_kb(f, f.total)
    return {key: [sums[p] for p in sorted(sums)] for key, sums in by_trial.items()}


def spread(e: Estimate) -> float:
    """Half of the interval as part of the median."""
    return (e.hi - e.lo) / 2 / e.value if e.value else 0.0


def cost_table(found: Iterable[Figures], model: Model) -> Table | None:
    """CPU per KB that a terminal showed, by path, node and machine; None without such trials."""
    found = list(found)
    sections = []
    bars: dict[str, list[tuple[str | float, float, float, float]]] = {}
    for (_, path, node, _), group in groups(found, ("type",)).items():
        labels = [*group[0].parts, "Total"]
        sections.append(Section("body", tuple(_row(path, node, x, group) for x in labels)))
        for label in labels[:-1]:
            e = estimate(group, lambda f, label=label: _per_kb(f, f.parts[label]))  # type: ignore[misc]
            bars.setdefault(label, []).append((f"{path} {node}", e.value, e.lo, e.hi))
    if not sections:
        return None
    heads = (
        "Node", "Machine", "Instructions per KB (IC)", "95 % interval (IC)",
        "of them in the machine (IC)", "CPU/KB msec (IC)", "CPU/KB msec (QT)", "n",
    )  # fmt: skip
    head = Section("head", (Row("Path", tuple(map(word, heads))),))
    first = found[0].trial
    notes = (
        "KB: 1024 characters that the terminal showed, echo and Ready message with them. TYPE: the"
        " user's machine, CP's work for it in it; CP itself: what CP did for nobody, such as"
        " interruptions until it is known whose they are, timers and announcements, all that the"
        " node does of itself meanwhile included.",
        f"CPU through {model.describe()}.",
        "Configuration: " + _configuration(first.meta) + ".",
    )
    plot = Plot("bars", "Instructions per KB by machine", "instr/KB",
                tuple((k, tuple(v)) for k, v in bars.items()))  # fmt: skip
    return Table("cost", "What a kilobyte on one terminal costs", (head, *sections), notes,
                 plots=(plot,), keys=2)  # fmt: skip


def _configuration(meta: Mapping[str, str]) -> str:
    return "; ".join(f"{k.replace('_', ' ')} {v}" for k, v in meta.items() if v)


def _against(values: list[float], base: list[float]) -> Estimate:
    if len(values) == len(base):
        return ratio_paired(base, values)
    return ratio_unpaired(base, values)


def path_table(found: Iterable[Figures]) -> Table | None:
    """The paths beside each other: both nodes together, and against the first path (TELNET)."""
    costs = path_costs(found)
    if not costs:
        return None
    rows, doubts = [], []
    releases = list(dict.fromkeys(release for release, _ in costs))
    for release in releases:
        mine = {path: v for (r, path), v in costs.items() if r == release}
        base_path = next(iter(mine))
        for path, values in mine.items():
            e = median_estimate(values)
            ratio = _against(values, mine[base_path])
            quotient: Cell = printed(1.0, 3, "ratio", "(IC)")
            if path != base_path:
                places = max(3, decimals(ratio, most=3))
                mark = " ~" if ratio.lo <= 1 <= ratio.hi else ""
                quotient = estimated(ratio, places, "ratio", "(IC)", mark)
            half = 100 * spread(e)
            rows.append(
                Row(
                    path,
                    (
                        word(release),
                        Cell(f"{e.value:.0f}", e.value, "instr/KB", "(IC)", e.lo, e.hi, e.n,
                             e.confidence),
                        range_cell(e, 0, "instr/KB", "(IC)"),
                        printed(half, 2, "%", "(IC)"),
                        quotient,
                        word(str(e.n)),
                    ),
                )
            )  # fmt: skip
            if e.n > 1 and spread(e) > SPREAD_TARGET:
                doubts.append(
                    f"{path}: the interval of instructions per KB is +/- {half:.1f} %, wider than"
                    f" {100 * SPREAD_TARGET:g} %; more trials or a quieter machine narrow it"
                )
    heads = (
        "Release", "Instructions per KB, both nodes (IC)", "95 % interval (IC)", "+/- % (IC)",
        "Ratio to the first path (IC)", "n",
    )  # fmt: skip
    head = Section("head", (Row("Path", tuple(map(word, heads))),))
    notes = (
        "The LAT path has one node: its terminal server is no VM system and has no account.",
        "~: the interval covers 1.",
    )
    return Table("paths", "The paths beside each other",
                 (head, Section("body", tuple(rows))), notes, tuple(doubts), keys=1)  # fmt: skip
