# SPDX-License-Identifier: MIT
"""All five tables in one: published beside reproduced, and what a KB costs the guests. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.tables.group import total_us_kb
from accounting.tables.table import Row, Section, Table, known, lettered, word
from workloads.dxu.tables.figures import (
    PUBLISHED,
    against,
    cell,
    estimate,
    heads,
    of_table,
    param,
    printed_cell,
    published_rate,
    rate_of_each,
)

BESIDE_NOTE = (
    "Of a guest beside VM/KB (Table 1) CPU is of instructions alone, which is less than all."
)


def overview_table(found: Iterable[TrialCost], model: Model) -> Table | None:
    """A line for each case and release; None without trials."""
    found = list(found)
    rows = []
    for number in PUBLISHED:
        for (case, release), group in of_table(found, number).items():
            theirs = published_rate(group[0])
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
                        known(cpu, "us/KB", "(IC)", most=2),
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
    notes = (
        "KB/s of each sender or client. CPU of all machines of the guests on channels, through"
        f" {model.describe()}.",
        *([BESIDE_NOTE] if any(param(c, "beside") for c in found) else []),
    )
    sections = (Section("head", (head,)), Section("body", tuple(rows)))
    return lettered(Table("overview", "The report's figures and ours", sections, notes, keys=2))
