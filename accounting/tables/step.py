# SPDX-License-Identifier: MIT
"""One step of a trail: the commit beside the one before it, in a table and in words."""

from __future__ import annotations

from vmkb.accounting.digits import bare
from vmkb.accounting.shown import cut
from vmkb.accounting.tables.table import Row, Section, Table, header, without_empty
from vmkb.accounting.tables.trail import COSTS, SIZES, SUBJECT, Change, cost, percent, sizes, what

WHOLE = 300
"""Characters of a commit's subject where it stands alone."""


def table(change: Change) -> Table:
    """The commit of a step beside the one before it."""
    after, before = change.point, change.before
    assert before is not None
    rows = tuple(
        Row(label, (*what(p), cost(p.total), cost(p.part), *sizes(p)))
        for label, p in (("before", before), ("after", after))
    )
    head = header("", ("Commit", "Date", "Subject", COSTS[0], COSTS[2], *SIZES))
    made = Table("step", "Before and after", (head, Section("body", rows)), keys=3)
    return without_empty(made)


def sentence(change: Change, case: str) -> str:
    """What a step did, with its commit's subject."""
    point, before = change.point, change.before
    assert before is not None and change.value is not None
    assert before.total is not None and point.total is not None
    return (
        f"{cut(point.subject, WHOLE)} ({point.short}, {point.date}). {case}: a kilobyte"
        f" went from {bare(before.total)} to {bare(point.total)} us of CPU,"
        f" {100 * change.value:+.2f} %."
    )


def title(change: Change) -> str:
    """A step in one line."""
    return f"{percent(change).text} %: {cut(change.point.subject, SUBJECT)}"
