# SPDX-License-Identifier: MIT
"""Arithmetic against Python's decimal, which is told REXX's rules."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.rexx import definition
from tests.guests.rexx.definition import EXACT, operate
from tests.guests.rexx.rexx import Rexx


@st.composite
def numbers(draw: st.DrawFn) -> str:
    figures = draw(st.text("0123456789", min_size=1, max_size=14))
    point = draw(st.integers(0, len(figures)))
    text = figures[:point] + "." + figures[point:] if draw(st.booleans()) else figures
    exponent = draw(st.one_of(st.just(""), st.integers(-30, 30).map(lambda e: f"E{e}")))
    sign = draw(st.sampled_from(["", "-", "+", " - "]))
    return sign + text + exponent


@given(
    numbers(),
    st.sampled_from(["+", "-", "*", "/", "%", "//"]),
    numbers(),
    st.sampled_from([9, 9, 1, 3, 18, 30]),
)
def test_operators(rexx: Rexx, a: str, op: str, b: str, digits: int) -> None:
    result = rexx.run(f"numeric digits {digits}; say '{a}' {op} '{b}'")
    got = f"error {result.error}" if result.error else result.out[:-1]
    assert got == operate(op, Decimal(a.replace(" ", "")), Decimal(b.replace(" ", "")), digits)


@given(
    st.integers(-(10**10), 10**10),
    st.sampled_from(["+", "-", "*", "/", "%", "//"]),
    st.integers(-(10**10), 10**10),
    st.sampled_from([9, 12, 18]),
)
def test_whole_numbers(rexx: Rexx, a: int, op: str, b: int, digits: int) -> None:
    result = rexx.run(f"numeric digits {digits}; a = '{a}'; b = '{b}'; say a {op} b")
    got = f"error {result.error}" if result.error else result.out[:-1]
    assert got == operate(op, Decimal(a), Decimal(b), digits)


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-99, max_value=99, places=3),
    st.integers(-40, 40),
)
def test_power(rexx: Rexx, a: Decimal, n: int) -> None:
    want = definition.power(a, Decimal(n), 9)
    assert rexx.say(f"({a}) ** ({n})") == want


@given(numbers(), st.sampled_from(["=", "<", ">", "<=", ">=", "\\="]), numbers(), st.integers(0, 8))
def test_comparison(rexx: Rexx, a: str, op: str, b: str, fuzz: int) -> None:
    x, y = (Decimal(t.replace(" ", "")) for t in (a, b))
    out = rexx.run(f"numeric fuzz {fuzz}; say '{a}' {op} '{b}'").out
    assert out == definition.compare(op, x, y, 9, fuzz) + "\n"


@given(st.integers(1, 10**9), st.integers(-9, 9), st.integers(5, 9))
def test_terms_that_cancel(rexx: Rexx, a: int, d: int, digits: int) -> None:
    """Close terms: what is left is counted from the first digit of the terms."""
    x, y = Decimal(a).scaleb(-3), Decimal(a + d).scaleb(-4)
    out = rexx.run(f"numeric digits {digits}; say '{x}' - '{y}'").out
    assert out == operate("-", x, y, digits) + "\n"


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=60, min_value=1),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=1),
    st.integers(60, 200),
)
def test_long_division_is_exact(rexx: Rexx, a: Decimal, b: Decimal, digits: int) -> None:
    """quotient * divisor is the dividend again, to within the quotient's last digit."""
    a, b = definition.rounded(a, digits), definition.rounded(b, digits)
    text = rexx.run(f"numeric digits {digits}; say '{a}' / '{b}'").out
    error = EXACT.subtract(a, EXACT.multiply(Decimal(text), b)).copy_abs()
    assert error <= EXACT.multiply(b, Decimal(1).scaleb(Decimal(text).adjusted() - digits + 1))


@pytest.mark.parametrize(
    "expression, value",
    [
        ("1/3", "0.333333333"),
        ("2/3", "0.666666667"),
        ("0.1+0.2", "0.3"),
        ("1.20*3", "3.60"),
        ("12.30/3", "4.1"),
        ("-2**2", "4"),
        ("2**-3", "0.125"),
        ("2**30", "1.07374182E+9"),
        ("1.7**8", "69.7575744"),
        ("100000000*100000000", "1.00000000E+16"),
        ("7//-3", "1"),
        ("-7//3", "-1"),
        ("-7%3", "-2"),
        ("2.1//3", "2.1"),
        ("10//3.3", "0.1"),
        ("1e3+0", "1000"),
        ("999999999+1", "1.00000000E+9"),
        ("0.00+0", "0"),
        ("+1.50", "1.50"),
        ("-(0.00)", "0"),
        ("5-1.50", "3.50"),
        ("1e20+1", "1.00000000E+20"),
        ("3.0//2", "1.0"),
        ("3.6//1.3", "1.0"),
        ("5//5.00", "0"),
        ("99.0//100.000", "99.0"),
        ("123456789.5-123456788", "2"),
        ("0**0", "1"),
        ("1.5**1000000000", "error 26"),
        ("9.99e999999999*10", "error 42"),
        ("1e-999999999/10", "error 42"),
        ("2**0.5", "error 26"),
        ("2**3.0000000001", "8"),
        ("'abc'+1", "error 41"),
        ("'1 2'+1", "error 41"),
        ("''+1", "error 41"),
        ("1/0", "error 42"),
        ("1e100%1", "error 26"),
        ("1e9999999999+1", "error 41"),
    ],
)
def test_examples(rexx: Rexx, expression: str, value: str) -> None:
    assert rexx.say(expression) == value


def test_large_power_is_quick_and_has_the_right_size(rexx: Rexx) -> None:
    assert rexx.say("2**999999999").endswith("E+301029995")  # 999999999 * log10(2)


def test_engineering_fuzz_and_digits(rexx: Rexx) -> None:
    out = rexx.run(
        "numeric form engineering; say 1e12*1.5 1e-11/3 1e10*1\n"
        "numeric digits 5; say 100000+0 digits() form() fuzz()\n"
        "numeric fuzz 2; say (10000=10001) (10000==10001) (1000=1001) (1000=1006)\n"
        "numeric digits; numeric fuzz; numeric form; say digits() form() fuzz()"
    ).lines
    assert out == [
        "1.5E+12 3.33333333E-12 10E+9",
        "100.00E+3 5 ENGINEERING 0",
        "1 0 1 0",
        "9 SCIENTIFIC 0",
    ]


def test_fuzz_of_the_reference(rexx: Rexx) -> None:
    """The example that IBM's reference prints under NUMERIC FUZZ."""
    program = "numeric digits 5; numeric fuzz {}; say (4.9999 = 5) (4.9999 < 5)"
    assert rexx.run(program.format(0)).out == "0 1\n"
    assert rexx.run(program.format(1)).out == "1 0\n"
