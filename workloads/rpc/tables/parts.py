# SPDX-License-Identifier: MIT
"""The parts of the latency of one call alone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vmkb.accounting.published import Published
from vmkb.accounting.tables.listing import Shown, listing, printed_as
from vmkb.accounting.tables.table import Table, known
from vmkb.workloads.rpc.tables.figures import Cost, Found, Machines, estimated

SIZES = (0, 4096, 8192)
Line = Mapping[str, str]


def parts_table(found: Found, machines: Machines, theirs: Published) -> Table | None:
    """The parts of the latency of one call alone: CPU, wire, adapters, and the rest, in which a
    guest waits; None without such trials, or if they did not run on virtual time."""
    cells = [
        (x, size) for x in theirs.rows for size in SIZES
        if x["payload_kind"] == "Solicited"
        and (x["way"], x["completion"], x["payload_kind"], size, 1) in found
    ]  # fmt: skip
    if not machines.measured:
        return None

    def costs(cell: tuple[Line, int]) -> Sequence[Cost]:
        x, size = cell
        return found[x["way"], x["completion"], x["payload_kind"], size, 1]

    def of(figure: Callable[[Cost, str, int], float], source: str) -> Callable[..., Shown]:
        def shown(cell: tuple[Line, int]) -> Shown:
            way, size = cell[0]["way"], cell[1]
            e = estimated(costs(cell), lambda c: figure(c, way, size))
            return known(e, "us", source)

        return shown

    def cpu(c: Cost, *_: object) -> float:
        return sum(machines.cpu(c).values())

    def wire(_: Cost, way: str, size: int) -> float:
        return machines.wire(way, size)

    def adapter(_: Cost, way: str, __: int) -> float:
        return machines.adapter(way)

    def rest(c: Cost, way: str, size: int) -> float:
        return c.elapsed - cpu(c) - wire(c, way, size) - adapter(c, way, size)

    columns: list[tuple[str, Callable[[tuple[Line, int]], Shown]]] = [
        ("Call", lambda c: f"{c[0]['way']} {c[0]['completion']}"),
        ("Bytes", lambda c: str(c[1])),
        ("CPU", of(cpu, "(IC)")),
        ("wire", of(wire, "(IN)")),
        ("adapter", of(adapter, "(IN)")),
        ("rest", of(rest, "")),
        ("all", of(lambda c, *_: c.elapsed, "(PM)")),
        ("", lambda c: printed_as(c[0][f"lat{c[1]}_us"], "us")),
    ]
    notes = [
        "Latency is CPU of all systems, the wire's time for each frame, the adapters' time for each"
        " message, and the rest: what a guest waits besides; below 0 where these overlap. Wire and"
        " adapters are inputs: hercules/wire/profiles.toml has their sources.",
    ]
    return listing(
        "parts",
        "Latency of one call alone, payload solicited",
        cells,
        columns,
        notes,
        keys=1,
        once=True,
    )
