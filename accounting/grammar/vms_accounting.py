# SPDX-License-Identifier: MIT
"""The accounting block that VMS prints at logout or job end (VAX and Alpha captures), and that of
SHOW PROCESS/ACCOUNTING (a VAX capture), which is of the process so far.

VAX prints 'Peak page file size', Alpha 'Peak virtual size'; times are D HH:MM:SS.CC.
Labels are read in capital or small letters, with their colon or without.
The line above it names the user: '  SYSTEM  job terminated at 10-MAY-2022 12:42:41.10'.
"""

from __future__ import annotations

import re
from typing import Any

from vmkb.accounting.grammar.base import MONTHS, Mismatch, p_error
from vmkb.accounting.grammar.times import clock, hms
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

BLANK = r"[ \t\r\f\0\n]"
_LABELS = {
    "buffered i/o count": ("buffered_io", Unit.COUNT),
    "direct i/o count": ("direct_io", Unit.COUNT),
    "page faults": ("page_faults", Unit.COUNT),
    "mounted volumes": ("mounted", Unit.COUNT),
    "peak working set size": ("peak_wss", Unit.PAGE),
    "peak page file size": ("peak_pages", Unit.PAGE),
    "peak virtual size": ("peak_pages", Unit.PAGE),
    "images activated": ("images", Unit.COUNT),
}
_TIMES = {
    "charged cpu time": "cpu", "elapsed time": "elapsed",
    "elapsed cpu time": "cpu", "connect time": "elapsed",
}  # fmt: skip
_DAY = r"\d{1,2}-[A-Z]{3}-\d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d\d)?(?!\S)"
LEXICON = [
    ("TITLE", r"Accounting [Ii]nformation:?(?!\S)", "Accounting information:"),
    ("COUNT", r"(?i:" + "|".join(_LABELS) + r"):? +\d{1,15}(?!\S)", "a count with its name"),
    (
        "TIME",
        r"(?i:" + "|".join(_TIMES) + r"):? +\d{1,5} \d\d:[0-5]\d:[0-5]\d\.\d\d(?!\S)",
        "Charged CPU time: d hh:mm:ss.cc",
    ),
    ("LOGOUT", r"\S{1,12} +(?:job terminated|logged out) at(?!\S)", "a user and 'logged out at'"),
    ("DATE", _DAY, "dd-mmm-yyyy hh:mm:ss.cc"),
]
tokens = [name for name, _, _ in LEXICON]
_AC = Source.AC
_PART = re.compile(r"(\D+?):? +(\d.*)")


def p_block(p: Any) -> None:
    "block : TITLE parts"
    fields = p[2]
    if "cpu" not in fields:
        raise Mismatch(None, "Charged CPU time: or Elapsed CPU time: d hh:mm:ss.cc")
    p[0] = [("vms_usage" if "images" in fields else "vms_accounting", fields, (), 0)]


def p_logout(p: Any) -> None:
    "block : LOGOUT DATE"
    token = p.slice[2]
    iso, at = vms_date(p[2], token)
    fields = {"userid": p[1].split()[0], "date": iso, "clock": clock(at, _AC)}
    p[0] = [("vms_logout", fields, (), 0)]


def p_parts(p: Any) -> None:
    """parts : parts COUNT
    | parts TIME"""
    label, text = _PART.match(p[2]).groups()  # type: ignore[union-attr]
    label = label.lower()
    if label in _LABELS:
        name, unit = _LABELS[label]
        p[1][name] = Value(int(text), unit, _AC, 1)
    else:
        p[1][_TIMES[label]] = Value(micros(text), Unit.US, _AC, 10_000)
    p[0] = p[1]


def p_no_parts(p: Any) -> None:
    "parts :"
    fields: dict[str, Field] = {}
    p[0] = fields


def micros(text: str) -> int:
    """A time of VMS, 'd hh:mm:ss.cc', in microseconds."""
    days, _, rest = text.strip().partition(" ")
    return int(days) * 86_400_000_000 + hms(rest)


def vms_date(text: str, token: Any) -> tuple[str, str]:
    """'27-OCT-1995 16:22:53.01' as ISO date and hh:mm:ss; Mismatch on TOKEN if no such day."""
    from datetime import date

    day, _, at = text.partition(" ")
    number, month, year = day.split("-")
    try:
        return date(int(year), MONTHS[month], int(number)).isoformat(), at[:8]
    except (ValueError, KeyError):
        raise Mismatch(token, f"a day of the calendar, not {day}") from None
