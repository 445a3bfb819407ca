# SPDX-License-Identifier: MIT
"""TIME IS, LOGON AT, LOGOFF AT, DISCONNECT AT, and IDENTIFY: a clock, a date, a zone, a day.

VM/370 prints mm/dd/yy after the weekday and one blank after the zone; z/VM pads the zone
to four and follows the system's date format.  DISCONNECT AT has the same form from
memory only (no capture was found).  IDENTIFY has the date before the zone.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import CLOCK, DATE, WEEKDAY, checked_date, clock
from vmkb.accounting.records import Field, Source

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("WHAT", r"(?i:TIME IS|LOGON AT|LOGOFF AT|DISCONNECT AT)(?!\S)", "TIME IS or LOGON AT"),
    ("CLOCK", rf"{CLOCK}(?!\S)", "hh:mm:ss"),
    ("DATE", DATE, "mm/dd/yy, mm/dd/yyyy or yyyy-mm-dd"),
    ("DAY", f"(?i:{WEEKDAY})", "a weekday"),
    ("VIA", r"VIA(?!\S)", "VIA"),
    ("AT", r"AT(?!\S)", "AT"),
    ("NAME", r"[A-Za-z0-9@#$_+:-]{1,8}(?!\S)", "a name or time zone of 1 to 8 characters"),
]
tokens = ["WHAT", "CLOCK", "DATE", "DAY", "VIA", "AT", "NAME"]
_WORDS = {
    "time_is": "TIME IS",
    "logon": "LOGON AT",
    "logoff": "LOGOFF AT",
    "disconnect": "DISCONNECT AT",
}
_KINDS = {words: kind for kind, words in _WORDS.items()}


def _stamp(when: Any, day: Any, zone: str, weekday: str) -> tuple[dict[str, Field], Any]:
    weekday = weekday.upper()
    iso, notes = checked_date(day, weekday)
    fields: dict[str, Field] = {
        "clock": clock(when.value, Source.QT),
        "date": iso,
        "zone": zone,
        "weekday": weekday,
    }
    return fields, notes


def p_stamp(p: Any) -> None:
    "line : WHAT CLOCK NAME DAY DATE"
    slots = p.slice
    fields, notes = _stamp(slots[2], slots[5], slots[3].value, slots[4].value)
    slots[0].value = [(_KINDS[slots[1].value.upper()], fields, notes, 0)]


def p_identify(p: Any) -> None:
    "line : name AT name VIA name CLOCK DATE NAME DAY"
    fields, notes = _stamp(p.slice[6], p.slice[7], p[8], p[9])
    fields.update(userid=p[1], node=p[3], rscs=p[5])
    p[0] = [("identify", fields, notes, 0)]


def p_identify_no_zone(p: Any) -> None:
    "line : name AT name VIA name CLOCK DATE DAY"
    raise Mismatch(p.slice[8], "a time zone")


def p_name(p: Any) -> None:
    """name : NAME
    | DAY
    | VIA
    | AT"""
    p[0] = p[1]  # nothing keeps a user from being called TUESDAY
