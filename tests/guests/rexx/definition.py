# SPDX-License-Identifier: MIT
"""REXX's arithmetic as its definition words it, on Python's decimal. Pure; no REXX program runs.

The definition is the chapter "Numbers and Arithmetic" of IBM's REXX reference. Every function
answers the text that SAY would show, or "error n".
"""

from __future__ import annotations

import decimal
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

EXACT = decimal.Context(prec=3000, Emax=999_999_999, Emin=-999_999_999)


def rounded(x: Decimal, digits: int, how: str = ROUND_HALF_UP) -> Decimal:
    return decimal.Context(prec=digits, rounding=how, Emax=999_999_999, Emin=-999_999_999).plus(x)


def cut(x: Decimal, digits: int) -> Decimal:
    """An operand: at most digits + 1 digits, what follows is dropped."""
    return rounded(x, digits + 1, ROUND_DOWN)


def stripped(x: Decimal) -> Decimal:
    return EXACT.normalize(x)


def exponent_of(x: Decimal) -> int:
    exponent = x.as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def to_place(x: Decimal, low: int, how: str) -> Decimal:
    """x without the digits below 10**low; nothing is added to a shorter one."""
    return x.quantize(Decimal((0, (1,), low)), how, EXACT) if exponent_of(x) < low else x


def shown(x: Decimal, digits: int, form: str = "S", smallest: int | None = None) -> str:
    """The text of a number that is already rounded.

    Exponents begin when a number needs more than digits places before its point, or more than
    twice digits after it; with smallest, when it is below 10**smallest instead (as ANSI X3.274).
    """
    if x == 0:
        return "0"
    sign, figures, _ = x.as_tuple()
    exponent, text = exponent_of(x), "".join(map(str, figures))
    top = exponent + len(text) - 1
    minus = "-" if sign else ""
    small = -exponent > 2 * digits if smallest is None else top < smallest
    if top < digits if exponent >= 0 else top >= 0 or not small:
        return minus + format(x.copy_abs(), "f")
    shift = top - top % 3 if form == "E" else top
    whole = top - shift + 1
    text = text.ljust(whole, "0")
    mantissa = text[:whole] + ("." + text[whole:] if len(text) > whole else "")
    return f"{minus}{mantissa}E{shift:+d}" if shift else minus + mantissa


def add(a: Decimal, b: Decimal, digits: int) -> Decimal:
    """Terms extended to at most digits + 1 places from the first digit of the larger."""
    if a == 0 or b == 0:
        return rounded(b if a == 0 else a, digits)
    top = max(a.adjusted(), b.adjusted())
    low = max(min(exponent_of(a), exponent_of(b)), top - digits)
    total = EXACT.add(to_place(a, low, ROUND_DOWN), to_place(b, low, ROUND_DOWN))
    if total.adjusted() <= top:  # no carry: counting begins at the terms' first digit
        total = to_place(total, top - digits + 1, ROUND_HALF_UP)
    return rounded(total, digits)


def operate(op: str, a: Decimal, b: Decimal, digits: int, form: str = "S") -> str:
    a, b = cut(a, digits), cut(b, digits)
    if op in "+-":
        return shown(add(a, b.copy_negate() if op == "-" else b, digits), digits, form)
    if op == "*":
        return shown(rounded(EXACT.multiply(a, b), digits), digits, form)
    if b == 0:
        return "error 42"
    if op == "/":
        quotient = decimal.Context(prec=digits + 1, rounding=ROUND_DOWN).divide(a, b)
        return shown(stripped(rounded(quotient, digits)), digits, form)
    whole = EXACT.divide_int(a, b)
    if len(whole.as_tuple().digits) > digits:
        return "error 26"
    if op == "%":
        return shown(whole, digits, form)
    rest = EXACT.subtract(a, EXACT.multiply(b, whole)) if whole else a
    return shown(rounded(rest, digits), digits, form)


def compare(op: str, a: Decimal, b: Decimal, digits: int, fuzz: int) -> str:
    """The difference under digits - fuzz, compared with 0."""
    kept = digits - fuzz
    difference = add(cut(a, kept), cut(b, kept).copy_negate(), kept)
    return str(
        int(
            {
                "=": difference == 0,
                "<": difference < 0,
                ">": difference > 0,
                "<=": difference <= 0,
                ">=": difference >= 0,
                "\\=": difference != 0,
            }[op]
        )
    )


def power(a: Decimal, n: Decimal, digits: int, form: str = "S") -> str:
    """By squaring, with digits + L + 1 digits, where L is the length of n."""
    n = rounded(n, digits)
    if n != n.to_integral_value() or n.adjusted() + 1 > digits:
        return "error 26"
    a, times = cut(a, digits), abs(int(n))
    if times == 0:
        return "1"
    if a == 0:
        return "error 42" if n < 0 else "0"
    work = decimal.Context(prec=digits + len(str(times)) + 1, rounding=ROUND_HALF_UP)
    r = Decimal(1)
    for bit in bin(times)[2:]:
        r = work.multiply(r, r)
        if bit == "1":
            r = work.multiply(r, a)
    if n < 0:
        work.rounding = ROUND_HALF_UP
        r = work.divide(Decimal(1), r)
    return shown(stripped(rounded(r, digits)), digits, form)


def plain(x: Decimal, low: int, how: str) -> str:
    """x to 10**low in plain digits; a zero has no sign."""
    y = x.quantize(Decimal((0, (1,), low)), how, EXACT)
    return format(y.copy_abs() if y == 0 else y, "f")


def trunc(x: Decimal, places: int, digits: int) -> str:
    return plain(rounded(cut(x, digits), digits), -places, ROUND_DOWN)


def format_(
    x: Decimal,
    digits: int,
    form: str,
    before: int | None = None,
    after: int | None = None,
    expp: int | None = None,
    expt: int | None = None,
) -> str:
    """FORMAT(x, before, after, expp, expt)."""
    x = rounded(cut(x, digits), digits)
    x = x if x else Decimal(0)
    trigger = digits if expt is None else expt
    places = max(-exponent_of(x), 0)
    exponential = expp != 0 and (x.adjusted() + 1 > trigger or places > 2 * trigger)

    def shift_of(y: Decimal) -> int:
        top = y.adjusted()
        return (top - top % 3 if form == "E" else top) if exponential else 0

    shift = shift_of(x)
    if after is not None and x != 0:
        x = to_place(x, shift - after, ROUND_HALF_UP)
        shift = shift_of(x)
    mantissa = EXACT.scaleb(x, -shift)
    low = min(exponent_of(mantissa), 0) if after is None else -after
    text = "0" if x == 0 and after is None else plain(mantissa, low, ROUND_HALF_UP)
    width = len(text.partition(".")[0])
    if before is not None and width > before:
        return "error 40"
    text = " " * ((before or 0) - width) + text
    if shift:
        power_of_ten = str(abs(shift))
        if expp and len(power_of_ten) > expp:
            return "error 40"
        return f"{text}E{'-' if shift < 0 else '+'}{power_of_ten.zfill(expp or 0)}"
    return text + (" " * (expp + 2) if exponential and expp else "")
