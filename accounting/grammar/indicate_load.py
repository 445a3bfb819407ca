# SPDX-License-Identifier: MIT
"""CP INDICATE LOAD: VM/370's one line, and z/VM's AVGPROC block.

VM/370: CPU-nnn% APU-nnn% Q1-nn Q2-nn STORAGE-nnn% RATIO-nn.n (APU only on attached
processors; the manual's text is an OCR reading).  z/VM: lines from two captures (6.3 and
7.3); numbers in parentheses are of users in the loading class.  All of it is smoothed by CP.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

_N = r"-\d{1,9}"
LEXICON = [
    ("FIRST", r"(?:CPU[-=]\d{1,9}|AVGPROC-\d{1,9})%(?!\S)", "CPU-nnn% or AVGPROC-nnn%"),
    (
        "PART",
        rf"(?:(?:APU|STORAGE)[-=]\d{{1,9}}%|RATIO[-=]\d{{1,9}}\.\d{{1,6}}|HIT +RATIO{_N}%"
        rf"|(?:READS|WRITES|PAGING){_N}/SEC|Q[0-3][-=]\d{{1,9}}(?:\(\d{{1,9}}\))?|EXPAN{_N})(?!\S)",
        "a name and its number, as Q1-nn or STORAGE-nnn%",
    ),
    ("ENGINES", r"\d{1,9}(?!\S)", "a number of engines"),
    (
        "OVER",
        rf"(?:MDC|(?:STEAL|XSTORE|MIGRATE){_N}(?:%|/SEC)"
        rf"|(?:E[0-3]|DORMANT|LIMITED){_N}(?:\(\d{{1,9}}\))?)(?!\S)",
        "another z/VM field",
    ),
    (
        "PROC",
        rf"PROC +\d{{1,9}}{_N}% +[A-Z]{{2,4}}(?: +(?:HZ|VH|VM|VL))?(?!\S)",
        "PROC nnnn-nnn% type",
    ),
]
tokens = [name for name, _, _ in LEXICON]
BLANK = r"[ \t\r\f\0\n]"
_CI = Source.CI
_NAMES = {
    "APU": ("apu", Unit.PERCENT),
    "STORAGE": ("storage", Unit.PERCENT),
    "READS": ("mdc_reads", Unit.PER_S),
    "WRITES": ("mdc_writes", Unit.PER_S),
    "PAGING": ("paging", Unit.PER_S),
    **{f"Q{n}": (f"q{n}", Unit.COUNT) for n in range(4)},
    **{f"E{n}": (f"e{n}", Unit.COUNT) for n in range(4)},
    "EXPAN": ("expan", Unit.COUNT),
    "HIT RATIO": ("mdc_hit", Unit.PERCENT),
    "DORMANT": ("dormant", Unit.COUNT),
    "LIMITED": ("limited", Unit.COUNT),
    "STEAL": ("steal", Unit.PERCENT),
    "XSTORE": ("xstore", Unit.PER_S),
    "MIGRATE": ("migrate", Unit.PER_S),
}
_NUMBER = re.compile(r"([A-Z0-3 ]+)[-=](\d+)(\.\d+)?(?:\((\d+)\))?")


def p_load(p: Any) -> None:
    "load : fields"
    fields = p[1]
    fields.pop("queue", None)
    p[0] = [("indicate_load", fields, (), 0)]


def p_first(p: Any) -> None:
    "fields : FIRST"
    text = p[1]
    number = int(text[4:-1] if text[0] == "C" else text[8:-1])
    fields: dict[str, Field] = {"cpu": Value(number, Unit.PERCENT, _CI, 1)}
    p[0] = fields


def p_part(p: Any) -> None:
    "fields : fields PART"
    slots = p.slice
    fields = slots[0].value = slots[1].value
    name, value, loading = _part(slots[2].value)
    if name == "expan":
        name = fields.get("queue", "q") + "_expan"
    elif name[0] == "q":
        fields["queue"] = name
    fields.setdefault(name, value)
    if loading is not None:
        fields.setdefault(name + "_loading", loading)


@lru_cache(maxsize=4096)
def _part(text: str) -> tuple[str, Value, Value | None]:
    """A part's field, its value, and how many of them are in the loading class."""
    label, number, part, loading = _NUMBER.match(text).groups()  # type: ignore[union-attr]
    if label == "RATIO":
        tick = 10.0 ** (1 - len(part))
        return "ratio", Value(float(number + part), Unit.RATIO, _CI, tick), None
    name, unit = _NAMES[" ".join(label.split())]
    more = Value(int(loading), unit, _CI, 1) if loading else None
    return name, Value(int(number), unit, _CI, 1), more


def p_engines(p: Any) -> None:
    "fields : fields ENGINES"
    p[0] = p[1]
    p[0].setdefault("engines", Value(int(p[2]), Unit.COUNT, _CI))


def p_over(p: Any) -> None:
    "fields : fields OVER"
    p[0] = p[1]
    if p[2] == "MDC":
        return
    name, value, loading = _part(p[2])
    p[0].setdefault(name, value)
    if loading is not None:
        p[0].setdefault(f"{name}_loading", loading)


def p_proc(p: Any) -> None:
    "fields : fields PROC"
    p[0] = p[1]
    place, percent, *kind = p[2][4:].replace("%", " ").replace("-", " ", 1).split()
    row = (place, percent, kind[0], kind[1] if len(kind) > 1 else "")
    p[0]["processors"] = (*p[0].get("processors", ()), row)
