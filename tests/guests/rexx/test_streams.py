# SPDX-License-Identifier: MIT
"""Streams by lines and by characters; the files are the harness's."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.guests.rexx.rexx import Rexx, quote

TWO = "call lineout 'F', 'one'; call lineout 'F', 'two'\n"
END = "e = charin('E', 1, 2); parse var e 2 e\n"  # the line end, whatever it is
MAKE_END = "call lineout 'E', 'x'\n" + END


READS = (
    TWO + MAKE_END + "say length(e) chars('F') lines('F')\n"
    "say charin('F')charin('F') chars('F') lines('F') '<'linein('F')'>' chars('F')\n"
    "say translate(charin('F', 3, 4), '/', e) translate(charin('F',, 99), '/', e)'.'\n"
    "say '<'charin('F')'>' chars('F') lines('F') chars('NONE') '<'charin('NONE')'>'\n"
    "say '<'charin('F', 1, 0)'>' charin('F',, 3) '<'charin('F', 99)'>'\n"
    "say charin('F', 1, 0)translate(charin('F', 8), '/', e) charin('F', 5)linein('F') lines('F')"
)
READ = ["1 8 2", "on 6 2 <e> 4", "e/tw o/.", "<> 0 0 0 <>", "<> one <>", "/ two 0"]


def test_characters_of_a_file(rexx: Rexx) -> None:
    assert rexx.run(READS).lines == READ


def test_the_line_end_of_the_guest(rexx390: Rexx) -> None:
    assert rexx390.run(READS).lines == READ
    assert rexx390.run(MAKE_END + "say c2x(e)").out == "15\n"


def test_characters_are_written(rexx: Rexx) -> None:
    program = (
        MAKE_END + "say charout('F', 'ab') charout('F', 'c'e'd') lines('F') chars('F')\n"
        "say linein('F') linein('F') charout('F', 'x'e || e'y')\n"
        "say lineout('F', 'z') charout('F', 'end') charout('F')\n"
        "do while lines('F') > 0; call charout , '['linein('F')']'; end; call charout , e"
    )
    assert rexx.run(program).lines == ["0 0 2 6", "abc d 0", "0 0 0", "[abc][d][x][][yz][end]"]


def test_what_cannot_be_written(rexx: Rexx) -> None:
    program = MAKE_END + (
        "say charout('FULL', 'ab') charout('FULL', 'cd'e'ef') lineout('FULL', 'x')\n"
        "say charout('FULL', 'ab') charout('FULL') stream('FULL', 'c', 'close')\n"
    )
    # Of "abcd" the first two were taken before; the line end shows that they cannot be kept.
    assert rexx.run(program).lines == ["0 5 1", "0 1 READY"]


def test_the_terminal(rexx: Rexx) -> None:
    program = (
        "call charout , 'Name'; call charout , '? '; parse pull n; say 'Hello,' n\n"
        "call charout , 'a'; 'RC 0'; call charout , 'b'; say 'c'; call charout , 'd'\n"
        "say charin() chars() lines() charin(,, 2)linein() lines() chars() charin(,, 4)\n"
        "parse external x; say x '<'charin()'>'; call charout , 'at the end'"
    )
    assert rexx.run(program, terminal="Fred\nx12345\nab\nrest\n").lines == [
        "Name? ",
        "Hello, Fred",
        "a",
        "<CMS> RC 0",
        "bc",
        "d",
        "x 6 3 12345 2 1 ab",
        "r",
        "est <>",
        "at the end",
    ]


def test_an_error_comes_after_what_was_shown(rexx: Rexx) -> None:
    out = rexx.run("call charout , 'here'; say 1/0").lines
    assert out[:2] == ["here", "     1 +++ call charout , 'here'; say 1/0"[:9] + "+ say 1/0"]


def test_names_are_the_same_however_they_are_written(rexx: Rexx) -> None:
    program = TWO + "say charin('F')linein(' f ') linein('F')"
    assert rexx.run(program).lines == ["one two"]


def test_what_was_closed_holds_no_storage(rexx: Rexx) -> None:
    program = "do i = 1 to 5000; x = charin('NAME'i); call charout , 'y'; call stream 'NAME'i, 'c',"
    result = rexx.run(program + " 'close'; end; say 'z'", arena=64 * 1024)
    assert result.out == "y" * 5000 + "z\n"


def test_wrong_calls(rexx: Rexx) -> None:
    for call in (
        "charin('F', 0)",
        "charin('F', 'x')",
        "charin('F', 1, -1)",
        "charin('F', 1, 1, 1)",
        "charout('F', 'x', 1)",
        "chars('F', 'x')",
        "linein('F', 1, 2)",
    ):
        assert rexx.say(call) == "error 40", call


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    lines=st.lists(st.text("abc ", max_size=6), min_size=1, max_size=6),
    pieces=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    by_line=st.lists(st.booleans(), min_size=12, max_size=12),
)
def test_any_mixture_reads_all_once(
    rexx: Rexx, lines: list[str], pieces: list[int], by_line: list[bool]
) -> None:
    """However a file is read, by lines and by characters in turn, it is what was written."""
    program = MAKE_END + "".join(f"call charout 'F', {quote(line)}e\n" for line in lines)
    program += "all = ''\n"
    for n, line in zip(pieces, by_line, strict=False):
        if line:
            program += "if lines('F') > 0 then all = all || linein('F')'/'\n"
        else:
            program += f"all = all || translate(charin('F',, {n}), '/', e)\n"
    program += "say all || translate(charin('F',, 999), '/', e)"
    assert rexx.run(program).out == "".join(line + "/" for line in lines) + "\n"
