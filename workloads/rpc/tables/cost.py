# SPDX-License-Identifier: MIT
"""What each cell cost: instructions, bytes moved and the host's clock; and by guest. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accounting.stats import places
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    interval_cell,
    known,
    word,
)
from workloads.rpc.tables.figures import Cost, Key, Machines, estimated

Found = Mapping[Key, Sequence[Cost]]


def _label(key: Key) -> tuple[str, list[Cell]]:
    way, wait, receive, size, callers = key
    return way, [word(wait), word(receive if size else "-"), word(str(size)), word(str(callers))]


def cost_table(found: Found, machines: Machines) -> Table:
    """Instructions and bytes moved of a call in all guests, and its time."""
    rows = []
    for key, costs in found.items():
        way, cells = _label(key)
        instr = estimated(costs, lambda c: c.instr)
        moved = estimated(costs, lambda c: c.moved)
        took = estimated(costs, lambda c: c.elapsed)
        size = key[3]
        rate = estimated(costs, lambda c: size / c.elapsed)  # noqa: B023
        cells += [
            known(instr, "instr", "(IC)"),
            interval_cell(instr, places(instr), "instr", "(IC)"),
            known(moved, "B", "(IC)", decimals=0),
            known(took, "us", "(PM)"),
            known(rate, "MB/s", "(PM)", decimals=1) if size else word("-"),
            word(str(instr.n)),
        ]
        rows.append(Row(way, tuple(cells)))
    heads = (
        "Wait", "Payload", "Bytes", "Outstanding", "Instructions (IC)", "interval (IC)",
        "Moved B (IC)", *(("us (PM)", "MB/s (PM)") if machines.measured else
                          ("us on the host (PM)", "MB/s on the host (PM)")), "n",
    )  # fmt: skip
    head = Section("head", (Row("Way", tuple(map(word, heads))),))
    ticks = [c.clocked for costs in found.values() for c in costs]
    notes = [
        "CP's work at fixed times (ticks while calls are under way, announcements) is not in it:"
        f" {min(ticks):.1f} to {max(ticks):.1f} instructions for each call, by how long it took.",
        "A call in all systems together: in the interruptions, in CP for the caller, in the"
        " caller's machine. Counted exactly.",
        "Moved: the control messages into the LAN's blocks, and copies of pages; the channel moves"
        " the pages themselves, as the paper's adapter did by DMA.",
        "us (PM): GMSBENCH's own clock, which is virtual time."
        if machines.measured
        else "On the host (PM): GMSBENCH's own clock, with what else the host did. What is left"
        " between trials is mostly whether CP hears the end of a WRITE by an interruption of its"
        " own, which is up to the host.",
    ]
    return Table("calls", "What a call costs", (head, Section("body", tuple(rows))), tuple(notes),
                 keys=4)  # fmt: skip


def guest_table(found: Found, machines: Machines) -> Table | None:
    """Instructions and CPU per KB by guest, of the calls that drew bytes; None without."""
    rows = []
    guests = list(dict.fromkeys(g for costs in found.values() for c in costs for g in c.guests))
    for key, costs in found.items():
        if not (kb := key[3] / 1024):
            continue
        way, cells = _label(key)
        for guest in guests:
            if guest not in costs[0].guests:
                cells += [word("-"), word("-")]
                continue
            instr = estimated(costs, lambda c: c.guests[guest].instr / kb)  # noqa: B023
            us = estimated(costs, lambda c: machines.cpu(c)[guest] / kb)  # noqa: B023
            cells += [
                known(instr, "instr/KB", "(IC)"),
                known(us, "us/KB", "(IC)", most=4),
            ]
        total = estimated(costs, lambda c: c.instr / kb)
        cells.append(known(total, "instr/KB", "(IC)"))
        rows.append(Row(way, tuple(cells)))
    if not rows:
        return None
    heads = ["Wait", "Payload", "Bytes", "Outstanding"]
    for guest in guests:
        heads += [f"{guest} instr/KB (IC)", "us/KB (IC)"]
    head = Section("head", (Row("Way", tuple(map(word, [*heads, "All instr/KB (IC)"]))),))
    notes = (
        f"KB: 1024 bytes of payload. us/KB: the caller's guest on {machines.caller.describe()};"
        f" the others on {machines.server.describe()}.",
    )
    return Table("guests", "CPU per KB by system", (head, Section("body", tuple(rows))), notes,
                 keys=4)  # fmt: skip
