# SPDX-License-Identifier: MIT
"""Who runs next: two lists by priority, in turn among equals, and nobody waits for ever."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = [
    "-include", "string.h",
    *rooms("include", "lib", "cp/include", "cp/core"),
]  # fmt: skip
MACHINES = 8
STARVE_US = 40000
IO, EVENT = 4, 8


class Lists(Harness):
    def __init__(self, program: Path) -> None:
        super().__init__(program)
        self.ask("reset")

    def ask(self, *words: object) -> int:
        return int(self.line(*words))

    def order(self) -> list[int]:
        """All that can run, as they go when each waits at once."""
        got = []
        while (vm := self.ask("pick")) >= 0:
            got.append(vm)
            self.ask("hold", vm, EVENT)
            self.ask("back", vm, 0, 0)
        return got


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("ready"), FLAGS, HERE / "harness.c")


@pytest.fixture
def lists(program: Path) -> Iterator[Lists]:
    lists = Lists(program)
    yield lists
    lists.end()


def test_equals_go_in_turn_and_a_smaller_priority_first(lists: Lists) -> None:
    for vm, priority in ((0, 5), (1, 2), (2, 5), (3, 2), (4, 9)):
        lists.ask("priority", vm, priority)
        lists.ask("release", vm, EVENT)
    assert lists.ask("length", 0) == 5
    assert lists.order() == [1, 3, 0, 2, 4]


def test_one_that_was_preempted_goes_before_its_equals(lists: Lists) -> None:
    for vm in (0, 1, 2):
        lists.ask("release", vm, EVENT)
    assert lists.ask("pick") == 0
    lists.ask("back", 0, 1, 0)
    assert lists.order() == [0, 1, 2]


@pytest.mark.parametrize("others", [[3], [3, 4], [1, 2, 3, 4]])
def test_who_gives_way_is_second_whatever_its_priority(lists: Lists, others: list[int]) -> None:
    lists.ask("priority", 0, 1)
    for vm in range(1, 5):
        lists.ask("priority", vm, 5)
    lists.ask("release", 0, EVENT)
    assert lists.ask("pick") == 0
    for vm in others:
        lists.ask("release", vm, EVENT)
    assert lists.ask("second", 0) == 1
    lists.ask("release", 5, EVENT)
    assert lists.order() == [5, others[0], 0, *others[1:]]


def test_a_slice_used_up_puts_it_behind_all_that_woke(lists: Lists) -> None:
    lists.ask("release", 0, EVENT)
    assert lists.ask("pick") == 0
    lists.ask("back", 0, 0, 1)
    lists.ask("release", 1, EVENT)
    lists.ask("release", 2, EVENT)
    assert (lists.ask("length", 0), lists.ask("length", 1)) == (2, 1)
    assert lists.order() == [1, 2, 0]


def test_who_waited_long_enough_goes_before_those_that_woke(lists: Lists) -> None:
    lists.ask("release", 0, EVENT)
    lists.ask("pick")
    lists.ask("back", 0, 0, 1)
    lists.ask("release", 1, EVENT)
    lists.ask("later", STARVE_US)
    assert lists.ask("pick") == 1
    lists.ask("back", 1, 0, 0)
    lists.ask("later", 1)
    assert lists.ask("pick") == 0


def test_what_waits_for_somebody_is_interactive_again_what_waits_for_a_disk_is_not(
    lists: Lists,
) -> None:
    lists.ask("release", 0, EVENT)
    lists.ask("pick")
    lists.ask("hold", 0, IO)
    lists.ask("back", 0, 0, 1)
    lists.ask("release", 0, IO)
    assert (lists.ask("length", 0), lists.ask("length", 1)) == (0, 1)
    lists.ask("hold", 0, EVENT)
    lists.ask("release", 0, EVENT)
    assert (lists.ask("length", 0), lists.ask("length", 1)) == (1, 0)


def test_all_reasons_to_wait_must_be_gone(lists: Lists) -> None:
    lists.ask("hold", 3, IO)
    assert lists.ask("release", 3, EVENT) == 0
    assert lists.ask("ready", 3) == 0
    assert lists.ask("release", 3, IO) == 1


@pytest.mark.parametrize("seed", range(10))
def test_nobody_is_lost_or_in_a_list_twice(lists: Lists, seed: int) -> None:
    rng = random.Random(seed)
    waits = dict.fromkeys(range(MACHINES), EVENT)
    running = -1
    for _ in range(400):
        vm = rng.randrange(MACHINES)
        what = rng.choice(["hold", "release", "ready", "pick", "back"])
        if what in ("hold", "release"):
            why = rng.choice([IO, EVENT])
            waits[vm] = waits[vm] | why if what == "hold" else waits[vm] & ~why
            lists.ask(what, vm, why)
        elif what == "ready":
            lists.ask(what, vm)
        elif running < 0:
            running = lists.ask("pick")
        else:
            lists.ask("back", running, rng.randrange(2), rng.randrange(2))
            running = -1
        can = sum(not w for v, w in waits.items() if v != running)
        assert lists.ask("length", 0) + lists.ask("length", 1) == can
    if running >= 0:
        lists.ask("back", running, 0, 0)
    assert sorted(lists.order()) == [v for v, w in waits.items() if not w]
