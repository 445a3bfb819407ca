# SPDX-License-Identifier: MIT
"""TRACE: what is shown, and the pauses of interactive tracing."""

from __future__ import annotations

import pytest

from tests.guests.rexx.rexx import Rexx

NESTED = """trace {}
do i = 1 to 2
  if i = 2 then do
    say -i s.i
  end
end
call sub 1
trace o
exit
sub: return length('ab') + arg(1)"""


def test_results_are_indented_by_nesting(rexx: Rexx) -> None:
    assert rexx.run(NESTED.format("r")).lines == [
        "     2 *-* do i = 1 to 2",
        "     3 *-*  if i = 2",
        '       >>>    "0"',
        "     6 *-* end",
        "     2 *-* do i = 1 to 2",
        "     3 *-*  if i = 2",
        '       >>>    "1"',
        "     3 *-*  do",
        "     4 *-*   say -i s.i",
        '       >>>     "-2 S.2"',
        "-2 S.2",
        "     5 *-*  end",
        "     6 *-* end",
        "     2 *-* do i = 1 to 2",
        "     7 *-* call sub 1",
        "    10 *-*  sub:",
        "    10 *-*  return length('ab') + arg(1)",
        '       >>>    "3"',
        "     8 *-* trace o",
    ]


def test_intermediate_values(rexx: Rexx) -> None:
    out = rexx.run(NESTED.format("i")).lines
    assert out[:6] == [
        "     2 *-* do i = 1 to 2",
        '       >L>   "1"',
        '       >L>   "2"',
        "     3 *-*  if i = 2",
        '       >V>    "1"',
        '       >L>    "2"',
    ]
    say = out.index("     4 *-*   say -i s.i")
    assert out[say + 1 : say + 7] == [
        '       >V>     "2"',
        '       >P>     "-2"',
        '       >C>     "S.2"',
        '       >V>     "S.2"',
        '       >O>     "-2 S.2"',
        "-2 S.2",
    ]
    assert out[-8:] == [
        "    10 *-*  sub:",
        "    10 *-*  return length('ab') + arg(1)",
        '       >L>    "ab"',
        '       >F>    "2"',
        '       >L>    "1"',
        '       >F>    "1"',
        '       >O>    "3"',
        "     8 *-* trace o",
    ]


def test_intermediate_values_after_a_routine_that_has_its_own_setting(rexx: Rexx) -> None:
    out = rexx.run("trace i\nx = f() + 1\ntrace o; exit\nf: trace o; return 5").lines
    assert out == [
        "     2 *-* x = f() + 1",
        "     4 *-*  f:",
        "     4 *-*  trace o",
        '       >F>   "5"',
        '       >L>   "1"',
        '       >O>   "6"',
        "     3 *-* trace o",
    ]


def test_parse_shows_placeholders(rexx: Rexx) -> None:
    assert rexx.run("trace r; parse value 'one two three' with p . q").lines[1:] == [
        '       >>>   "one"',
        '       >.>   "two"',
        '       >>>   "three"',
    ]


def test_labels(rexx: Rexx) -> None:
    assert rexx.run("trace l; call s; a: b: say 'x'; exit; s: procedure; return").lines == [
        "     1 *-*  s:",
        "     1 *-* a:",
        "     1 *-* b:",
        "x",
    ]


def test_scan_shows_the_rest_and_runs_nothing(rexx: Rexx) -> None:
    result = rexx.run(
        "say 'first'; trace s\ndo i = 1 to 2\n  say 1/0\nend\nselect\n  when x then 'RC 1'\nend\n"
    )
    assert (result.error, result.lines) == (
        0,
        [
            "first",
            "     2 *-* do i = 1 to 2",
            "     3 *-*  say 1/0",
            "     4 *-* end",
            "     5 *-* select",
            "     6 *-* when x",
            "     6 *-* 'RC 1'",
            "     7 *-* end",
        ],
    )
    assert rexx.run("trace s; do; say 1").error == 14  # what scanning is for


PAUSED = "x = 1\ntrace ?r\nx = x + 1\ny = x * 2\nz = 3\na = 4\nsay 'end' x y trace()"
GREETING = "       +++ Interactive trace.  TRACE OFF to end debug, ENTER to continue. +++"


@pytest.mark.parametrize(
    "typed, shown",
    [
        ("\n\n\n\n\n", ["end 2 4 ?R"]),
        ("trace off\n", ["end 2 4 O"]),
        ("say 'x is' x; x = 10\n=\ntrace off\n", ["x is 2", "end 11 22 O"]),
        (
            "say 1/0\nx = nosuch(\nsay f(1); y = 1\ntrace o\n",
            [
                "       +++ Error 42: Arithmetic overflow/underflow +++",
                '       +++ Error 36: Unmatched "(" in expression +++',
                "       +++ Error 43: Routine not found +++",
                "end 2 4 O",
            ],
        ),
        ("do k = 1 to 2; say 'loop' k; end\ntrace o\n", ["loop 1", "loop 2", "end 2 4 O"]),
        ("exit 5\n", []),
        ("trace 2\ntrace o\n", ["end 2 4 O"]),
    ],
)
def test_pauses(rexx: Rexx, typed: str, shown: list[str]) -> None:
    result = rexx.run(PAUSED, terminal=typed)
    assert result.lines[:3] == ["     3 *-* x = x + 1", '       >>>   "2"', GREETING]
    rest = [line for line in result.lines[3:] if "*-*" not in line and ">>>" not in line]
    assert rest == shown
    assert result.rc == (5 if typed.startswith("exit") else 0)


def test_skipping_pauses_and_clauses(rexx: Rexx) -> None:
    out = rexx.run(PAUSED, terminal="trace 2\nsay 'here'\ntrace o\n").lines
    assert [line for line in out[: out.index("here")] if "*-*" in line][-1] == "     6 *-* a = 4"
    out = rexx.run(PAUSED, terminal="trace -2\nsay 'here'\ntrace o\n").lines
    assert [line for line in out if "*-*" in line] == ["     3 *-* x = x + 1", "     6 *-* a = 4"]


def test_a_question_mark_turns_pauses_off_again(rexx: Rexx) -> None:
    assert (
        rexx.run(
            "trace ?r; trace ?; say trace(); trace '?a'; say trace()", terminal="\n" * 9
        ).lines.count("R")
        == 1
    )
    assert rexx.run("say trace('?r') trace('o') trace()").out == "N ?R O\n"
