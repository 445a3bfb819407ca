# SPDX-License-Identifier: MIT
"""The accounts of cp/core/acct.c with clocks that the test turns: nothing is lost, nothing is
charged twice, and a delta of the instruction counter that the CPU timer cannot explain is
replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.harness import Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "cp/include", "cp/core")
US = 4096
"""CPU-timer units of a microsecond."""
MOST = 512
"""Instructions that acct.c believes of a microsecond, beside 5000 at any time."""
SYSTEM, IDLE, RETIRED, FIRST = 0, 1, 2, 3


@dataclass(frozen=True)
class Account:
    virt_time: int
    virt_instr: int
    cp_time: int
    cp_instr: int
    virt_moved: int
    moved: int
    summed: int
    corrections: int
    corrected: int


class Accounts(Harness):
    """The program, a line for each change of hands."""

    def _all(self, *lines: str) -> None:
        for line in lines:
            self.tell(line)

    def interrupts(self, lines: list[str]) -> tuple[int, ...]:
        """Time, instructions and bytes of interruptions after LINES."""
        self._all("reset 0", *lines)
        return tuple(map(int, self.line("interrupts").split()))

    def run(self, lines: list[str], start: int = 0) -> list[Account]:
        """The seven accounts after LINES."""
        self._all(f"reset {start}", *lines, "show")
        return [Account(*map(int, self.answer().split())) for _ in range(7)]


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    program = compiled(tmp_path_factory.mktemp("acct"), FLAGS, HERE / "harness.c")
    harness = Accounts(program)
    yield harness
    harness.end()


@st.composite
def stretches(draw: Callable[[st.SearchStrategy[int]], int]) -> tuple[int, int]:
    """Time and instructions of a stretch that a CPU can do, of a time slice at most."""
    time = draw(st.integers(0, 10_000 * US))
    return time, draw(st.integers(0, time * MOST // US + 5000))


# A machine (or the wait) runs for the first stretch, then CP works for it for the second, and
# perhaps for others.
TURNS = st.lists(
    st.tuples(
        st.sampled_from([IDLE, FIRST, FIRST + 1, FIRST + 2]),
        stretches(),
        st.lists(st.tuples(st.sampled_from([SYSTEM, FIRST, FIRST + 3]), stretches()), max_size=3),
        stretches(),
        st.booleans(),
    ),
    max_size=12,
)


@given(turns=TURNS, start=st.sampled_from([0, 2**31, 2**32 - 5000]))
def test_every_unit_is_in_one_account(harness: Accounts, turns: list[Any], start: int) -> None:
    """Conservation of time and instructions, over the wrap of the 32-bit counter too."""
    lines, time, instr, waited = [], 0, 0, 0
    virt = dict.fromkeys(range(7), 0)
    for who, ran, changes, last, retire in turns:
        lines.append(f"leave {who} {last[0]} {last[1]}")
        quantum = ran[1] % 13 if who == IDLE else ran[1]
        how = "interrupt" if who == IDLE or retire else "enter"
        lines.append(f"{how} 0 {ran[0]} {quantum}")
        time += ran[0] + last[0]
        instr += last[1] + (0 if who == IDLE else quantum)
        waited += ran[0] if who == IDLE else 0
        virt[who] += ran[0]
        for other, worked in changes:
            lines.append(f"change {other} {worked[0]} {worked[1]}")
            time += worked[0]
            instr += worked[1]
            # The clocks are read when hands change: with no change, at the next one.
            lines.append(f"change {SYSTEM if other != SYSTEM else FIRST} 0 0")
        if retire and who >= FIRST:
            lines.append(f"retire {who} 0 0")
            virt[RETIRED] += virt[who]
            virt[who] = 0
    accounts = harness.run([*lines, f"leave {SYSTEM} 0 0"], start)
    assert sum(a.virt_time + a.cp_time for a in accounts) == time
    assert sum(a.virt_instr + a.cp_instr for a in accounts) == instr
    assert sum(a.corrections for a in accounts) == 0
    assert accounts[IDLE].virt_time == waited
    assert [a.virt_time for a in accounts] == [virt[i] for i in range(7)]


@given(
    time=st.integers(0, 10_000 * US),
    honest=st.integers(0, 5000),
    race=st.integers(95_000_000, 240_000_000),
    rate=st.integers(1, MOST),
)
def test_a_race_is_replaced_by_time_and_rate(
    harness: Accounts, time: int, honest: int, race: int, rate: int
) -> None:
    """A second's worth too many: charged is what the same account did in such a time so far."""
    accounts = harness.run(
        [
            f"leave {FIRST} 0 0",
            f"enter 0 {1000 * US} {rate * 1000}",
            f"leave {FIRST} 0 0",
            f"enter 0 {time} {honest + race}",
            f"leave {SYSTEM} 0 0",
        ]
    )
    machine = accounts[FIRST]
    assert (machine.corrections, machine.corrected) == (1, time // US * rate)
    assert machine.virt_instr == rate * 1000 + time // US * rate
    assert machine.virt_time == 1000 * US + time


@given(back=st.integers(1, 24), start=st.integers(0, 2**32 - 1))
def test_a_counter_that_ran_backwards_is_a_correction(
    harness: Accounts, back: int, start: int
) -> None:
    accounts = harness.run(
        [f"leave {FIRST} 0 0", f"enter 0 {US} {2**32 - back}", f"leave {SYSTEM} 0 0"], start
    )
    machine = accounts[FIRST]
    assert (machine.corrections, machine.virt_instr) == (1, 150)


def test_the_rate_is_of_the_same_account_and_state(harness: Accounts) -> None:
    """What others did, and what CP did for this machine, does not tell what the machine did."""
    lines = [
        f"leave {FIRST} 0 0", f"enter 0 {1000 * US} 20000",
        f"leave {FIRST + 1} {1000 * US} 300000", f"enter 0 {1000 * US} 400000",
        f"leave {FIRST} 0 0", f"enter 0 {50 * US} 200000000", f"leave {SYSTEM} 0 0",
    ]  # fmt: skip
    machine = harness.run(lines)[FIRST]
    assert (machine.corrections, machine.virt_instr) == (1, 20000 + 50 * 20)


def test_the_wait_executes_nothing(harness: Accounts) -> None:
    """The counter's quantum is dropped; a race in the wait is counted and charged to nobody."""
    accounts = harness.run(
        [
            f"leave {IDLE} 0 0", f"interrupt 0 {50 * US} 12",
            f"leave {IDLE} 0 0", f"interrupt 0 {50 * US} 95000000", f"leave {SYSTEM} 0 0",
        ]
    )  # fmt: skip
    assert accounts[IDLE].virt_time == 100 * US
    assert accounts[IDLE].corrections == 1
    assert sum(a.virt_instr + a.cp_instr for a in accounts) == 0


@given(start=st.sampled_from([0, 2**32 - 100]))
def test_bytes_are_of_who_ran_and_of_whom_cp_works_for(harness: Accounts, start: int) -> None:
    """As instructions are, over the wrap of the counter too; an interruption's are the system's."""
    accounts = harness.run(
        [
            f"change {FIRST} 0 0", "moved 4096 16", f"change {FIRST + 1} 0 0", "moved 5 0",
            f"leave {FIRST} 0 0", "moved 300 0", "enter 0 0 0", "moved 70 8",
            f"leave {FIRST} 0 0", "moved 20 0", "interrupt 0 0 0", "moved 9 1", "through 0 0 0",
        ],
        start,
    )  # fmt: skip
    assert [a.moved for a in accounts] == [9, 0, 0, 4166, 5, 0, 0]
    assert [a.summed for a in accounts] == [1, 0, 0, 24, 0, 0, 0]
    assert [a.virt_moved for a in accounts] == [0, 0, 0, 320, 0, 0, 0]


def test_interruptions_are_seen_across_all_accounts(harness: Accounts) -> None:
    """From the interruption until it is dealt with, for whomever; not what the machine did before
    it, nor what CP does after it or for a DIAGNOSE. A race of the counter is not believed."""
    lines = [
        f"leave {FIRST} 0 0", f"interrupt 0 {900 * US} 90000",
        f"change {FIRST + 1} {20 * US} 2000", "moved 64 0", f"through 0 {5 * US} 500",
        f"leave {IDLE} {7 * US} 700", f"interrupt 0 {50 * US} 12", f"through 0 {3 * US} 300",
        f"leave {FIRST} 0 0", f"enter 0 {10 * US} 1000", "moved 32 0",
    ]  # fmt: skip
    assert harness.interrupts(lines) == (28 * US, 2800, 64)
    race = [f"leave {FIRST} 0 0", "interrupt 0 0 0", f"through 0 {2 * US} 95000000"]
    assert harness.interrupts(race) == (2 * US, 300, 0)


def test_the_interrupted_machine_does_not_pay(harness: Accounts) -> None:
    """From the interruption until it runs again: the work is the system's, and whose it is found to
    be; how often a machine is interrupted for others is not in its account."""
    once = [
        f"interrupt 0 {900 * US} 90000",
        f"change {FIRST + 1} {2 * US} 50", f"through 0 {4 * US} 400", f"leave {FIRST} {US} 30",
    ]  # fmt: skip
    accounts = harness.run([f"leave {FIRST} 0 0", *once, *once, "enter 0 0 0"])
    assert (accounts[FIRST].virt_instr, accounts[FIRST].cp_instr) == (180000, 0)
    assert accounts[FIRST].cp_time == 0
    assert accounts[FIRST + 1].cp_instr == 800
    assert accounts[SYSTEM].cp_instr == 160
