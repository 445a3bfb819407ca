# SPDX-License-Identifier: MIT
"""A command line is cut into operands and options."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.cms.conftest import Ask

EXAMPLES = [
    ("listfile", [], []),
    ("listfile a b c", ["A", "B", "C"], []),
    ("listfile a b(date noh", ["A", "B"], ["DATE", "NOH"]),
    ("listfile (date) comment", [], ["DATE"]),
    ("copyfile a b c = = d ( rep )", ["A", "B", "C", "=", "=", "D"], ["REP"]),
    ("x (", [], []),
    ("x a ( b(c", ["A"], ["B(", "C"]),
    ("x a)b", ["A)B"], []),
]


@pytest.fixture
def ask(start: Callable[[], Ask]) -> Ask:
    return start()


@pytest.mark.parametrize(("line", "words", "options"), EXAMPLES)
def test_examples(ask: Ask, line: str, words: list[str], options: list[str]) -> None:
    expected = ["rc 0", *(f"word {w}" for w in words), *(f"option {o}" for o in options)]
    assert ask("a" + line) == expected


def test_more_operands_than_fit_are_refused(ask: Ask) -> None:
    assert len(ask("aname" + " x" * 40)) == 41
    assert ask("aname" + " x" * 41) == ["rc 24"]
    assert ask("aname (" + " x" * 41) == ["rc 24"]


@settings(
    max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(line=st.text(alphabet=" ()aZ=*.", max_size=255))
def test_any_line(ask: Ask, line: str) -> None:
    answer = ask("a" + line)
    if answer == ["rc 24"]:
        assert len(re.findall(r"[^ (]+|\(", line)) > 40
        return
    words = [item[5:] for item in answer if item.startswith("word ")]
    operands = re.sub(r"^[^ (]*", "", line).split("(")[0]
    assert words == operands.upper().split()
    for option in (item[7:] for item in answer if item.startswith("option ")):
        assert option and " " not in option and ")" not in option
