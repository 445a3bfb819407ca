# SPDX-License-Identifier: MIT
"""The published table beside ours: latency of one call alone, rate with many outstanding. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vmkb.accounting.published import Published
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.listing import Shown, listing
from vmkb.accounting.tables.table import Cell, Table, fixed, known
from vmkb.workloads.rpc.tables.figures import Cost, Found, Machines, estimated

SIZES = (0, 4096, 8192)
Line = Mapping[str, str]
#: From a cost, its way, its size and whether a call was alone.
Figure = Callable[[Cost, str, int, bool], float]
MEASURED = (
    "Reproduced (PM): by GMSBENCH's clock, which is virtual time, the caller on {caller}, the"
    " others on {server}. Of each latency {adapter:g} us (2-way) or {adapters:g} us (3-way) are the"
    " adapters', an input (IN)."
)
BOUND = (
    "{head}: a formula, which takes counts of this run through the models, caller on {caller}, the"
    " others on {server}, and each frame's time on the wire, without adapters. {caveat}. VM/KB's"
    " instructions are not Alpha's: what the paper's 21164 spent on PCI, cache misses and the LANai"
    " is not in it. Compare the differences between rows, not the rows."
)


def _table(
    name: str, title: str, theirs: Published, machines: Machines,
    heads: Sequence[tuple[str, str, str, int]], bound: str, notes: Sequence[str],
    measured: Callable[[Line, int], Estimate | None],
    modelled: Callable[[Line, int], Estimate | None],
) -> Table | None:  # fmt: skip
    """HEADS: for each size what is told, the published column, unit and decimals. Beside it stands
    what was MEASURED, on virtual time, and the BOUND that is MODELLED."""
    shown = [("ours (PM)", "(PM)", measured)] if machines.measured else []
    shown.append((bound, "", modelled))
    columns: list[tuple[str, Callable[[Line], Shown]]] = [
        ("Way", lambda x: x["way"]),
        ("Wait", lambda x: x["completion"]),
        ("Payload", lambda x: x["payload_kind"]),
    ]
    for size, (what, column, unit, places) in zip(SIZES, heads, strict=True):
        amount = f"{size} B"

        def printed(x: Line, column: str = column, unit: str = unit) -> Shown:
            return Cell(x[column], float(x[column]), unit, "(PB)")

        columns.append((f"{what} (PB)", printed))
        for head, source, figure in shown:

            def ours(
                x: Line, size: int = size, unit: str = unit, places: int = places,
                source: str = source, figure: Callable[[Line, int], Estimate | None] = figure,
            ) -> Shown:  # fmt: skip
                e = figure(x, size)
                return None if e is None else known(e, unit, source, decimals=places)

            columns.append((f"{amount} {head}", ours))
    said = {
        "caller": machines.caller.name, "server": machines.server.name, "head": bound.capitalize(),
        "caveat": machines.caller.caveat.capitalize(), "adapter": machines.adapter("2-way"),
        "adapters": machines.adapter("3-way"),
    }  # fmt: skip
    about = [*([MEASURED] if machines.measured else []), BOUND]
    rows = theirs.rows if any(modelled(x, size) for x in theirs.rows for size in SIZES) else ()
    every = (f"Published (PB): {theirs.source}.", *(x.format(**said) for x in about), *notes)
    return listing(name, title, rows, columns, every, keys=2)


def _of(found: Found, many: int, figure: Figure) -> Callable[[Line, int], Estimate | None]:
    """FIGURE of each cell with MANY calls outstanding, or one where the caller sleeps for each."""

    def estimate(x: Line, size: int) -> Estimate | None:
        way, wait, receive = x["way"], x["completion"], x["payload_kind"]
        alone = wait == "Wait" or many == 1
        costs = found.get((way, wait, receive if size else "Solicited", size, 1 if alone else many))
        return estimated(costs, lambda c: figure(c, way, size, alone)) if costs else None

    return estimate


def latency_table(found: Found, machines: Machines, theirs: Published) -> Table | None:
    """Microseconds of one call alone; None without such trials."""
    notes = [
        "One call outstanding. In what is modelled nothing is taken to overlap: the CPU of all"
        " systems is added to the wire's time.",
        *(
            f"The wire of it: {way} {', '.join(fixed(machines.wire(way, s), 1) for s in SIZES)} us"
            " for 0, 4096, 8192 bytes."
            for way in ("2-way", "3-way")
        ),
    ]
    heads = [(f"{size} B us", f"lat{size}_us", "us", 1) for size in SIZES]
    return _table(
        "latency", "Latency of one call alone", theirs, machines, heads, "bound, at least", notes,
        _of(found, 1, lambda c, *_: c.elapsed),
        _of(found, 1, lambda c, way, size, _: machines.latency(c, way, size)),
    )  # fmt: skip


def parts_table(found: Found, machines: Machines, theirs: Published) -> Table | None:
    """What the latency of one call alone is made of: CPU, wire, adapters, and the rest, in which a
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
            return known(e, "us", source, decimals=1)

        return shown

    def cpu(c: Cost, *_: object) -> float:
        return sum(machines.cpu(c).values())

    def wire(_: Cost, way: str, size: int) -> float:
        return machines.wire(way, size)

    def adapter(_: Cost, way: str, __: int) -> float:
        return machines.adapter(way)

    def rest(c: Cost, way: str, size: int) -> float:
        return c.elapsed - cpu(c) - wire(c, way, size) - adapter(c, way, size)

    def printed(cell: tuple[Line, int]) -> Shown:
        text = cell[0][f"lat{cell[1]}_us"]
        return Cell(text, float(text), "us", "(PB)")

    columns: list[tuple[str, Callable[[tuple[Line, int]], Shown]]] = [
        ("Call", lambda c: f"{c[0]['way']} {c[0]['completion']}"),
        ("Bytes", lambda c: str(c[1])),
        ("CPU (IC)", of(cpu, "(IC)")),
        ("wire (IN)", of(wire, "(IN)")),
        ("adapter (IN)", of(adapter, "(IN)")),
        ("rest", of(rest, "")),
        ("all (PM)", of(lambda c, *_: c.elapsed, "(PM)")),
        ("(PB)", printed),
    ]
    notes = [
        "Latency is CPU of all systems, the wire's time for each frame, the adapters' time for each"
        " message, and the rest: what a guest waits besides; below 0 where these overlap. Wire and"
        " adapters are inputs: hercules/wire/profiles.toml has their sources.",
    ]
    return listing(
        "parts", "Latency of one call alone, us, payload solicited", cells, columns, notes, keys=1
    )


def rate_table(found: Found, machines: Machines, theirs: Published, many: int) -> Table | None:
    """Calls a second of 0 bytes, and MB/s, with MANY outstanding; None without such trials."""

    def most(c: Cost, way: str, size: int, alone: bool) -> float:
        us = machines.latency(c, way, size) if alone else machines.interval(c, size)
        return (size or 1e6) / us

    heads = [
        ("0 B calls/s", "rate0_msg_s", "calls/s", 0), ("4096 B MB/s", "bw4096_mb_s", "MB/s", 1),
        ("8192 B MB/s", "bw8192_mb_s", "MB/s", 1),
    ]  # fmt: skip
    notes = [
        f"{many} calls outstanding; with Wait one, as one caller sleeps for each. What is"
        " modelled is the rate of what is busiest: a system's CPU, or the wire. MB: 1 000 000"
        " bytes.",
    ]
    return _table(
        "rates", "With many calls outstanding", theirs, machines, heads, "bound, at most", notes,
        _of(found, many, lambda c, _, size, __: (size or 1e6) / c.elapsed), _of(found, many, most),
    )  # fmt: skip
