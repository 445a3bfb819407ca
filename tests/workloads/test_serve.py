# SPDX-License-Identifier: MIT
"""What a whole guest has executed: readings, and what a file and a KB cost."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.records import Where
from vmkb.accounting.solve import fitted
from vmkb.guests.linux.driver import parts
from vmkb.guests.vmkb.driver import executed as by_account
from vmkb.workloads.serve.reading import (
    Reading,
    ReadingError,
    bytes_of_work,
    caused,
    cost,
    executed,
    happened,
    in_user_mode,
    records,
    used,
)

ACNT = """\
USERID            VIRT US          CP US       INSTRUCTIONS  CORR
*SYSTEM                12            100               1000      0
*IDLE                   0        9000000                  7      0
TCPIP                  40             50               2345      0
TOTAL                  52            150               3352      0
"""


def counter(value: int, at: float = 0.0) -> Reading:
    raw = f"COUNT x {value} 0 {value} 0"
    return Reading(executed(raw), at, raw)


def test_a_count_is_the_counter_or_the_accounts_that_work() -> None:
    assert executed("HHCxx\nCOUNT before 3 4 4294967295 9 12 10\n") == 4294967295
    assert executed(ACNT) == 3345
    assert sum(by_account(ACNT).values()) == 3345
    with pytest.raises(ReadingError):
        executed("COUNT before garbage")


def ticking(value: int, at: float, clock: int, channel: int = 0, look: int = 0) -> Reading:
    """One that had been taken LOOK instructions after it began."""
    ended = value + look
    raw = f"COUNT x {clock} {channel} 5 6 {value} {value // 4} {ended} {ended // 4}"
    return Reading(executed(raw), at, raw)


@given(st.lists(st.integers(0, 1 << 20), min_size=3, max_size=3), st.integers(0, 2**32 - 1))
def test_what_it_takes_to_look_is_in_no_figure(looks: list[int], value: int) -> None:
    """Readings whose answers cost 400, idle time 2000 and the work 4000, of each a quarter in
    problem state; and each looks at its events for as long as it likes."""
    took, at = iter(looks), itertools.count()

    def reading(between: int) -> Reading:
        nonlocal value
        look = next(took) * 4
        found = ticking((value := value + between), next(at), 0, look=look)
        value += look
        return found

    three = reading(0), reading(400 + 2000 + 4000), reading(400 + 2000)
    assert cost(*three) == 4000
    assert in_user_mode(*three) == 1000


def test_events_are_those_of_the_work() -> None:
    before, after = ticking(5000, 2.0, 100, 7), ticking(6500, 9.0, 108, 9)
    assert happened(before, after) == {"clock": 8, "channel": 2, "switches": 0, "softirqs": 0}
    assert in_user_mode(counter(1), counter(9), counter(9)) == 0


def test_the_counter_wraps_and_accounts_do_not() -> None:
    assert cost(counter(2**32 - 10), counter(5), counter(5)) == 15
    grown = ACNT.replace("2345", "9345")
    before, after = (Reading(executed(a), 0, a) for a in (ACNT, grown))
    assert cost(before, after, after) == 7000
    first, last = records(7000, "host", "", Where("x"))
    assert last.value("total_instr").minus(first.value("total_instr")).value == 7000


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


CAUSES = """\
CAUSE             TIMES    INSTRUCTIONS
SSCH       {0:12} {1:15}
WAIT       {2:12} {3:15}
TOTAL      {4:12} {5:15}
"""


def test_causes_are_those_of_the_work() -> None:
    counts = (10, 9000, 5, 900), (30, 29000, 9, 1700), (30, 29000, 11, 2100)
    texts = [CAUSES.format(*each, each[0] + each[2], each[1] + each[3]) + ACNT for each in counts]
    three = [Reading(executed(text), 0, text) for text in texts]
    assert three[0].total == 3345, "its rows are no accounts"
    assert caused(*three) == {"SSCH": (20, 20000), "WAIT": (2, 400)}
    assert caused(counter(1), counter(9), counter(9)) == {}


@given(st.tuples(*[st.integers(0, 2**32 - 1)] * 2), st.lists(st.integers(0, 1 << 30), min_size=4))
def test_bytes_are_those_of_the_work(begun: tuple[int, int], grows: list[int]) -> None:
    """Idle time moves and sums as much as it likes, the work besides."""
    idle, work = grows[:2], grows[2:4]
    at, three = list(begun), []
    for k in range(3):
        copied = " ".join(str(x % 2**32) for x in at)
        raw = f"COUNT x 1 2 3 4 5 6 7 {copied} 9 1 10 1"
        three.append(Reading(executed(raw), k, raw))
        assert three[-1].events == (1, 2, 3, 4, 5, 6, 7)
        at = [x + i + w * (k == 0) for x, i, w in zip(at, idle, work, strict=True)]
    found = bytes_of_work(*three)
    assert found == tuple(work)
    last = records(7, "host", "", Where("x"), found)[1]
    assert [last.value(f"total_{kind}").value for kind in ("moved", "summed")] == work
    with pytest.raises(ReadingError, match="does not say how many bytes"):
        bytes_of_work(three[0], three[1], ticking(5000, 2.0, 100))


def test_shares_close_with_system() -> None:
    before = parts("SHARES 7 10 0 20 500 0 5 6 0 0 0 0 0")
    after = parts("SHARES 8 30 0 60 900 0 15 16 0 1 1 9 19")
    grown = used(before, after)
    assert grown == {
        "FTP server, user": 10, "FTP server, kernel": 20, "interrupts": 20, "System": 30,
    }  # fmt: skip
    assert sum(grown.values()) == (30 - 10) + (60 - 20) + (15 - 5) + (16 - 6)
