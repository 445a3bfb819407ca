# SPDX-License-Identifier: MIT
"""VM/KB's QUERY ACNT: a row for each account since IPL, their TOTAL, and what it adds up to.

Our own form (docs/reference/cp-commands.md).  Microseconds are the CPU timer's whatever model is in
force (AC); instructions are counts (IC).  Messages of the emulator may stand between the
lines of its console.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

_N = r"\d{1,18}"
LEXICON = [
    ("HEAD", r"USERID +VIRTUAL US +CP US +INSTRUCTIONS CORR'D(?!\S)", "the heading"),
    ("NOISE", r"HHC[A-Z0-9]{2}\d{3}[A-Z] [^\n]*", "a message of the emulator"),
    ("TOTAL", rf"TOTAL(?: +{_N}){{4}}(?!\S)", "TOTAL and four numbers"),
    (
        "SUM",
        rf"SUM {_N} US, ELAPSED {_N} US, DIFFERENCE -?{_N} US, {_N}\.\d\d%(?!\S)",
        "SUM n US, ELAPSED n US, DIFFERENCE n US, n.nn%",
    ),
    ("ROW", rf"[*A-Z0-9@#$_+:-]{{1,8}}(?: +{_N}){{4}}(?!\S)", "a userid and four numbers"),
]
BLANK = r"[ \t\r\f\0\n]"
tokens = [name for name, _, _ in LEXICON]
_AC, _IC = Source.AC, Source.IC


def p_answer(p: Any) -> None:
    "answer : HEAD lines"
    text = p.lexer.text
    made: list[Any] = []
    for token in p[2]:
        at = text.count("\n", 0, token.lexpos) if made else 0  # the heading is the first one's
        words = token.value.split()
        if token.type == "SUM":
            sums = {"accounted": _us(words[1]), "elapsed": _us(words[4])}
            made.append(("acnt_sum", sums, (), at))
        elif token.type == "TOTAL":
            made.append(("acnt_total", _used(words), (), at))
        else:
            made.append(("acnt", {"userid": words[0], **_used(words)}, (), at))
    p[0] = made


def p_lines(p: Any) -> None:
    """lines : lines line
    | lines NOISE
    | noise line"""
    p[0] = p[1]
    if p.slice[2].type != "NOISE":
        p[0].append(p[2])


def p_noise(p: Any) -> None:
    """noise : noise NOISE
    |"""
    p[0] = []


def p_line(p: Any) -> None:
    """line : ROW
    | TOTAL
    | SUM"""
    p[0] = p.slice[1]


def _us(text: str) -> Value:
    return Value(int(text), Unit.US, _AC, 1)


def _used(words: list[str]) -> dict[str, Field]:
    instr, corrections = map(int, words[3:])
    return {
        "virt_time": _us(words[1]),
        "cp_time": _us(words[2]),
        "instr": Value(instr, Unit.INSTR, _IC, 1),
        "corrections": Value(corrections, Unit.COUNT, _IC, 1),
    }
