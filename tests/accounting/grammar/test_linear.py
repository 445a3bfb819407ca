# SPDX-License-Identifier: MIT
"""A record's line costs in proportion to its length, whatever it is filled with."""

from __future__ import annotations

import importlib
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import Phase, find
from hypothesis import settings as hypothesis_settings

from tests.accounting.grammar import make_records as made
from tests.accounting.grammar.printed import render
from tests.accounting.grammar.steps import Counted

#: What a line is filled with. A part of each is one that some grammar takes, or almost takes.
FILLERS = (
    " ", "\t", "\0", "\r", "\f", "\xa0", "  \xa0", "1", "A", ".", " |", "| x ", " 1", " A", ", ",
    "FF ", " 1.", ": ", " - ", "=", " 12:00:00", " AT ", "CPU 00: ", "*",
)  # fmt: skip
#: The first record will do.
ONE = hypothesis_settings(database=None, max_examples=1, phases=(Phase.generate,))
#: Longer than any bounded repetition of a pattern.
LENGTH = 120
#: How many places of a family's lines are tried.
EACH = 6


@pytest.fixture(scope="module")
def lines() -> dict[str, list[str]]:
    """For each family, one record of each kind as its system prints it."""
    found: dict[str, list[str]] = {}
    for records in made.RECORDS.values():
        record = find(records, lambda _: True, settings=ONE)
        family = made.family_of(record.kind)
        found.setdefault(family, []).append(render(record))
    return found


@pytest.fixture(scope="module")
def scan(lines: dict[str, list[str]]) -> Iterator[Callable[[bytes], int]]:
    """The steps that reading some bytes takes, with every pattern of accounting counted."""
    real = re.compile

    def compiled(pattern: Any, flags: int = 0) -> Any:
        whose = sys._getframe(1).f_globals["__name__"]
        return Counted(pattern, flags) if _ours(whose) else real(pattern, flags)

    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if _ours(name)}
    limit = sys.getrecursionlimit()
    re.compile = compiled
    sys.setrecursionlimit(20_000)
    try:
        reader = importlib.import_module("vmkb.accounting.input.scan").scan

        def steps(data: bytes) -> int:
            Counted.steps = 0
            list(reader([data]))
            return int(Counted.steps)

        yield steps
    finally:
        re.compile = real
        sys.setrecursionlimit(limit)
        for name in [name for name in sys.modules if _ours(name)]:
            del sys.modules[name]
        sys.modules.update(kept)
        # Those within it still know each other.
        sys.modules["vmkb"].__dict__["accounting"] = kept["vmkb.accounting"]


def _ours(name: str) -> bool:
    return name == "vmkb.accounting" or name.startswith("vmkb.accounting.")


def grows(steps: Callable[[bytes], int], before: str, filler: str, behind: str) -> bool:
    """Whether the third part of FILLER costs more steps than the second, which is as long."""
    few, some, many = (
        steps((before + filler * (LENGTH * times) + behind).encode("latin-1"))
        for times in (1, 2, 3)
    )
    return many - some > 1.3 * (some - few) + 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "family", sorted({made.family_of(name.split()[0]) for name in made.RECORDS})
)
def test_steps_grow_with_the_length(
    scan: Callable[[bytes], int], lines: dict[str, list[str]], family: str
) -> None:
    chosen = random.Random(family)
    cases = []
    for text in lines[family]:
        for at in range(2, len(text) + 1):
            if not text[at - 1 : at + 1].isalnum():
                some = [" ", chosen.choice(FILLERS), chosen.choice(FILLERS)]
                cases += [(text[:at], some.pop(), rest) for rest in (text[at:], "", "x")]
    ends = [(text, " ", rest) for text in lines[family][:2] for rest in ("", "x")]
    cases = ends + chosen.sample(cases, min(len(cases), EACH))
    bad = [case for case in cases if grows(scan, *case)]
    assert not bad, bad[0]
