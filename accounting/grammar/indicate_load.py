# SPDX-License-Identifier: MIT
"""CP INDICATE LOAD: VM/370's one line, and z/VM's AVGPROC block.

VM/370: CPU-nnn% APU-nnn% Q1-nn Q2-nn STORAGE-nnn% RATIO-nn.n (APU only on attached
processors; the manual's text is an OCR reading).  z/VM: lines from two captures (6.3 and
7.3); E1-, DORMANT-, LIMITED- and PROC lines are read over.  All of it is smoothed by CP.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import p_error
from accounting.grammar.times import fixed
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

LEXICON = [
    ("PERCENT", r"(?:CPU|APU|STORAGE|AVGPROC)[-=]\d{1,9}%(?!\S)", "CPU-nnn% or STORAGE-nnn%"),
    ("RATIO", r"RATIO[-=]\d{1,9}\.\d+(?!\S)", "RATIO-nn.n"),
    ("MDC", r"MDC(?!\S)", "MDC"),
    ("HIT", r"HIT +RATIO-\d{1,9}%(?!\S)", "HIT RATIO-nnn%"),
    ("RATE", r"(?:READS|WRITES|PAGING|STEAL|XSTORE|MIGRATE)-\d{1,9}/SEC(?!\S)", "name-nnn/SEC"),
    ("QUEUE", r"Q[0-3][-=]\d{1,9}(?:\(\d{1,9}\))?(?!\S)", "Qn-nnnnn"),
    ("EXPAN", r"EXPAN-\d{1,9}(?!\S)", "EXPAN-nnn"),
    ("OTHER", r"(?:E[0-3]|DORMANT|LIMITED)-\d{1,9}(?:\(\d{1,9}\))?(?!\S)", "En- or DORMANT-"),
    ("PROC", r"PROC +\d{1,9}-\d{1,9}% +[A-Z]{2,4} +[A-Z]{2}(?!\S)", "PROC nnnn-nnn% type"),
    ("NUMBER", r"\d{1,9}(?!\S)", "a number of engines"),
    ("NL", r"\n", "a new line"),
]
tokens = [name for name, _, _ in LEXICON]
_IN = Source.IN
_PERCENTS = {"CPU": "cpu", "AVGPROC": "cpu", "APU": "apu", "STORAGE": "storage"}
_RATES = {"READS": "mdc_reads", "WRITES": "mdc_writes", "PAGING": "paging"}


def _pair(text: str) -> tuple[str, str]:
    at = min(text.find(mark) % (len(text) + 1) for mark in "-=")
    return text[:at], text[at + 1 :]


def p_load(p: Any) -> None:
    "load : PERCENT parts"
    fields: dict[str, Field] = {"cpu": Value(int(_pair(p[1])[1][:-1]), Unit.PERCENT, _IN, 1)}
    queue = ""
    for name, value in p[2]:
        if name == "EXPAN":
            name = queue + "_expan"
        elif name in ("q0", "q1", "q2", "q3"):
            queue = name
        if isinstance(value, Value) and name:
            fields.setdefault(name, value)
    p[0] = [("indicate_load", fields, (), 0)]


def p_parts(p: Any) -> None:
    "parts : parts part"
    p[1].append(p[2])
    p[0] = p[1]


def p_no_parts(p: Any) -> None:
    "parts :"
    p[0] = []


def p_percent(p: Any) -> None:
    "part : PERCENT"
    name, value = _pair(p[1])
    p[0] = (_PERCENTS[name], Value(int(value[:-1]), Unit.PERCENT, _IN, 1))


def p_ratio(p: Any) -> None:
    "part : RATIO"
    text = _pair(p[1])[1]
    p[0] = ("ratio", Value(float(text), Unit.RATIO, _IN, 10.0 ** -len(text.partition(".")[2])))


def p_hit(p: Any) -> None:
    "part : HIT"
    p[0] = ("mdc_hit", Value(int(p[1].partition("-")[2][:-1]), Unit.PERCENT, _IN, 1))


def p_rate(p: Any) -> None:
    "part : RATE"
    name, value = _pair(p[1])
    p[0] = (_RATES.get(name, ""), Value(int(value[:-4]), Unit.PER_S, _IN, 1))


def p_queue(p: Any) -> None:
    "part : QUEUE"
    name, value = _pair(p[1])
    p[0] = (name.lower(), Value(int(value.partition("(")[0]), Unit.COUNT, _IN, 1))


def p_expan(p: Any) -> None:
    "part : EXPAN"
    p[0] = ("EXPAN", Value(int(p[1][6:]), Unit.COUNT, _IN, 1))


def p_engines(p: Any) -> None:
    "part : NUMBER"
    p[0] = ("engines", Value(int(p[1]), Unit.COUNT, _IN))


def p_other(p: Any) -> None:
    """part : OTHER
    | PROC
    | MDC
    | NL"""
    p[0] = ("", None)


def render(record: Record) -> str:
    """RECORD in the form of the system that it came from: z/VM if it has engines."""
    number = {name: v.value for name, v in record.fields.items() if isinstance(v, Value)}
    if "engines" not in number:
        words = [f"CPU-{number['cpu']:03}%"]
        if "apu" in number:
            words.append(f"APU-{number['apu']:03}%")
        words += [f"Q1-{number['q1']:02}", f"Q2-{number['q2']:02}"]
        ratio = fixed(str(number["ratio"]), 10)
        words += [f"STORAGE-{number['storage']:03}%", f"RATIO-{ratio // 10:02}.{ratio % 10}"]
        return " ".join(words)
    return "\n".join(
        (
            f"AVGPROC-{number['cpu']:03}% {number['engines']:04}",
            f"MDC READS-{number['mdc_reads']:06}/SEC WRITES-{number['mdc_writes']:06}/SEC"
            f" HIT RATIO-{number['mdc_hit']:03}%",
            f"PAGING-{number['paging']}/SEC",
            f"Q0-{number['q0']:05} Q1-{number['q1']:05}           Q2-{number['q2']:05}"
            f" EXPAN-{number['q2_expan']:03} Q3-{number['q3']:05} EXPAN-{number['q3_expan']:03}",
        )
    )
