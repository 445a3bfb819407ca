# SPDX-License-Identifier: MIT
"""CMS Ready: 'Ready; T=v.vv/t.tt hh:mm:ss' and 'R;', with a return code or without.

T= is virtual / total CPU of the command, in seconds.  VM/370 CE prints 'Ready(00028)'
without the semicolon; a negative code as (-0003) is from memory only.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import p_error
from accounting.grammar.times import CLOCK, clock
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

LEXICON = [
    ("READY", r"(?:Ready|R)(?:\(-?\d{1,10}\);?|;)(?!\S)", "Ready; or Ready(nnnnn);"),
    ("TIMES", r"T=\d{1,9}\.\d\d/\d{1,9}\.\d\d(?!\S)", "T=s.ss/s.ss"),
    ("CLOCK", rf"{CLOCK}(?!\S)", "hh:mm:ss"),
]
tokens = ["READY", "TIMES", "CLOCK"]
_RM = Source.RM
_new = tuple.__new__


def p_timed(p: Any) -> None:
    "line : ready TIMES CLOCK"
    fields = p[1]
    virt, _, tot = p[2][2:].partition("/")
    fields["virtcpu"] = v = _new(Value, (int(virt.replace(".", "")) * 10_000, Unit.US, _RM, 10_000))
    fields["totcpu"] = t = _new(Value, (int(tot.replace(".", "")) * 10_000, Unit.US, _RM, 10_000))
    fields["clock"] = clock(p[3], _RM)
    late = v.value > t.value
    p[0] = [("ready", fields, ("T= total is less than virtual",) if late else (), 0)]


def p_plain(p: Any) -> None:
    "line : ready"
    p[0] = [("ready", p[1], (), 0)]


def p_ready(p: Any) -> None:
    "ready : READY"
    text = p[1]
    code = int(text[text.index("(") + 1 : text.index(")")]) if "(" in text else 0
    fields: dict[str, Field] = {
        "rc": Value(code, Unit.COUNT, _RM),
        "form": "long" if text[1] == "e" else "short",
    }
    p[0] = fields


def render(record: Record) -> str:
    """RECORD as CMS prints it."""
    code = int(record.value("rc").value)
    digits = f"({code:05})" if code else ""
    line = ("Ready" if record.word("form") == "long" else "R") + digits + ";"
    if "clock" not in record.fields:
        return line
    seconds = int(record.value("clock").value)
    virt, tot = (int(record.value(n).value) // 10_000 for n in ("virtcpu", "totcpu"))
    at = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{line} T={virt // 100}.{virt % 100:02}/{tot // 100}.{tot % 100:02} {at}"
