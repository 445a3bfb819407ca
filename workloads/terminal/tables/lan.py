# SPDX-License-Identifier: MIT
"""What crossed the LAN while terminals showed text, and what an echo costs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from accounting.costs import TrialCost
from accounting.published import published
from accounting.records import Source, Unit
from accounting.tables.table import Cell, Row, Section, Table, printed, word
from accounting.units import Figure
from workloads.base.accounts import SYSTEM
from workloads.terminal.tables.clock import by_clock
from workloads.terminal.tables.figures import (
    Group,
    cell,
    groups,
    instructions,
    kilobytes,
    middle,
    over,
    param,
    record,
    recorded,
    seconds,
)

LAN_HEADS = (
    "Release", "Terminal characters/s (WI)", "LAN KB/s (WI)", "Published rise, KB/s (PB)",
    "Frames/s (WI)", "Bytes a frame (WI)", "LAN bytes per character (WI)",
    "of them LAT (WI)", "Lost (WI)", "n",
)  # fmt: skip
ECHO_HEADS = (
    "Release", "Median ms (WI)", "95 % within ms (WI)", "Most ms (WI)", "Frames a key (WI)",
    "Near node, instructions a key (IC)", "Far node, instructions a key (IC)", "Keys",
)  # fmt: skip
TURN_S = 0.25
"""Seconds between two looks of TCPIP at its timers, the most that a node does of itself at once."""


def _rise(path: str, name: str) -> Cell:
    rows = [
        r
        for r in published(name).rows
        if r["path"] == path and r["ethernet_kb_s_before"] and r["ethernet_kb_s_during"]
    ]
    if not rows:
        return word("-")
    rise = float(rows[0]["ethernet_kb_s_during"]) - float(rows[0]["ethernet_kb_s_before"])
    return printed(rise, 1, "KB/s", "(PB)")


def _last_node(found: Iterable[TrialCost], kinds: Sequence[str]) -> dict[tuple[str, str], Group]:
    """One record of each trial: those of the last node of its path, by release and path."""
    made: dict[tuple[str, str], Group] = {}
    for (release, path, _, _), group in groups(found, kinds).items():
        made[release, path] = group
    return made


def lan_table(found: Iterable[TrialCost], name: str) -> Table | None:
    """Medians over the trials with one terminal, beside the rise that the published table NAME has;
    None without such trials."""
    rows = []
    for (release, path), group in _last_node(found, ("type",)).items():
        long = [seconds(c) for c in group]
        characters = [1024 * kilobytes(c) for c in group]
        frames, octets = recorded(group, "lan", "frames"), recorded(group, "lan", "bytes")
        lat = recorded(group, "lan", "lat_bytes")
        if not frames:
            continue
        shown = [Figure(c, Unit.BYTE, (Source.WI,)) for c in characters]
        counted = [f.value for f in frames]
        rows.append(
            Row(
                path,
                (
                    word(release),
                    middle(_each(shown, long, Unit.PER_S), "/s"),
                    middle(_each(octets, [1024 * s for s in long], Unit.KB_S), "KB/s"),
                    _rise(param(group[0], "chain"), name),
                    middle(_each(frames, long, Unit.PER_S), "/s"),
                    middle(_each(octets, counted, Unit.BYTE), "B"),
                    middle(_each(octets, characters, Unit.RATIO), "ratio"),
                    middle(_each(lat, characters, Unit.RATIO), "ratio"),
                    printed(sum(f.value for f in recorded(group, "lan", "dropped")), 0, "count",
                            "(WI)"),
                    word(str(len(group))),
                ),
            )
        )  # fmt: skip
    if not rows:
        return None
    head = Section("head", (Row("Path", tuple(map(word, LAN_HEADS))),))
    notes = (
        "Each frame is counted once, where it came in, without preamble and check sequence; LAT is"
        " what the terminal server sent and was sent. Nothing else is on this LAN, so what is there"
        " is the terminal's; the published figures are the rise over what others sent.",
        "On the TELNET and SET HOST paths the text crosses the LAN twice. The report guessed at"
        " more than 3 KB/s of overhead; the bytes per character say what it is here.",
    )
    return Table("lan", "What crossed the LAN", (head, Section("body", tuple(rows))), notes, keys=1)


def _each(tops: Sequence[Figure], below: Sequence[float], unit: Unit) -> list[Figure]:
    return [over(t, b, unit) for t, b in zip(tops, below, strict=True) if b]


def idle_rates(found: Iterable[TrialCost]) -> dict[tuple[str, str], dict[str, float]]:
    """Instructions a second that each node uses when nobody does anything, by release and node:
    for each machine by its label. Without what it does at fixed times, where CP tells that."""
    return {
        (release, node): {
            part.label: median([_of_part(c, part.label) / seconds(c) for c in group])
            for part in group[0].parts
        }
        for (release, _, node, _), group in groups(found, ("idle",)).items()
    }


def _of_part(cost: TrialCost, label: str) -> float:
    part = cost.part(label)
    assert part is not None and part.instructions is not None
    fixed = by_clock(cost) if part.machine == SYSTEM else None
    return part.instructions.value - (fixed.value if fixed else 0.0)


def echo_table(found: Iterable[TrialCost]) -> Table | None:
    """What a typed character costs and how long it takes to be shown; None without such trials."""
    found = list(found)
    idle = idle_rates(found)
    per_node: dict[tuple[str, str], dict[str, Group]] = {}
    for (release, path, node, _), group in groups(found, ("echo",)).items():
        per_node.setdefault((release, path), {})[node] = group
    rows = []
    for (release, path), nodes in per_node.items():
        last = list(nodes.values())[-1]
        keys = sum(f.value for f in recorded(last, "echo", "keys"))
        frames = recorded(last, "lan", "frames")
        cells = [word(release)]
        for name in ("median", "p95", "most"):
            cells.append(middle(recorded(last, "echo", name), "ms", 1e-3))
        cells.append(middle(_each(frames, [_keys(c) for c in last], Unit.COUNT), "count"))
        if len(nodes) < 2:
            cells.append(word("-"))
        for node, echoed in nodes.items():
            cells.append(_a_key(echoed, idle.get((release, node), {})))
        cells.append(word(f"{keys:.0f}"))
        rows.append(Row(path, tuple(cells)))
    if not rows:
        return None
    head = Section("head", (Row("Path", tuple(map(word, ECHO_HEADS))),))
    quiet = ", ".join(f"{node} {sum(rates.values()):.0f}" for (_, node), rates in idle.items())
    notes = (
        "From the key to its echo on the screen; each key is typed when the one before is shown and"
        " 0.12 to 0.28 s have passed. A LAT terminal server sends every 80 ms, so 40 ms of the"
        " median are its own on every path.",
        "On the TELNET and SET HOST paths LNS53 echoes: both send lines, not characters, so a key"
        " does not go to CLE750 before ENTER. The report's TELNET echoed from afar.",
        f"Less what the same machines do of themselves in that time: {quiet} instructions a second"
        " (IC) with TCPIP's timers, of which a turn more or less at either end is not known; and"
        " less CP's work of fixed times, which CP tells."
        if idle
        else "What the node does of itself in that time is in it.",
    )
    return Table("echo", "Echo of typed characters", (head, Section("body", tuple(rows))), notes,
                 keys=1)  # fmt: skip


def _a_key(group: Group, idle: Mapping[str, float]) -> Cell:
    """Instructions of a node for one key, less what the same machines use when IDLE."""
    rate = sum(idle.get(p.label, 0.0) for p in group[0].parts)

    def measure(cost: TrialCost) -> Figure:
        used, fixed = instructions(cost), by_clock(cost)
        own = rate * seconds(cost) + (fixed.value if fixed and rate else 0.0)
        return over(
            used._replace(value=used.value - own, tick=used.tick + 2 * rate * TURN_S),
            _keys(cost), used.unit,
        )  # fmt: skip

    return cell(group, measure, "instr")


def _keys(cost: TrialCost) -> float:
    found = record(cost, "echo")
    return float(found.value("keys").value) if found else 1.0
