# SPDX-License-Identifier: MIT
"""How busy each node was with one terminal, and beside a job: by the counts and by RTMSF. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.measures import Group, Measure, over, record, value
from vmkb.accounting.models import Model
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.listing import Columns, Shown, listing, number
from vmkb.accounting.tables.table import Table, printed
from vmkb.workloads.terminal.content import JOB
from vmkb.workloads.terminal.tables.figures import (
    groups,
    job_share,
    mode,
    node,
    path,
    seconds,
    shown,
)


@dataclass(frozen=True)
class Line:
    """One printed row: its label, our measure of it, and what RTMSF shows it by: a field of its
    SYSTEM line, or of the USER lines of `part`."""

    label: str
    counts: Callable[[Model], Measure]
    part: str = ""
    monitor: str = ""


def _mode(name: str) -> Callable[[Model], Measure]:
    return lambda model: mode(name, model)


def _part(label: str) -> Line:
    return Line(
        label, lambda model: lambda cost: cost.part(label).utilization(cost.span), label, "cpu"
    )


LINES = (
    Line("busy", _mode("busy"), monitor="cpu"),
    Line("user", _mode("user"), monitor="user"),
    Line("kernel (CP)", _mode("kernel")),
    Line("interrupt", _mode("interrupt")),
    *map(_part, ("TELNETD", "TELNET", "TCPIP", "TYPE")),
)


def monitored(group: Group, line: Line) -> float | None:
    """Percent of one engine as RTMSF showed it: what its intervals around the typing saw of the
    users of a part, over the time of the typing. Without a part: of the system, less the users who
    are no part of the path."""
    watched = [c for c in group if record(c, "rtm_system")]
    return median([_seen(c, line) / seconds(c) for c in watched]) if watched else None


def _seen(cost: TrialCost, line: Line) -> float:
    """Percent times seconds."""
    parts, seen = cost.trial.parts, 0.0
    for r in cost.trial.records:
        if r.kind not in ("rtm_system", "rtm_user"):
            continue
        who, long = r.word("userid"), r.value("interval").to(Unit.S).value
        if r.kind == "rtm_system" and not line.part:
            seen += float(r.value(line.monitor).value) * long
        elif r.kind == "rtm_user" and line.part and parts.get(who) == line.part:
            seen += float(r.value("cpu").value) * long
        elif r.kind == "rtm_user" and not line.part and who not in parts:
            seen -= float(r.value("cpu" if line.monitor == "cpu" else "virt").value) * long
    return seen


class Told(NamedTuple):
    """One row: a line of a node, its trials, and those with RTMSF."""

    group: Group
    line: Line
    watched: Group

    def monitor(self) -> Shown:
        """The share that RTMSF showed."""
        seen = monitored(self.watched, self.line) if self.line.monitor else None
        return None if seen is None else printed(seen, "%", "(RT)")


def busy_table(costs: Sequence[TrialCost], model: Model) -> Table | None:
    """How busy the nodes were with one terminal; None without such trials. RTMSF's column is from
    trials of its own, with the monitor and the meter at work."""
    watched = groups(costs, "monitor")
    rows = [
        Told(group, line, watched.get(key, []))
        for key, group in groups(costs, "type").items()
        for line in LINES
        if not line.part or line.part in [p.label for p in group[0].parts]
    ]
    columns: Columns[Told] = [
        ("Path", lambda r: path(r.group)),
        ("Node", lambda r: node(r.group)),
        ("CPU", lambda r: r.line.label),
        ("Counted", lambda r: value(r.line.counts(model))(r.group)),
        ("RTMSF", Told.monitor),
    ]
    notes = (
        "100 % is one engine busy. Counted: instruction counts on one engine of"
        f" {model.describe()}. It says how busy such a machine would be with VM/KB's work at the"
        " terminal's speed, not how busy the emulator was.",
        "busy is the machines of the path and CP for nobody; user what ran in the"
        " machines, interrupt what CP did in interruptions for anybody (a few for the meter are in"
        " it), kernel the rest of CP.",
        "RTMSF's figures are of trials of their own, from the intervals around the typing, over its"
        " time; machines that are no part of the path are left out. They are above the counts by"
        " what CP does in the parts of those intervals before and after, and for the monitor.",
    )
    return listing("busy", "One terminal at 9600 baud: how busy are the nodes?", rows, columns,
                   notes, by=lambda r: id(r.group), keys=2)  # fmt: skip


def job_table(costs: Sequence[TrialCost]) -> Table | None:
    """The job's share of the node, and how fast the terminal went with it and without; None
    without such trials."""
    alone, speed = groups(costs, "type"), over(shown, seconds, Unit.PER_S)
    columns: Columns[tuple[Group, Group]] = [
        ("Path", lambda r: path(r[0])),
        ("Node", lambda r: node(r[0])),
        ("Job", lambda r: value(job_share)(r[0])),
        ("Characters beside it", lambda r: value(speed)(r[0])),
        ("and without it", lambda r: value(speed)(r[1]) if r[1] else None),
        ("n", lambda r: number(r[0])),
    ]
    notes = (
        "The report saw no degradation of its terminal's output. The job computes in a loop, at an"
        " ordinary user's priority; what it does not get is of the machines that serve the"
        " terminal, and CP's.",
    )
    jobs = groups((c for c in costs if JOB in c.trial.parts), "job")
    rows = [(g, alone.get(key, [])) for key, g in jobs.items()]
    return listing("job", "A terminal beside a CPU-bound job", rows, columns, notes)
