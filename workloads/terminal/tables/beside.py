# SPDX-License-Identifier: MIT
"""Published beside reproduced: how busy each node was, and a sentence for each difference. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from vmkb.accounting.costs import TrialCost
from vmkb.accounting.models import Model
from vmkb.accounting.published import published
from vmkb.accounting.records import Unit
from vmkb.accounting.tables.group import Measure
from vmkb.accounting.tables.listing import Columns, Group, Shown, param, shown, value
from vmkb.accounting.tables.listing import listing as table_of
from vmkb.accounting.tables.table import Cell, Table, fixed, lettered, printed
from vmkb.workloads.terminal.tables.figures import groups, mode, node, path, seconds


@dataclass(frozen=True)
class Line:
    """One printed row: the published column, the label, and our measures of it."""

    column: str
    label: str
    counts: Callable[[Model], Measure]
    part: str = ""
    monitor: str = ""
    """Field of RTMSF's SYSTEM line, or of the USER lines of `part`."""


def _mode(name: str) -> Callable[[Model], Measure]:
    return lambda model: mode(name, model)


def _part(label: str) -> Callable[[Model], Measure]:
    return lambda model: lambda cost: cost.part(label).utilization(cost.span)


LINES = (
    Line("cpu_busy_pct", "busy", _mode("busy"), monitor="cpu"),
    Line("user_pct", "user", _mode("user"), monitor="user"),
    Line("kernel_pct", "kernel (CP)", _mode("kernel")),
    Line("interrupt_pct", "interrupt", _mode("interrupt")),
    Line("telnet_server_pct", "TELNET server", _part("TELNETD"), "TELNETD", "cpu"),
    Line("telnet_server_pct", "TELNET", _part("TELNET"), "TELNET", "cpu"),
    Line("ip_acp_pct", "IP_ACP, TCPIP", _part("TCPIP"), "TCPIP", "cpu"),
    Line("type_pct", "TYPE", _part("TYPE"), "TYPE", "cpu"),
)

OPENING = (
    "the report puts its figures down to the opening of files, which is CMS's work, in user, here"
)
#: Why a figure differs, where the designs say it. The numbers stand in the table.
REASONS = {
    ("TELNET", "busy"): (
        "VM/KB's servers take what has gathered, many lines at a time, where CMU's, by its source,"
        " switched processes for each piece; and 0.6 MIPS is a rate of System/360 instructions, not"
        " of VAX ones"
    ),
    ("TELNET CMU", "busy"): (
        "each line is a piece here, too; what remains is what VMS's terminal driver,"
        " pseudo-terminal and process switches took, of which no figures are known"
    ),
    ("TELNET", "TELNET server"): (
        "TELNETD moves a terminal's output to TCPIP by IUCV in pieces of many lines; CMU's server"
        " read a pseudo-terminal and wrote each piece to IP_ACP by QIO"
    ),
    ("TELNET", "TELNET"): (
        "the command makes console lines of what came, and CP's LAT messages with them are charged"
        " to its machine"
    ),
    ("TELNET", "IP_ACP, TCPIP"): (
        "lwIP's segments carry what has gathered; the report saw packets of about 100 bytes"
    ),
    ("TELNET CMU", "TELNET server"): (
        "it is told of each line and sends it by itself, as CMU's; a call of CP for each of both is"
        " all that takes, where CMU's two QIOs a piece went through drivers"
    ),
    ("TELNET CMU", "IP_ACP, TCPIP"): (
        "a segment for each line, as CMU's; lwIP has no process switch or copy between its layers"
    ),
    ("TELNET", "TYPE"): "opening files and running the procedure is a large part of it",
    ("TELNET", "user"): "as its parts below",
    ("TELNET", "kernel (CP)"): (
        "CP's IUCV and console lines; VMS's kernel mode had QIO, the pseudo-terminal and the driver"
        " of the package in it"
    ),
    ("SET HOST", "kernel (CP)"): OPENING,
    ("SET HOST", "interrupt"): OPENING,
    ("LAT", "kernel (CP)"): OPENING,
    ("LAT", "interrupt"): "a frame of the terminal server is answered within its interruption",
    ("SET HOST", "busy"): "the work is in CP here, as it was in the drivers of VMS",
    ("LAT", "busy"): "the work is in CP here, as it was in the driver of VMS",
}


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[\d.]+", text) else None


def _agrees(text: str, ours: float) -> bool | None:
    """Whether OURS is what a bound (<15) or a range (2-10) says; None if it is neither."""
    if text.startswith("<"):
        return ours < float(text[1:])
    if text.startswith(">"):
        return ours > float(text[1:])
    limits = re.fullmatch(r"([\d.]+)-([\d.]+)", text)
    return float(limits[1]) <= ours <= float(limits[2]) if limits else None


def monitored(group: Group, line: Line) -> float | None:
    """Percent of one engine as RTMSF showed it: what its intervals around the typing saw of the
    users of a part, over the time of the typing. Without a part: of the system, less the users who
    are no part of the path."""
    watched = [c for c in group if any(r.kind == "rtm_system" for r in c.trial.records)]
    return median([_seen(c, line) / seconds(c) for c in watched]) if watched else None


def _seen(cost: TrialCost, line: Line) -> float:
    users = {u for u, label in cost.trial.parts.items() if label == line.part}
    seen = 0.0
    for r in cost.trial.records:
        long = r.value("interval").to(Unit.S).value if "interval" in r.fields else 0.0
        if r.kind == "rtm_system" and not line.part:
            seen += float(r.value(line.monitor).value) * long
        elif r.kind == "rtm_user" and line.part and r.word("userid") in users:
            seen += float(r.value("cpu").value) * long
        elif r.kind == "rtm_user" and not line.part and r.word("userid") not in cost.trial.parts:
            seen -= float(r.value("cpu" if line.monitor == "cpu" else "virt").value) * long
    return seen


class Told(NamedTuple):
    """One row: a line of a node, what is published of it, ours, and the trials with RTMSF."""

    group: Group
    line: Line
    theirs: str
    ours: Cell
    watched: Group

    def published(self) -> Shown:
        """As it was printed, a number or words."""
        number = _number(self.theirs)
        return self.theirs or None if number is None else Cell(self.theirs, number, "%", "(PB)")

    def monitor(self) -> Shown:
        """What RTMSF showed."""
        seen = monitored(self.watched, self.line) if self.line.monitor else None
        return None if seen is None else printed(seen, 2, "%", "(RT)")

    def ratio(self) -> Shown:
        """Ours as part of the published figure."""
        number = _number(self.theirs)
        if not number:
            return None
        ratio = (self.ours.value or 0.0) / number
        return Cell(fixed(ratio, 3), ratio, "ratio", self.ours.source)

    def sentence(self) -> str:
        """How they differ, and why."""
        label, theirs, ours = self.line.label, self.theirs, self.ours.value or 0.0
        here = f"{path(self.group)}, {node(self.group)}, {label}: {self.ours.text} % (IC)"
        number, agrees = _number(theirs), _agrees(theirs, ours)
        if agrees is not None:
            what = f"{here}, {'within' if agrees else 'outside'} the {theirs} % published"
        elif number:
            what = f"{here} against {theirs} % published, {fixed(ours / number, 3)} of it"
        else:
            what = f"{here}; published only as an {theirs}"
        reason = REASONS.get((path(self.group).partition(" (")[0], label))
        return f"{what}: {reason}." if reason else f"{what}."


def _told(found: Iterable[TrialCost], model: Model, name: str) -> Iterable[Told]:
    found = list(found)
    watched = groups(found, "monitor")
    for key, group in groups(found, "type").items():
        where = param(group[0], "chain"), node(group)
        rows = published(name).rows
        theirs = next((r for r in rows if (r["path"], r["node"]) == where), {})
        parts = [p.label for p in group[0].parts]
        for line in LINES:
            if line.part and line.part not in parts:
                continue
            if line.label == "TELNET server" and theirs["role"] == "local":
                continue
            ours = shown(value(line.counts(model), "%", 3)(group))
            yield Told(group, line, theirs.get(line.column, ""), ours, watched.get(key, []))


def beside_table(found: Iterable[TrialCost], model: Model, name: str) -> Table | None:
    """How busy the two nodes were with one terminal, as the published table NAME says and
    reproduced; None without such trials. RTMSF's column is from trials of its own, with the monitor
    and the meter at work."""
    rows = list(_told(found, model, name))
    columns: Columns[Told] = [
        ("Path", lambda r: path(r.group)),
        ("Node", lambda r: node(r.group)),
        ("CPU", lambda r: r.line.label),
        ("Published %", Told.published),
        ("Reproduced %", lambda r: r.ours),
        ("RTMSF %", Told.monitor),
        ("Ratio", Told.ratio),
    ]
    notes = (
        f"Published (PB): {published(name).source}.",
        "100 % is one engine busy. Reproduced: instruction counts (IC) on one engine of"
        f" {model.describe()}. It says how busy such a machine would be with VM/KB's work at the"
        " terminal's speed, not how busy the emulator was.",
        "busy is the machines of the path and CP for nobody; user what ran in the"
        " machines, interrupt what CP did in interruptions for anybody (a few for the meter are in"
        " it), kernel the rest of CP."
        " VMS's kernel mode is set beside CP, as both serve I/O and terminals there.",
        "RTMSF's figures are of trials of their own, from the intervals around the typing, over its"
        " time; machines that are no part of the path are left out. They are above the counts by"
        " what CP does in the parts of those intervals before and after, and for the monitor.",
        *(r.sentence() for r in rows if r.theirs and r.ours.value is not None),
    )
    made = table_of("beside", "One terminal at 9600 baud: how busy are the nodes?", rows, columns,
                    notes, by=lambda r: id(r.group), keys=2)  # fmt: skip
    return made and lettered(made)
