# SPDX-License-Identifier: MIT
"""Every error: its number, its message in VM's form, its line, its return code."""

from __future__ import annotations

import pytest

from tests.guests.rexx.rexx import Rexx

ERRORS = [
    (6, "say 'abc"),
    (6, "say 1 /* open"),
    (6, 'x = "a'),
    (7, "select; when 0 then nop; end"),
    (7, "select; say 1; end"),
    (7, "select; otherwise; end"),
    (8, "then say 1"),
    (8, "else say 1"),
    (8, "if 1 then; else say 2"),
    (9, "when 1 then say 2"),
    (9, "otherwise"),
    (10, "end"),
    (10, "do i = 1 to 2; end j"),
    (10, "if 1 then end"),
    (10, "do; end x"),
    (13, "say 1 ~ 2"),
    (13, "x = 5 ` 6"),
    (14, "do; say 1"),
    (14, "if 1 then"),
    (14, "select; when 1 then nop"),
    (14, "do i = 1 to 2\nnop"),
    (14, "if 0 then nop; else"),
    (15, "say '0g'x"),
    (15, "say '12'b"),
    (15, "say '1 234'x"),
    (16, "signal nowhere"),
    (16, "signal value 'x y'"),
    (16, "signal on syntax; x = 1 + 'a'"),
    (17, "procedure"),
    (17, "call s; exit; s: nop; procedure"),
    (18, "if 1 say 2"),
    (18, "select; when 1; end"),
    (19, "call (1)"),
    (19, "signal +"),
    (19, "address &"),
    (20, "drop"),
    (20, "drop 'a'"),
    (20, "do; leave 'x'; end"),
    (20, "numeric 'a'"),
    (21, "nop 5"),
    (21, "select x; end"),
    (21, "do i = 1 to 2; end i j"),
    (24, "trace q"),
    (25, "numeric foo"),
    (25, "signal on foo"),
    (25, "parse foo"),
    (25, "numeric form 'x'"),
    (25, "call on syntax"),
    (25, "call off novalue"),
    (16, "call on error; 'RC 1'"),
    (26, "do 1.5; end"),
    (26, "do -1; end"),
    (26, "do i = 1 for 'x'; end"),
    (33, "numeric digits 0"),
    (26, "numeric fuzz -1"),
    (26, "numeric digits 1001"),
    (27, "do i = 1 to 2 to 3; end"),
    (27, "do forever 5; end"),
    (28, "leave"),
    (28, "iterate"),
    (28, "do i = 1 to 2; leave j; end"),
    (28, "do i = 1 to 1; interpret 'leave'; end"),
    (29, "address 'toolongname' 'x'"),
    (29, "address toolongname"),
    (30, "say " + "a" * 251),
    (30, "b = copies('x',250); a.b = 1"),
    (31, "5 = 6"),
    (31, ".a = 6"),
    (31, "drop 5x"),
    (32, "do a. = 1 to 2; end"),
    (33, "numeric fuzz 3; numeric digits 3"),
    (33, "numeric fuzz 9"),
    (34, "if 2 then nop"),
    (34, "say 1 & 'x'"),
    (34, "say \\ 5"),
    (34, "do while 'a'; end"),
    (35, "say 1 +"),
    (35, "if then nop"),
    (35, "say * 2"),
    (35, "say a b +"),
    (36, "say (1"),
    (36, "say f(1"),
    (36, "x = ((2)"),
    (36, "say ("),
    (36, "say f("),
    (36, "say f(1,"),
    (37, "say 1, 2"),
    (37, "say 1)"),
    (37, "x = (1,2)"),
    (37, "say )"),
    (26, "parse arg a 1.5 b"),
    (24, "trace x"),
    (26, "trace 1.5"),
    (26, "y = 1.5; parse arg a =(y) b"),
    (26, "numeric digits 3; do 1000; end"),
    (26, "say 2 ** 1.5"),
    (38, "parse arg a 5x b"),
    (38, "parse arg a *"),
    (38, "parse value 1"),
    (39, "say " + "(" * 200 + "1" + ")" * 200),
    (40, "say left('a')"),
    (40, "say length()"),
    (40, "say f(1,2,3,4,5,6,7,8,9,10,11)"),
    (41, "say 1 + 'x'"),
    (41, "do i = 'a' to 2; end"),
    (41, "say -'x'"),
    (42, "say 1/0"),
    (42, "say 9e999999999 * 9e999999999"),
    (43, "say nosuch()"),
    (43, "call nosuch"),
    (44, "say quiet()\n%% QUIET\nnop"),
    (45, "say f(); exit; f: return"),
    (46, "drop (a"),
    (47, "interpret 'a: say 1'"),
    (26, "say 1e10 // 1e-10"),
    (48, "do i = 1 to 300; queue i; end"),
    (40, "say bad()\n%% BAD\nsay 1/0"),
]

# REXX for CICS, "Error numbers and messages", table 1: the same numbers as DMSREX.
NUMBERS = {
    3: 451,
    4: 452,
    5: 450,
    6: 453,
    7: 454,
    8: 455,
    9: 456,
    10: 457,
    11: 458,
    12: 459,
    13: 460,
    14: 461,
    15: 462,
    16: 463,
    17: 465,
    18: 491,
    19: 482,
    20: 483,
    21: 464,
    22: 449,
    23: 1106,
    24: 484,
    25: 485,
    26: 466,
    27: 467,
    28: 486,
    29: 487,
    30: 468,
    31: 469,
    32: 492,
    33: 488,
    34: 470,
    35: 471,
    36: 472,
    37: 473,
    38: 489,
    39: 474,
    40: 475,
    41: 476,
    42: 477,
    43: 478,
    44: 479,
    45: 480,
    46: 218,
    47: 219,
    48: 490,
    49: 481,
}


@pytest.mark.parametrize("error, program", ERRORS)
def test_error(rexx: Rexx, error: int, program: str) -> None:
    result = rexx.run("say 'before'\n" + program)
    assert (result.error, result.rc) == (error, 20000 + error), result.out
    assert result.lines[0] == "before"  # what stands before an error runs
    line = 2 + program.partition("%%")[0].rstrip().count("\n")
    message = result.lines[-1]
    assert message.startswith(f"DMSREX{NUMBERS[error]}E Error {error} running TEST EXEC, line ")
    if error != 14:
        assert f"line {line}:" in message
        assert result.lines[-2].startswith(f"{line:6} +++ ")


def test_unreadable_text_does_not_stop_the_compiler(rexx: Rexx) -> None:
    for program in ("queue ; , /* open", "/* open, /* *", "say 1, /* open\n'", "~ , /*", ", /*"):
        assert rexx.run(program).error in (6, 13)


def test_error_right_after_else(rexx: Rexx) -> None:
    result = rexx.run("if 1 then if 0 then say 'a'; else ~ ; say 'b'\nelse say 'c'\nsay 'd'")
    assert (result.error, result.out.count("+++")) == (13, 1)
    assert rexx.run("if 0 then say 'a' 1; else ~ ; say 'b'").error == 13
    assert rexx.run("if 1 then say 'a' 1; else ~ ; say 'b'").out == "a 1\nb\n"


def test_form_of_the_message(rexx: Rexx) -> None:
    assert rexx.run("\n\nsay 1;  x = 2 + 'a' ; say 3").lines == [
        "1",
        "     3 +++ x = 2 + 'a'",
        "DMSREX476E Error 41 running TEST EXEC, line 3: Bad arithmetic conversion",
    ]


def test_continued_clause_is_shown_whole(rexx: Rexx) -> None:
    assert rexx.run("say 1 +,\n  'a' /* why */\n").lines[0] == "     1 +++ say 1 +,  'a'"


def test_line_in_routine_and_in_interpret(rexx: Rexx) -> None:
    assert "line 4:" in rexx.run("call s\nexit\ns:\nsay 1/0").out
    out = rexx.run("nop\ninterpret 'say 1; say 1/0'").lines
    assert out[-2] == "     2 +++ say 1/0" and "line 2:" in out[-1]


def test_error_texts_and_numbers_are_complete(rexx: Rexx) -> None:
    out = rexx.run("do i = 3 to 49; say errortext(i); end").lines
    assert all(out) and len(set(out)) == 47


def test_untaken_clauses_do_not_matter(rexx: Rexx) -> None:
    assert (
        rexx.run(
            "if 0 then say ) ; else say 'fine'\nif 0 then do i = 1 to (\nsay 1\nend\nsay 'end'"
        ).out
        == "fine\nend\n"
    )
