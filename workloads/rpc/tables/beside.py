# SPDX-License-Identifier: MIT
"""The published table beside ours: latency of one call alone, rate with many outstanding. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vmkb.accounting.published import Published
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.listing import Shown, listing
from vmkb.accounting.tables.table import Cell, Table, fixed, known
from vmkb.hercules.clock.world import LOOKAHEAD
from vmkb.workloads.rpc.tables.figures import Cost, Found, Machines, estimated

SIZES = (0, 4096, 8192)
Line = Mapping[str, str]
#: From a cost, its way, its size and whether a call was alone.
Figure = Callable[[Cost, str, int, bool], float]
MEASURED = (
    "Reproduced (PM): by GMSBENCH's clock, which is virtual time, the caller on {caller}, the"
    " others on {server}. An adapter takes {adapter:g} us for a block, a choice of this project."
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

            columns.append((head, ours))
    said = {
        "caller": machines.caller.name, "server": machines.server.name, "head": bound.capitalize(),
        "caveat": machines.caller.caveat.capitalize(), "adapter": LOOKAHEAD / 1e6,
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
