# SPDX-License-Identifier: MIT
"""With what bytes a pattern can begin, read from the pattern itself as re has compiled it."""

from __future__ import annotations

import re
from typing import Any

ALL = frozenset(range(256))
_parser: Any = getattr(re, "_parser")  # noqa: B009  (re's own reading of a pattern)


def first_bytes(pattern: bytes) -> frozenset[int]:
    """The bytes with which a match of PATTERN can begin; all of them if it can be empty."""
    found, empty = _sequence(_parser.parse(pattern), False)
    return ALL if empty else found


def _sequence(items: Any, ignore_case: bool) -> tuple[frozenset[int], bool]:
    """The first characters of one thing after another, and whether it can be empty."""
    found: frozenset[int] = frozenset()
    for operation, argument in items:
        these, empty = _one(str(operation), argument, ignore_case)
        found |= these
        if not empty:
            return found, False
    return found, True


def _one(operation: str, argument: Any, ignore_case: bool) -> tuple[frozenset[int], bool]:
    if operation == "LITERAL":
        return _cased({argument}, ignore_case), False
    if operation == "IN":
        return _cased(_members(argument), ignore_case), False
    if operation in ("ANY", "NOT_LITERAL"):
        return ALL, False
    if operation == "BRANCH":
        arms = [_sequence(arm, ignore_case) for arm in argument[1]]
        return frozenset().union(*(found for found, _ in arms)), any(e for _, e in arms)
    if operation == "SUBPATTERN":
        _, added, _, inner = argument
        return _sequence(inner, ignore_case or bool(added & re.IGNORECASE))
    if operation == "ATOMIC_GROUP":
        return _sequence(argument, ignore_case)
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = argument
        found, empty = _sequence(inner, ignore_case)
        return found, empty or least == 0
    if operation in ("AT", "ASSERT", "ASSERT_NOT"):
        return frozenset(), True
    raise ValueError(f"a pattern of a family uses {operation}, which is not known here")


def _members(items: Any) -> set[int]:
    """The bytes of a set in brackets."""
    found: set[int] = set()
    inverted = False
    for operation, argument in items:
        name = str(operation)
        if name == "NEGATE":
            inverted = True
        elif name == "LITERAL":
            found.add(argument)
        elif name == "RANGE":
            found.update(range(argument[0], argument[1] + 1))
        else:
            found.update(_CATEGORIES[str(argument)])
    return set(ALL - found) if inverted else found


_DIGITS = frozenset(b"0123456789")
_BLANKS = frozenset(b" \t\n\r\f\v")
_CATEGORIES = {
    "CATEGORY_DIGIT": _DIGITS,
    "CATEGORY_NOT_DIGIT": ALL - _DIGITS,
    "CATEGORY_SPACE": _BLANKS,
    "CATEGORY_NOT_SPACE": ALL - _BLANKS,
}


def _cased(found: set[int], ignore_case: bool) -> frozenset[int]:
    if not ignore_case:
        return frozenset(found)
    text = bytes(sorted(found))
    return frozenset(text.lower() + text.upper())


def one_of(found: frozenset[int]) -> bytes:
    """A set in brackets that matches one of the bytes FOUND."""
    return b"[" + b"".join(rb"\x%02x" % byte for byte in sorted(found)) + b"]"


__all__ = ["first_bytes", "one_of"]
