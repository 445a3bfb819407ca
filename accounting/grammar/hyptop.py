# SPDX-License-Identifier: MIT
"""hyptop -b of Linux on IBM Z: a table of z/VM guests or of LPARs, each time it looks.

IBM's page on hyptop has the displays; names and units of columns are those of its source.  The
second head has each column's unit, which is what makes a time of Cpu+ readable: hours and minutes
unless -f asks for others.  The last row is the sum of all and is left out.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Parsed, p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

BLANK = r"[ \t\r\f\0\n]"
_NUMBER = r"(?:-?\d{1,18}(?:\.\d{1,6}|(?::\d\d){1,2})?|-)(?!\S)"
LEXICON = [
    ("TYPES", r"\|? *cpu-t:(?: +[A-Z]{2,3}\(\d{1,5}\))*(?: +\?=help)?(?!\S)", "cpu-t: UN(n)"),
    ("HEADS", r"system(?: +#?[A-Za-z]{2,8}\+?(?!\S)){1,30}", "system and the heads of columns"),
    ("UNITS", r"\(str\)(?: +\([a-zA-Z#%]{1,3}\)){1,30}(?!\S)", "the units of the columns"),
    ("ROW", rf"(?=[0-9-]*[A-Z@#$_])[A-Z0-9@#$_-]++(?: +{_NUMBER}){{1,30}}", "a system"),
    ("SUM", rf"{_NUMBER}(?: +{_NUMBER}){{0,30}}", "the sum of all"),
    ("END", r"-{40,}+(?!\S)", "a line of dashes"),
]
tokens = [name for name, _, _ in LEXICON]
_RT = Source.RT
_MINUTE = 60_000_000


#: Microseconds of each part of a time, from its last, by the unit of its column.
_TIMES = {
    "hm": (_MINUTE, 60 * _MINUTE), "dhm": (_MINUTE, 60 * _MINUTE, 1440 * _MINUTE),
    "m": (_MINUTE,), "s": (1_000_000,), "ms": (1000,), "us": (1,),
}  # fmt: skip
#: Fields of times since the guest began, by the heads of their columns in small letters.
_TOTALS = {"cpu+": "cpu_time", "core+": "cpu_time", "mgm+": "managed", "online": "online"}
#: Fields of a second's part.
_PARTS = {"cpu": "cpu", "core": "cpu", "mgm": "management"}


def p_table(p: Any) -> None:
    "table : TYPES HEADS UNITS rows"
    heads = p[2].lower().split()
    units = [unit.strip("()") for unit in p[3].split()]
    text = p.lexer.text
    made: list[Parsed] = []
    for token in p[4]:
        fields = _system(heads, units, token.value.split())
        line = text.count("\n", 0, token.lexpos) if made else 0
        made.append(("hyptop", fields, () if "cpu_time" in fields else (_NO_TIME,), line))
    p[0] = made


_NO_TIME = "no column of CPU time (Cpu+) that could be read"


def p_rows(p: Any) -> None:
    """rows : rows SUM
    | rows END
    | rows ROW
    | ROW"""
    if len(p) == 2:
        p[0] = [p.slice[1]]
        return
    p[0] = p[1]
    if p.slice[2].type == "ROW":
        p[0].append(p.slice[2])


def _system(heads: list[str], units: list[str], words: list[str]) -> dict[str, Field]:
    fields: dict[str, Field] = {"system": words[0]}
    if not len(heads) == len(units) == len(words):
        return fields
    for head, unit, word in zip(heads[1:], units[1:], words[1:], strict=True):
        if word == "-":
            continue
        if head in ("#cpu", "#core") and word.isdecimal():
            fields["cpus"] = Value(int(word), Unit.COUNT, _RT, 1)
        elif head in _TOTALS and len(_TIMES.get(unit, ())) == word.count(":") + 1:
            fields[_TOTALS[head]] = _time(word, _TIMES[unit])
        elif head in _PARTS and unit == "%" and ":" not in word:
            tick = 10.0 ** -len(word.partition(".")[2])
            fields[_PARTS[head]] = Value(float(word), Unit.PERCENT, _RT, tick)
    return fields


def _time(word: str, parts: tuple[int, ...]) -> Value:
    """WORD, as -1:02, in microseconds; each of its PARTS, from the last, has so many."""
    numbers = word.removeprefix("-").split(":")
    us = sum(float(n) * part for n, part in zip(reversed(numbers), parts, strict=True))
    tick = parts[0] * 10.0 ** -len(word.partition(".")[2])
    return Value(round(-us if word[0] == "-" else us), Unit.US, _RT, tick)
