# SPDX-License-Identifier: MIT
"""Worlds with faults: nothing acknowledged is lost, accounts add up, no storage is lost, everybody
is told. A failing seed is played again by `.venv/bin/python -m tests.worlds SEED`."""

from __future__ import annotations

import random
import time

import pytest

from tests.worlds.many import one, volume, worlds

pytestmark = pytest.mark.e2e

BUDGET = 30.0
"""Seconds of this computer's clock."""
KNOWN = (130, 7120)
"""Seeds that have found something: a reply 5 ms before the file was on the disk; disk work that was
in nobody's account after FORCE."""
WORTH = 10
"""Worlds, at least, on however busy a computer."""
REPLAYED = 2
"""A world in which a line is bad and the client's machine ends."""


def _told(seed: int, wrong: tuple[str, ...]) -> str:
    said = "\n".join(f"  {each}" for each in wrong)
    return f"Seed {seed}:\n{said}\nAgain: .venv/bin/python -m tests.worlds {seed} --keep DIR"


def test_worlds(emulator_needed: None) -> None:
    """The known seeds, then others: each day's run has its own."""
    first = random.Random(int(time.time()) // 86400).randrange(1 << 32)
    count, failures = 0, []
    for verdict in worlds([*KNOWN, *range(first, first + 10_000)], BUDGET):
        count += 1
        if verdict.wrong:
            failures.append(_told(verdict.seed, verdict.wrong))
    print(f"{count} worlds from seed {first} on")
    assert not failures, "\n".join(failures)
    assert count >= WORTH


def test_a_seed_is_always_the_same_world(emulator_needed: None) -> None:
    with volume() as image:
        first, second = one(REPLAYED, image), one(REPLAYED, image)
    assert first == second and first.digest
