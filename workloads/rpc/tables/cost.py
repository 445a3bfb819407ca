# SPDX-License-Identifier: MIT
"""The cost of each cell, by guest, what differences it makes, and a latency's parts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from vmkb.accounting.digits import spoken
from vmkb.accounting.published import Published
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.listing import Columns, Shown, listing, mean, printed_as
from vmkb.accounting.tables.table import Table, TableError, interval_cell, known
from vmkb.accounting.units import complete
from vmkb.workloads.rpc.tables.figures import Cells, Cost, Key, Machines, difference, estimated

Cell = tuple[Mapping[str, str], int]
Case = tuple[Key, Sequence[Cost]]
Number = Callable[[Cost], float]
KEY: Columns[Case] = [
    ("Way", lambda r: r[0][0]),
    ("Wait", lambda r: r[0][1]),
    ("Payload", lambda r: r[0][2] if r[0][3] else None),
    ("Bytes", lambda r: str(r[0][3])),
    ("Outstanding", lambda r: str(r[0][4])),
]
SIZES = (0, 4096, 8192)
WAYS = ("2-way", "3-way")
WAITS = ("Wait", "Cont", "Defer")
RECEIVES = ("Solicited", "Unsolicited", "Unsol+Copy")
NAP: Key = ("no", "Nap", "Solicited", 0, 1)


def _within(e: Estimate) -> Shown:
    return interval_cell(e, "instr", "(IC)")


def _mean(number: Number, unit: str, source: str) -> Callable[[Case], Shown]:
    return lambda r: mean([number(c) for c in r[1]], unit, source)


def cost_table(cells: Cells, machines: Machines) -> Table | None:
    """Instructions and bytes moved of a call in all guests, and its time."""

    def rate(r: Case) -> Shown:
        size = r[0][3]
        return _mean(lambda c: size / c.elapsed, "MB/s", "(PM)")(r) if size else None

    host = "" if machines.measured else " on the host"
    columns: Columns[Case] = [
        *KEY,
        ("", _mean(Cost.instr, "instr", "(IC)")),
        ("interval", lambda r: _within(estimated(r[1], Cost.instr))),
        ("Moved", _mean(Cost.moved, "B", "(IC)")),
        (f"Took{host}", _mean(lambda c: c.elapsed, "us", "(PM)")),
        (f"Speed{host}", rate),
        ("n", lambda r: str(len(r[1]))),
    ]
    ticks = [c.clocked for costs in cells.values() for c in costs]
    notes = (
        "CP's work at fixed times (ticks while calls are under way, announcements) is not in it:"
        f" {spoken(min(ticks))} to {spoken(max(ticks))} instructions for each call, by how long it"
        " took.",
        "A call in all systems together: in the interruptions, in CP for the caller, in the"
        " caller's machine. Counted exactly.",
        "Moved: the control messages into the LAN's blocks, and copies of pages; the channel moves"
        " the pages themselves, as the paper's adapter did by DMA.",
        "Took (PM): GMSBENCH's own clock, which is virtual time."
        if machines.measured
        else "On the host (PM): GMSBENCH's own clock, with what else the host did. What is left"
        " between trials is mostly whether CP hears the end of a WRITE by an interruption of its"
        " own, which is up to the host.",
    )
    return listing("calls", "What a call costs", cells.items(), columns, notes, keys=4)


def guest_table(cells: Cells, machines: Machines) -> Table | None:
    """Instructions and CPU per KB by guest, of the calls that drew bytes; None without."""

    def per_kb(
        unit: str, number: Callable[[Cost, str], float], guest: str = ""
    ) -> Callable[[Case], Shown]:
        def cell(r: Case) -> Shown:
            (*_, size, _), costs = r
            if guest and guest not in costs[0].guests:
                return None
            return mean([number(c, guest) / (size / 1024) for c in costs], f"{unit}/KB", "(IC)")

        return cell

    columns = list(KEY)
    for guest in dict.fromkeys(g for costs in cells.values() for c in costs for g in c.guests):
        columns += [
            (guest, per_kb("instr", lambda c, g: c.guests[g].instr, guest)),
            (guest, per_kb("us", lambda c, g: machines.cpu(c)[g], guest)),
        ]
    columns.append(("All", per_kb("instr", lambda c, _: c.instr())))
    notes = (
        f"KB: 1024 bytes of payload. us/KB: the caller's guest on {machines.caller.describe()};"
        f" the others on {machines.server.describe()}.",
    )
    rows = (r for r in cells.items() if r[0][3])
    return listing("guests", "CPU per KB by system", rows, columns, notes, keys=4)


class Pair(NamedTuple):
    """Two cells that differ in one thing; without `less` a cell that is such a thing alone."""

    name: str
    what: str
    more: Key
    less: Key | None

    def of(self, cells: Cells, measure: Number) -> Estimate | None:
        """By how much they differ; None if one was not run."""
        more = cells.get(self.more, ())
        if self.less is not None:
            return difference(more, cells.get(self.less, ()), measure)
        return estimated(more, measure) if more else None


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


def difference_table(cells: Cells, machines: Machines, theirs: Published) -> Table | None:
    """By how much rows differ, ours and published; None if no two were run that do."""
    Row = tuple[Pair, Estimate, Estimate, Estimate]

    def us(r: Row) -> Shown:
        (_, _, (way, _, _, size, _), less), *_, e = r
        hop = machines.wire(way, size) - machines.wire(less[0], size) if less else 0.0
        whole = replace(e, value=e.value + hop, lo=e.lo + hop, hi=e.hi + hop)
        return known(whole, "us", "(IC)")

    def printed(r: Row) -> Shown:
        pair = r[0]
        if pair.less is None:
            return None
        apart = _printed(theirs, pair.more) - _printed(theirs, pair.less)
        return printed_as(f"{apart:.1f}", "us")

    columns: Columns[Row] = [
        ("Difference", lambda r: r[0].name),
        ("of", lambda r: r[0].what),
        ("", lambda r: known(r[1], "instr", "(IC)")),
        ("interval", lambda r: _within(r[1])),
        ("Moved", lambda r: known(r[2], "B", "(IC)")),
        ("ours", us),
        ("published", printed),
    ]
    rows: list[Row] = []
    for pair in pairs():
        measures = (Cost.instr, Cost.moved, machines.all_cpu)
        if apart := complete(pair.of(cells, m) for m in measures):
            instr, moved, cpu = apart
            rows.append((pair, instr, moved, cpu))
    names = list(dict.fromkeys(row[0].name for row in rows))
    rows.sort(key=lambda row: names.index(row[0].name))
    notes = (
        "Of one call alone, over the rounds that have both rows. Ours us: through the models, a"
        " hop with its frame on the wire. DIAGNOSE, sleep, dispatch alone: a machine that sleeps in"
        " its DIAGNOSE and is woken, without a call; what Wait adds should be near it.",
    )
    return listing(
        "differences", "What makes the difference", rows, columns, notes, by=lambda r: r[0].name
    )


def parts_table(cells: Cells, machines: Machines, theirs: Published) -> Table | None:
    """The parts of the latency of one call alone: CPU, wire, adapters, and the rest, in which a
    guest waits; None without such trials, or if they did not run on virtual time."""
    if not machines.measured:
        return None
    rows = [
        (x, size) for x in theirs.rows for size in SIZES
        if x["payload_kind"] == "Solicited"
        and (x["way"], x["completion"], x["payload_kind"], size, 1) in cells
    ]  # fmt: skip

    def us(number: Callable[[Cost, str, int], float], source: str) -> Callable[[Cell], Shown]:
        def shown(cell: Cell) -> Shown:
            line, size = cell
            way = line["way"]
            mine = cells[way, line["completion"], line["payload_kind"], size, 1]
            return mean([number(c, way, size) for c in mine], "us", source)

        return shown

    def rest(c: Cost, way: str, size: int) -> float:
        return c.elapsed - machines.all_cpu(c) - machines.wire(way, size) - machines.adapter(way)

    columns: Columns[Cell] = [
        ("Call", lambda c: f"{c[0]['way']} {c[0]['completion']}"),
        ("Bytes", lambda c: str(c[1])),
        ("CPU", us(lambda c, *_: machines.all_cpu(c), "(IC)")),
        ("wire", us(lambda c, way, size: machines.wire(way, size), "(IN)")),
        ("adapter", us(lambda c, way, _: machines.adapter(way), "(IN)")),
        ("rest", us(rest, "")),
        ("all", us(lambda c, *_: c.elapsed, "(PM)")),
        ("", lambda c: printed_as(c[0][f"lat{c[1]}_us"], "us")),
    ]
    notes = [
        "Latency is CPU of all systems, the wire's time for each frame, the adapters' time for each"
        " message, and the rest: what a guest waits besides; below 0 where these overlap. Wire and"
        " adapters are inputs: hercules/wire/profiles.toml has their sources.",
    ]
    return listing("parts", "Latency of one call alone, payload solicited", rows, columns, notes,
                   once=True)  # fmt: skip
