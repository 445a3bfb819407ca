# SPDX-License-Identifier: MIT
"""Programs made of broken pieces: they end, in bounded time, with a defined error or none."""

from __future__ import annotations

import random

import pytest

from tests.guests.rexx.rexx import Rexx
from tests.guests.rexx.test_clauses import PROGRAMS
from tests.guests.rexx.test_errors import ERRORS

SEEDS = [p for p, _ in PROGRAMS.values() if len(p) < 900] + [p for _, p in ERRORS if len(p) < 300]
PIECES = (
    """
if then else do end select when otherwise leave iterate call return exit signal on off syntax
novalue error procedure expose parse arg var value with pull upper push queue say interpret drop
address cms cp value numeric digits fuzz form trace r to by for while until forever nop
a b.i s. x.1.2 rc result sigl 1 0 -1 2.5 1e9 9e999999999 '' 'text' "it" '41'x '0101'b ( ) , ; : =
== \\= <> < > <= >= >> << + - * / % // ** || & | && \\ . /* */ \n a: f( substr( copies( 'a',9) word(
date( time( format( left( d2x( c2d( value( 'b', verify( translate( max( 0) arg() 99999999 ' '
""".split()
    + ["\n", " ", ";", ",\n", "/* ", " */", "'", '"']
)
ALLOWED = set(range(3, 50)) | {0}


def mutate(rng: random.Random) -> str:
    text: str = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 6)):
        at, to = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        how = rng.randrange(6)
        if how == 0:
            text = text[:at] + text[min(to, at + 4) :]
        elif how == 1:
            text = text[:at] + rng.choice(PIECES) + " " + text[at:]
        elif how == 2:
            other = rng.choice(SEEDS)
            cut = rng.randint(0, len(other))
            text = text[:at] + other[cut : cut + 40] + text[at:]
        elif how == 3:
            text = text[:at] + text[at:to][:60] * 2 + text[to:]
        elif how == 4:
            text = text[:at] + chr(rng.randrange(256)) + text[at + 1 :]
        else:
            text = text[:at] + text[at:to][:80][::-1] + text[to:]
    return text[:3000]


def invent(rng: random.Random) -> str:
    return " ".join(rng.choice(PIECES) for _ in range(rng.randint(1, 60)))


def check(rexx: Rexx, seed: int, count: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        program = mutate(rng) if rng.random() < 0.7 else invent(rng)
        arena = rng.choice([9000, 20000, 65536, 262144])
        result = rexx.run(program, "an argument", "typed\n" * 3, arena=arena, halt_after=20)
        assert result.error in ALLOWED, program
        if result.error:
            assert result.rc == 20000 + result.error
            assert f"Error {result.error} running" in result.out, program


def test_broken_programs(rexx: Rexx) -> None:
    check(rexx, seed=1, count=2500)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_broken_programs(rexx: Rexx, seed: int) -> None:
    check(rexx, seed=1000 + seed, count=10_000)
