# SPDX-License-Identifier: MIT
"""What is read from the meter, the monitor, the wire and the terminals.

telnet-lns53-meter.txt is a real trial's: one terminal TYPEs over TELNET, the near node tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.accounting.intervals import between, samples
from vmkb.accounting.records import Record, Source, Where
from vmkb.accounting.stats import jain
from vmkb.workloads.base.accounts import SYSTEM
from vmkb.workloads.base.readout import model_of
from vmkb.workloads.terminal.readout import (
    echo_record,
    lan_record,
    read_meter,
    read_monitor,
    sessions_record,
)

METER = (Path(__file__).parent / "telnet-lns53-meter.txt").read_bytes()
USERS = ["TELNETD", "TCPIP", "TERM01"]
LINES = METER.splitlines(keepends=True)
DAY = 86_400


def cut(first: int, last: int) -> bytes:
    """The transcript without some lines."""
    return b"".join(LINES[:first] + LINES[last:])


def test_a_whole_transcript_gives_what_each_used() -> None:
    read = read_meter(METER, "m.txt", "T1", USERS)
    assert read.broken == ()
    assert {r.kind for r in read.records} == {"time_is", "connect"}
    assert {r.trial for r in read.records} == {"T1"}
    assert {r.where.file for r in read.records} == {"m.txt"}
    assert model_of(read.records) == "VAX750"
    used = {i.machine: i.used for i in between(samples(read.records), 1)}
    grown = {m: (u["virt_instr"].value, u["total_instr"].value) for m, u in used.items()}
    assert grown == {
        "TELNETD": (0, 0),
        "TCPIP": (170675 - 151053, 254581 - 219467),
        "TERM01": (130447 - 68598, 260376 - 136571),
        SYSTEM: (0, 367514 - 335577),
    }
    assert used[SYSTEM]["intr_instr"].value == 225649 - 163526
    assert used["TERM01"]["total_instr"].source is Source.IC


@pytest.mark.parametrize("user", [*USERS, "SYSTEM"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_missing_sample_names_its_user(user: str, which: int) -> None:
    ends = [k for k, line in enumerate(LINES) if line.endswith(f" USER {user}\n".encode())]
    last = ends[which] + (3 if user == "SYSTEM" else 1)
    name = SYSTEM if user == "SYSTEM" else user
    (why,) = read_meter(cut(ends[which] - 4, last), "m", "T1", USERS).broken
    assert why == f"{name} has 1 QUERY TIME (FULL samples instead of 2"


def test_a_user_who_was_not_asked_breaks_a_trial() -> None:
    (why,) = read_meter(METER, "m", "T1", [*USERS, "TERM02"]).broken
    assert why.startswith("TERM02 has 0 ")


def test_a_sample_too_many_breaks_a_trial() -> None:
    start = next(k for k, line in enumerate(LINES) if b"USER TCPIP" in line)
    twice = METER + b"".join(LINES[start - 4 : start + 1])
    (why,) = read_meter(twice, "m", "T1", USERS).broken
    assert why.startswith("TCPIP has 3 ")


MATTERS = [
    k for k, line in enumerate(LINES) if line.strip() and not line.startswith(b"TIME IS")
]  # fmt: skip


@pytest.mark.parametrize("line", MATTERS)
def test_no_line_with_counts_is_missing_unsaid(line: int) -> None:
    assert read_meter(cut(line, line + 1), "m", "T1", USERS).broken


def test_short_answers_have_no_counts() -> None:
    short = b"".join(x for x in LINES if x.startswith((b"TIME IS", b"CONNECT=")))
    broken = read_meter(short, "m", "T1", USERS).broken
    assert len(broken) == len(USERS) + 1


def test_no_model_is_none() -> None:
    assert model_of(()) == ""


def monitor(ends: list[int], seconds: float = 1.0) -> bytes:
    """RTMSF's log of intervals that ended in these seconds of the day."""
    text = ""
    for end in ends:
        clock = f"{end % DAY // 3600:02}:{end // 60 % 60:02}:{end % 60:02}"
        when = f"2026-11-21 {clock} SECS={seconds:.3f}"
        text += (
            f"RTMSF SYSTEM {when} CPU=9.18 CP=3.96 USR=5.22 WAIT=99.77 IO=14.00 IUCV=2.00"
            " STOR=42.25 QUEUE=0 USERS=7 CONS=11.00 INSTR=54730 MODEL=VAX750\n"
            f"RTMSF USER TERM01   {when} CPU=3.38 VIRT=1.65 IO=0.00 IUCV=2.00 STOR=512 STATE=W"
            " CONS=11.00 INSTR=20110 MODEL=VAX750\n"
        )
    return text.encode()


def kept(log: bytes, begun: float, ended: float) -> list[int]:
    """Seconds of the day of the intervals that are read, each for the system and its user."""
    found = read_monitor(log, "log", "M1", begun % DAY, ended % DAY)
    assert [r.kind for r in found] == ["rtm_system", "rtm_user"] * (len(found) // 2)
    assert all(r.trial == "M1" for r in found)
    return [int(r.value("clock").value) for r in found[::2]]


def test_intervals_that_touch_the_trial_are_read_and_no_others() -> None:
    """The last of them begins in the trial, the first may have ended in it."""
    assert kept(monitor(list(range(1000, 1010))), 1002.5, 1006.9) == list(range(1002, 1008))


def test_a_trial_may_go_over_midnight() -> None:
    log = monitor([*range(DAY - 5, DAY), *range(7)])
    assert kept(log, DAY - 1.8, DAY + 3.1) == [DAY - 2, DAY - 1, 0, 1, 2, 3, 4]


def test_other_lines_of_the_log_are_left_out() -> None:
    log = b"RTMSF LOG ON\n" + monitor([1004]) + b"CONNECT= 00:00:01 VIRTCPU= 000:00.00\n"
    assert kept(log, 1000, 1010) == [1004]
    assert kept(b"", 1000, 1010) == []


ticks = st.integers(0, 64 * DAY - 1).map(lambda n: n / 64)
"""Times of day that a float holds exactly."""


@given(ticks, st.integers(0, 64 * 600), st.sampled_from([1.0, 2.5, 10.0]), st.integers(-30, 630))
def test_an_interval_is_taken_if_it_may_share_a_moment_with_the_trial(
    begun: float, length: int, seconds: float, at: int
) -> None:
    """The clock tells the whole second only: it ended then or up to a second later."""
    ended = begun + length / 64
    end = int(begun) + at
    touches = end + 1 >= begun and end - seconds <= ended
    assert bool(kept(monitor([end], seconds), begun, ended)) == touches


rates = st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=64)


@given(rates, st.floats(1e-3, 1e3))
def test_fairness_is_between_one_nth_and_one_and_has_no_unit(some: list[float], by: float) -> None:
    index = jain(some)
    assert 1 / len(some) - 1e-9 <= index <= 1 + 1e-9
    assert jain([by * r for r in some]) == pytest.approx(index)
    assert jain(some[::-1]) == pytest.approx(index)


def test_fairness_at_its_ends() -> None:
    assert jain([7.0] * 64) == pytest.approx(1)
    assert jain([0.0, 0.0, 5.0, 0.0]) == 0.25
    assert jain([1.0, 3.0]) == pytest.approx(16 / 20)
    assert jain([0.0, 0.0]) == 0.0


def values(record: Record) -> dict[str, float]:
    """A record's numbers, which the wire's instruments have counted."""
    assert all(record.value(k).source is Source.WI for k in record.fields)
    return {k: record.value(k).value for k in record.fields}


def test_sessions_by_their_rates() -> None:
    made = sessions_record([900.0, 300.0, 600.0], 1800, 1, "raw", Where("f"))
    assert made.kind == "sessions"
    assert values(made) == {
        "slowest": 300, "median": 600, "fastest": 900, "terminals": 3, "characters": 1800,
        "wrong": 1, "jain": pytest.approx(1800**2 / (3 * (900**2 + 300**2 + 600**2))),
    }  # fmt: skip


def test_echo_times_in_microseconds() -> None:
    waits = [k / 1000 for k in range(100, 0, -1)]
    made = values(echo_record(waits, "raw", Where("f")))
    assert made == pytest.approx({"median": 51e3, "p95": 96e3, "most": 100e3, "keys": 100})
    one = values(echo_record([0.02], "raw", Where("f")))
    assert one == pytest.approx({"median": 20e3, "p95": 20e3, "most": 20e3, "keys": 1})


def port(kind: str, came: int, went: int, dropped: int = 0) -> dict[str, object]:
    """A port that was given CAME frames of 100 bytes and has given out WENT."""
    return {
        "kind": kind, "frames_in": came, "bytes_in": 100 * came, "frames_out": went,
        "bytes_out": 100 * went, "up": {"dropped": {"loss": dropped}},
        "down": {"dropped": {"loss": dropped, "queue": dropped}},
    }  # fmt: skip


def lan(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, float]:
    """The growth between two readings."""
    made = lan_record({"ports": old}, {"ports": new}, "raw", Where("w"))
    assert made.kind == "lan"
    return values(made)


def test_a_frame_is_counted_where_it_came_in() -> None:
    old = {"A": port("guest", 10, 20), "B": port("guest", 5, 5, 1), "LAT01": port("stream", 3, 4)}
    new = {"A": port("guest", 12, 21), "B": port("guest", 9, 5, 3), "LAT01": port("stream", 4, 6)}
    new["OTHER1"] = port("stream", 9, 0)  # another system's traffic stands apart
    assert lan(old, new) == {
        "frames": 7, "bytes": 700, "lat_frames": 3, "lat_bytes": 300, "other_bytes": 900,
        "dropped": 6,
    }  # fmt: skip
    assert set(lan(old, old).values()) == {0}


def test_a_port_that_appeared_in_between_counts_from_nothing_and_one_that_went_not_at_all() -> None:
    old = {"A": port("guest", 10, 20), "LAT01": port("stream", 30, 40, 50)}
    new = {"A": port("guest", 11, 20), "LAT02": port("stream", 3, 4, 1)}
    assert lan(old, new) == {
        "frames": 4, "bytes": 400, "lat_frames": 7, "lat_bytes": 700, "other_bytes": 0,
        "dropped": 3,
    }  # fmt: skip
