# SPDX-License-Identifier: MIT
"""The log of VM/KB's RTMSF machine: one SYSTEM line and one USER line per user and interval.

Synthetic: nobody has a real RTM screen, so this is our own format (docs/formats.md), with
the meanings of the documented INDICATE and MONITOR fields.  Numbers may have any width.
"""

from __future__ import annotations

from typing import Any

from accounting.grammar.base import Mismatch, p_error
from accounting.grammar.times import CLOCK, clock, fixed, iso_date
from accounting.records import Field, Record, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "render", "tokens"]

LEXICON = [
    ("SYSTEM", r"RTMSF SYSTEM(?!\S)", "RTMSF SYSTEM"),
    ("USER", r"RTMSF USER +[A-Z0-9@#$_+:-]{1,8}(?!\S)", "RTMSF USER userid"),
    ("WHEN", rf"\d\d\d\d-\d\d-\d\d {CLOCK}(?!\S)", "yyyy-mm-dd hh:mm:ss"),
    ("SECS", r"SECS=\d{1,9}\.\d{3}(?!\S)", "SECS=n.nnn"),
    (
        "FIELD",
        r"(?:CPU|CP|USR|WAIT|VIRT|IO|IUCV|STOR|QUEUE)=\d{1,9}(?:\.\d{1,2})?(?!\S)",
        "CPU=n.nn",
    ),
    ("STATE", r"STATE=[A-Z]{1,4}(?!\S)", "STATE=x"),
]
tokens = [name for name, _, _ in LEXICON]
_RT = Source.RT
_PERCENT, _PER_S = Unit.PERCENT, Unit.PER_S
_SYSTEM = [
    ("CPU", "cpu", _PERCENT),
    ("CP", "cp", _PERCENT),
    ("USR", "user", _PERCENT),
    ("WAIT", "wait", _PERCENT),
    ("IO", "io", _PER_S),
    ("IUCV", "iucv", _PER_S),
    ("STOR", "storage", _PERCENT),
    ("QUEUE", "queue", Unit.COUNT),
]
_USER = [
    ("CPU", "cpu", _PERCENT),
    ("VIRT", "virt", _PERCENT),
    ("IO", "io", _PER_S),
    ("IUCV", "iucv", _PER_S),
    ("STOR", "storage", Unit.KB),
]


def _common(p: Any) -> dict[str, Field]:
    token = p.slice[2]
    day, _, at = token.value.partition(" ")
    try:
        iso, _ = iso_date(day)
    except Mismatch as miss:
        raise Mismatch(token, miss.expected) from None
    micros = fixed(p[3][5:], 1_000_000)
    return {"date": iso, "clock": clock(at, _RT), "interval": Value(micros, Unit.US, _RT, 1000)}


def _take(given: list[Any], wanted: list[tuple[str, str, Unit]], fields: dict[str, Field]) -> None:
    for token, (label, name, unit) in zip(given, wanted, strict=False):
        key, _, number = token.value.partition("=")
        if key != label:
            raise Mismatch(token, label + "=")
        decimals = len(number.partition(".")[2])
        value = float(number) if decimals else int(number)
        fields[name] = Value(value, unit, _RT, 10**-decimals if decimals else 1)
    if len(given) < len(wanted):
        end = given[-1].lexpos + len(given[-1].value)
        raise Mismatch(None, wanted[len(given)][0] + "=", end)
    if len(given) > len(wanted):
        raise Mismatch(given[len(wanted)], "the end of the record")


def p_system(p: Any) -> None:
    "line : SYSTEM WHEN SECS list"
    fields = _common(p)
    _take(p[4], _SYSTEM, fields)
    p[0] = [("rtm_system", fields, (), 0)]


def p_user(p: Any) -> None:
    "line : USER WHEN SECS list STATE"
    fields = _common(p)
    fields["userid"] = p[1].split()[2]
    _take(p[4], _USER, fields)
    fields["state"] = p[5][6:]
    p[0] = [("rtm_user", fields, (), 0)]


def p_list(p: Any) -> None:
    """list : list FIELD
    | FIELD"""
    if len(p) == 3:
        p[1].append(p.slice[2])
        p[0] = p[1]
    else:
        p[0] = [p.slice[1]]


def render(record: Record) -> str:
    """RECORD as RTMSF logs it."""
    seconds = int(record.value("clock").value)
    at = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    millis = int(record.value("interval").value) // 1000
    user = record.kind == "rtm_user"
    words = [f"RTMSF USER {record.word('userid'):<8}" if user else "RTMSF SYSTEM"]
    words += [f"{record.word('date')} {at}", f"SECS={millis // 1000}.{millis % 1000:03}"]
    for label, name, unit in _USER if user else _SYSTEM:
        number = record.value(name).value
        whole = unit in (Unit.COUNT, Unit.KB)
        words.append(f"{label}={int(number)}" if whole else f"{label}={number:.2f}")
    if user:
        words.append(f"STATE={record.word('state')}")
    return " ".join(words)
