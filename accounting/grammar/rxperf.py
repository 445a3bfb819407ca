# SPDX-License-Identifier: MIT
"""VM/KB's RXPERF: its report of three lines, and the line that says why calls ended early.

Our own form (docs/reference/rx.md).  A terminal's edge may break a line wherever there
is a blank. Rates are cut, not rounded; K is 1024.  Calls are counted, and the clock is the guest's
TOD clock in microseconds (PM).
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import p_error
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

_N = r"\d{1,18}"
LEXICON = [
    (
        "CALLS",
        rf"RXPERF:\s+{_N}\s+(?:NULL|WRITE|READ)\s+calls\s+of\s+{_N}\s+bytes\s+in\s+{_N}\.\d{{6}}"
        r"\s+seconds(?!\S)",
        "RXPERF: n WRITE calls of n bytes in n.nnnnnn seconds",
    ),
    (
        "RATE",
        rf"RXPERF:\s+{_N}\s+calls/second,\s+{_N}\s+KB/second(?!\S)",
        "RXPERF: n calls/second, n KB/second",
    ),
    (
        "PACKETS",
        rf"RXPERF:\s+{_N}\s+packets\s+sent,\s+{_N}\s+received,\s+{_N}\s+acknowledgements\s+sent,"
        rf"\s+{_N}\s+received,\s+{_N}\s+sent\s+again(?!\S)",
        "RXPERF: n packets sent, n received, n acknowledgements sent, n received, n sent again",
    ),
    (
        "ENDED",
        rf"DMSRXP110E\s+After\s+{_N}\s+calls:\s+[^()]{{1,80}}\(code\s+-?\d{{1,10}}\)",
        "DMSRXP110E After n calls: why (code n)",
    ),
]
BLANK = r"[ \t\r\f\0\n]"
tokens = [name for name, _, _ in LEXICON]
_PACKETS = ("sent", "received", "acks_sent", "acks_received", "again")
_PM = Source.PM


def _count(text: str) -> Value:
    return Value(int(text), Unit.COUNT, _PM)


def p_report(p: Any) -> None:
    "report : CALLS RATE PACKETS"
    words = p[1].split()
    calls, size, micros = int(words[1]), int(words[5]), int(words[8].replace(".", ""))
    fields: dict[str, Field] = {
        "operation": words[2],
        "calls": _count(words[1]),
        "size": Value(size, Unit.BYTE, _PM),
        "elapsed": Value(micros, Unit.US, _PM, 1),
    }
    fields |= dict(zip(_PACKETS, map(_count, re.findall(r"\d+", p[3])), strict=True))
    notes: tuple[str, ...] = ()
    if _rates(calls, size, micros) != tuple(map(int, re.findall(r"\d+", p[2]))):
        notes = ("the printed rates are not those of calls, bytes and seconds",)
    p[0] = [("rxperf", fields, notes, 0)]


def p_ended(p: Any) -> None:
    "report : ENDED"
    words = p[1].split()
    why, _, code = " ".join(words[4:]).rpartition("(code ")
    fields: dict[str, Field] = {
        "calls": _count(words[2]),
        "why": why.strip(),
        "code": Value(int(code[:-1]), Unit.COUNT, _PM),
    }
    p[0] = [("rxperf_ended", fields, (), 0)]


def _rates(calls: int, size: int, micros: int) -> tuple[int, int]:
    """Calls and KB a second as RXPERF prints them."""
    if not micros:
        return 0, 0
    return calls * 1_000_000 // micros, calls * size * 1_000_000 // 1024 // micros
