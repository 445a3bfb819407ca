# SPDX-License-Identifier: MIT
"""Built-in functions against models in Python."""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx.rexx import GUEST, Rexx, quote

texts = st.text("ab cX'1", max_size=12)
short = st.integers(0, 15)
place = st.integers(1, 15)
pads = st.sampled_from("*. ")


def call(name: str, *args: object) -> str:
    return f"{name}({','.join(quote(a) if isinstance(a, str) else str(a) for a in args)})"


def words(s: str) -> list[str]:
    return [w for w in s.split(" ") if w]


def spans(s: str) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(r"[^ ]+", s)]


@given(texts, short, pads)
def test_left_right_center_copies(rexx: Rexx, s: str, n: int, pad: str) -> None:
    assert rexx.say(call("left", s, n, pad)) == s[:n].ljust(n, pad)
    assert rexx.say(call("right", s, n, pad)) == (
        s[len(s) - n :] if n <= len(s) else s.rjust(n, pad)
    )
    extra = n - len(s)
    centered = (
        pad * (extra // 2) + s + pad * (extra - extra // 2) if extra >= 0 else s[-extra // 2 :][:n]
    )
    assert rexx.say(call("center", s, n, pad)) == centered
    assert rexx.say(call("copies", s, n)) == s * n


@given(texts, place, short, pads)
def test_substr_delstr(rexx: Rexx, s: str, at: int, n: int, pad: str) -> None:
    assert rexx.say(call("substr", s, at, n, pad)) == s[at - 1 : at - 1 + n].ljust(n, pad)
    assert rexx.say(call("substr", s, at)) == s[at - 1 :]
    assert rexx.say(call("delstr", s, at, n)) == s[: at - 1] + s[at - 1 + n :]


@given(texts, texts, short, short, pads)
def test_insert_overlay(rexx: Rexx, new: str, s: str, at: int, n: int, pad: str) -> None:
    piece = new[:n].ljust(n, pad)
    assert rexx.say(call("insert", new, s, at, n, pad)) == s[:at].ljust(at, pad) + piece + s[at:]
    assert (
        rexx.say(call("overlay", new, s, at + 1, n, pad))
        == s[:at].ljust(at, pad) + piece + s[at + n :]
    )


@given(texts, texts, place)
def test_searching(rexx: Rexx, what: str, s: str, at: int) -> None:
    assert rexx.say(call("pos", what, s, at)) == str(s.find(what, at - 1) + 1 if what else 0)
    assert rexx.say(call("index", s, what, at)) == str(s.find(what, at - 1) + 1 if what else 0)
    assert rexx.say(call("lastpos", what, s, at)) == str(s[:at].rfind(what) + 1 if what else 0)
    strange = [k + 1 for k, c in enumerate(s) if c not in what and k >= at - 1]
    known = [k + 1 for k, c in enumerate(s) if c in what and k >= at - 1]
    assert rexx.say(call("verify", s, what, "N", at)) == str(strange[0] if strange else 0)
    assert rexx.say(call("verify", s, what, "M", at)) == str(known[0] if known else 0)
    n = max(len(s), len(what))
    differs = [
        k + 1 for k, (x, y) in enumerate(zip(s.ljust(n), what.ljust(n), strict=True)) if x != y
    ]
    assert rexx.say(call("compare", s, what)) == str(differs[0] if differs else 0)
    assert rexx.say(call("abbrev", s, what)) == str(int(s.startswith(what)))


@given(texts, place, short)
def test_words(rexx: Rexx, s: str, at: int, n: int) -> None:
    w, where = words(s), spans(s)
    has = at <= len(w)
    assert rexx.say(call("words", s)) == str(len(w))
    assert rexx.say(call("word", s, at)) == (w[at - 1] if has else "")
    assert rexx.say(call("wordindex", s, at)) == str(where[at - 1][0] + 1 if has else 0)
    assert rexx.say(call("wordlength", s, at)) == str(len(w[at - 1]) if has else 0)
    last = min(at - 1 + n, len(w)) - 1
    assert rexx.say(call("subword", s, at, n)) == (
        s[where[at - 1][0] : where[last][1]] if has and n else ""
    )
    if has and n:
        rest = s[where[last][1] :].lstrip(" ")
        assert rexx.say(call("delword", s, at, n)) == s[: where[at - 1][0]] + rest
    else:
        assert rexx.say(call("delword", s, at, n)) == s


@given(texts, texts, place)
def test_phrases(rexx: Rexx, phrase: str, s: str, start: int) -> None:
    p, w = words(phrase), words(s)
    found = [k + 1 for k in range(start - 1, len(w)) if p and w[k : k + len(p)] == p]
    want = str(found[0] if found else 0)
    assert rexx.say(call("wordpos", phrase, s, start)) == want
    assert rexx.say(call("find", s, phrase, start)) == want


@given(texts, st.sampled_from("BLT"), st.sampled_from("a X"), short)
def test_strip_space_reverse(rexx: Rexx, s: str, which: str, char: str, n: int) -> None:
    want = {"B": s.strip(char), "L": s.lstrip(char), "T": s.rstrip(char)}[which]
    assert rexx.say(call("strip", s, which, char)) == want
    assert rexx.say(call("space", s, n, "-")) == ("-" * n).join(words(s))
    assert rexx.say(call("reverse", s)) == s[::-1]
    assert rexx.say(call("length", s)) == str(len(s))


@given(texts, texts, texts, pads)
def test_translate(rexx: Rexx, s: str, to: str, start: str, pad: str) -> None:
    def one(c: str) -> str:
        k = start.find(c)
        return c if k < 0 else to[k] if k < len(to) else pad

    assert rexx.say(call("translate", s, to, start, pad)) == "".join(map(one, s))
    assert rexx.say(call("translate", s)) == s.upper()


@given(st.binary(max_size=9))
def test_hexadecimal(rexx: Rexx, data: bytes) -> None:
    digits = data.hex().upper()
    assert rexx.say(f"c2x('{digits}'x)") == digits
    assert rexx.say(f"c2x(x2c('{digits}'))") == digits
    bits = "".join(f"{b:08b}" for b in data)
    assert rexx.say(f"x2b('{digits}')") == bits
    assert rexx.say(f"b2x('{bits}')") == digits
    assert rexx.say(f"'{bits}'b == '{digits}'x") == "1"


@given(st.integers(-(2**31), 2**31 - 1), st.integers(1, 6))
def test_number_conversion(rexx: Rexx, v: int, n: int) -> None:
    digits = "numeric digits 12; say "
    if v >= 0:
        assert rexx.run(f"{digits} d2x({v}) c2x(d2c({v}))").out.split() == [
            f"{v:X}",
            v.to_bytes(max(1, (v.bit_length() + 7) // 8), "big").hex().upper(),
        ]
        assert rexx.run(f"{digits} x2d('{v:X}')").out == f"{v}\n"
    cut = v % 256**n
    want = cut - 256**n if cut >= 256**n // 2 else cut
    hexed = f"{cut:0{2 * n}X}"
    assert rexx.run(f"{digits} d2x({v},{2 * n}) c2x(d2c({v},{n}))").out == f"{hexed} {hexed}\n"
    assert (
        rexx.run(f"{digits} x2d('{hexed}',{2 * n}) c2d('{hexed}'x,{n})").out == f"{want} {want}\n"
    )


@given(st.decimals(min_value=-9999, max_value=9999, places=4), st.integers(0, 6))
def test_trunc_and_format(rexx: Rexx, x: Decimal, places: int) -> None:
    unit = Decimal(1).scaleb(-places)

    def plain(d: Decimal) -> str:
        return format(abs(d) if d == 0 else d, "f")

    assert rexx.say(f"trunc({x},{places})") == plain(x.quantize(unit, rounding=ROUND_DOWN))
    assert rexx.say(f"format({x},8,{places})") == plain(
        x.quantize(unit, rounding=ROUND_HALF_UP)
    ).rjust(8 + (places + 1 if places else 0))


@given(st.dates(datetime.date(1583, 1, 1)), st.times())
def test_date_and_time(rexx: Rexx, d: datetime.date, t: datetime.time) -> None:
    clock = f"CLOCK {d.year} {d.month} {d.day} {t.hour} {t.minute} {t.second} {t.microsecond}"
    out = rexx.run(
        f"'{clock}'\n"
        + "".join(f"say date('{o}')\n" for o in "BDEJMNOSUWC")
        + "".join(f"say time('{o}')\n" for o in "NCHMSL")
    ).lines[1:]
    yy = d.year % 100
    assert out[:11] == [
        str(d.toordinal() - 1),
        str(d.timetuple().tm_yday),
        f"{d:%d/%m}/{yy:02d}",
        f"{yy:02d}{d:%j}",
        f"{d:%B}",
        f"{d.day} {d:%b} {d.year}",
        f"{yy:02d}/{d:%m/%d}",
        f"{d.year:04d}{d:%m%d}",
        f"{d:%m/%d}/{yy:02d}",
        f"{d:%A}",
        str((d - datetime.date(d.year - yy or 1, 1, 1)).days + 1 if d.year - yy else 0),
    ]
    seconds = (t.hour * 60 + t.minute) * 60 + t.second
    assert out[11:] == [
        f"{t:%H:%M:%S}",
        f"{t.hour % 12 or 12}:{t:%M}{'am' if t.hour < 12 else 'pm'}",
        str(t.hour),
        str(seconds // 60),
        str(seconds),
        f"{t:%H:%M:%S}.{t.microsecond:06d}",
    ]


NOW = "CLOCK 2026 11 29 12 0 0 0"
near = st.dates(datetime.date(1977, 1, 1), datetime.date(2075, 12, 31))
"""Days whose years two digits tell, 50 years about that."""


def forms(d: datetime.date) -> dict[str, str]:
    """A day in each form that DATE takes, with the year in two digits or in four."""
    return {
        "B": str(d.toordinal() - 1),
        "E": f"{d:%d/%m/%y}",
        "J": f"{d:%y%j}",
        "N": f"{d.day} {d:%b} {d.year}",
        "O": f"{d:%y/%m/%d}",
        "S": f"{d.year:04d}{d:%m%d}",
        "U": f"{d:%m/%d/%y}",
    }


@given(near, st.sampled_from("BEJNOSU"), st.sampled_from("BEJNOSU"))
def test_dates_are_converted(rexx: Rexx, d: datetime.date, given: str, wanted: str) -> None:
    asked = call("date", wanted, forms(d)[given], given)
    assert rexx.run(f"'{NOW}'; say {asked}").lines[-1] == forms(d)[wanted]


@given(st.times(), st.sampled_from("CHLMNS"), st.sampled_from("CHLMNS"))
def test_times_are_converted(rexx: Rexx, t: datetime.time, given: str, wanted: str) -> None:
    if given != "L":
        t = t.replace(microsecond=0)
    if given in "CHM":
        t = t.replace(second=0)
    if given == "H":
        t = t.replace(minute=0)
    minutes = t.hour * 60 + t.minute
    told = {
        "C": f"{t.hour % 12 or 12}:{t:%M}{'am' if t.hour < 12 else 'pm'}",
        "H": str(t.hour),
        "L": f"{t:%H:%M:%S}.{t.microsecond:06d}",
        "M": str(minutes),
        "N": f"{t:%H:%M:%S}",
        "S": str(minutes * 60 + t.second),
    }
    assert rexx.say(call("time", wanted, told[given], given)) == told[wanted]


@pytest.mark.parametrize(
    "expression, value",
    [
        ("date('B','29 Nov 2026')", "739948"),
        ("date('W','20261129','S')", "Sunday"),
        ("date('M','60','D')", "March"),
        ("date('S',59,'D')", "20260228"),
        ("date('S',366,'D')", "error 40"),
        ("date('D','20240301','S')", "61"),
        ("date(,'20261129','S')", "29 Nov 2026"),
        ("date('S','9 nov 2026','n')", "20261109"),
        ("date('S','36525','C')", "20991231"),
        ("date('S','36526','C')", "error 40"),
        ("date('S','29 Feb 2023')", "error 40"),
        ("date('S','31/04/23','E')", "error 40"),
        ("date('S','2023366','J')", "error 40"),
        ("date('S',3652059,'B')", "error 40"),
        ("date('S',-1,'B')", "error 40"),
        ("date('S','20261129 ','S')", "error 40"),
        ("date('S','Monday','W')", "error 40"),
        ("date('S',,'B')", "error 40"),
        ("time('N','12:05am','C')", "00:05:00"),
        ("time('C','13:00:00')", "1:00pm"),
        ("time('N','24:00:00')", "error 40"),
        ("time('N','13:00pm','C')", "error 40"),
        ("time('N',1440,'M')", "error 40"),
        ("time('N',-1,'S')", "error 40"),
        ("time('E','12:00:00')", "error 40"),
        ("time('N','1','E')", "error 40"),
    ],
)
def test_dates_and_times_of_others(rexx: Rexx, expression: str, value: str) -> None:
    rexx.run(f"'{NOW}'")
    assert rexx.say(expression) == value


@pytest.mark.parametrize(
    "expression, value",
    [
        ("format(12.345,4,2)", "  12.35"),
        ("format(0.000012345)", "0.000012345"),
        ("format(12345678912)", "1.23456789E+10"),
        ("format(123.45,,,3,2)", "1.2345E+002"),
        ("format(1.5,,,2,0)", "1.5    "),
        ("format(9.99,2,1)", "10.0"),
        ("format(-1.5,3)", " -1.5"),
        ("format(3,4)", "   3"),
        ("format(1.73,4,0)", "   2"),
        ("format(12345.73,,,,3)", "1.234573E+4"),
        ("format(12345.73,,,0)", "12345.73"),
        ("format(1234567e5,,3,0)", "123456700000.000"),
        ("format(123,2)", "error 40"),
        ("format('x')", "error 40"),
        ("format(0,3,2)", "  0.00"),
        ("format(12345.73,,,2,2)", "1.234573E+04"),
        ("format(12345.73,,3,,0)", "1.235E+4"),
        ("format(1.234573,,3,,0)", "1.235"),
        ("format(12345.73,,,3,6)", "12345.73"),
        ("format(' - 12.73',,4)", "-12.7300"),
        ("format(0.000)", "0"),
        ("format(1e12,,,1)", "error 40"),
        ("format(0,,,2,0)", "0    "),
        ("format(0.0,,2,2,0)", "0.00    "),
        ("format(12345,,,9,3)", "1.2345E+000000004"),
        ("format(12345,,,10,3)", "error 40"),
        ("justify('The blue sky',14)", "The  blue  sky"),
        ("justify('The blue sky',8)", "The blue"),
        ("justify('The blue sky',9,'+')", "The++blue"),
        ("justify(' a  b c ',8,'-')", "a---b--c"),
        ("justify('',3,'.')", "..."),
        ("justify('abc',2)", "ab"),
        ("justify('a',-1)", "error 40"),
        ("translate('aB-',,,'0')", "AB-"),
        ("trunc(12.99)", "12"),
        ("trunc(1e5)", "100000"),
        ("trunc(-0.004,2)", "0.00"),
        ("max(1,5,3.5)", "5"),
        ("min(2,-1)", "-1"),
        ("max('x')", "error 40"),
        ("sign(-3)", "-1"),
        ("sign(0.0)", "0"),
        ("abs(-4.50)", "4.50"),
        ("datatype('12.5')", "NUM"),
        ("datatype('x')", "CHAR"),
        ("datatype(5.0,'W')", "1"),
        ("datatype(5.1,'W')", "0"),
        ("datatype('1F','x')", "1"),
        ("datatype('101 0001','b')", "1"),
        ("datatype('aZ','m')", "1"),
        ("datatype('','x')", "1"),
        ("datatype('','n')", "0"),
        ("datatype('A.1','s')", "1"),
        ("datatype('x','q')", "error 40"),
        ("xrange('a','e')", "abcde"),
        ("length(xrange())", "256"),
        ("length(xrange('01'x,'00'x))", "256"),
        ("bitand('f0'x,'3c'x)=='30'x", "1"),
        ("bitor('f0'x,'0c'x)=='fc'x", "1"),
        ("bitxor('f0'x,'ff'x)=='0f'x", "1"),
        ("substr('abc',0)", "error 40"),
        ("left('abc',-1)", "error 40"),
        ("copies('a')", "error 40"),
        ("left('abc',5,'xy')", "error 40"),
        ("word('a b',0)", "error 40"),
        ("x2c('0g')", "error 40"),
        ("c2d('ffffffffff'x)", "error 40"),
        ("d2x(-1)", "error 40"),
        ("words()", "error 40"),
        ("userid()", "MAINT"),
        ("address()", "CMS"),
        ("errortext(41)", "Bad arithmetic conversion"),
        ("queued()", "0"),
        ("externals()", "0"),
        ("digits()", "9"),
        ("symbol('a b')", "BAD"),
        ("symbol('a')", "LIT"),
        ("symbol('7')", "LIT"),
        ("value('a b')", "error 40"),
        ("sourceline()", "1"),
        ("linesize()", "80"),
        ("random(7,7)", "7"),
        ("nosuchfunction(1)", "error 43"),
        ("random(5,1)", "error 40"),
        ("diag(8,'QUERY X')=='QUERY X'||'15'x", "1"),
        ("diag(24)", "error 40"),
        ("left(diagrc(8,'Q'),16)", "        7 0     "),
        ("trace()", "N"),
        ("arg(1,'e')", "1"),
        ("arg(2,'e')", "0"),
        ("arg(2,'o')", "1"),
        ("arg()", "1"),
    ],
)
def test_examples(rexx: Rexx, expression: str, value: str) -> None:
    assert rexx.say(expression) == value


def test_help_names_every_function() -> None:
    table = (GUEST / "cms" / "rexx" / "bif" / "bif.c").read_text()
    names = set(re.findall(r'\{"(\w+)", \d+, \d+, bif_', table)) - {"CENTRE"}
    text = (GUEST / "volume" / "help" / "cms.txt").read_text()
    listed = re.search(r"Functions: ([^.]*)\.", text)
    assert listed and set(listed[1].split()) == names


def test_elapsed_time_counts_from_its_first_use_and_restarts(rexx: Rexx) -> None:
    assert rexx.say("time('e') time('e') time('r') time('e')") == "0 1.500000 3.000000 1.500000"


def test_random_with_a_seed_repeats(rexx: Rexx) -> None:
    out = rexx.run("say random(1,100,7) random(1,100) random(1,100)").out
    assert out == rexx.run("say random(1,100,7) random(1,100) random(1,100)").out
    assert all(1 <= int(x) <= 100 for x in out.split())


def test_value_keeps_operands_that_are_still_pending(rexx: Rexx) -> None:
    assert rexx.run("a = 'first text'; say a || value('a', 'second text') || a").out == (
        "first textfirst textsecond text\n"
    )
