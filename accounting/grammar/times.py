# SPDX-License-Identifier: MIT
"""Clocks and dates as VM, VMS and PDP-10 print them; turned into seconds and ISO dates.

A two-digit year is 1970-2069, unless the weekday printed beside it only fits the other
century: VM/370 systems are still run with dates of either.
"""

from __future__ import annotations

import contextlib
from datetime import date
from functools import lru_cache

from vmkb.accounting.grammar.base import Mismatch, Token
from vmkb.accounting.records import Source, Unit, Value

_new = tuple.__new__
WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
#: Two digits to their number: a third of int()'s time, in the lines that logs are full of.
TWO = {f"{number:02}": number for number in range(100)}
#: Patterns without groups, for lexicons.
CLOCK = r"(?:[01]\d|2[0-4]):[0-5]\d:[0-5]\d"
DATE = r"(?:\d\d\d\d-\d\d-\d\d|\d\d/\d\d/(?:\d\d\d\d|\d\d))(?!\S)"
WEEKDAY = "(?:" + "|".join(WEEKDAYS) + r")(?!\S)"


def clock(text: str, source: Source) -> Value:
    """'hh:mm:ss' as seconds since midnight."""
    seconds = TWO[text[:2]] * 3600 + TWO[text[3:5]] * 60 + TWO[text[6:8]]
    return _new(Value, (seconds, Unit.DAY_S, source, 1))


@lru_cache(maxsize=512)
def iso_date(text: str, weekday: str = "") -> tuple[str, tuple[str, ...]]:
    """mm/dd/yy, mm/dd/yyyy or yyyy-mm-dd as ISO, and notes; Mismatch if there is no such day."""
    if text[4] == "-":
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
        years = [year]
    else:
        month, day, year = int(text[:2]), int(text[3:5]), int(text[6:])
        short = len(text) == 8
        years = [year + (1900 if year >= 70 else 2000), year + (2000 if year >= 70 else 1900)]
        if not short:
            years = [year]
    days = []
    for y in years:  # 29 February is in one of two centuries at times
        with contextlib.suppress(ValueError):
            days.append(date(y, month, day))
    if not days:
        raise Mismatch(None, f"a day of the calendar, not {text}", 0)
    if not weekday:
        return days[0].isoformat(), ()
    for one in days:
        if WEEKDAYS[one.weekday()] == weekday:
            return one.isoformat(), ()
    note = f"printed {weekday}, but {days[0].isoformat()} was {WEEKDAYS[days[0].weekday()]}"
    return days[0].isoformat(), (note,)


def checked_date(token: Token, weekday: str = "") -> tuple[str, tuple[str, ...]]:
    """As iso_date, with the error placed on TOKEN."""
    try:
        return iso_date(token.value, weekday)
    except Mismatch as miss:
        raise Mismatch(token, miss.expected) from None


def hms(text: str) -> int:
    """'h:mm:ss' or 'h:mm:ss.cc' in microseconds."""
    hours, minutes, seconds = text.split(":")
    whole, _, part = seconds.partition(".")
    return (int(hours) * 3600 + int(minutes) * 60 + int(whole)) * 1_000_000 + (
        int(part.ljust(6, "0")[:6]) if part else 0
    )


def fixed(text: str, scale: int) -> int:
    """A decimal number times SCALE as a whole number, without binary rounding."""
    whole, _, part = text.partition(".")
    digits = len(part)
    value = int((whole or "0") + part) * scale
    return value // int(10**digits)
