# SPDX-License-Identifier: MIT
"""PARSE against a model: sections between patterns, words within sections."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx.rexx import Rexx, quote

Item = tuple[str, str | int]


def give(section: str, names: list[str], into: dict[str, str]) -> None:
    for name in names[:-1]:
        section = section.lstrip(" ")
        word, _, section = section.partition(" ")
        into[name] = word
    if names:
        into[names[-1]] = section
    into.pop(".", None)


def model(s: str, template: list[Item]) -> dict[str, str]:
    """Variables by name. Patterns: ('lit', text), ('abs', n), ('+', n), ('-', n)."""
    into: dict[str, str] = {}
    names: list[str] = []
    start = match = 0
    for kind, value in template:
        if kind == "var":
            names.append(str(value))
            continue
        begin, end = start, len(s)
        if kind == "lit":
            found = s.find(str(value), start) if value else -1
            match = found if found >= 0 else len(s)
            start = found + len(str(value)) if found >= 0 else len(s)
            end = match
        else:
            n = int(value)
            to = {"abs": n - 1, "+": match + n, "-": match - n}[kind]
            to = max(0, min(len(s), to))
            if kind == "+":
                begin = match
            if kind != "-" and to > begin:
                end = to
            start = match = to
        give(s[begin:end], names, into)
        names = []
    give(s[start:], names, into)
    return into


def written(template: list[Item]) -> str:
    parts = []
    for kind, value in template:
        parts.append(
            {
                "var": f"{value}",
                "lit": quote(str(value)),
                "abs": f"={value}",
                "+": f"+{value}",
                "-": f"-{value}",
            }[kind]
        )
    return " ".join(parts)


items = st.one_of(
    st.sampled_from(["v1", "v2", "v3", "."]).map(lambda v: ("var", v)),
    st.sampled_from([",", "a", "ab", " "]).map(lambda v: ("lit", v)),
    st.integers(0, 14).map(lambda n: ("abs", n)),
    st.integers(0, 6).map(lambda n: ("+", n)),
    st.integers(0, 6).map(lambda n: ("-", n)),
)


@given(st.text("ab, ", max_size=14), st.lists(items, max_size=8))
def test_templates(rexx: Rexx, s: str, template: list[Item]) -> None:
    want = model(s, template)
    program = (
        f"v1 = 0; v2 = 0; v3 = 0\nparse value {quote(s)} with {written(template)}\n"
        "say '<'v1'><'v2'><'v3'>'"
    )
    out = rexx.run(program).out
    assert out == "".join(f"<{want.get(v, '0')}>" for v in ("v1", "v2", "v3")) + "\n"


@pytest.mark.parametrize(
    "program, out",
    [
        (
            "parse value 'the quick brown  fox' with p q r; say p'|'q'|'r'|'",
            "the|quick|brown  fox|",
        ),
        ("parse value '  lead trail ' with a; say '|'a'|'", "|  lead trail |"),
        ("parse value ' one two ' with p q; say '|'p'|'q'|'", "|one|two |"),
        ("parse value 'LAST, FIRST M' with l ',' f m; say l'|'f'|'m", "LAST|FIRST|M"),
        ("d = ', '; parse value 'a, b, c' with x (d) y (d) z; say x y z", "a b c"),
        ("n = 3; parse value 'abcdef' with x =(n) y +(n) z; say x'|'y'|'z", "ab|cde|f"),
        (
            "parse value 'REstructured eXtended eXecutor' with a 3 . 'X' b +1 . 'X' c +1 .;"
            " say a||b||c",
            "REXX",
        ),
        ("x = 'one two'; parse var x x y; say x'|'y", "one|two"),
        ("z = 'a b c'; parse var z y z; say y'|'z", "a|b c"),
        ("parse upper value 'mixed Case' with a b; say a b", "MIXED CASE"),
        ("a.1 = 'p q'; i = 1; parse var a.i u v; say u v", "p q"),
        ("parse value 'x y' with a.1 a.two; say a.1 a.TWO", "x y"),
        ("parse value 'abc' with; say 'nothing'", "nothing"),
        ("parse numeric d f form; say d f form", "9 0 SCIENTIFIC"),
        ("parse source s; say s", "CMS COMMAND TEST EXEC A1 TEST CMS"),
        ("parse version l v .; say left(l,4) v", "REXX 3.48"),
        ("parse arg a b; say b a", "World Hello"),
        ("arg a b; say b a", "WORLD HELLO"),
        ("parse external x; say x", "typed one"),
        (
            "queue 'stacked'; pull x; parse pull y; parse pull z; say x y z",
            "STACKED typed one typed two",
        ),
        ("pull a b; say b a", "ONE TYPED"),
        ("call s 'a b', 'c d'; exit; s: parse arg p q, r t; say q t; return", "b d"),
        ("call s 'a',, 'c'; exit; s: arg x, y, z; say x'|'y'|'z arg(); return", "A||C 3"),
    ],
)
def test_examples(rexx: Rexx, program: str, out: str) -> None:
    result = rexx.run(program, args="Hello World", terminal="typed one\ntyped two\n")
    assert (result.error, result.out) == (0, out + "\n")


@pytest.mark.parametrize(
    "program, error",
    [
        ("parse value 'a' b", 38),
        ("parse foo x", 25),
        ("parse", 20),
        ("parse value 'a' with &", 38),
        ("parse var 1 x", 31),
        ("parse arg x *3", 38),
        ("parse arg (x", 46),
        ("n = 'x'; parse arg a =(n)", 26),
        ("parse arg 5x", 38),
    ],
)
def test_errors(rexx: Rexx, program: str, error: int) -> None:
    assert rexx.run(program).error == error
