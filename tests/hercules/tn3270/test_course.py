# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.course import course, thinks
from vmkb.hercules.tn3270.script import ScriptError, parse_script


def done(
    text: str, seed: int = 1, think_s: float = 0.0, **variables: str
) -> list[tuple[str, object]]:
    """Verbs and arguments of what TEXT comes to."""
    steps = parse_script(text, "s")
    made = course(steps, random.Random(seed), variables, "s", think_s)
    return [(step.verb, next(iter(step.args.values()), None)) for step in made]


def test_loops_are_gone_through_and_may_be_in_each_other() -> None:
    text = "repeat 2\ncms a\nrepeat 3\npf 8\nend\nend\ncms b"
    assert done(text) == 2 * [("cms", "a"), *3 * [("pf", 8)]] + [("cms", "b")]


def test_variables_stand_for_text_and_numbers_in_any_case() -> None:
    text = "let File REPORT SCRIPT\nlet n 12\ncms TYPE {file}\npf {N}\ncms {user} {{x} {"
    assert done(text, user="U1") == [
        ("cms", "TYPE REPORT SCRIPT"),
        ("pf", 12),
        ("cms", "U1 {x} {"),
    ]


def test_a_word_is_picked_by_the_seed() -> None:
    text = 'pick mode A "B C" D\ncms GO {mode}'
    seen = {done(text, seed)[0] for seed in range(40)}
    assert seen == {("cms", "GO A"), ("cms", "GO B C"), ("cms", "GO D")}
    assert done(text, 7) == done(text, 7)


def test_who_thinks_does_so_before_each_key_that_sends() -> None:
    text = "type a\nenter\nset think 0\nenter\nset think 5\ncms b\nwait 3"
    verbs = [verb for verb, _ in done(text, think_s=30)]
    assert verbs == ["type", "wait", "enter", "enter", "wait", "cms", "wait"]
    assert done(text)[-1] == ("wait", 3.0)


def test_think_times_have_two_humps_and_their_mean() -> None:
    draws = random.Random(3)
    every = [thinks(30, draws) for _ in range(20_000)]
    assert fmean(every) == pytest.approx(30, rel=0.03)
    near = [sum(low <= x < low + 5 for x in every) for low in (8, 45, 85)]
    assert near[0] > near[1] < near[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repeat 2\ncms a", "s:1: repeat: it has no end."),
        ("cms a\nend", "s:2: end: no repeat stands before it."),
        ("repeat x", "s:1: repeat: a number from 1 to 1000000 must follow, not 'x'."),
        (
            "let 1x y",
            "s:1: let: '1x' is not a name; a letter, then letters, digits and _ make one.",
        ),
        ("pick x", "s:1: pick: write it as: pick NAME ONE OTHER ...."),
        ("wait 0", "s:1: wait: '0' is not a time; give seconds from above 0 to 3600."),
        (
            "cms a\ncms {x}",
            "s:2: cms: {x} has no value; let x gives it one, {{ stands for a brace.",
        ),
        ("let n 99\npf {n}", "s:2: pf: a number from 1 to 24 must follow, not '99'."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ScriptError) as caught:
        done(text)
    assert str(caught.value) == said


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_loops_within_loops_multiply(times: list[int]) -> None:
    text = "\n".join([*(f"repeat {n}" for n in times), "enter", *("end" for _ in times)])
    expected = 1
    for n in times:
        expected *= n
    assert len(done(text)) == expected
