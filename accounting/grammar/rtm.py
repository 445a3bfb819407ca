# SPDX-License-Identifier: MIT
"""The log of VM/KB's RTMSF machine: one SYSTEM line and one USER line per user and interval.

Synthetic: nobody has a real RTM screen, so this is our own format (docs/reference/formats.md), with
the meanings of the documented INDICATE and MONITOR fields.  Numbers may have any width.
"""

from __future__ import annotations

from typing import Any

from vmkb.accounting.grammar.base import Mismatch, p_error
from vmkb.accounting.grammar.times import CLOCK, clock, fixed, iso_date
from vmkb.accounting.records import Field, Source, Unit, Value

__all__ = ["LEXICON", "p_error", "tokens"]

LEXICON = [
    ("SYSTEM", r"RTMSF SYSTEM(?!\S)", "RTMSF SYSTEM"),
    ("USER", r"RTMSF USER +[A-Z0-9@#$_+:-]{1,8}(?!\S)", "RTMSF USER userid"),
    ("WHEN", rf"\d\d\d\d-\d\d-\d\d {CLOCK}(?!\S)", "yyyy-mm-dd hh:mm:ss"),
    ("SECS", r"SECS=\d{1,9}\.\d{3}(?!\S)", "SECS=n.nnn"),
    (
        "FIELD",
        r"(?:CPU|CP|USR|WAIT|VIRT|IO|IUCV|STOR|QUEUE|USERS|MDC|CONS|INSTR)=\d{1,9}(?:\.\d{1,2})?(?!\S)",
        "CPU=n.nn",
    ),
    ("STATE", r"STATE=[A-Z]{1,4}(?!\S)", "STATE=x"),
    ("MODEL", r"MODEL=[A-Z0-9@#$_.+-]{1,8}(?!\S)", "MODEL=name"),
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
# What may follow, in this order; MODEL ends it.
_SYSTEM_MORE = [
    ("USERS", "users", Unit.COUNT),
    ("MDC", "mdc", _PERCENT),
    ("CONS", "console", _PER_S),
    ("INSTR", "instr", _PER_S),
]
_USER = [
    ("CPU", "cpu", _PERCENT),
    ("VIRT", "virt", _PERCENT),
    ("IO", "io", _PER_S),
    ("IUCV", "iucv", _PER_S),
    ("STOR", "storage", Unit.KB),
]
_USER_MORE = [("CONS", "console", _PER_S), ("INSTR", "instr", _PER_S)]


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
        fields[name] = _number(number, unit)
    if len(given) < len(wanted):
        end = given[-1].lexpos + len(given[-1].value)
        raise Mismatch(None, wanted[len(given)][0] + "=", end)


def _number(text: str, unit: Unit) -> Value:
    decimals = len(text.partition(".")[2])
    value = float(text) if decimals else int(text)
    return Value(value, unit, _RT, 10**-decimals if decimals else 1)


def _take_more(
    given: list[Any], known: list[tuple[str, str, Unit]], fields: dict[str, Field]
) -> None:
    """Fields that may be absent, in the order of KNOWN."""
    left = iter(known)
    for token in given:
        key, _, number = token.value.partition("=")
        for label, name, unit in left:
            if label == key:
                fields[name] = _number(number, unit)
                break
        else:
            raise Mismatch(token, "the end of the record")


def p_system(p: Any) -> None:
    """line : SYSTEM WHEN SECS list
    | SYSTEM WHEN SECS list MODEL"""
    fields = _common(p)
    _take(p[4], _SYSTEM, fields)
    _take_more(p[4][len(_SYSTEM) :], _SYSTEM_MORE, fields)
    if len(p) > 5:
        fields["model"] = p[5][6:]
    p[0] = [("rtm_system", fields, (), 0)]


def p_user(p: Any) -> None:
    """line : USER WHEN SECS list STATE
    | USER WHEN SECS list STATE MODEL
    | USER WHEN SECS list STATE list
    | USER WHEN SECS list STATE list MODEL"""
    fields = _common(p)
    fields["userid"] = p[1].split()[2]
    _take(p[4], _USER, fields)
    if len(p[4]) > len(_USER):
        raise Mismatch(p[4][len(_USER)], "STATE=")
    fields["state"] = p[5][6:]
    for more in p[6:]:
        if isinstance(more, list):
            _take_more(more, _USER_MORE, fields)
        else:
            fields["model"] = more[6:]
    p[0] = [("rtm_user", fields, (), 0)]


def p_list(p: Any) -> None:
    """list : list FIELD
    | FIELD"""
    if len(p) == 3:
        p[1].append(p.slice[2])
        p[0] = p[1]
    else:
        p[0] = [p.slice[1]]
