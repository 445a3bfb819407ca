# SPDX-License-Identifier: MIT
"""CMS Ready: 'Ready; T=v.vv/t.tt hh:mm:ss' and 'R;', with a return code, times and clock or
without.

T= is virtual / total CPU of the command, in seconds.  VM/370 CE prints 'Ready(00028)'
without the semicolon.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.grammar.times import CLOCK, TWO, clock
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("READY", r"(?i:ready ?|R)(?:\(-?\d{1,10}\);?|;)(?!\S)", "Ready; or Ready(nnnnn);"),
    ("TIMES", r"[Tt]=\d{1,9}\.\d\d/\d{1,9}\.\d\d(?!\S)", "T=s.ss/s.ss"),
    ("CLOCK", rf"{CLOCK}(?!\S)", "hh:mm:ss"),
]
tokens = ["READY", "TIMES", "CLOCK"]
_RM = Source.RM
_new = tuple.__new__


def p_timed(p: Any) -> None:
    "line : READY TIMES CLOCK"
    p_times(p)
    p[0][0][1]["clock"] = clock(p.slice[3].value, _RM)


def p_times(p: Any) -> None:
    "line : READY TIMES"
    slots = p.slice
    fields = _ready(slots[1].value)
    virt, _, tot = slots[2].value[2:].partition("/")
    virt_us = (int(virt[:-3]) * 100 + TWO[virt[-2:]]) * 10_000
    tot_us = (int(tot[:-3]) * 100 + TWO[tot[-2:]]) * 10_000
    fields["virtcpu"] = _new(Value, (virt_us, Unit.US, _RM, 10_000))
    fields["totcpu"] = _new(Value, (tot_us, Unit.US, _RM, 10_000))
    slots[0].value = [("ready", fields, _LESS if virt_us > tot_us else (), 0)]


def p_plain(p: Any) -> None:
    "line : READY"
    p[0] = [("ready", _ready(p[1]), (), 0)]


_LESS = ("T= total is less than virtual",)


def _ready(text: str) -> dict[str, Field]:
    at = text.find("(") + 1
    code = int(text[at : text.index(")")]) if at else 0
    return {
        "rc": _new(Value, (code, Unit.COUNT, _RM, 0)),
        "form": "long" if text[1] in "eE" else "short",
    }
