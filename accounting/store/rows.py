# SPDX-License-Identifier: MIT
"""Whether a row of a results file is one: the shape that accounting.store relies on.

A results file is somebody's: it may be old, damaged or made on purpose. What is wrong is said once,
with its line, before anything is worked out from it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from vmkb.accounting.records import FIELDS, Source, Unit
from vmkb.errors import VmkbError

_UNITS = {str(unit) for unit in Unit}
_SOURCES = {str(source) for source in Source}
_NUMBERS = (int, float)
_LARGEST = 1 << 62
_SMALL = 1 << 31
_STATES = ("good", "untrusted", "failed")


class RowError(VmkbError, ValueError):
    """The row is none; the sentence says which field, and what it should be."""


def _constant(name: str) -> Any:
    raise RowError(f"{name} is no number")


_decode = json.JSONDecoder(parse_constant=_constant).decode


def decode(line: bytes) -> Any:
    """The JSON value of a line. ValueError if it is none, or nested too deeply."""
    try:
        row = _decode(line.decode("utf-8"))
        if b"\\ud" in line.lower():
            json.dumps(row, ensure_ascii=False).encode()  # half of a character is none
    except RecursionError:
        raise RowError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise RowError("there is half of a character in it") from None
    return row


def _want(good: bool, name: str, what: str, got: Any) -> None:
    if not good:
        shown = repr(got)
        raise RowError(f"{name} must be {what}, not {shown if len(shown) < 40 else shown[:36]}...")


def _text(row: Mapping[str, Any], name: str, default: str | None = None) -> None:
    got = row.get(name, default)
    _want(isinstance(got, str), name, "text", got)


def _name(row: Mapping[str, Any], name: str) -> None:
    got = row.get(name)
    _want(isinstance(got, str) and got.isprintable(), name, "text without control characters", got)


def _count(row: Mapping[str, Any], name: str, least: int = -_SMALL) -> None:
    got = row.get(name)
    good = type(got) is int and least <= got < _SMALL
    _want(good, name, "a whole number" + (" above 0" if least == 1 else ""), got)


def _names(row: Mapping[str, Any], name: str) -> None:
    got = row.get(name)
    good = isinstance(got, dict) and all(
        isinstance(v, str) and v.isprintable() and k.isprintable() for k, v in got.items()
    )
    _want(good, name, "names and texts without control characters", got)


def _number(got: Any) -> bool:
    return type(got) in _NUMBERS and math.isfinite(got) and abs(got) < _LARGEST


def _value(got: Any, name: str) -> None:
    good = (
        isinstance(got, list) and len(got) == 4 and _number(got[0]) and _number(got[3])
        and got[3] >= 0 and isinstance(got[1], str) and got[1] in _UNITS
        and isinstance(got[2], str) and got[2] in _SOURCES
    )  # fmt: skip
    _want(good, name, "a number, a unit, a source and a step", got)


def _optional_value(row: Mapping[str, Any], name: str) -> None:
    if row.get(name) is not None:
        _value(row[name], name)


def _run(row: Mapping[str, Any]) -> None:
    _name(row, "run")
    _names(row, "meta")
    _text(row, "at", "")


def _trial(row: Mapping[str, Any]) -> None:
    for name in ("trial", "run", "case", "release", "table", "mode", "run_id"):
        _name(row, name)
    for name in ("pair", "seq"):
        _count(row, name)
    _count(row, "engines", 1)
    for name in ("parts", "params"):
        _names(row, name)
    for name in ("data", "elapsed"):
        if name not in row:
            raise RowError(f"{name} is missing")
        _optional_value(row, name)


def _words(got: Any) -> bool:
    if isinstance(got, str):
        return True
    return isinstance(got, list) and all(
        isinstance(line, list) and all(isinstance(word, str) for word in line) for line in got
    )


#: What every record of a kind has, however it came about: its readers rely on it.
NEEDED: Mapping[str, tuple[str, ...]] = {
    "ftp_transfer": ("bytes",),
    "acnt": ("userid", "virt_time", "cp_time", "instr"),
    "acnt_sum": ("accounted", "elapsed"),
    "host_cpu": ("userid", "cpu"),
    "card_01": ("userid", "totcpu", "virtcpu"),
}


def _record(row: Mapping[str, Any]) -> None:
    try:
        good = _good_record(row)
    except (TypeError, AttributeError, KeyError, ValueError):
        good = False
    if not good:
        _faulty_record(row)


def _good_record(row: Mapping[str, Any]) -> bool:
    # nearly every row is one: a quick look, without a word on what is wrong
    file, line, column = row["where"]
    known = FIELDS.get(row["kind"], {})
    if not row["fields"].keys() >= set(NEEDED.get(row["kind"], ())):
        return False
    for name, got in row["fields"].items():
        if "v" not in got:
            if type(got["w"]) is not str or known.get(name) is not None:
                return False
            continue
        value, unit, source, tick = got["v"]
        if (
            type(value) not in _NUMBERS or not -_LARGEST < value < _LARGEST
            or type(tick) not in _NUMBERS or not 0 <= tick < _LARGEST
            or unit not in _UNITS or source not in _SOURCES or known.get(name, unit) != unit
        ):  # fmt: skip
            return False
    return (
        type(file) is str and type(line) is int and type(column) is int
        and -_SMALL < line < _SMALL and -_SMALL < column < _SMALL
        and type(row["trial"]) is str and type(row["kind"]) is str and type(row["raw"]) is str
        and type(row["stamp"]) is str and type(row["origin"]) is str and row["notes"] == []
    )  # fmt: skip


def _faulty_record(row: Mapping[str, Any]) -> None:
    for name in ("trial", "kind", "raw"):
        _text(row, name)
    for name in ("stamp", "origin"):
        _text(row, name, "")
    where = row.get("where")
    good = (
        isinstance(where, list) and len(where) == 3 and isinstance(where[0], str)
        and all(type(n) is int and abs(n) < _SMALL for n in where[1:])
    )  # fmt: skip
    _want(good, "where", "a file, a line and a column", where)
    notes = row.get("notes", [])
    _want(_words([notes]), "notes", "a list of texts", notes)
    fields = row.get("fields")
    _want(isinstance(fields, dict), "fields", "an object", fields)
    assert isinstance(fields, dict)
    for name in NEEDED.get(row["kind"], ()):
        if name not in fields:
            raise RowError(f"a {row['kind']} record without {name}")
    known: Mapping[str, Unit | None] = FIELDS.get(row["kind"], {})
    for name, got in fields.items():
        _want(isinstance(got, dict), name, "a value or words", got)
        unit = known.get(name)
        if "v" in got:
            _value(got["v"], name)
            good = name not in known or (unit is not None and got["v"][1] == str(unit))
            _want(good, name, f"in {unit}" if unit else "words", got["v"])
        else:
            _want("w" in got and _words(got["w"]), name, "a value or words", got)
            _want(unit is None, name, f"a number in {unit}", got["w"])


def _end(row: Mapping[str, Any]) -> None:
    _name(row, "trial")
    _want(row.get("status") in _STATES, "status", "good, untrusted or failed", row.get("status"))
    _text(row, "why")


_CHECKS: dict[str, Callable[[Mapping[str, Any]], None]] = {
    "run": _run,
    "trial": _trial,
    "record": _record,
    "end": _end,
}


def check_row(row: Mapping[str, Any]) -> None:
    """RowError if a row of today's schema is not what it should be."""
    kind = row.get("row")
    check = _CHECKS.get(kind) if isinstance(kind, str) else None
    if check is None:
        raise RowError(f"row must be one of {', '.join(_CHECKS)}, not {str(kind)[:36]!r}")
    check(row)
