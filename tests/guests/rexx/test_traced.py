# SPDX-License-Identifier: MIT
"""A program says the same when it is traced: the loop for untraced programs has short ways of its
own, the other one goes step by step. TRACE C and L run the other one and show next to nothing."""

from __future__ import annotations

import pytest

from tests.guests.rexx import programs
from tests.guests.rexx.rexx import Rexx
from tests.guests.rexx.test_programs import corpus

MADE = {f"seed {seed}": programs.program(seed) for seed in range(1, 201)}
TEXTS = {
    name: text
    for name, text in {**corpus(), **MADE}.items()
    if "trace" not in text.lower() and "sourceline" not in text.lower()
}


@pytest.mark.parametrize("setting", ["c", "l"])
def test_traced_programs_say_the_same(rexx: Rexx, setting: str) -> None:
    for name, text in TEXTS.items():
        plain = rexx.run(f"trace n;{text}")
        traced = rexx.run(f"trace {setting};{text}")
        said = [line for line in traced.lines if " *-* " not in line]
        message = [line.replace(f"trace {setting}", "trace n") for line in said]
        assert (message, traced.error, traced.rc) == (plain.lines, plain.error, plain.rc), name


@pytest.mark.parametrize("setting", ["n", "c"])
def test_a_term_keeps_its_value_while_its_variable_changes(rexx: Rexx, setting: str) -> None:
    program = (
        "x = 1; say x f() x; x = 1; say x + f() + x; x = 1; say f() x; x = 'a'; say x || f() || x\n"
        "exit\nf: if x = 1 then x = 10; else x = 'bcd'; return x"
    )
    assert rexx.run(f"trace {setting}; {program}").out == "1 10 10\n21\n10 10\nabcdbcd\n"


@pytest.mark.parametrize("setting", ["n", "i"])
def test_tracing_begins_within_a_loop_and_a_clause(rexx: Rexx, setting: str) -> None:
    program = (
        "n = 0; do i = 1 to 6; if i = 3 then x = trace('{}') n + i; n = n + i; end\n"
        "trace o; say n i x trace()"
    )
    assert rexx.run(program.format(setting)).lines[-1] == "21 7 N 6 O"


def test_a_traced_value_is_shown_as_it_was(rexx: Rexx) -> None:
    """The value of a stem's variable that goes when all of the stem get it."""
    assert rexx.run("a.1 = 'some text'; trace r; a. = a.1\ntrace o; say a.2").lines == [
        "     1 *-* a. = a.1",
        '       >>>   "some text"',
        "     2 *-* trace o",
        "some text",
    ]
