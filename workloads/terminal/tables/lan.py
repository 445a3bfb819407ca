# SPDX-License-Identifier: MIT
"""The LAN's traffic while terminals showed text, and the cost of an echo. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import Group, Measure, estimated, field, has, of_value, over, value
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.listing import Columns, Shown, grouped, listing, number, release
from vmkb.accounting.tables.table import Table
from vmkb.accounting.units import Figure
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.terminal.tables.clock import by_clock
from vmkb.workloads.terminal.tables.figures import (
    characters,
    groups,
    node,
    path,
    seconds,
    shown,
    total,
)

TURN_S = 0.25
"""Seconds between two looks of TCPIP at its timers, the most that a node does of itself at once."""
FRAMES, BYTES = field("lan", "frames"), field("lan", "bytes")


def lan(name: str) -> Measure:
    """KB a second of what the LAN counts under NAME."""
    return over(field("lan", name), lambda c: 1024 * seconds(c), Unit.KB_S)


def _frames(cost: TrialCost) -> float | None:
    frames = FRAMES(cost)
    return frames and frames.value


lan_rate, packet = lan("bytes"), over(BYTES, _frames, Unit.BYTE)


def others(cost: TrialCost) -> Figure | None:
    """KB a second of the other systems, where they sent."""
    rate = lan("other_bytes")(cost)
    return rate if rate and rate.value else None


def in_all(cost: TrialCost) -> Figure | None:
    """KB a second of them and of the terminal."""
    rate, mine = others(cost), lan_rate(cost)
    return rate and mine and mine._replace(value=mine.value + rate.value)


def _by_path(costs: Iterable[TrialCost], kind: str) -> list[list[list[TrialCost]]]:
    """The groups of each path's nodes; a trial's records of the LAN are in the last one's."""
    mine = groups(costs, kind).values()
    return list(grouped(mine, lambda g: (release(g), path(g))).values())


def lan_table(costs: Iterable[TrialCost]) -> Table | None:
    """Means over the trials with one terminal; None without such trials."""
    columns: Columns[Group] = [
        ("Path", path),
        ("Release", release),
        ("Terminal characters", value(over(shown, seconds, Unit.PER_S))),
        ("LAN", value(lan_rate)),
        ("others'", value(others, source="(IN)")),
        ("in all", value(in_all)),
        ("Frames", value(over(FRAMES, seconds, Unit.PER_S))),
        ("A frame", value(packet)),
        ("LAN bytes per character", value(over(BYTES, characters, Unit.RATIO))),
        ("of them LAT", value(over(field("lan", "lat_bytes"), characters, Unit.RATIO))),
        ("Lost", lambda g: total(g, field("lan", "dropped"))),
        ("n", number),
    ]
    notes = (
        "Each frame is counted once, where it came in, without preamble and check sequence; LAT is"
        " what the terminal server sent and was sent. What other systems sent in the report"
        " is put in on virtual time, in packets of 100 bytes, the report's average (IN). It is in"
        " no column but these two.",
        "On the TELNET and SET HOST paths the text crosses the LAN twice. The report guessed at"
        " more than 3 KB/s of overhead; the bytes per character say what it is here.",
    )
    rows = (nodes[-1] for nodes in _by_path(costs, "type") if has(nodes[-1], FRAMES))
    return listing("lan", "What crossed the LAN", rows, columns, notes)


def idle_rates(costs: Iterable[TrialCost]) -> dict[tuple[str, str], dict[str, float]]:
    """Instructions a second that each node uses when nobody does anything, by release and node:
    for each machine by its label. Without what it does at fixed times, where CP tells that."""

    def used(cost: TrialCost, label: str) -> float:
        part = cost.part(label)
        assert part.instructions is not None
        fixed = by_clock(cost) if part.machine == SYSTEM else None
        return (part.instructions.value - (fixed.value if fixed else 0.0)) / seconds(cost)

    return {
        (release, node): {
            p.label: median([used(c, p.label) for c in group]) for p in group[0].parts
        }
        for (release, _, node, _), group in groups(costs, "idle").items()
    }


def echo_table(costs: Sequence[TrialCost]) -> Table | None:
    """The cost of a typed character and how long it takes to be shown; None without such trials."""
    idle = idle_rates(costs)

    def a_key(group: Group) -> Shown:
        """Instructions of a node for one key, less what the same machines use when idle."""
        rates = idle.get((release(group), node(group)), {})
        rate = sum(rates.get(p.label, 0.0) for p in group[0].parts)

        def measure(cost: TrialCost) -> Figure | None:
            used, fixed = of_value(cost.instructions), by_clock(cost)
            if used is None:
                return None
            own = rate * seconds(cost) + (fixed.value if fixed and rate else 0.0)
            return used._replace(value=used.value - own, tick=used.tick + 2 * rate * TURN_S)

        each = over(measure, _keys, Unit.INSTR, "key")
        return value(each)(group) if estimated(group, each).value > 0 else "not above idle"

    def ms(name: str) -> Callable[[list[list[TrialCost]]], Shown]:
        return lambda nodes: value(field("echo", name), "ms")(nodes[-1])

    columns: Columns[list[list[TrialCost]]] = [
        ("Path", lambda nodes: path(nodes[-1])),
        ("Release", lambda nodes: release(nodes[-1])),
        ("Median", ms("median")),
        ("95 % within", ms("p95")),
        ("Most", ms("most")),
        ("Frames a key", lambda nodes: value(over(FRAMES, _keys, Unit.COUNT))(nodes[-1])),
        ("Near node", lambda n: a_key(n[0]) if len(n) > 1 else None),
        ("Far node", lambda nodes: a_key(nodes[-1])),
        ("Keys", lambda nodes: f"{sum(_keys(c) for c in nodes[-1]):.0f}"),
    ]
    quiet = ", ".join(f"{name} {spoken(sum(rates.values()))}" for (_, name), rates in idle.items())
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
    return listing("echo", "Echo of typed characters", _by_path(costs, "echo"), columns, notes)


def _keys(cost: TrialCost) -> float:
    keys = field("echo", "keys")(cost)
    return keys.value if keys else 1.0
