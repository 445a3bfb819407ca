# SPDX-License-Identifier: MIT
"""SMAPI's Image_Performance_Query as z/VM's smcli prints it: a block for each machine.

A real answer is in the tests of a client of it. CPU and elapsed time are since LOGON, in uS.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

BLANK = r"[ \t\r\f\0\n]"
_LABELS = {
    "Used CPU time": ("cpu_time", Unit.US), "Elapsed time": ("online", Unit.US),
    "Minimum memory": ("memory_least", Unit.KB), "Max memory": ("memory_most", Unit.KB),
    "Shared memory": ("memory_shared", Unit.KB), "Used memory": ("memory", Unit.KB),
    "Active CPUs in CEC": ("engines", Unit.COUNT), "Guest CPUs": ("cpus", Unit.COUNT),
    "Samples CPU in use": ("samples_cpu", Unit.COUNT),
    "Samples CPU delay": ("samples_delay", Unit.COUNT),
    "Samples page wait": ("samples_page", Unit.COUNT),
    "Samples idle": ("samples_idle", Unit.COUNT), "Samples other": ("samples_other", Unit.COUNT),
    "Samples total": ("samples", Unit.COUNT),
}  # fmt: skip
_UNITS = {Unit.US: "uS", Unit.KB: "KB", Unit.COUNT: ""}
LEXICON = [
    ("ID", r"Virtual server ID: +\S{1,8}(?!\S)", "Virtual server ID: userid"),
    ("NUMBER", r',?[A-Z][A-Za-z ]{2,30}: +"\d{1,18}(?: (?:uS|KB))?"(?!\S)', 'name: "n unit"'),
    ("WORD", r',?[A-Z][A-Za-z ]{2,30}: +"[^"\n]{0,20}"(?!\S)', 'name: "word"'),
]
tokens = [name for name, _, _ in LEXICON]
_PART = re.compile(r',?([^:]+): +"(\d*)(?: (\w+))?')


def p_image(p: Any) -> None:
    "image : ID parts"
    if "cpu_time" not in p[2]:
        raise Mismatch(None, 'Used CPU time: "n uS"')
    p[0] = [("image", {"userid": p[1].split()[-1].upper(), **p[2]}, (), 0)]


def p_parts(p: Any) -> None:
    """parts : parts NUMBER
    | parts WORD
    |"""
    if len(p) == 1:
        p[0] = {}
        return
    fields: dict[str, Field] = p[1]
    if p.slice[2].type == "NUMBER":
        label, number, unit = _PART.match(p[2]).groups()  # type: ignore[union-attr]
        name, wanted = _LABELS.get(label, ("", Unit.COUNT))
        if name and (unit or "") == _UNITS[wanted]:
            fields[name] = Value(int(number), wanted, Source.RT, 1)
    p[0] = fields
