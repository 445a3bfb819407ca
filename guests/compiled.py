# SPDX-License-Identifier: MIT
"""The compiler's options for builds of VM/KB: options of gcc in turn, on which no verdict may
depend. Each is a variable for make; an empty one leaves the Makefile's own options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec

PLAIN = 1
"""The number of the build that `make` makes for everybody; from 2 on it is the seed."""
STACK = "STACK_OPT=-O3", "STACK_OPT=-O2", "STACK_OPT=-Os"
"""Where releases differ in their TCPIP alone. The Makefile's own options for it are the first."""
CLANG = "STACK_OPT=clang -O2"
"""A second compiler for a stack, where the package ziglang is installed."""
WHOLE = "", "OPT=-O3", "OPT=-Os"
"""Where all of VM/KB may differ."""
OWN_CHOICE = "the Makefile's options"
_FLAG = r"(?:-O[0-3sgz]?|-f(?!plugin|profile|dump)[a-z0-9=-]+|-m[a-z0-9=.+-]+)"
"""An option that chooses how gcc optimises: it names no file and no program."""


def checked(compiled: str) -> str:
    """Return COMPILED. ValueError unless it is such a variable."""
    if not re.fullmatch(rf"((STACK_)?OPT=(clang )?{_FLAG}( {_FLAG})*)?", compiled):
        raise ValueError(f"{compiled} does not say what a build is compiled with")
    return compiled


def stacks() -> tuple[str, ...]:
    """Return STACK, and CLANG if it is here."""
    return (*STACK, CLANG) if find_spec("ziglang") else STACK


def pinned(given: str, *, stack: bool) -> tuple[str, ...]:
    """Return the variable with which all builds, or those of a STACK, are compiled with the options
    GIVEN. ValueError with the first one that is not for this."""
    flags = given.split()
    for flag in flags:
        if not re.fullmatch(_FLAG, flag):
            raise ValueError(flag)
    return (f"{'STACK_' if stack else ''}OPT={' '.join(flags)}",) if flags else ()


def of_build(compiled: Sequence[str], number: int) -> str:
    """Return which of COMPILED build NUMBER is made with; without any, the Makefile's choice."""
    return compiled[(number - 1) % len(compiled)] if compiled else ""


def flags(compiled: str) -> str:
    """Return the compiler's options in a variable, as a table names them."""
    return compiled.partition("=")[2] or OWN_CHOICE


def build_name(number: int, compiled: str) -> str:
    """Return the name of the folder of build NUMBER, which is made with COMPILED."""
    if compiled in ("", STACK[0]):
        return str(number)
    return f"{number}-{re.sub('[ =]', '', compiled)}"


def arranged(number: int, compiled: str) -> list[str]:
    """Return words for make: COMPILED, and from number 2 on an order of sources and a layout of
    build NUMBER's own."""
    seeds = [f"ORDER={number}", f"LAYOUT={number}"] if number > PLAIN else []
    return [*seeds, *filter(None, [compiled])]
