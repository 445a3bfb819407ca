# SPDX-License-Identifier: MIT
"""Our figures for the cells of the z/VM report: its tables, and what its text has figures of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.compare import Lookup, Ours, ours_of
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Measure, part_cpu, throughput
from vmkb.accounting.published import Published, published
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.group import Column, columns, releases
from vmkb.accounting.units import Figure, add_figures, complete
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.ftp.plan import Definition

TEXT = "zvm310_text"
PARTS = ("TCPIP", "VM Client")
"""The machines that the published Total is made of."""


def _total(cost: TrialCost) -> Figure | None:
    """The sum of the machines that the published Total has, whatever other parts there are."""
    figures = complete(p.per_kb for p in cost.parts if p.label in PARTS)
    return add_figures(figures) if len(figures) == len(PARTS) else None


#: By what published columns and ratios begin with: our measure, and their unit.
MEASURES: Mapping[str, tuple[Measure, str]] = {
    "rate": (throughput, "KB/s"), "tcpip": (part_cpu(PARTS[0]), "ms/KB"),
    "client": (part_cpu(PARTS[1]), "ms/KB"), "total": (_total, "ms/KB"),
}  # fmt: skip


def cells(definition: Definition, given: Given) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    theirs = published(definition.published_table)
    text = dict(_text(definition, given, theirs))
    there = places(given.costs, theirs)
    wire = given.trials[0].meta.get("wire")
    most = profile(wire).rate / 8 / 1024 if wire else None

    def cost(row: Mapping[str, str], column: str) -> Ours | None:
        """Beside a rate stands what the ring carries, headers and all."""
        mine, base = there[row["run_id"]]
        if column == "rate_kb_s/data":
            return _by_connection(mine)
        if column.startswith("ratio_"):
            return _to_base(mine, base, column.removeprefix("ratio_"))
        ours = _mean(mine, column.partition("_")[0])
        return ours._replace(bound=most) if ours and column == "rate_kb_s" else ours

    return {
        theirs.name: cost,
        TEXT: lambda row, column: text.get(row["key"]),
    }


def places(
    costs: Sequence[TrialCost], theirs: Published
) -> dict[str, tuple[Column | None, Column | None]]:
    """By run id of a published row: our column in its place, and that of its base. Our first
    release stands for the published base, our second for the published new one; cases meet by
    direction, file and mode."""
    every = columns(costs)
    order = releases(every)
    made: dict[str, tuple[Column | None, Column | None]] = {}
    for row in theirs.rows:
        like = [r for r in theirs.rows if _case(r) == _case(row)]
        ours = {order.index(c.release): c for c in every if _case(_params(c)) == _case(row)}
        made[row["run_id"]] = ours.get(like.index(row)), ours.get(0)
    return made


def _case(row: Mapping[str, str]) -> tuple[str, ...]:
    """The key of a case in the published tables."""
    return tuple(row.get(k, "").replace(" ", "").lower() for k in ("direction", "file", "mode"))


def _params(column: Column) -> Mapping[str, str]:
    trial = column.trials[0].trial
    return {"mode": trial.mode, **trial.params}


def _mean(column: Column | None, name: str) -> Ours | None:
    measure, unit = MEASURES[name]
    return ours_of(column.trials if column else (), measure, unit=unit)


def _to_base(mine: Column | None, base: Column | None, name: str) -> Ours | None:
    ours, first = _mean(mine, name), _mean(base, name)
    return ours._replace(value=ours.value / first.value) if ours and first else None


def _by_connection(column: Column | None) -> Ours | None:
    """KB a second while data connections were open, as the client's LOCSTAT tells: until the last
    byte has come, or TCPIP has taken it."""
    trials = [c.trial for c in column.trials] if column else []
    told = [r for t in trials for r in t.records if r.kind == "ftp_data"]
    if not told:
        return None
    rates = (r.value("bytes").value / 1024 / r.value("elapsed").to(Unit.S).value for r in told)
    return Ours(fmean(rates), "(FT)")


def _text(definition: Definition, given: Given, theirs: Published) -> Iterator[tuple[str, Ours]]:
    """By the rows' keys."""
    for size in definition.size:
        mine = [t.params.get("transfers", "") for t in given.trials if t.params.get("file") == size]
        if mine and all(mine):
            yield f"files {size}", Ours(min(float(x.split()[0]) for x in mine), "(IN)")
    meta = given.trials[0].meta
    for key, name in (("mtu", "mtu"), ("pool", "data_buffer_pool_size"), ("trials", "trials")):
        if name in meta:
            yield key, Ours(float(meta[name]), "(IN)")
    if "wire" in meta:
        yield "ring", Ours(profile(meta["wire"]).rate / 1e6, "(IN)")
    there = places(given.costs, theirs)
    ratios = [_to_base(*there[row["run_id"]], "total") for row in theirs.rows[1::2]]
    known = [r.value for r in ratios if r is not None]
    if known:
        yield "saved", Ours(100 * (1 - fmean(known)), "(IC)")
