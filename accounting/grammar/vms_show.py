# SPDX-License-Identifier: MIT
"""VMS SHOW SYSTEM, also /FULL, and the lines above SHOW PROCESS, from two VAX captures.

A process is a row: Pid in columns 1 to 8, Process Name in 15 from column 10 on, State, Pri, I/O,
CPU as D HH:MM:SS.CC since it began, page faults, pages, and N, B or S for network, batch and
subprocess.  /FULL has the machine's model below the first line and a line below each row.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import clock
from vmkb.accounting.grammar.vms_accounting import micros, vms_date
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

BLANK = r"[ \t\r\f\0\n]"
_DAY = r"\d{1,2}-[A-Z]{3}-\d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d\d(?!\S)"
_DELTA = r"\d{1,5} \d\d:[0-5]\d:[0-5]\d(?:\.\d\d)?(?!\S)"
LEXICON = [
    ("SYSTEM", r"(?:OpenVMS|VAX/VMS) V\S{1,12} +on node +\S{1,12}(?!\S)", "OpenVMS Vn on node"),
    ("DATE", _DAY, "dd-mmm-yyyy hh:mm:ss.cc"),
    ("UPTIME", rf"Uptime +{_DELTA}", "Uptime d hh:mm:ss"),
    ("HEADING", r"Pid +Process Name +State +Pri +I/O +CPU +Page flts +Pages(?!\S)", "the heading"),
    (
        "ROW",
        rf"[0-9A-F]{{8}} [^\n]{{15}} [A-Z]{{2,5}} +\d{{1,3}} +\d{{1,10}} +{_DELTA}"
        r" +\d{1,10} +\d{1,10}(?: +[NBSM]{1,3}(?=[ \t\r]*(?:\n|\Z)))?(?!\S)",
        "a process with its CPU time",
    ),
    ("ODD", r"[0-9A-F]{8} \S[^\n]*+", "a process"),
    ("WHO", r"User: +\S{1,12} +Process ID: +[0-9A-F]{8}(?!\S)", "User: and Process ID:"),
    ("NODE", r'Node: +\S{1,12} +Process name: +"[^"\n]{0,15}"(?!\S)', "Node: and Process name:"),
    ("OWNER", r"\[[^]\n]{1,24}\] +\d{1,12}K[bB](?!\S)", "[owner] and kilobytes"),
    ("MODEL", r"[A-Za-z][^\n]*+", "the machine's model"),
]
tokens = [name for name, _, _ in LEXICON]
_AC = Source.AC
_ROW = re.compile(
    r"(.{8}) (.{15}) ([A-Z]+) +(\d+) +(\d+) +(\d+ [\d:.]+) +(\d+) +(\d+)(?: +([A-Z]+))?"
)


def p_show(p: Any) -> None:
    """show : SYSTEM DATE UPTIME HEADING rows
    | SYSTEM DATE UPTIME MODEL HEADING rows"""
    processes, odd = p[len(p) - 1]
    if not processes:
        raise Mismatch(None, "a process with its CPU time")
    head = {"node": p[1].split()[-1], **_when(p.slice[2])}
    head["uptime"] = Value(micros(p[3].split(None, 1)[1]), Unit.US, _AC, 10_000)
    text = p.lexer.text
    notes = (f"{odd} processes show no CPU time and are left out",) if odd else ()
    made = []
    for number, (at, fields) in enumerate(processes):
        line = text.count("\n", 0, at) if number else 0
        made.append(("vms_show_system", {**head, **fields}, () if number else notes, line))
    p[0] = made


def p_process(p: Any) -> None:
    """show : DATE WHO
    | DATE WHO NODE"""
    _, userid, *_, pid = p[2].split()
    fields = {"userid": userid, "pid": pid, **_when(p.slice[1])}
    if len(p) == 4:
        _, node, rest = p[3].split(None, 2)
        fields.update(node=node, name=rest.partition('"')[2][:-1])
    p[0] = [("vms_process", fields, (), 0)]


def p_rows(p: Any) -> None:
    """rows : rows ROW
    | rows ODD
    | rows OWNER
    |"""
    if len(p) == 1:
        p[0] = [], 0
        return
    found, odd = p[1]
    token = p.slice[2]
    if token.type == "ROW":
        found.append((token.lexpos, _process(token.value)))
    p[0] = found, odd + (token.type == "ODD")


def _process(text: str) -> dict[str, Field]:
    pid, name, state, priority, io, cpu, faults, pages, kind = _ROW.match(text).groups()  # type: ignore[union-attr]
    fields: dict[str, Field] = {
        "pid": pid, "name": name.rstrip(), "state": state,
        "priority": Value(int(priority), Unit.COUNT, _AC, 1),
        "io": Value(int(io), Unit.COUNT, _AC, 1),
        "cpu": Value(micros(cpu), Unit.US, _AC, 10_000),
        "page_faults": Value(int(faults), Unit.COUNT, _AC, 1),
        "pages": Value(int(pages), Unit.PAGE, _AC, 1),
    }  # fmt: skip
    return {**fields, "type": kind} if kind else fields


def _when(token: Any) -> dict[str, Field]:
    iso, at = vms_date(token.value.strip(), token)
    return {"date": iso, "clock": clock(at, _AC)}
