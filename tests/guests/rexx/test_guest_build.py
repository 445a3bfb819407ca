# SPDX-License-Identifier: MIT
"""The guest's build of the interpreter (s390x, EBCDIC, own string.c) says what the host's says."""

from __future__ import annotations

import random

import pytest

from tests.guests.rexx.rexx import Rexx
from tests.guests.rexx.test_clauses import PROGRAMS
from tests.guests.rexx.test_errors import ERRORS
from tests.guests.rexx.test_fuzz import mutate

pytestmark = pytest.mark.slow  # the cross build alone takes seconds

# What depends on the character set, as it should: hexadecimal strings, NOT signs, X'15'.
OWN = ("hexadecimal strings", "comparison operators")
SCRIPTS = [p for name, (p, _) in PROGRAMS.items() if name not in OWN] + [
    p for _, p in ERRORS if "~" not in p and "`" not in p
]


def test_same_programs(rexx: Rexx, rexx390: Rexx) -> None:
    for program in SCRIPTS:
        assert rexx390.run(program) == rexx.run(program), program


def test_character_set_is_ebcdic(rexx390: Rexx) -> None:
    assert rexx390.say("c2x('A1z ')") == "C1F1A940"
    assert rexx390.say("'c8c9'x") == "HI"
    assert rexx390.say("translate('stu') xrange('a','c')") == "STU abc"
    assert rexx390.say("('A' < 'a') ('9' > 'Z')") == "0 1"
    assert rexx390.run("say (1 ^= 2)").out == "1\n"  # cp037's ^ is 1047's NOT sign


def test_broken_programs(rexx: Rexx, rexx390: Rexx) -> None:
    rng = random.Random(7)
    for _ in range(1500):
        program = mutate(rng)
        program = "".join(c for c in program if c.isascii() and (c.isprintable() or c == "\n"))
        if any(
            w in program.lower()
            for w in (
                "'x",
                "'b",
                '"x',
                '"b',
                "<",
                ">",
                "c2",
                "2c",
                "~",
                "`",
                "^",
                "{",
                "}",
                "[",
                "]",
                "xrange",
                "diag",
                "random",
                "max(",
                "min(",
                "bit",
            )
        ):
            continue
        assert (
            rexx390.run(program, halt_after=20).error == rexx.run(program, halt_after=20).error
        ), program
