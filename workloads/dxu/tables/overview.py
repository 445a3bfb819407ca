# SPDX-License-Identifier: MIT
"""All five tables in one: published beside reproduced, and what a KB costs the guests. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.published import published
from accounting.stats import WIDTH_TARGET
from accounting.tables.group import total_us_kb
from accounting.tables.table import WIDE, WIDE_NOTE, Row, Section, Table, known, lettered, word
from workloads.dxu.tables.figures import (
    PUBLISHED,
    against,
    cell,
    estimate,
    heads,
    of_table,
    param,
    printed_cell,
    published_row,
    rate_of_each,
)


def _theirs(cost: TrialCost) -> str:
    number, row = int(param(cost, "table")), param(cost, "row")
    line = published_row(number, row) if row else {}
    if number == 4:
        line = next(
            (dict(r) for r in published(PUBLISHED[4]).rows
             if (r["file"], r["clients"]) == (row, param(cost, "senders"))), {}
        )  # fmt: skip
    name = f"mtu{param(cost, 'case_mtu')}_kb_s" if number == 3 else "kb_s"
    return line.get(name, "")


BESIDE_NOTE = (
    "Of a guest beside VM/KB (Table 1) CPU is of instructions alone, which is less than all."
)


def overview_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """A line for each case and release; None without trials."""
    found = list(found)
    rows = []
    for number in PUBLISHED:
        for (case, release), group in of_table(found, number).items():
            theirs = _theirs(group[0])
            if number == 3 and not theirs:
                continue  # beyond 96 KB nothing is published
            ours = estimate(group, rate_of_each)
            cpu = estimate(group, total_us_kb)
            rows.append(
                Row(
                    case,
                    (
                        word(release),
                        word(param(group[0], "title")),
                        printed_cell(theirs, "KB/s"),
                        cell(group, rate_of_each, "KB/s"),
                        against(ours, theirs, ""),
                        known(cpu, "us/KB", "(IC)", most=2, target=WIDTH_TARGET),
                        word(str(len(group))),
                    ),
                )
            )
    if not rows:
        return None
    head = heads(
        "Case", "Release", "What", "Published KB/s", "Ours KB/s", "Ratio",
        "CPU us/KB", "n",
    )  # fmt: skip
    marked = any(c.text.endswith(WIDE) for r in rows for c in r.cells)
    notes = (
        "KB/s of each sender or client. CPU of all machines of the guests on channels, through"
        f" {model.describe()}.",
        *([WIDE_NOTE.format(target=WIDTH_TARGET)] if marked else []),
        *([BESIDE_NOTE] if any(param(c, "beside") for c in found) else []),
    )
    sections = (Section("head", (head,)), Section("body", tuple(rows)))
    return lettered(Table("overview", "The report's figures and ours", sections, notes, keys=2))
