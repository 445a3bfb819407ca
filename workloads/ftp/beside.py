# SPDX-License-Identifier: MIT
"""Our figures for the cells of the z/VM report: its tables, and what its text has figures of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.published import Published, published
from vmkb.accounting.published.page import Lookup, Ours
from vmkb.accounting.tables.cells import release_cells, total_saved
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.ftp.plan import Definition

TEXT = "zvm310_text"


def cells(definition: Definition, given: Given) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    theirs = published(definition.published_table)
    text = dict(_text(definition, given, theirs))
    costs = release_cells(given.costs, theirs)
    most = profile(given.trials[0].meta["wire"]).rate / 8 / 1024

    def cost(row: Mapping[str, str], column: str) -> Ours | None:
        """Beside a rate stands what the ring carries, headers and all: no clock can show more."""
        ours = costs(row, column)
        return ours._replace(bound=most) if ours and column == "rate_kb_s" else ours

    return {
        theirs.name: cost,
        TEXT: lambda row, column: text.get(row["key"]),
    }


def _text(definition: Definition, given: Given, theirs: Published) -> Iterator[tuple[str, Ours]]:
    """By the rows' keys."""
    for size in definition.size:
        mine = [t.params["transfers"] for t in given.trials if t.params["file"] == size]
        if mine:
            yield f"files {size}", Ours(min(float(x.split()[0]) for x in mine), "(IN)")
    meta = given.trials[0].meta
    for key, name in (("mtu", "mtu"), ("pool", "data_buffer_pool_size"), ("trials", "trials")):
        if name in meta:
            yield key, Ours(float(meta[name]), "(IN)")
    yield "ring", Ours(profile(meta["wire"]).rate / 1e6, "(IN)")
    saved = total_saved(given.costs, theirs)
    if saved is not None:
        yield "saved", Ours(saved, "(IC)")
