# SPDX-License-Identifier: MIT
"""The parts of the latency of one call alone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vmkb.accounting.published import Published
from vmkb.accounting.tables.listing import Columns, Shown, listing, mean, printed_as
from vmkb.accounting.tables.table import Table
from vmkb.workloads.rpc.tables.figures import Cost, Found, Machines

SIZES = (0, 4096, 8192)
Cell = tuple[Mapping[str, str], int]


def parts_table(cells: Found, machines: Machines, theirs: Published) -> Table | None:
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
