# SPDX-License-Identifier: MIT
"""Published beside reproduced: how busy each node was, and a sentence for each difference. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from accounting.costs import TrialCost
from accounting.models import Model
from accounting.published import published
from accounting.records import Unit
from accounting.tables.group import Measure
from accounting.tables.table import Cell, Row, Section, Table, fixed, lettered, printed, word
from workloads.terminal.content import METER
from workloads.terminal.tables.figures import Group, cell, groups, mode, param, seconds

HEADS = ("Node", "CPU", "Published %", "Reproduced %", "RTMSF %", "Ratio")


WATCHERS = (METER, "RTMSF", "OPERATOR")


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
    only watch."""
    values = []
    for f in group:
        users = {u for u, label in f.trial.parts.items() if label == line.part}
        seen = 0.0
        for r in f.trial.records:
            long = r.value("interval").to(Unit.S).value if "interval" in r.fields else 0.0
            if r.kind == "rtm_system" and not line.part:
                seen += float(r.value(line.monitor).value) * long
            elif r.kind == "rtm_user" and line.part and r.word("userid") in users:
                seen += float(r.value("cpu").value) * long
            elif r.kind == "rtm_user" and not line.part and r.word("userid") in WATCHERS:
                seen -= float(r.value("cpu" if line.monitor == "cpu" else "virt").value) * long
        if any(r.kind == "rtm_system" for r in f.trial.records):
            values.append(seen / seconds(f))
    return median(values) if values else None


def _rows(
    path: str, node: str, theirs: Mapping[str, str], typed: Group, watched: Group, model: Model
) -> tuple[list[Row], list[str]]:
    rows, said = [], []
    for line in LINES:
        if line.part and line.part not in [p.label for p in typed[0].parts]:
            continue
        if line.label == "TELNET server" and theirs["role"] == "local":
            continue
        ours = cell(typed, line.counts(model), "%")
        there = theirs.get(line.column, "") if theirs else ""
        quotient: Cell = word("-")
        number = _number(there)
        if number:
            value = ours.value / number if ours.value is not None else 0.0
            quotient = Cell(fixed(value, 3), value, "ratio", ours.source)
        rt = monitored(watched, line) if line.monitor else None
        rows.append(
            Row(
                path,
                (
                    word(node),
                    word(line.label),
                    Cell(there, number, "%", "(PB)") if number is not None else word(there or "-"),
                    ours,
                    printed(rt, 2, "%", "(RT)") if rt is not None else word("-"),
                    quotient,
                ),
            )
        )
        if there and ours.value is not None:
            said.append(_sentence(path, node, line.label, there, ours))
    return rows, said


def _sentence(path: str, node: str, label: str, theirs: str, ours: Cell) -> str:
    here = f"{path}, {node}, {label}: {ours.text} % (IC)"
    number, agrees = _number(theirs), _agrees(theirs, ours.value or 0.0)
    if agrees is not None:
        what = f"{here}, {'within' if agrees else 'outside'} the {theirs} % published"
    elif number:
        what = (
            f"{here} against {theirs} % published, {fixed((ours.value or 0.0) / number, 3)} of it"
        )
    else:
        what = f"{here}; published only as an {theirs}"
    reason = REASONS.get((path.partition(" (")[0], label))
    return f"{what}: {reason}." if reason else f"{what}."


def beside_table(found: Iterable[TrialCost], model: Model, name: str) -> Table | None:
    """How busy the two nodes were with one terminal, as the published table NAME says and
    reproduced; None without such trials. RTMSF's column is from trials of its own, with the monitor
    and the meter at work."""
    found = list(found)
    table = published(name)
    typed, watched = groups(found, ("type",)), groups(found, ("monitor",))
    sections: list[Section] = []
    notes: list[str] = []
    for key, group in typed.items():
        _, path, node, _ = key
        chain = param(group[0], "chain")
        theirs = next((r for r in table.rows if (r["path"], r["node"]) == (chain, node)), {})
        rows, said = _rows(path, node, theirs, group, watched.get(key, ()), model)
        sections.append(Section("body", tuple(rows)))
        notes += said
    if not sections:
        return None
    head = Section("head", (Row("Path", tuple(map(word, HEADS))),))
    about = (
        f"Published (PB): {table.source}.",
        "100 % is one engine busy. Reproduced: instruction counts (IC) on one engine of"
        f" {model.describe()}. It says how busy such a machine would be with VM/KB's work at the"
        " terminal's speed, not how busy the emulator was.",
        "busy is the machines of the path and CP for nobody; user what ran in the"
        " machines, interrupt what CP did in interruptions for anybody (a few for the meter are in"
        " it), kernel the rest of CP."
        " VMS's kernel mode is set beside CP, as both serve I/O and terminals there.",
        "RTMSF's figures are of trials of their own, from the intervals around the typing, over its"
        " time; the monitor, the meter and the operator are left out.",
    )
    return lettered(
        Table("beside", "One terminal at 9600 baud: how busy are the nodes?", (head, *sections),
              (*about, *notes), keys=2)
    )  # fmt: skip
