# SPDX-License-Identifier: MIT
"""VMS MONITOR frames: MODES, SYSTEM, PROCESSES and PROCESSES/TOPCPU.

TOPCPU is read from real frames.  No real MODES, SYSTEM or PROCESSES screen was found:
their items, columns (CUR AVE MIN MAX) and titles are from the manuals, their layout is
inferred, so anything that has the item's name and one to four numbers is taken.
Units of TOPCPU: clock ticks of 10 ms per second, which is percent of one CPU.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import clock, hms
from vmkb.accounting.grammar.vms_accounting import vms_date
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

BLANK = r"[ \t\r\f\0\n]"
MODES = {
    "Interrupt Stack": "interrupt",
    "Interrupt State": "interrupt",
    "MP Synchronization": "mp_sync",
    "Kernel Mode": "kernel",
    "Executive Mode": "executive",
    "Supervisor Mode": "supervisor",
    "User Mode": "user",
    "Compatibility Mode": "compatibility",
    "Idle Time": "idle",
}
SYSTEM = {
    "Process Count": ("process_count", Unit.COUNT),
    "Page Fault Rate": ("page_faults", Unit.PER_S),
    "Page Read I/O Rate": ("page_reads", Unit.PER_S),
    "Free List Size": ("free_list", Unit.PAGE),
    "Modified List Size": ("modified_list", Unit.PAGE),
    "Direct I/O Rate": ("direct_io", Unit.PER_S),
    "Buffered I/O Rate": ("buffered_io", Unit.PER_S),
}
_ITEMS = "|".join([*MODES, *SYSTEM])
_END = r"(?=[ \t\r]*(?:\n|$))"
_NUMBER = r"\d{1,12}(?:\.\d{1,6})?"
LEXICON = [
    ("TITLE", r"(?:OpenVMS|VAX/VMS|VMS) Monitor Utility(?!\S)", "the MONITOR title"),
    (
        "CLASS",
        r"(?:TIME IN PROCESSOR MODES(?: +\(%\))?|TOP CPU TIME PROCESSES|SYSTEM STATISTICS"
        r"|(?:Process Count: +\d+ +)?PROCESSES(?: +Uptime: +\d+ +[\d:.]+)?)" + _END,
        "TIME IN PROCESSOR MODES, TOP CPU TIME PROCESSES, SYSTEM STATISTICS or PROCESSES",
    ),
    ("NODE", r"on node +\S{1,15}(?!\S)", "on node name"),
    (
        "WHEN",
        r"\d{1,2}-[A-Z]{3}-\d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d\d)?(?!\S)",
        "a date",
    ),
    ("COLUMNS", r"CUR%? +AVE%? +MIN%? +MAX%?" + _END, "CUR AVE MIN MAX"),
    ("HEADING", r"PID +STATE +PRI +NAME[^\n]*", "the PROCESSES heading"),
    ("ITEM", rf"(?:{_ITEMS})(?:[ \t]+{_NUMBER}){{1,4}}(?:[ \t]+[*#X]+)?{_END}", "item and numbers"),
    (
        "PROC",
        rf"[0-9A-F]{{8}} +[A-Z]{{2,6}} +\d{{1,2}} +\S[^\n]{{0,14}}? +\d{{1,9}}(?:/\d{{1,9}})?"
        rf" +\d{{1,12}} +\d{{1,12}} +(?:\d{{1,5}} )?\d\d:[0-5]\d:[0-5]\d(?:\.\d{{1,2}})?{_END}",
        "a process with its counts",
    ),
    (
        "TOP",
        rf"[0-9A-F]{{8}} +\S[^\n]{{0,14}}? +\d{{1,5}}(?:[ \t]+[*#X]+)?{_END}",
        "a process and %",
    ),
    ("AXIS", r"(?:[+|][^\n]*[+|]|0 +25 +50 +75 +100|_+)" + _END, "the axis"),
]
tokens = [name for name, _, _ in LEXICON]
_RT = Source.RT
_COLUMNS = ("", "_ave", "_min", "_max")


def _items(parts: list[Any], fields: dict[str, Field]) -> None:
    for token in parts:
        if token.type != "ITEM":
            continue
        text = token.value.rstrip("*#X \t")
        label = next(name for name in (*MODES, *SYSTEM) if text.startswith(name))
        name, unit = SYSTEM.get(label) or (MODES[label], Unit.PERCENT)
        for column, number in zip(_COLUMNS, text[len(label) :].split(), strict=False):
            decimals = len(number.partition(".")[2])
            value = float(number) if decimals else int(number)
            fields[name + column] = Value(value, unit, _RT, 10**-decimals if decimals else 1)


def _tops(text: str, tokens: list[Any], frame: dict[str, Field]) -> list[Any]:
    """A record for each process; the lines above the first one are the first one's."""
    made: list[Any] = []
    for token in tokens:
        pid, name, percent = _top(token.value)
        cpu = Value(int(percent), Unit.PERCENT, _RT, 1)
        at = text.count("\n", 0, token.lexpos) if made else 0
        made.append(("vms_topcpu", {**frame, "pid": pid, "name": name, "cpu": cpu}, (), at))
    return made or [("vms_topcpu", frame, (), 0)]


def _top(text: str) -> tuple[str, ...]:
    words = text.rstrip("*#X \t").split()
    if not words[-1].isdigit():  # a process whose name ends in X, and no bar
        words = text.split()
    return words[0], " ".join(words[1:-1]), words[-1]


_PROCESS = re.compile(
    r"(\S+) +(\S+) +(\d+) +(\S.*?) +(\d+(?:/\d+)?) +(\d+) +(\d+) +(?:(\d+) )?(\d\d:[\d:.]+)\s*"
)


def _process(text: str) -> tuple[str, ...]:
    match = _PROCESS.fullmatch(text)
    assert match, "the PROC token and _PROCESS differ"
    *words, days, at = match.groups()
    micros = int(days or 0) * 86_400_000_000 + hms(at)
    return (*words, str(micros))


def p_frame(p: Any) -> None:
    "frame : TITLE parts CLASS parts"
    kind = {"TIME": "vms_modes", "TOP": "vms_topcpu", "SYST": "vms_system"}
    name = next((kind[key] for key in kind if p[3].startswith(key)), "vms_processes")
    parts = p[2] + p[4]
    fields: dict[str, Field] = {}
    for token in parts:
        if token.type == "NODE":
            fields["node"] = token.value.split()[2]
        elif token.type == "WHEN":
            iso, at = vms_date(token.value, token)
            fields["date"], fields["clock"] = iso, clock(at, _RT)
    if name == "vms_topcpu":
        p[0] = _tops(p.lexer.text, [t for t in parts if t.type == "TOP"], fields)
        return
    if name == "vms_processes":
        fields["processes"] = tuple(_process(t.value) for t in parts if t.type == "PROC")
    else:
        _items(parts, fields)
        if not any(
            isinstance(field, Value) and field.unit is Unit.PERCENT for field in fields.values()
        ):
            raise Mismatch(None, "at least one processor mode with its percentage")
    p[0] = [(name, fields, (), 0)]


def p_parts(p: Any) -> None:
    """parts : parts part
    |"""
    if len(p) == 1:
        p[0] = []
    else:
        p[1].append(p[2])
        p[0] = p[1]


def p_part(p: Any) -> None:
    """part : NODE
    | WHEN
    | COLUMNS
    | HEADING
    | ITEM
    | PROC
    | TOP
    | AXIS"""
    p[0] = p.slice[1]
