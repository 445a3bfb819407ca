# SPDX-License-Identifier: MIT
"""Instructions: what a program says, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx.rexx import Rexx

PROGRAMS = {
    "comments nest and lines continue": (
        "/* a /* b */ c */ say 'one', /* more */\n  'two' ,\n 'three'; say /* x\n y */ 'four'",
        "one two three\nfour",
    ),
    "assignment and keywords that are variables": (
        "if = 3; say if; do = if + 1; say do; say = 'x'; say say",
        "3\n4\nx",
    ),
    "unassigned symbols are their names": ("say abc d.1.e x.y", "ABC D.1.E X.Y"),
    "concatenation": ("a = 5; say a'%' a 'x'||'y' (a)(a) a/**/a", "5% 5 xy 55 55"),
    "quotes": ("say 'it''s' \"x\"\"y\" ''", "it's x\"y "),
    "hexadecimal strings": ("say ('c1 c2'x == 'c1c2'x) ('1'x == '01'x) ('10'b == '02'x)", "1 1 1"),
    "comparison": (
        "say (' a' = 'a') ('a' == 'a ') (5 = 5.0) (5 == 5.0) ('1e2' = 100) "
        "('a' < 'b') ('ab' > 'a') ('' = '  ')",
        "1 0 1 0 1 1 1 1",
    ),
    "comparison operators": (
        "say (1<2) (1>2) (1<>2) (1><2) (1\\=2) (1/=2) (1<=1) (1>=2) (1\\>2) (1\\<2) "
        "('a'>>'b') ('a'<<'b') ('a'>>='a') ('a'<<='b') ('a'\\==' a') ('a'\\>>'b') ('a'\\<<'b') "
        "(1\xac=2) (1^=2) (5/==5)",
        "1 0 1 1 1 1 1 0 1 0 0 1 1 1 1 1 0 1 1 0",
    ),
    "blanks and comments in operators": (
        "say (345 > = 123) (5 > /* x */ = 6) (2 * * 3) (7 / / 4) ('a' | | 'b') (5 / = 5)",
        "1 0 8 3 ab 0",
    ),
    "an assignment of nothing": ("x =; say '<'||x'>'; y = /* */\nsay y'.'", "<>\n."),
    "logic": ("say (1&0) (1|0) (1&&1) \\1 \\0 (1 & \\ 0 | 0)", "0 1 0 0 1 1"),
    "priorities": (
        "say 1+2*3 (-2**2) (1 2='1 2') 1||2+3 10-2-3 2**3**2 (7=3+4)",
        "7 4 1 15 5 64 1",
    ),
    "if": (
        "if 1 then if 0 then say 'a'; else say 'b'\nif 0 then nop\nelse if 1 then do; say 'c'\n"
        "end\nelse say 'd'\nif 1\nthen\n\nsay 'e'",
        "b\nc\ne",
    ),
    "select": (
        "do k = 1 to 3; select; when k = 1 then say 'one'; when k = 2\n then do; say 'two'; "
        "end\n otherwise say 'other'; say 'more'; end; end",
        "one\ntwo\nother\nmore",
    ),
    "do count": ("do 2; say 'x'; end; do 0; say 'never'; end; n = 1; do n; say n; end", "x\nx\n1"),
    "do to by for": (
        "do i = 1 to 2; say i; end; say i; do i = 5 to 1 by -2; say i; end\n"
        "do i = 1 for 2; say i; end; do i = 1 by .5 to 2; say i; end\n"
        "do i = 3 to 2; say 'never'; end; say i\n"
        "do i = 1 to 9 for 2; say i; end",
        "1\n2\n3\n5\n3\n1\n1\n2\n1\n1.5\n2.0\n3\n1\n2",
    ),
    "do while until": (
        "i = 0; do while i < 2; i = i + 1; say i; end\n"
        "do until i > 3; i = i + 1; say i; end\n"
        "do j = 1 to 9 while j < 3; say 'j' j; end; do forever; leave; end\n"
        "do 5 until i = 5; i = i + 1; say i; end",
        "1\n2\n3\n4\nj 1\nj 2\n5",
    ),
    "leave and iterate": (
        "do i = 1 to 3; do j = 1 to 3; if j = 2 then iterate i; if i = 3 then leave i; "
        "say i j; end; end\ndo k = 1 to 3; if k = 2 then iterate; say k; end k",
        "1 1\n2 1\n1\n3",
    ),
    "the control variable can be changed": (
        "do i = 1 to 10; say i; i = i + 4; end; do a.k = 1 to 2; say a.k; end",
        "1\n6\n1\n2",
    ),
    "compound variables": (
        "i = 3; a.i = 'x'; say a.3 a.i a.4; a. = 0; say a.3 a.anything; a.5 = 'y'; drop a.; "
        "say a.5; b.1.2 = 'z'; j = 1; k = 2; say b.j.k; s.='d'; drop s.1; say s.1 s.2; "
        "t = 'mixed Case'; c.t = 1; say c.t",
        "x x A.4\n0 0\nA.5\nz\nS.1 d\n1",
    ),
    "call and return": (
        "call sub 1, 2; say result; call none; say result; say f(3) + f(4); call sub2; exit\n"
        "sub: return arg(1) + arg(2)\nnone: return\nf: return arg(1) * 10\n"
        "sub2: say 'sigl' sigl",
        "3\nRESULT\n70\nsigl 1",
    ),
    "procedure expose": (
        "a = 1; b = 2; s.1 = 'one'; s.2 = 'two'; list = 'b c'; call p; say a b c s.1 s.2 s.9\n"
        "exit\np: procedure expose a s. (list)\na = a + 1; b = b * 10; c = 'new'; d = 5\n"
        "s.1 = 'ONE'; s.9 = 'nine'; say a b list; call q; say s.2; return\n"
        "q: procedure expose s.2; s.2 = 'deep'; say s.1; return",
        "2 20 b c\nS.1\ndeep\n2 20 new ONE deep nine",
    ),
    "a stem set in a routine that was given single variables of it": (
        "s.1 = 'a'; s.2 = 'b'; call p; say s.1 s.2; call q; say s.1 s.2; exit\n"
        "p: procedure expose s.1; s. = 'all'; say s.1 s.2; drop s.; say s.1; s.1 = 'new'; return\n"
        "q: procedure expose s.1 s.; s.2 = 'seen'; say s.1; return",
        "all all\nS.1\nnew b\nnew\nnew seen",
    ),
    "recursion": (
        "say fact(12) fib(12); exit\nfact: procedure; arg n; if n < 2 then return 1\n"
        "return n * fact(n - 1)\nfib: procedure; parse arg n; if n < 2 then return n; "
        "return fib(n-1) + fib(n-2)",
        "479001600 144",
    ),
    "operands survive a routine that changes them": (
        "x = 'old value'; say x || change() || x; exit; change: x = 'n'; return '-'",
        "old value-n",
    ),
    "internal routines come before built-in ones, strings skip them": (
        "say length('abc') 'LENGTH'('abc'); exit; length: return 'mine'",
        "mine 3",
    ),
    "functions of other EXECs": (
        "say double(21); call double 4; say result; call quiet; say result\n"
        "%% DOUBLE\narg n; parse source . how .; return n * 2 how\n%% QUIET\nsay 'shh'",
        "42 FUNCTION\n8 FUNCTION\nshh\nRESULT",
    ),
    "signal": (
        "signal over; say 'never'; over: say 'here' sigl; signal value 'PLA'||'CE'\n"
        "place: say 'there' sigl; do forever; signal 'OUT'; end\nout: say 'out'",
        "here 1\nthere 1\nout",
    ),
    "signal on syntax": (
        "signal on syntax; x = 1 + 'a'; say 'never'\n"
        "syntax: say rc sigl errortext(rc); signal on syntax name again\n"
        "call deep; again: say 'again' rc; exit\ndeep: say 1/0; return",
        "41 1 Bad arithmetic conversion\nagain 42",
    ),
    "signal on novalue": (
        "signal on novalue; x = 1; say x; say y; novalue: say 'none' sigl",
        "1\nnone 1",
    ),
    "signal on error and failure": (
        "signal on error; 'RC 0'; 'RC 4'; error: say 'error' rc sigl; signal on failure; 'RC 8'\n"
        "'RC -5'; failure: say 'failure' rc; signal on error; signal off error; 'RC 3'; say rc",
        "<CMS> RC 0\n<CMS> RC 4\nerror 4 1\n<CMS> RC 8\n<CMS> RC -5\n     2 *-* 'RC -5'\n"
        "       +++ RC(-5) +++\nfailure -5\n<CMS> RC 3\n3",
    ),
    "call on": (
        "call on error name oops; result = 'kept'; say '['condition()']'; 'RC 3'; say rc result\n"
        "say '['condition('c')']'; call off error; 'RC 4'; call on error name oops\n"
        "interpret \"'RC 5'; say 'in interpret'\"; call on failure; 'RC -1'; say 'end'; exit\n"
        "oops: say rc sigl condition('c') condition('d') condition('i') condition('s'); 'RC 9'\n"
        "return 'dropped'\n"
        "failure: say condition('d') condition('s'); return",
        "[]\n<CMS> RC 3\n3 1 ERROR RC 3 CALL DELAY\n<CMS> RC 9\n9 kept\n[]\n<CMS> RC 4\n"
        "<CMS> RC 5\n5 3 ERROR RC 5 CALL DELAY\n<CMS> RC 9\nin interpret\n<CMS> RC -1\n"
        "     3 *-* 'RC -1'\n       +++ RC(-1) +++\nRC -1 DELAY\nend",
    ),
    "condition of a signal": (
        "signal on novalue; x.1 = 1; call s; say x.none; novalue: say condition('C') "
        "condition('D') condition() condition('S'); call s; say condition('C'); exit\n"
        "s: signal on syntax; say 1/0; syntax: say condition('c') '['condition('d')']'; return",
        "SYNTAX []\nNOVALUE X.NONE SIGNAL OFF\nSYNTAX []\nNOVALUE",
    ),
    "drop of names in a variable": (
        "list = 'b c.1 list2'; b = 1; c.1 = 2; list2 = 3; d = 4; drop (list) d\n"
        "say list b c.1 list2 d",
        "b c.1 list2 B C.1 LIST2 D",
    ),
    "commands": (
        "query time; 'QUERY' 1+1 'x'; n = 'name'; 'listfile' n 'exec'; say rc",
        "<CMS> QUERY TIME\n     1 *-* query time\n       +++ RC(-3) +++\n<CMS> QUERY 2 x\n"
        "     1 *-* 'QUERY' 1+1 'x'\n       +++ RC(-3) +++\n<CMS> listfile name exec\n"
        "     1 *-* 'listfile' n 'exec'\n       +++ RC(-3) +++\n-3",
    ),
    "address": (
        "address cp 'RC 1'; say rc address(); address command; 'RC 2'; address; 'RC 3'\n"
        "e = 'xyz'; address value e; say address(); address (e||1) ; say address()",
        "<CP> RC 1\n1 CMS\n<COMMAND> RC 2\n<CMS> RC 3\nxyz\nxyz1",
    ),
    "address is the routine's own": (
        "call s; say address(); exit; s: address cp; numeric digits 4; say address() digits()\n"
        "return",
        "CP 4\nCMS",
    ),
    "execs as commands": (
        "'EXEC SUB one two'; say 'rc' rc; 'EXEC BAD'; say rc; 'EXEC NOPE'\n"
        "say rc\n%% SUB\narg a b; say b a; exit 12\n%% BAD\nsay 1 +",
        "<CMS> EXEC SUB one two\nTWO ONE\nrc 12\n<CMS> EXEC BAD\n"
        "     1 +++ say 1 +\nDMSREX471E Error 35 running BAD, line 1: Invalid "
        "expression\n20035\n<CMS> EXEC NOPE\n28",
    ),
    "stack": (
        "queue 'a b'; push 'first'; queue; say queued(); pull x; pull y; pull z\n"
        "say x y '|'z'|' queued()",
        "3\nFIRST A B || 0",
    ),
    "interpret": (
        "v = 'total'; interpret v '= 5; do i = 1 to 2; say total i; end'; say total\n"
        "do k = 1 to 3; interpret 'if k = 2 then say k'; end\n"
        "call s; say result; exit; s: interpret 'return \"from s\"'",
        "5 1\n5 2\n5\n2\nfrom s",
    ),
    "interpret and signal": (
        "do i = 1 to 2; interpret 'signal out'; end; out: say 'out' i sigl",
        "out 1 1",
    ),
    "upper, drop, options, nop": (
        "a = 'abc'; b.1 = 'x y'; upper a b.1; say a b.1; drop a b.1; say a b.1; options 'X'; nop",
        "ABC X Y\nA B.1",
    ),
    "trace results": (
        "trace r; x = 1 + 1; if x = 2 then say 'two'; trace o; 'RC -1'",
        '     1 *-* x = 1 + 1\n       >>>   "2"\n     1 *-* if x = 2\n'
        '       >>>   "1"\n     1 *-* say \'two\'\n       >>>   "two"\ntwo\n'
        "     1 *-* trace o\n<CMS> RC -1",
    ),
    "trace errors and commands": (
        "trace e; 'RC 2'; trace c; 'RC 0'; trace n; 'RC 1'",
        "<CMS> RC 2\n     1 *-* 'RC 2'\n       +++ RC(2) +++\n     1 *-* 'RC 0'\n"
        '       >>>   "RC 0"\n<CMS> RC 0\n<CMS> RC 1',
    ),
    "labels before THEN parts and at the end": ("a: b: say 'x'; c:", "x"),
    "no program at all": ("", ""),
    "long chains": ("say " + "1+" * 500 + "1", "501"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(rexx: Rexx, name: str) -> None:
    program, out = PROGRAMS[name]
    result = rexx.run(program)
    assert result.out == (out + "\n" if out else "")
    assert result.error == 0


@pytest.mark.parametrize(
    "program, rc",
    [
        ("exit", 0),
        ("exit 4", 4),
        ("exit -3", -3),
        ("return 7", 7),
        ("exit '1e2'", 100),
        ("nop", 0),
        ("call s; exit 1; s: exit 9", 9),
        ("interpret 'exit 5'; exit 6", 5),
        ("exit 2.5", 20026),
        ("exit 'no'", 20026),
        ("exit 99999999999", 20026),
    ],
)
def test_exit(rexx: Rexx, program: str, rc: int) -> None:
    assert rexx.run(program).rc == rc


@given(
    st.integers(-5, 5),
    st.integers(-5, 5),
    st.integers(-3, 3).filter(bool),
    st.one_of(st.none(), st.integers(0, 4)),
)
def test_loops_like_range(rexx: Rexx, start: int, stop: int, step: int, count: int | None) -> None:
    limit = "" if count is None else f"for {count}"
    out = rexx.run(f"do i = {start} to {stop} by {step} {limit}; say i; end").lines
    want = list(range(start, stop + (1 if step > 0 else -1), step))
    assert [int(x) for x in out] == (want if count is None else want[:count])


names = st.sampled_from(["a.1", "a.2", "a.i", "a.j", "b", "i", "j", "a.1.2", "a.b"])
actions = st.tuples(
    st.sampled_from(["set", "drop", "stem", "dropstem"]),
    names,
    st.sampled_from(["1", "2", "x", "long value that needs room"]),
)


@given(st.lists(actions, max_size=25))
def test_variables_like_a_dictionary(rexx: Rexx, steps: list[tuple[str, str, str]]) -> None:
    values: dict[str, str | None] = {}
    default: str | None = None

    def resolve(name: str) -> str:
        head, _, tail = name.upper().partition(".")
        if not tail:
            return head
        return (
            head
            + "."
            + ".".join(t if t.isdigit() else (values.get(t) or t) for t in tail.split("."))
        )

    program = []
    for what, name, value in steps:
        key = resolve(name)
        if what == "set":
            values[key] = value
            program.append(f"{name} = '{value}'")
        elif what == "drop":
            values[key] = None
            program.append(f"drop {name}")
        else:
            for k in [k for k in values if "." in k]:
                del values[k]
            default = value if what == "stem" else None
            program.append(f"a. = '{value}'" if what == "stem" else "drop a.")
    want = []
    for name in ("a.1", "a.2", "a.i", "a.j", "b", "i", "j", "a.1.2", "a.b"):
        key = resolve(name)
        value_now = values.get(key, default if "." in key else None)
        want.append(key if value_now is None else value_now)
        program.append(f"say {name}")
    assert rexx.run("\n".join(program)).lines == want
