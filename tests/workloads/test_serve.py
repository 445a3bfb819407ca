# SPDX-License-Identifier: MIT
"""What a whole guest has executed: readings, the idle rate, and what a file and a KB cost."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.records import Where
from accounting.solve import fitted
from guests.linux.driver import parts
from guests.vmkb.driver import executed as by_account
from workloads.serve.reading import (
    Reading,
    ReadingError,
    Rest,
    by_clock,
    cost,
    executed,
    happened,
    in_user_mode,
    left_open,
    records,
    rest,
    used,
)

ACNT = """\
USERID            VIRT US          CP US       INSTRUCTIONS  CORR
*SYSTEM                12            100               1000      0
*IDLE                   0        9000000                  7      0
TCPIP                  40             50               2345      0
TOTAL                  52            150               3352      0
"""


def counter(value: int, at: float) -> Reading:
    raw = f"COUNT x {value} 0 {value} 0"
    return Reading(executed(raw), at, raw)


def test_a_count_is_the_counter_or_the_accounts_that_work() -> None:
    assert executed("HHCxx\nCOUNT before 3 4 4294967295 9 12 10\n") == 4294967295
    assert executed(ACNT) == 3345
    assert sum(by_account(ACNT).values()) == 3345
    with pytest.raises(ReadingError):
        executed("COUNT before garbage")


def test_idle_work_and_the_reading_are_taken_off() -> None:
    at_once = [counter(500, 0.0), counter(600, 0.0), counter(700, 0.0)]
    found = rest(at_once, [counter(1800, 0.5)])
    assert found[:4] == pytest.approx((100, 2000.0, None, 0.0))
    assert cost(counter(5000, 2.0), counter(9000, 3.0), found) == pytest.approx(4000 - 100 - 2000)


def ticking(value: int, at: float, clock: int, channel: int = 0, look: int = 0) -> Reading:
    """One that had been taken LOOK instructions after it began."""
    ended = value + look
    raw = f"COUNT x {clock} {channel} 5 6 {value} {value // 4} {ended} {ended // 4}"
    return Reading(executed(raw), at, raw)


def test_of_a_guest_that_says_its_clocks_interruptions_these_are_taken_off() -> None:
    """A reading of 100 with two ticks of 50 in it, then 1000 of the guest's work and 8 ticks: how
    many seconds they took does not matter."""
    at_once = [ticking(0, 0.0, 10), ticking(200, 0.0, 12), ticking(400, 0.0, 14)]
    found = rest(at_once, [ticking(400 + 200 + 10 * 50, 0.5, 14 + 12)])
    assert found[:4] == pytest.approx((100, 1600.0, 50.0, 0.0))
    before, after = ticking(5000, 2.0, 100, 7), ticking(5000 + 1000 + 100 + 8 * 50, 9.0, 108, 9)
    assert cost(before, after, found) == pytest.approx(1000)
    assert by_clock(before, after, found) == pytest.approx(400)
    assert in_user_mode(before, after, at_once) == (5000 + 1500) // 4 - 5000 // 4 - 50
    assert in_user_mode(counter(1, 0), counter(9, 1), [counter(0, 0), counter(1, 0)]) == 0
    assert happened(before, after) == {"clock": 8, "channel": 2, "switches": 0, "softirqs": 0}


@given(st.lists(st.integers(0, 1 << 20), min_size=6, max_size=6), st.integers(0, 2**32 - 1))
def test_what_it_takes_to_look_is_in_no_figure(looks: list[int], value: int) -> None:
    """Readings whose answers cost 100, the work 1000, of each a quarter in problem state; and each
    looks at its events for as long as it likes."""
    took, at = iter(looks), itertools.count()

    def reading(between: int) -> Reading:
        nonlocal value
        look = next(took) * 4
        found = ticking((value := value + between * 4), next(at), 0, look=look)
        value += look
        return found

    at_once = [reading(100) for _ in range(3)]
    found = rest(at_once, [reading(100)])
    before, after = reading(100), reading(1100)
    assert found.reading == pytest.approx(400)
    assert cost(before, after, found) == pytest.approx(4000)
    assert in_user_mode(before, after, at_once) == 1000


def test_what_the_clock_may_have_taken_more_or_less_leaves_the_cost_open() -> None:
    """A reading of 100, and two pieces of idle time with ten ticks each, of 40 and of 60
    instructions: what is open of a trial is least where its ticks are as many as those were."""
    at_once = [ticking(0, 0.0, 10), ticking(100, 0.0, 10), ticking(200, 0.0, 10)]
    later = [ticking(700, 0.5, 20), ticking(1400, 1.0, 30)]
    found = rest(at_once, later)
    assert found[:3] == pytest.approx((100, 1000.0, 50.0))
    # 100 instructions off in two of four: standard deviation 100, of the mean 50, of the rate 10
    assert (found.centre, found.level, found.error) == pytest.approx((5, 50, 10 / 50))
    before, after = ticking(5000, 2.0, 100), ticking(5000 + 1000 + 100 + 80 * 50, 9.0, 180)
    assert cost(before, after, found) == pytest.approx(1000)
    open_by = 2 * math.hypot(50, 75 * 10)
    assert left_open(before, after, found) == pytest.approx(open_by)
    first, last = records(1000, "host", "", Where("x"), left_open(before, after, found))
    spent = last.value("total_instr").minus(first.value("total_instr"))
    assert spent.value == 1000 and spent.tick / 2 == pytest.approx(open_by)


def idling(rng: random.Random) -> tuple[Rest, Reading, Reading]:
    """A guest whose reading costs 60000, its ticks about 2500 each, and which does something of
    its own in three of ten readings; then a trial of no work at all, 200 ticks long, in which all
    is as it is on average: that trials differ is seen in other figures."""
    found = [ticking(0, 0.0, 0)]
    for ticks in (*[rng.randint(20, 30) for _ in range(3)], *[85 + rng.randint(0, 9)] * 8):
        own = rng.expovariate(1 / 30000) if rng.random() < 0.3 else 0.0
        total = round(found[-1].total + 60000 + rng.gauss(2500 * ticks, 250 * ticks**0.5) + own)
        clock = found[-1].events[0] + ticks
        found.append(ticking(total, clock / 250, clock))
    after = ticking(round(60000 + 0.3 * 30000 + 200 * 2500), 0.8, 200)
    return rest(found[:4], found[4:]), found[0], after


def test_what_is_taken_off_is_wrong_by_no_more_than_is_said_and_to_neither_side() -> None:
    """What a trial of no work costs, over many guests: its
    mean is nothing but for chance, and 85 in 100 and more are no more than what is told as open."""
    wrong, told = [], []
    for seed in range(1000):
        found, before, after = idling(random.Random(seed))
        wrong.append(cost(before, after, found))
        told.append(left_open(before, after, found))
    mean = sum(wrong) / len(wrong)
    spread = math.sqrt(sum((w - mean) ** 2 for w in wrong) / len(wrong))
    assert abs(mean) < 2.5 * spread / math.sqrt(len(wrong)), (mean, spread)
    within = sum(abs(w) <= t for w, t in zip(wrong, told, strict=True))
    assert 0.85 <= within / len(wrong) < 1, within


def test_the_counter_wraps_and_accounts_do_not() -> None:
    found = rest([counter(0, 0), counter(0, 0)], [counter(0, 1)])
    assert cost(counter(2**32 - 10, 0), counter(5, 1), found) == 15
    grown = ACNT.replace("2345", "9345")
    before, after = (Reading(executed(a), 0, a) for a in (ACNT, grown))
    assert cost(before, after, found) == 7000


@given(
    st.floats(1e3, 1e7), st.floats(10, 1e5), st.floats(1e3, 1e5),
    st.sets(st.integers(1, 10000), min_size=2, max_size=6),
)  # fmt: skip
def test_what_a_file_a_packet_and_a_kb_cost_is_found_again(
    each: float, kb: float, packet: float, sizes: set[int]
) -> None:
    line, worst = fitted([((1.0, size), each + kb * size) for size in sizes])
    assert line == pytest.approx([each, kb], rel=1e-3, abs=max(kb, each / min(sizes) / 100))
    assert worst < 0.1
    points = [
        ((1.0, size / full, size), each + packet * size / full + kb * size)
        for size in sizes
        for full in (1.4, 3.9)
    ]
    found, worst = fitted(points)
    assert worst < 0.1
    assert [sum(u * x for u, x in zip(units, found, strict=True)) for units, _ in points] == (
        pytest.approx([cost for _, cost in points], rel=1e-3)
    )


def test_shares_close_with_system() -> None:
    before = parts("SHARES 7 10 0 20 500 0 5 6 0 0 0 0 0")
    after = parts("SHARES 8 30 0 60 900 0 15 16 0 1 1 9 19")
    grown = used(before, after)
    assert grown == {
        "FTP server, user": 10, "FTP server, kernel": 20, "interrupts": 20, "System": 30,
    }  # fmt: skip
    assert sum(grown.values()) == (30 - 10) + (60 - 20) + (15 - 5) + (16 - 6)
