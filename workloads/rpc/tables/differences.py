# SPDX-License-Identifier: MIT
"""What the paper reads off its table by comparing rows, from ours. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from accounting.published import Published
from accounting.stats import Estimate, places
from accounting.tables.table import (
    Cell,
    Row,
    Section,
    Table,
    TableError,
    fixed,
    interval_cell,
    known,
    word,
)
from workloads.rpc.tables.figures import Cost, Key, Machines, difference, estimated

Found = Mapping[Key, Sequence[Cost]]
WAYS = ("2-way", "3-way")
WAITS = ("Wait", "Cont", "Defer")
RECEIVES = ("Solicited", "Unsolicited", "Unsol+Copy")
NAP: Key = ("no", "Nap", "Solicited", 0, 1)


class Pair(NamedTuple):
    """Two cells that differ in one thing; without `less` a cell that is such a thing alone."""

    name: str
    what: str
    more: Key
    less: Key | None


def pairs() -> Iterator[Pair]:
    """Every difference of one call alone."""
    sizes = [(0, "Solicited"), *((size, r) for size in (4096, 8192) for r in RECEIVES)]
    for size, receive in sizes:
        kind = f"{receive} {size}" if size else "0"
        for way in WAYS:
            for name, wait in (("Wait - Cont", "Wait"), ("Defer - Cont", "Defer")):
                more = (way, wait, receive, size, 1)
                yield Pair(name, f"{way}, {kind}", more, (way, "Cont", receive, size, 1))
            if not size and way == WAYS[0]:
                yield Pair("Wait - Cont", "DIAGNOSE, sleep, dispatch alone", NAP, None)
        for wait in WAITS:
            more = ("3-way", wait, receive, size, 1)
            yield Pair("3-way - 2-way", f"{wait}, {kind}", more, ("2-way", wait, receive, size, 1))
    for name, a, b in (("Copy - Unsolicited", RECEIVES[2], RECEIVES[1]),
                       ("Solicited - Unsolicited", RECEIVES[0], RECEIVES[1])):  # fmt: skip
        for size in (4096, 8192):
            for way in WAYS:
                for wait in WAITS:
                    more, less = (way, wait, a, size, 1), (way, wait, b, size, 1)
                    yield Pair(name, f"{way}, {wait}, {size}", more, less)


def _printed(theirs: Published, key: Key) -> float:
    way, wait, receive, size, _ = key
    for row in theirs.rows:
        if (row["way"], row["completion"], row["payload_kind"]) == (way, wait, receive):
            return float(row[f"lat{size}_us"])
    raise TableError(f"the published table has no row {way} {wait} {receive}")


def _apart(
    more: Sequence[Cost], less: Sequence[Cost] | None, measure: Callable[[Cost], float]
) -> Estimate | None:
    if less is not None:
        return difference(more, less, measure)
    return estimated(more, measure) if more else None


def difference_table(found: Found, machines: Machines, theirs: Published) -> Table | None:
    """By how much rows differ, ours and published; None if no two were run that do."""
    sections: dict[str, list[Row]] = {}
    for pair in pairs():
        more = found.get(pair.more, ())
        less = found.get(pair.less, ()) if pair.less else None
        instr = _apart(more, less, lambda c: c.instr)
        moved = _apart(more, less, lambda c: c.moved)
        way, _, _, size, _ = pair.more
        us = _apart(more, less, lambda c: sum(machines.cpu(c).values()))
        if instr is None or moved is None or us is None:
            continue
        hop, printed = 0.0, word("-")
        if pair.less:
            hop = machines.wire(way, size) - machines.wire(pair.less[0], size)
            apart = _printed(theirs, pair.more) - _printed(theirs, pair.less)
            printed = Cell(fixed(apart, 1), apart, "us", "(PB)")
        cells: list[Cell] = [
            word(pair.what),
            known(instr, "instr", "(IC)"),
            interval_cell(instr, places(instr), "instr", "(IC)"),
            known(moved, "B", "(IC)", decimals=0),
            Cell(fixed(us.value + hop, 2), us.value + hop, "us", "(IC)", us.lo + hop, us.hi + hop,
                 us.n),
            printed,
        ]  # fmt: skip
        sections.setdefault(pair.name, []).append(Row(pair.name, tuple(cells)))
    if not sections:
        return None
    heads = ("of", "Instructions (IC)", "interval (IC)", "Moved B (IC)", "ours us (IC)",
             "published us (PB)")  # fmt: skip
    head = Section("head", (Row("Difference", tuple(map(word, heads))),))
    notes = (
        "Of one call alone, over the rounds that have both rows. Ours us: through the models, a"
        " hop with its frame on the wire. DIAGNOSE, sleep, dispatch alone: a machine that sleeps in"
        " its DIAGNOSE and is woken, without a call; what Wait adds should be near it.",
    )
    body = [Section("body", tuple(rows)) for rows in sections.values()]
    return Table("differences", "What makes the difference", (head, *body), notes, keys=1)
