# SPDX-License-Identifier: MIT
"""CONNECT= VIRTCPU= TOTCPU=: CP QUERY TIME, LOGOFF and ACNT (VM/370, VM/SP, z/VM).

Two systems' captures print one blank after each '=', the ACNT manual page none: any
number is taken.  The lines VIRT, TOTAL and MODEL below are VM/KB's own answer to QUERY
TIME (FULL (docs/formats.md): the counts behind the line above.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import Mismatch, p_error
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

_COUNT = r"\d{1,18}"
LEXICON = [
    ("CONNECT", r"CONNECT=[ ]*\d{1,6}:[0-5]\d:[0-5]\d(?!\S)", "CONNECT= hh:mm:ss"),
    ("VIRTCPU", r"VIRTCPU=[ ]*\d{1,9}:[0-5]\d\.\d\d(?!\S)", "VIRTCPU= mmm:ss.hh"),
    ("TOTCPU", r"TOTCPU=[ ]*\d{1,9}:[0-5]\d\.\d\d(?!\S)", "TOTCPU= mmm:ss.hh"),
    (
        "COUNTS",
        rf"(?:VIRT|TOTAL) +{_COUNT} US +{_COUNT} INSTR +{_COUNT} MOVED +{_COUNT} SUMMED(?!\S)",
        "VIRT or TOTAL with n US n INSTR n MOVED n SUMMED",
    ),
    (
        "MODEL",
        rf"MODEL \S{{1,16}} CORRECTIONS {_COUNT}(?: USER [^\s]{{1,8}})?(?!\S)",
        "MODEL name CORRECTIONS n",
    ),
    ("NL", r"\n", "a new line"),
]
tokens = ["CONNECT", "VIRTCPU", "TOTCPU", "COUNTS", "MODEL", "NL"]

_US, _QT, _IC = Unit.US, Source.QT, Source.IC
_new = tuple.__new__


def p_full(p: Any) -> None:
    "response : short NL COUNTS NL COUNTS NL MODEL"
    kind, fields, notes, at = p[1][0]
    if not p[3].startswith("VIRT"):
        raise Mismatch(None, "the VIRT line before the TOTAL line", 0)
    for name, line in (("virt", p[3]), ("total", p[5])):
        words = line.split()
        if not name.upper() == words[0]:
            raise Mismatch(None, "one VIRT line and one TOTAL line", 0)
        fields[name + "_time"] = Value(int(words[1]), _US, _QT, 1)
        fields[name + "_instr"] = Value(int(words[3]), Unit.INSTR, _IC, 1)
        fields[name + "_moved"] = Value(int(words[5]), Unit.BYTE, _IC, 1)
        fields[name + "_summed"] = Value(int(words[7]), Unit.BYTE, _IC, 1)
    words = p[7].split()
    fields["model"] = words[1]
    fields["corrections"] = Value(int(words[3]), Unit.COUNT, _IC, 1)
    if len(words) > 4:
        fields["userid"] = words[5]
    p[0] = [(kind, fields, notes, at)]


def p_response(p: Any) -> None:
    "response : short"
    p[0] = p[1]


def p_short(p: Any) -> None:
    "short : CONNECT VIRTCPU TOTCPU"
    _, con, virt, tot = p.slice
    con, virt, tot = con.value, virt.value, tot.value
    virt_us = (int(virt[8:-6]) * 6000 + int(virt[-5:-3]) * 100 + int(virt[-2:])) * 10_000
    tot_us = (int(tot[7:-6]) * 6000 + int(tot[-5:-3]) * 100 + int(tot[-2:])) * 10_000
    seconds = int(con[8:-6]) * 3600 + int(con[-5:-3]) * 60 + int(con[-2:])
    fields: dict[str, Field] = {
        "connect": _new(Value, (seconds * 1_000_000, _US, _QT, 1_000_000)),
        "virtcpu": _new(Value, (virt_us, _US, _QT, 10_000)),
        "totcpu": _new(Value, (tot_us, _US, _QT, 10_000)),
    }
    notes: tuple[str, ...] = ()
    if virt_us > tot_us:
        notes = ("TOTCPU is less than VIRTCPU, which it should include",)
    p[0] = [("connect", fields, notes, 0)]


def _cpu(value: Value) -> str:
    hundredths = int(value.value) // 10_000
    return f"{hundredths // 6000:03}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def _counts(word: str, record: Record) -> str:
    time, instr, moved, summed = (
        int(record.value(f"{word.lower()}_{part}").value)
        for part in ("time", "instr", "moved", "summed")
    )
    return f"{word:<5} {time:012} US {instr:012} INSTR {moved:012} MOVED {summed:012} SUMMED"


def render(record: Record) -> str:
    """RECORD in VM/370's 54 columns; with VM/KB's three lines below if it has the counts."""
    seconds = int(record.value("connect").value) // 1_000_000
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    virt, tot = _cpu(record.value("virtcpu")), _cpu(record.value("totcpu"))
    line = f"CONNECT= {clock} VIRTCPU= {virt} TOTCPU= {tot}"
    if "model" not in record.fields:
        return line
    user = f" USER {record.word('userid')}" if "userid" in record.fields else ""
    corrections = int(record.value("corrections").value)
    model = f"MODEL {record.word('model')} CORRECTIONS {corrections}{user}"
    return "\n".join((line, _counts("VIRT", record), _counts("TOTAL", record), model))
