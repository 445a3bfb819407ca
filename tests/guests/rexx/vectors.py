# SPDX-License-Identifier: MIT
"""Expressions for comparing interpreters: made from seeds, so that a run can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from tests.guests.rexx import definition
from tests.guests.rexx.rexx import quote

Make = Callable[[Random], str]

ROUTINE = """exit
v: procedure; parse arg d, f, m, e; numeric digits d; numeric fuzz f; numeric form value m
signal on syntax name e
interpret 'r =' e; say '<'r'>'; return
e: say 'error' rc; return
"""


@dataclass(frozen=True)
class Vector:
    """An expression with its NUMERIC settings; wanted is the definition's answer, if modelled."""

    kind: str
    digits: int
    fuzz: int
    form: str
    expression: str
    wanted: str | None = None

    def __str__(self) -> str:
        return f"{self.digits} {self.fuzz} {self.form} {self.expression}"


def figures(r: Random, digits: int) -> str:
    """A number's text: often as long as DIGITS or a little longer, often of nines and zeros."""
    n = r.choice([1, 2, 3, digits, digits, digits + 1, digits + 3, r.randint(1, 2 * digits + 2)])
    text = "".join(r.choice("0123456789999000") for _ in range(n))
    point = r.randint(0, n)
    if r.random() < 0.6:
        text = text[:point] + "." + text[point:]
    if r.random() < 0.2:
        text += f"E{r.randint(-2 * digits, 2 * digits)}"
    return r.choice(["", "-"]) + text


def settings(r: Random) -> tuple[int, str]:
    return r.choice([1, 2, 3, 5, 9, 9, 9, 9, 10, 18, 20, 30]), r.choice("SSE")


def operation(r: Random, op: str) -> Vector:
    digits, form = settings(r)
    a, b = figures(r, digits), figures(r, digits)
    if op in "+-" and r.random() < 0.3:  # terms that cancel
        b = near(r, a, digits)
    return Vector(
        op,
        digits,
        0,
        form,
        f"'{a}' {op} '{b}'",
        definition.operate(op, Decimal(a), Decimal(b), digits, form),
    )


def near(r: Random, a: str, digits: int) -> str:
    x = Decimal(a)
    low = x.adjusted() - r.randint(0, digits + 1)
    step = Decimal(r.choice([-7, -1, 0, 1, 4, 5, 9])).scaleb(low)
    return str(definition.EXACT.add(x, step))


def comparison(r: Random) -> Vector:
    digits = r.choice([2, 3, 5, 9, 9, 9])
    fuzz = r.choice([0, r.randint(0, digits - 1)])
    op, a = r.choice(["=", "<", ">", "<=", ">=", "\\="]), figures(r, digits)
    b = near(r, a, digits) if r.random() < 0.7 else figures(r, digits)
    return Vector(
        "compare",
        digits,
        fuzz,
        "S",
        f"'{a}' {op} '{b}'",
        definition.compare(op, Decimal(a), Decimal(b), digits, fuzz),
    )


def power(r: Random) -> Vector:
    digits, form = settings(r)
    a = figures(r, min(digits, 4)).partition("E")[0]
    if Decimal(a) == 0:
        a = "7.1"  # regina 3.6 never ends 0 ** -1
    n = r.choice(["0", "1", "2", "3", "1.5", "2.0", str(r.randint(-40, 40)), str(r.randint(-9, 9))])
    return Vector(
        "**",
        digits,
        0,
        form,
        f"'{a}' ** '{n}'",
        definition.power(Decimal(a), Decimal(n), digits, form),
    )


def prefix(r: Random) -> Vector:
    digits, form = settings(r)
    sign, a = r.choice("+-"), figures(r, digits)
    return Vector(
        "prefix",
        digits,
        0,
        form,
        f"{sign}'{a}'",
        definition.operate(sign, Decimal(0), Decimal(a), digits, form),
    )


def number_function(r: Random) -> Vector:
    digits, form = settings(r)
    name = r.choice(["ABS", "SIGN", "MAX", "MIN", "TRUNC"])
    texts = [figures(r, digits) for _ in range(2 if name in ("MAX", "MIN") else 1)]
    numbers = [definition.rounded(definition.cut(Decimal(t), digits), digits) for t in texts]
    arguments = ",".join(f"'{t}'" for t in texts)
    if name == "TRUNC":
        places = r.randint(0, 12)
        arguments += f",{places}"
        wanted = definition.trunc(Decimal(texts[0]), places, digits)
    elif name == "SIGN":
        wanted = str(numbers[0].compare(Decimal(0)))
    elif name == "ABS":
        wanted = definition.shown(numbers[0].copy_abs(), digits, form)
    else:
        first, second = numbers
        greater = definition.compare(">" if name == "MAX" else "<", second, first, digits, 0)
        wanted = definition.shown(second if greater == "1" else first, digits, form)
    return Vector(name, digits, 0, form, f"{name}({arguments})", wanted)


def format_(r: Random) -> Vector:
    digits, form = settings(r)
    a = figures(r, digits)
    chosen = [
        r.choice(c) if r.random() < 0.5 else None
        for c in ([1, 2, 4, 8, 12], [0, 1, 2, 3, 6, 12], [0, 1, 2, 3, 4], [0, 1, 2, 3, 5, 9])
    ]
    chosen = chosen[: r.randint(0, 4)]
    while chosen and chosen[-1] is None:
        chosen.pop()
    arguments = ",".join([f"'{a}'"] + ["" if c is None else str(c) for c in chosen])
    return Vector(
        "FORMAT",
        digits,
        0,
        form,
        f"FORMAT({arguments})",
        definition.format_(Decimal(a), digits, form, *chosen),
    )


def text(r: Random) -> str:
    return quote("".join(r.choice("ab cX 1-") for _ in range(r.choice([0, 1, 2, 3, 5, 8, 12]))))


def trimmed(r: Random) -> str:
    """Words without blanks around them: of those regina 3.6 makes bytes of no meaning."""
    return quote(text(r).strip("' ").replace("'", ""))


def whole(r: Random) -> str:
    return r.choice([str(r.randint(0, 14))] * 8 + ["-1", "'x'", "1.0", "'+3'"])


def pad(r: Random) -> str:
    return quote(r.choice("*. -0"))


def number(r: Random) -> str:
    return r.choice(["", "-"]) + r.choice([str(r.randint(0, 99999)), f"{r.uniform(0, 99):.2f}"])


def hexadecimal(r: Random) -> str:
    n = r.choice([0, 1, 2, 3, 4, 6, 8])
    return quote(
        "".join(r.choice("0123456789abcDEF") for _ in range(n)) + r.choice([""] * 9 + ["g", " "])
    )


def binary(r: Random) -> str:
    n = r.choice([0, 1, 3, 4, 5, 8, 12, 16])
    return quote("".join(r.choice("01") for _ in range(n)) + r.choice([""] * 9 + ["2", " 1"]))


def characters(r: Random) -> str:
    return quote("".join(r.choice("0123456789ABCDEF") for _ in range(r.choice([0, 2, 4, 6])))) + "x"


def one_of(letters: str) -> Make:
    return lambda r: quote(r.choice(letters))


def some(r: Random) -> str:
    make: Make = r.choice([text, hexadecimal, binary, lambda r: quote(number(r))])
    return make(r)


# name: (arguments that must be there, arguments that may follow). ERRORTEXT is not here: the
# texts are each language processor's own.
FUNCTIONS: dict[str, tuple[list[Make], list[Make]]] = {
    "ABBREV": ([text, text], [whole]),
    "ABS": ([number], []),
    "B2X": ([binary], []),
    "BITAND": ([characters], [characters, characters]),
    "BITOR": ([characters], [characters]),
    "BITXOR": ([characters], [characters]),
    "C2D": ([characters], [whole]),
    "C2X": ([characters], []),
    "CENTER": ([text, whole], [pad]),
    "CENTRE": ([text, whole], [pad]),
    "COMPARE": ([text, text], [pad]),
    "COPIES": ([text, whole], []),
    "D2C": ([number], [whole]),
    "D2X": ([number], [whole]),
    "DATATYPE": ([some], [one_of("ABLMNSUWXabqx")]),
    "DELSTR": ([text, whole], [whole]),
    "DELWORD": ([text, whole], [whole]),
    "FIND": ([text, text], [whole]),
    "INDEX": ([text, text], [whole]),
    "INSERT": ([text, text], [whole, whole, pad]),
    "JUSTIFY": ([trimmed, whole], [pad]),
    "LASTPOS": ([text, text], [whole]),
    "LEFT": ([text, whole], [pad]),
    "LENGTH": ([text], []),
    "MAX": ([number, number], [number]),
    "MIN": ([number], [number, number]),
    "OVERLAY": ([text, text], [whole, whole, pad]),
    "POS": ([text, text], [whole]),
    "REVERSE": ([text], []),
    "RIGHT": ([text, whole], [pad]),
    "SIGN": ([number], []),
    "SPACE": ([text], [whole, pad]),
    "STRIP": ([text], [one_of("BLTblx"), pad]),
    "SUBSTR": ([text, whole], [whole, pad]),
    "SUBWORD": ([text, whole], [whole]),
    "SYMBOL": ([text], []),
    "TRANSLATE": ([text], [text, text, pad]),
    "TRUNC": ([number], [whole]),
    "VERIFY": ([text, text], [one_of("NMnmx"), whole]),
    "WORD": ([text, whole], []),
    "WORDINDEX": ([text, whole], []),
    "WORDLENGTH": ([text, whole], []),
    "WORDPOS": ([text, text], [whole]),
    "WORDS": ([text], []),
    "X2B": ([hexadecimal], []),
    "X2C": ([hexadecimal], []),
    "X2D": ([hexadecimal], [whole]),
    "XRANGE": ([characters], [characters]),
}
OF_CHARACTERS = {"BITAND", "BITOR", "BITXOR", "D2C", "X2C", "XRANGE"}  # shown in hexadecimal


def function(r: Random, name: str) -> Vector:
    must, may = FUNCTIONS[name]
    arguments = [make(r) for make in must]
    arguments += [make(r) if r.random() < 0.85 else "" for make in may[: r.randint(0, len(may))]]
    while not arguments[-1]:  # regina 3.6 dies of VERIFY(a,b,,)
        arguments.pop()
    call = f"{name}({','.join(arguments)})"
    return Vector(name, 9, 0, "S", f"C2X({call})" if name in OF_CHARACTERS else call)


def arithmetic(seed: int) -> list[Vector]:
    r = Random(seed)
    made = [operation(r, op) for op in ("+", "-", "*", "/", "%", "//") for _ in range(700)]
    for make, n in (
        (comparison, 1000),
        (power, 500),
        (prefix, 300),
        (number_function, 600),
        (format_, 1000),
    ):
        made += [make(r) for _ in range(n)]
    return made


def functions(seed: int) -> list[Vector]:
    r = Random(seed)
    made = [function(r, name) for name in FUNCTIONS for _ in range(80)]
    return list(dict.fromkeys(made))


def program(some: Iterable[Vector]) -> str:
    """A program that says each vector's value between < and >, or its error."""
    return (
        "".join(f"call v {v.digits}, {v.fuzz}, '{v.form}', {quote(v.expression)}\n" for v in some)
        + ROUTINE
    )


def value(line: str) -> str:
    """The value in a line of that program's output."""
    return line[1:-1] if line.startswith("<") else line
