# SPDX-License-Identifier: MIT
"""CONNECT= VIRTCPU= TOTCPU=: CP QUERY TIME, LOGOFF and ACNT (VM/370, VM/SP, z/VM).

Two systems' captures print one blank after each '=', the ACNT manual page none: any
number is taken.  The lines VIRT, TOTAL and MODEL below are VM/KB's own answer to QUERY
TIME (FULL (docs/reference/formats.md): the counts behind the line above.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import TWO
from vmkb.accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

_COUNT = r"\d{1,18}"
LEXICON = [
    ("CONNECT", r"(?i:CONNECT)=[ ]*\d{1,6}:[0-5]\d:[0-5]\d(?!\S)", "CONNECT= hh:mm:ss"),
    ("VIRTCPU", r"(?i:VIRTCPU)=[ ]*\d{1,9}:[0-5]\d\.\d\d(?!\S)", "VIRTCPU= mmm:ss.hh"),
    ("TOTCPU", r"(?i:TOTCPU)=[ ]*\d{1,9}:[0-5]\d\.\d\d(?!\S)", "TOTCPU= mmm:ss.hh"),
    (
        "COUNTS",
        rf"(?:VIRT|TOTAL|INTR|CLOCK) +{_COUNT} US +{_COUNT} INSTR +{_COUNT} MOVED +{_COUNT} SUMMED"
        r"(?!\S)",
        "VIRT, TOTAL, INTR or CLOCK with n US n INSTR n MOVED n SUMMED",
    ),
    (
        "MODEL",
        rf"MODEL \S{{1,32}} CORRECTIONS {_COUNT}(?: COUNTER (?:EXACT|BATCHED))?"
        r"(?: USER [^\s]{1,8})?(?!\S)",
        "MODEL name CORRECTIONS n",
    ),
    ("IDLE", rf"IDLE +{_COUNT} US OF THE CPU TIMER(?!\S)", "IDLE n US OF THE CPU TIMER"),
    ("NL", r"\n", "a new line"),
]
tokens = ["CONNECT", "VIRTCPU", "TOTCPU", "COUNTS", "MODEL", "IDLE", "NL"]

_US, _QT, _IC = Unit.US, Source.QT, Source.IC
_new = tuple.__new__


def _take_counts(fields: dict[str, Field], name: str, token: Any) -> None:
    words = token.value.split()
    if name.upper() != words[0]:
        raise Mismatch(token, f"the {name.upper()} line")
    fields[name + "_time"] = Value(int(words[1]), _US, _QT, 1)
    fields[name + "_instr"] = Value(int(words[3]), Unit.INSTR, _IC, 1)
    fields[name + "_moved"] = Value(int(words[5]), Unit.BYTE, _IC, 1)
    fields[name + "_summed"] = Value(int(words[7]), Unit.BYTE, _IC, 1)


def p_full(p: Any) -> None:
    "response : CONNECT VIRTCPU TOTCPU NL COUNTS NL COUNTS NL MODEL"
    p_response(p)
    fields = p[0][0][1]
    _take_counts(fields, "virt", p.slice[5])
    _take_counts(fields, "total", p.slice[7])
    words = p[9].split()
    fields["model"] = words[1]
    fields["corrections"] = Value(int(words[3]), Unit.COUNT, _IC, 1)
    more = dict(zip(words[4::2], words[5::2], strict=True))
    if "COUNTER" in more:
        fields["counter"] = more["COUNTER"]
    if "USER" in more:
        fields["userid"] = more["USER"]


def p_idle(p: Any) -> None:
    "response : CONNECT VIRTCPU TOTCPU NL COUNTS NL COUNTS NL MODEL NL IDLE"
    p_full(p)
    p[0][0][1]["idle_time"] = Value(int(p[11].split()[1]), _US, _QT, 1)


def p_interrupts(p: Any) -> None:
    "response : CONNECT VIRTCPU TOTCPU NL COUNTS NL COUNTS NL MODEL NL IDLE NL COUNTS"
    p_idle(p)
    _take_counts(p[0][0][1], "intr", p.slice[13])


def p_clock(p: Any) -> None:
    """response : CONNECT VIRTCPU TOTCPU NL COUNTS NL COUNTS NL MODEL NL IDLE NL COUNTS NL COUNTS"""
    p_interrupts(p)
    _take_counts(p[0][0][1], "clock", p.slice[15])


def p_response(p: Any) -> None:
    "response : CONNECT VIRTCPU TOTCPU"
    slots = p.slice  # indexing p itself costs a call for each symbol
    con, virt, tot = slots[1].value, slots[2].value, slots[3].value
    virt_us = (int(virt[8:-6]) * 6000 + TWO[virt[-5:-3]] * 100 + TWO[virt[-2:]]) * 10_000
    tot_us = (int(tot[7:-6]) * 6000 + TWO[tot[-5:-3]] * 100 + TWO[tot[-2:]]) * 10_000
    seconds = int(con[8:-6]) * 3600 + TWO[con[-5:-3]] * 60 + TWO[con[-2:]]
    fields: dict[str, Field] = {
        "connect": _new(Value, (seconds * 1_000_000, _US, _QT, 1_000_000)),
        "virtcpu": _new(Value, (virt_us, _US, _QT, 10_000)),
        "totcpu": _new(Value, (tot_us, _US, _QT, 10_000)),
    }
    slots[0].value = [("connect", fields, _LESS if virt_us > tot_us else (), 0)]


_LESS = ("TOTCPU is less than VIRTCPU, which it should include",)


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
    counter = f" COUNTER {record.word('counter')}" if "counter" in record.fields else ""
    model = f"MODEL {record.word('model')} CORRECTIONS {corrections}{counter}{user}"
    if "idle_time" in record.fields:
        model += f"\nIDLE  {int(record.value('idle_time').value):012} US OF THE CPU TIMER"
    if "intr_instr" in record.fields:
        model += "\n" + _counts("INTR", record)
    if "clock_instr" in record.fields:
        model += "\n" + _counts("CLOCK", record)
    return "\n".join((line, _counts("VIRT", record), _counts("TOTAL", record), model))
