# SPDX-License-Identifier: MIT
"""The published table beside ours: latency of one call alone, rate with many outstanding. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from accounting.published import Published
from accounting.stats import Estimate
from accounting.tables.table import Cell, Row, Section, Table, fixed, known, word
from hercules.clock.world import LOOKAHEAD
from workloads.rpc.tables.figures import Cost, Key, Machines, estimated

SIZES = (0, 4096, 8192)
Found = Mapping[Key, Sequence[Cost]]
#: Reproduced: the estimate of a cell, or None if it was not run.
Ours = Callable[[str, str, str, int], Estimate | None]


class Figures(NamedTuple):
    """What stands beside a published figure: its head, its source, and each cell's estimate."""

    head: str
    source: str
    ours: Ours


MODELLED = (
    "Reproduced (IC): counts of this run through the models, caller on {caller}, the others on"
    " {server}, and the wire's time for each frame. {caveat}. VM/KB's instructions are not Alpha's,"
    " and its adapter is a channel program: what the paper's 21164 spent on PCI, cache misses and"
    " the LANai is not in it. Compare the differences between rows, not the rows."
)


MEASURED = (
    "Reproduced (PM): by GMSBENCH's clock, which is virtual time, the caller on {caller}, the"
    " others on {server}. An adapter takes {adapter:g} us for a block, a choice of this project."
    " {bound} (IC): a bound, counts of this run through the models and each frame's time on the"
    " wire, without adapters. {caveat}. VM/KB's instructions are not Alpha's. Compare the"
    " differences between rows, not the rows."
)


def _figures(machines: Machines, measured: Ours, modelled: Ours, bound: str) -> list[Figures]:
    """What is MEASURED and, as its BOUND, what is MODELLED; on the host's clock that alone."""
    if not machines.measured:
        return [Figures("ours (IC)", "(IC)", modelled)]
    return [Figures("ours (PM)", "(PM)", measured), Figures(f"{bound} (IC)", "(IC)", modelled)]


def _rows(
    theirs: Published, columns: Sequence[str], figures: Sequence[Figures], places: Sequence[int],
    unit: str,
) -> list[Row]:  # fmt: skip
    rows = []
    for line in theirs.rows:
        way, wait, receive = line["way"], line["completion"], line["payload_kind"]
        cells: list[Cell] = [word(wait), word(receive)]
        for size, column, decimals in zip(SIZES, columns, places, strict=True):
            text = line[column]
            cells.append(Cell(text, float(text), unit, "(PB)"))
            for _, source, ours in figures:
                e = ours(way, wait, receive if size else "Solicited", size)
                told = e and known(e, unit, source, decimals=decimals)
                cells.append(told or word("-"))
        rows.append(Row(way, tuple(cells)))
    return rows


def _table(
    name: str, title: str, heads: Sequence[str], figures: Sequence[Figures], rows: list[Row],
    notes: Sequence[str],
) -> Table | None:  # fmt: skip
    if not any(c.source in ("(IC)", "(PM)") for r in rows for c in r.cells):
        return None
    words = ["Wait", "Payload"]
    for text in heads:
        words += [f"{text} (PB)", *(f.head for f in figures)]
    head = Section("head", (Row("Way", tuple(map(word, words))),))
    return Table(name, title, (head, Section("body", tuple(rows))), tuple(notes), keys=2)


def _about(machines: Machines, theirs: Published, bound: str) -> list[str]:
    return [
        f"Published (PB): {theirs.source}.",
        (MEASURED if machines.measured else MODELLED).format(
            caller=machines.caller.name, server=machines.server.name,
            caveat=machines.caller.caveat.capitalize(), bound=bound, adapter=LOOKAHEAD / 1e6,
        ),
    ]  # fmt: skip


def latency_table(found: Found, machines: Machines, theirs: Published) -> Table | None:
    """Microseconds of one call alone; None without such trials."""

    def measured(way: str, wait: str, receive: str, size: int) -> Estimate | None:
        costs = found.get((way, wait, receive, size, 1))
        return estimated(costs, lambda c: c.elapsed) if costs else None

    def modelled(way: str, wait: str, receive: str, size: int) -> Estimate | None:
        costs = found.get((way, wait, receive, size, 1))
        return estimated(costs, lambda c: machines.latency(c, way, size)) if costs else None

    columns = ("lat0_us", "lat4096_us", "lat8192_us")
    bound = "at least"
    figures = _figures(machines, measured, modelled, bound)
    rows = _rows(theirs, columns, figures, (1, 1, 1), "us")
    heads = [f"{size} B us" for size in SIZES]
    notes = [
        *_about(machines, theirs, bound.capitalize()),
        "One call outstanding. In what is modelled nothing is taken to overlap: the CPU of all"
        " systems is added to the wire's time.",
        *(
            f"The wire of it: {way} {', '.join(_wires(machines, way))} us for 0, 4096, 8192 bytes."
            for way in ("2-way", "3-way")
        ),
    ]
    return _table("latency", "Latency of one call alone", heads, figures, rows, notes)


def _wires(machines: Machines, way: str) -> list[str]:
    return [fixed(machines.wire(way, size), 1) for size in SIZES]


def rate_table(found: Found, machines: Machines, theirs: Published, many: int) -> Table | None:
    """Calls a second of 0 bytes, and MB/s, with MANY outstanding; None without such trials."""

    def rated(us: Callable[[Cost, str, int, bool], float]) -> Ours:
        def ours(way: str, wait: str, receive: str, size: int) -> Estimate | None:
            alone = wait == "Wait"
            costs = found.get((way, wait, receive, size, 1 if alone else many))
            amount = size or 1e6
            return estimated(costs, lambda c: amount / us(c, way, size, alone)) if costs else None

        return ours

    def modelled(c: Cost, way: str, size: int, alone: bool) -> float:
        return machines.latency(c, way, size) if alone else machines.interval(c, size)

    bound = "at most"
    figures = _figures(machines, rated(lambda c, *_: c.elapsed), rated(modelled), bound)
    columns = ("rate0_msg_s", "bw4096_mb_s", "bw8192_mb_s")
    rows = _rows(theirs, columns, figures, (0, 1, 1), "MB/s")
    heads = ["0 B calls/s", "4096 B MB/s", "8192 B MB/s"]
    notes = [
        *_about(machines, theirs, bound.capitalize()),
        f"{many} calls outstanding; with Wait one, as one caller sleeps for each. What is"
        " modelled is the rate of what is busiest: a system's CPU, or the wire. MB: 1 000 000"
        " bytes.",
    ]
    return _table("rates", "With many calls outstanding", heads, figures, rows, notes)
