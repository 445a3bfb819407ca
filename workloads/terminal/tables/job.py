# SPDX-License-Identifier: MIT
"""A terminal beside a CPU-bound job on its node. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Group, over, value
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.tables.listing import Columns, listing, number
from vmkb.accounting.tables.table import Table
from vmkb.accounting.units import Figure
from vmkb.workloads.terminal.content import JOB
from vmkb.workloads.terminal.tables.figures import groups, kilobytes, node, path, seconds


def job_share(cost: TrialCost) -> Figure | None:
    """Percent that the job had of all CPU but the meter's, which never idled beside it."""
    every = [p.cpu for p in cost.parts]
    there = [cpu for cpu in every if cpu is not None]
    mine = cost.part(JOB).cpu
    if mine is None or len(there) != len(every):
        return None
    whole = sum(cpu.value for cpu in there)
    return Figure(100 * mine.value / whole, Unit.PERCENT, (mine.source,), 100 * mine.tick / whole)


def _shown(cost: TrialCost) -> Figure:
    return Figure(1024 * kilobytes(cost), Unit.BYTE, (Source.WI,))


def job_table(found: Iterable[TrialCost]) -> Table | None:
    """The job's share of the node, and how fast the terminal went with it and without; None
    without such trials."""
    found = list(found)
    alone = groups(found, "type")
    rate = over(_shown, seconds, Unit.PER_S)
    columns: Columns[tuple[Group, Group]] = [
        ("Path", lambda r: path(r[0])),
        ("Node", lambda r: node(r[0])),
        ("Job", lambda r: value(job_share)(r[0])),
        ("Characters beside it", lambda r: value(rate)(r[0])),
        ("and without it", lambda r: value(rate)(r[1]) if r[1] else None),
        ("n", lambda r: number(r[0])),
    ]
    notes = (
        "The report saw no degradation of its terminal's output. The job computes in a loop, at an"
        " ordinary user's priority; what it does not get is of the machines that serve the"
        " terminal, and CP's.",
    )
    jobs = groups((c for c in found if JOB in c.trial.parts), "job")
    rows = [(g, alone.get(key, [])) for key, g in jobs.items()]
    return listing("job", "A terminal beside a CPU-bound job", rows, columns, notes)
