# SPDX-License-Identifier: MIT
"""The interpreter against Regina (Debian's regina-rexx), expression by expression.

Where the two differ, regina.toml must say why; a difference that it does not explain fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.guests.rexx import vectors
from tests.guests.rexx.definition import shown
from tests.guests.rexx.rexx import Rexx
from tests.guests.rexx.vectors import Vector

KNOWN: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("regina.toml").read_text()
)
FUNCTION_KINDS = {"B2X", "X2D"}  # kinds of vectors.functions that rules speak of
DIED = "(died)"
SEEDS = (1, 2)
AT_ONCE = 400  # vectors in one program
DEADLINE = 60.0  # seconds regina may take for one program


def here(rexx: Rexx, some: list[Vector]) -> list[str]:
    lines = rexx.run(vectors.program(some)).lines
    assert len(lines) == len(some), f"ended at {some[len(lines)]}"
    return [vectors.value(line) for line in lines]


def regina(where: Path, some: list[Vector]) -> list[str]:
    """Regina's answers; DIED for a vector at which it ended, the next one starts it again."""
    command, lines = shutil.which("regina"), shutil.which("stdbuf")
    if command is None or lines is None:
        pytest.skip("needs regina (Debian's regina-rexx) and stdbuf")
    found: list[str] = []
    while len(found) < len(some):
        where.write_text(vectors.program(some[len(found) :]))
        # It does not always end at SIGTERM: subprocess's own limit kills it.
        ran = subprocess.run(
            [lines, "-oL", command, str(where)],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            encoding="latin-1",
        )
        found += [vectors.value(line) for line in ran.stdout.split("\n")[:-1]]
        if len(found) < len(some):
            found.append(DIED)
    return found


def number(text: str) -> Decimal | None:
    return None if text.startswith("error") or text == DIED else Decimal(text.strip())


def written(v: Vector, ours: str, theirs: str) -> bool:
    """The same number, written by the other rule of when an exponent begins."""
    x = number(ours)
    return x is not None and shown(x, v.digits, v.form, smallest=-6) == theirs


def same_number(v: Vector, ours: str, theirs: str) -> bool:
    """The same number, and ours is what the definition says."""
    x = number(ours)
    return v.wanted == ours and x is not None and x == number(theirs)


def defined(v: Vector, ours: str, theirs: str) -> bool:
    """Ours is what the definition says, worked out apart from the interpreter."""
    return v.wanted == ours


def odd_group(v: Vector, ours: str, theirs: str) -> bool:
    """Refused for a blank that does not stand before four binary digits."""
    return ours == "error 40" and re.search(r" [01]{1,3}'", v.expression) is not None


def too_long(v: Vector, ours: str, theirs: str) -> bool:
    """Refused as it needs more than DIGITS digits."""
    x = number(theirs)
    return ours == "error 40" and x is not None and x >= 10**v.digits


def died(v: Vector, ours: str, theirs: str) -> bool:
    return theirs == DIED and v.wanted == ours


CHECKS: dict[str, Callable[[Vector, str, str], bool]] = {
    "written": written,
    "same number": same_number,
    "defined": defined,
    "died": died,
    "odd group": odd_group,
    "too long": too_long,
}


def explained(v: Vector, ours: str, theirs: str) -> str | None:
    """The name of the known difference that this one is, None when it is none."""
    for case in KNOWN["case"]:
        if (case["vector"], case["ours"], case["regina"]) == (str(v), ours, theirs):
            return str(case["name"])
    for rule in KNOWN["rule"]:
        if v.kind in rule["kinds"] and CHECKS[rule["check"]](v, ours, theirs):
            return str(rule["name"])
    return None


def compare(rexx: Rexx, where: Path, made: list[Vector]) -> dict[str, int]:
    """How often each known difference was seen; fails with the unknown ones."""
    seen = {"same": 0}
    unknown = []
    for at in range(0, len(made), AT_ONCE):
        some = made[at : at + AT_ONCE]
        pairs = zip(some, here(rexx, some), regina(where, some), strict=True)
        for v, ours, theirs in pairs:
            name = "same" if ours == theirs else explained(v, ours, theirs)
            if name is None:
                unknown.append(f"{v}: <{ours}>, regina <{theirs}>, defined <{v.wanted}>")
            else:
                seen[name] = seen.get(name, 0) + 1
    assert not unknown, f"{len(unknown)} of {len(made)}:\n" + "\n".join(unknown[:40])
    return seen


def test_arithmetic(rexx: Rexx, tmp_path: Path) -> None:
    made = [v for seed in SEEDS for v in vectors.arithmetic(seed)]
    seen = compare(rexx, tmp_path / "vectors.rexx", made)
    needed = {
        rule["name"]
        for rule in KNOWN["rule"]
        if rule["name"] != "death" and not set(rule["kinds"]) & FUNCTION_KINDS
    }
    print(f"{len(made)} expressions: {seen}")
    assert needed <= set(seen)  # none has become needless
    assert seen["same"] > len(made) // 2 and seen.get("death", 0) < 20


def test_functions(rexx: Rexx, tmp_path: Path) -> None:
    made = [v for seed in SEEDS for v in vectors.functions(seed)]
    seen = compare(rexx, tmp_path / "vectors.rexx", made)
    print(f"{len(made)} calls: {seen}")
    assert seen["same"] > len(made) * 0.99


def test_listed_cases(rexx: Rexx, tmp_path: Path) -> None:
    """Each listed case is still as the file says, on both sides."""
    cases = []
    for case in KNOWN["case"]:
        digits, fuzz, form, expression = case["vector"].split(" ", 3)
        cases.append(Vector("case", int(digits), int(fuzz), form, expression))
    assert here(rexx, cases) == [case["ours"] for case in KNOWN["case"]]
    assert regina(tmp_path / "vectors.rexx", cases) == [case["regina"] for case in KNOWN["case"]]


def test_arithmetic_as_defined(rexx: Rexx) -> None:
    """Arithmetic against the definition alone; needs no regina."""
    made = vectors.arithmetic(seed=3)
    for at in range(0, len(made), AT_ONCE):
        some = made[at : at + AT_ONCE]
        for v, ours in zip(some, here(rexx, some), strict=True):
            assert ours == v.wanted, str(v)
