# SPDX-License-Identifier: MIT
"""Arithmetic against Python's decimal, which is told REXX's rules."""

from __future__ import annotations

import decimal
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx.rexx import Rexx

D = decimal.Context(prec=3000, Emax=999_999_999, Emin=-999_999_999)


def cut(x: Decimal, digits: int) -> Decimal:
    """An operand: at most digits + 1 digits, what follows is dropped."""
    return decimal.Context(prec=digits + 1, rounding=decimal.ROUND_DOWN).plus(x)


def rounded(x: Decimal, digits: int) -> Decimal:
    return decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_UP).plus(x)


def show(x: Decimal, digits: int) -> str:
    """REXX's form of a number that is already rounded."""
    if x == 0:
        return "0"
    sign, figures, exponent = x.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, figures))
    top = exponent + len(text) - 1
    minus = "-" if sign else ""
    plain = (top + 1 <= digits) if exponent >= 0 else (top >= 0 or -exponent <= 2 * digits)
    if plain:
        return minus + format(x.copy_abs(), "f")
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{minus}{mantissa}E{top:+d}"


def stripped(x: Decimal) -> Decimal:
    return D.normalize(x)


def model(op: str, a: Decimal, b: Decimal, digits: int) -> str:
    a, b = cut(a, digits), cut(b, digits)
    if op in "+-*":
        exact = {"+": D.add, "-": D.subtract, "*": D.multiply}[op](a, b)
        if op != "*" and (a == 0) != (b == 0):  # what is not zero, as it is
            exact = b if a == 0 and op == "+" else -b if a == 0 else a
        return show(rounded(exact, digits), digits)
    if b == 0:
        return "error 42"
    if op == "/":
        return show(stripped(rounded(D.divide(a, b), digits)), digits)
    whole = D.divide_int(a, b)
    if len(whole.as_tuple().digits) > digits:
        return "error 26"
    if op == "%":
        return show(whole, digits)
    return show(rounded(D.subtract(a, D.multiply(b, whole)), digits), digits)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    figures = draw(st.text("0123456789", min_size=1, max_size=14))
    point = draw(st.integers(0, len(figures)))
    text = figures[:point] + "." + figures[point:] if draw(st.booleans()) else figures
    exponent = draw(st.one_of(st.just(""), st.integers(-30, 30).map(lambda e: f"E{e}")))
    sign = draw(st.sampled_from(["", "-", "+", " - "]))
    return sign + text + exponent


@given(numbers(), st.sampled_from(["+", "-", "*", "/", "%", "//"]), numbers(),
       st.sampled_from([9, 9, 1, 3, 18, 30]))
def test_operators(rexx: Rexx, a: str, op: str, b: str, digits: int) -> None:
    result = rexx.run(f"numeric digits {digits}; say '{a}' {op} '{b}'")
    got = f"error {result.error}" if result.error else result.out[:-1]
    assert got == model(op, Decimal(a.replace(" ", "")), Decimal(b.replace(" ", "")), digits)


@given(st.integers(-10**10, 10**10), st.sampled_from(["+", "-", "*", "/", "%", "//"]),
       st.integers(-10**10, 10**10), st.sampled_from([9, 12, 18]))
def test_whole_numbers(rexx: Rexx, a: int, op: str, b: int, digits: int) -> None:
    result = rexx.run(f"numeric digits {digits}; a = '{a}'; b = '{b}'; say a {op} b")
    got = f"error {result.error}" if result.error else result.out[:-1]
    assert got == model(op, Decimal(a), Decimal(b), digits)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-99, max_value=99, places=3),
       st.integers(-40, 40))
def test_power(rexx: Rexx, a: Decimal, n: int) -> None:
    if a == 0 and n < 0:
        want = "error 42"
    else:
        work = decimal.Context(prec=9 + len(str(abs(n))) + 1, rounding=decimal.ROUND_HALF_UP)
        r = Decimal(1)
        for bit in bin(abs(n))[2:]:
            r = work.multiply(r, r)
            if bit == "1":
                r = work.multiply(r, a)
        if n < 0:
            r = work.divide(Decimal(1), r)
        want = show(stripped(rounded(r, 9)), 9)
    assert rexx.say(f"({a}) ** ({n})") == want


@given(numbers(), st.sampled_from(["=", "<", ">", "<=", ">=", "\\="]), numbers())
def test_comparison(rexx: Rexx, a: str, op: str, b: str) -> None:
    x, y = (cut(Decimal(t.replace(" ", "")), 9) for t in (a, b))
    want = {"=": x == y, "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y, "\\=": x != y}[op]
    assert rexx.say(f"'{a}' {op} '{b}'") == str(int(want))


@pytest.mark.parametrize("expression, value", [
    ("1/3", "0.333333333"), ("2/3", "0.666666667"), ("0.1+0.2", "0.3"), ("1.20*3", "3.60"),
    ("12.30/3", "4.1"), ("-2**2", "4"), ("2**-3", "0.125"), ("2**30", "1.07374182E+9"),
    ("1.7**8", "69.7575744"), ("100000000*100000000", "1.00000000E+16"), ("7//-3", "1"),
    ("-7//3", "-1"), ("-7%3", "-2"), ("2.1//3", "2.1"), ("10//3.3", "0.1"), ("1e3+0", "1000"),
    ("999999999+1", "1.00000000E+9"), ("0.00+0", "0"), ("+1.50", "1.50"), ("-(0.00)", "0"),
    ("5-1.50", "3.50"), ("1e20+1", "1.00000000E+20"), ("3.0//2", "1.0"), ("0**0", "1"),
    ("1.5**1000000000", "error 26"), ("9.99e999999999*10", "error 42"), ("1e-999999999/10",
    "error 42"), ("2**0.5", "error 26"), ("'abc'+1", "error 41"), ("'1 2'+1", "error 41"),
    ("''+1", "error 41"), ("1/0", "error 42"), ("1e100%1", "error 26"),
    ("1e9999999999+1", "error 41"),
])
def test_examples(rexx: Rexx, expression: str, value: str) -> None:
    assert rexx.say(expression) == value


def test_large_power_is_quick_and_has_the_right_size(rexx: Rexx) -> None:
    assert rexx.say("2**999999999").endswith("E+301029995")  # 999999999 * log10(2)


def test_engineering_fuzz_and_digits(rexx: Rexx) -> None:
    out = rexx.run("numeric form engineering; say 1e12*1.5 1e-11/3 1e10*1\n"
                   "numeric digits 5; say 100000+0 digits() form() fuzz()\n"
                   "numeric fuzz 2; say (10000=10001) (10000==10001) (1000=1001)\n"
                   "numeric digits; numeric fuzz; numeric form; say digits() form() fuzz()").lines
    assert out == ["1.5E+12 3.33333333E-12 10E+9", "100.00E+3 5 ENGINEERING 0", "1 0 0",
                   "9 SCIENTIFIC 0"]
