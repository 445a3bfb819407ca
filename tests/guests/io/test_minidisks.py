# SPDX-License-Identifier: MIT
"""Minidisks of three machines on one volume, against a model: each machine sees its own extent as
it was written last, through the cache or past it, and nothing else; what fails says so."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import Harness, compiled, rooms

HERE = Path(__file__).parent
# A channel program has addresses of 31 bits: the program's data must lie there on this machine too.
FLAGS = [
    "-Wno-pointer-to-int-cast", "-no-pie", "-fno-pie",
    *rooms("include", "lib", "cp/include", "cp/io"),
]  # fmt: skip
READ, WRITE = 1, 2
EXTENT, STORAGE, CHAIN, FIRST = 300, 400, 120, 8
ERANGE, EADDR, EREADONLY, EIO = -3, -1, -4, -5
WAIT_IO, WAIT_NOTREADY = 4, 0x40


class Guest(Harness):
    def ask(self, *words: object) -> list[int]:
        return [int(w) for w in self.line(*words).split()]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("io"), FLAGS, HERE / "harness.c")


@pytest.fixture
def guest(program: Path) -> Iterator[Guest]:
    guest = Guest(program)
    assert guest.ask("reset", 1, 1, 0) == [1]
    yield guest
    guest.end()


def on_volume(machine: int, block: int) -> int:
    return FIRST + machine * EXTENT + block


def settle(guest: Guest, machine: int) -> int:
    """End channel programs until the machine runs; what its DIAGNOSE answered."""
    for _ in range(20):
        wait, answer = guest.ask("vm", machine)
        if not wait & WAIT_IO:
            return answer
        guest.ask("step", 0)
    raise AssertionError("the request does not end")


@pytest.mark.parametrize(
    ("machine", "op", "block", "count", "at", "rc"),
    [
        (0, READ, 0, 0, 0, ERANGE),
        (0, READ, EXTENT, 1, 0, ERANGE),
        (0, READ, EXTENT - 1, 2, 0, ERANGE),
        (0, READ, 0xFFFFFFFF, 2, 0, ERANGE),
        (0, WRITE, 0, 0x80000000, 0, ERANGE),
        (0, READ, 0, 2, STORAGE - 1, EADDR),
        (0, READ, 0, 1, -1, EADDR),
        (2, WRITE, 0, 1, 0, EREADONLY),
        (0, 3, 0, 1, 0, -9),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_runs(
    guest: Guest, machine: int, op: int, block: int, count: int, at: int, rc: int
) -> None:
    assert guest.ask("io", machine, op, block, count, at) == [rc, 0]
    assert guest.ask("step", 0) == [-1]


def test_a_long_request_is_several_channel_programs_in_order(guest: Guest) -> None:
    assert guest.ask("io", 1, READ, 10, 250, 3) == [0, 1]
    parts = [guest.ask("step", 0) for _ in range(3)]
    at = on_volume(1, 10)
    assert parts == [[0, at, CHAIN], [0, at + CHAIN, CHAIN], [0, at + 2 * CHAIN, 10]]
    assert guest.ask("vm", 1)[0] == 0
    for i in (0, CHAIN - 1, CHAIN, 249):
        assert guest.ask("peek", 1, 3 + i) == [(at + i) % 251]


def test_an_error_of_the_volume_ends_the_request_with_it(guest: Guest) -> None:
    guest.ask("io", 0, READ, 0, 250, 0)
    guest.ask("step", 0)
    guest.ask("step", 1)
    assert guest.ask("vm", 0) == [0, EIO]
    assert guest.ask("step", 0) == [-1]


def test_a_machine_that_is_reset_gets_nothing_more_into_its_storage(guest: Guest) -> None:
    guest.ask("io", 0, READ, 0, 250, 0)
    guest.ask("reset_vm", 0)
    assert guest.ask("step", 0)[2] == CHAIN
    assert guest.ask("step", 0) == [-1]
    assert guest.ask("vm", 0)[0] == WAIT_NOTREADY


@pytest.mark.parametrize("cached", [False, True])
def test_a_temporary_minidisk_shows_what_was_written_there_since(
    guest: Guest, cached: bool
) -> None:
    """What stood there is in the volume, and maybe in the cache; the machine reads zeros."""
    assert guest.ask("reset", 1, 1, 1) == [1]
    if cached:
        guest.ask("io", 2, READ, 0, 16, 0)
        settle(guest, 2)
    assert guest.ask("temporary", 2) == [0, on_volume(2, 0)]
    guest.ask("poke", 2, 50, 7)
    guest.ask("io", 2, WRITE, 3, 1, 50)
    settle(guest, 2)
    for _ in range(2):
        for at in range(16):
            guest.ask("poke", 2, at, 99)
        guest.ask("io", 2, READ, 0, 16, 0)
        settle(guest, 2)
        assert [guest.ask("peek", 2, at)[0] for at in range(16)] == [
            7 if at == 3 else 0 for at in range(16)
        ]
    assert guest.ask("volume", on_volume(2, 4)) == [on_volume(2, 4) % 251]
    assert guest.ask("temporary", 2) == [0, on_volume(2, 0)]
    guest.ask("io", 2, READ, 0, 16, 0)
    settle(guest, 2)
    assert guest.ask("peek", 2, 3) == [0], "another one's"


def test_requests_of_several_machines_run_one_by_one_in_order(guest: Guest) -> None:
    for machine in (2, 0, 1):
        assert guest.ask("io", machine, READ, machine, 1, 0) == [0, 1]
    assert [guest.ask("step", 0)[1] for _ in range(3)] == [on_volume(m, m) for m in (2, 0, 1)]
    assert guest.ask("step", 0) == [-1]


@pytest.mark.parametrize("seed", range(20))
def test_each_machine_sees_its_own_blocks_as_last_written(guest: Guest, seed: int) -> None:
    rng = random.Random(seed)
    disk = {m: [on_volume(m, b) % 251 for b in range(EXTENT)] for m in range(3)}
    for _ in range(120):
        machine = rng.randrange(3)
        op = rng.choice([READ, READ, WRITE]) if machine < 2 else READ
        near = rng.choice([0, 7, EXTENT - 9, rng.randrange(EXTENT)])
        count = min(rng.choice([1, 2, 8, 130]), EXTENT - near)
        at = rng.randrange(STORAGE - count)
        if op == WRITE:
            for i in range(count):
                value = rng.randrange(251)
                guest.ask("poke", machine, at + i, value)
                disk[machine][near + i] = value
        assert guest.ask("io", machine, op, near, count, at)[0] == 0
        settle(guest, machine)
        if op == READ:
            for i in {0, count // 2, count - 1}:
                assert guest.ask("peek", machine, at + i) == [disk[machine][near + i]]
    for machine in range(3):
        for block in range(0, EXTENT, 13):
            assert guest.ask("volume", on_volume(machine, block)) == [disk[machine][block]]
    assert [guest.ask("volume", b) for b in range(FIRST)] == [[b] for b in range(FIRST)]
