# SPDX-License-Identifier: MIT
from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.hercules.tn3270.course import course
from vmkb.hercules.tn3270.script import VERBS, ScriptError, Step, parse_script

SAMPLE = """\
# logs on and asks
set timeout 20
logon MAINT "MY PASS" on 0701
cp query names
cms listfile * exec a
rc 28
expect "a ""quoted"" word" within 0.5
expect Ready;
type say "hello"
enter
pf 12
pa 2
Screen
use 0700
operator query names

logoff
"""


def test_every_step_of_the_language() -> None:
    steps = parse_script(SAMPLE, "s")
    assert [(step.line, step.verb, step.args) for step in steps] == [
        (2, "set", {"timeout": 20.0}),
        (3, "logon", {"user": "MAINT", "password": "MY PASS", "device": 0x701}),
        (4, "cp", {"text": "query names"}),
        (5, "cms", {"text": "listfile * exec a"}),
        (6, "rc", {"number": 28}),
        (7, "expect", {"text": 'a "quoted" word', "within": 0.5}),
        (8, "expect", {"text": "Ready;"}),
        (9, "type", {"text": 'say "hello"'}),
        (10, "enter", {}),
        (11, "pf", {"number": 12}),
        (12, "pa", {"number": 2}),
        (13, "screen", {}),
        (14, "use", {"device": 0x700}),
        (15, "operator", {"text": "query names"}),
        (17, "logoff", {}),
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("loggon A B", "'loggon' is not a step; steps are clear, cms,"),
        ("logon A", r"logon: write it as: logon USER PASSWORD \[on DEVICE\]"),
        ("logon A B at 0700", "write it as"),
        ("logon A B on terminal", "'terminal' is not a terminal"),
        ("cp", "cp: text must follow"),
        ("enter now", "nothing may follow, but 'now' does"),
        ("pf 25", "a number from 1 to 24 must follow, not '25'"),
        ("pa 0", "from 1 to 3"),
        ("pf", "not ''"),
        ("expect", r'write it as: expect "TEXT"'),
        ('expect ""', "write it as"),
        ('expect "open', "double quote is not closed"),
        ('expect a"b"', r"write it as|double quote"),
        ("expect a within soon", "'soon' is not a time"),
        ("expect a within 0", "'0' is not a time"),
        ("expect a within nan", "'nan' is not a time"),
        ("set timeout", "write it as: set timeout SECONDS"),
        ("rc yes", "a return code must follow, not 'yes'"),
        ("type a\x07b", "cannot be typed"),
        ("use 07G0", "'07G0' is not a terminal"),
    ],
)
def test_mistakes_name_file_and_line(line: str, says: str) -> None:
    with pytest.raises(ScriptError, match=says) as error:
        parse_script(f"# first\n\n{line}\n", "dir/x.vm")
    assert str(error.value).startswith("dir/x.vm:3: ")


PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1)


@given(PRINTABLE)
def test_a_quoted_word_is_itself(text: str) -> None:
    quoted = text.replace('"', '""').replace("{", "{{")
    (step,) = course(parse_script(f'expect "{quoted}" within 3'), random.Random(0))
    assert step == Step(1, "expect", {"text": text, "within": 3.0})


@given(PRINTABLE.filter(lambda text: text == text.strip()))
def test_raw_text_is_taken_as_it_stands(text: str) -> None:
    steps = parse_script("cms " + text.replace("{", "{{"))
    (step,) = course(steps, random.Random(0))
    assert step.args == {"text": text}


@given(st.text(), st.sampled_from(sorted(VERBS)))
def test_any_text_is_steps_or_a_script_error(text: str, verb: str) -> None:
    for source in (text, f"{verb} {text}"):
        try:
            parse_script(source)
        except ScriptError as error:
            assert 1 <= error.line <= len(source.splitlines())
