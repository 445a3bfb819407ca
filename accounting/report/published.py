# SPDX-License-Identifier: MIT
"""The page of a published document in Markdown: every cell, ours beside. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from vmkb.accounting.compare import (
    AS_PUBLISHED,
    RULE,
    Lookup,
    compare,
    of_workload,
    verdicts,
)
from vmkb.accounting.report.markup import markdown
from vmkb.accounting.tables.table import TableError


def page(
    name: str, lookups: Mapping[str, Lookup], about: Sequence[str], strict: bool = True
) -> str:
    """The page of the workload NAME as Markdown: LOOKUPS by published table, sentences ABOUT the
    runs. TableError if nothing published is compared with it, or, if it is STRICT, where a cell has
    no reason."""
    published = of_workload(name)
    if not published:
        raise TableError(f"no published table is on a page {name!r}: its TOML has no [page]")
    made = (
        compare(each, lookups.get(each.name, _nothing), whole=True, strict=strict)
        for each in published
    )
    tables = [table for table in made if table is not None]
    counted = Counter(verdict for table in tables for verdict in verdicts(table))
    total = (
        f"{counted.total()} cells: {counted[AS_PUBLISHED]} as published,"
        f" {counted['differs']} differ, {counted['not measured']} not measured."
    )
    head = [
        "<!-- SPDX-License-Identifier: MIT -->",
        f"<!-- Made from a run by vmkb published; not to be edited. -->\n# {name}, as published",
        *about, total, RULE,
    ]  # fmt: skip
    return "\n\n".join(head) + "\n\n" + markdown(tables)


def _nothing(row: Mapping[str, str], column: str) -> None:
    """Looks up a figure of a table that no run has figures of."""
