# SPDX-License-Identifier: MIT
"""A 3270 screen as somebody sits at it: what is shown when, where a typed line goes, and what
becomes of both when the line or the person goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "cp/include", "cp/display")
WRITE, ERASE_WRITE, READ = 0x01, 0x05, 0x06
GREET_US = 100_000
EBUSY = -8
ENTER = "7D4040"
CLEAR = "6D"
GONE = "61"
ROOM = 12288
"""Bytes that are kept of full-screen input."""


class State(NamedTuple):
    """What runs, when the timer is due, an answer, and what CP was told."""

    running: int
    due: int
    answer: int
    told: list[str]


class Station(Harness):
    """The harness; `do` is one line of it."""

    def do(self, *words: object) -> State:
        first, due, answer, *told = self.line(*words).split(" ")
        return State(int(first), int(due), int(answer), told)

    def settle(self) -> list[str]:
        """Programs end well until none runs; what was shown."""
        shown = []
        while self.do("busy", 0).running:
            shown.append(self.line("shown"))
            assert len(shown) < 50
            self.do("end", 1)
        return shown

    def type(self, text: str) -> State:
        """Text and ENTER; what CP was told."""
        assert self.do("key").running == READ
        return self.do("end", 1, ENTER + "114040" + text.encode("cp037").hex())


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = sorted((VMKB / "cp" / "display").glob("display*.c"))
    wanted = [s for s in sources if not s.name.startswith("display3270")]
    return compiled(tmp_path_factory.mktemp("station"), FLAGS, HERE / "harness.c", *wanted)


@pytest.fixture
def station(program: Path) -> Iterator[Station]:
    running = Station(program)
    yield running
    running.end()


def test_who_sits_down_sees_the_logo_and_nobody_else_does(station: Station) -> None:
    assert station.do("write", "HELLO").running == 0, "nobody is there to see it"
    assert station.do("sit").running == ERASE_WRITE
    assert "ONLINE" in station.line("shown")


def test_one_program_at_a_time(station: Station) -> None:
    station.do("busy", 1)
    assert station.do("sit").running == 0, "the carrier has something else to do"
    assert station.do("busy", 0).running == ERASE_WRITE
    assert station.do("write", "HELLO").running == ERASE_WRITE


def test_a_program_that_cannot_be_started_is_not_tried_for_ever(station: Station) -> None:
    station.do("refuse", 1)
    assert station.do("sit").running == 0
    station.do("refuse", 0)
    assert station.do("sit").running == ERASE_WRITE


def test_after_another_has_sat_down_the_device_is_waited_for(station: Station) -> None:
    station.do("at", 1000)
    state = station.do("replace")
    assert (state.running, state.due) == (0, 1000 + GREET_US)
    assert station.do("at", state.due - 1).running == 0
    assert station.do("at", state.due).running == ERASE_WRITE


def test_a_key_is_as_good_as_a_greeting(station: Station) -> None:
    station.do("replace")
    assert station.do("key").running != 0


def test_who_sits_down_does_not_get_the_session_that_was_there(station: Station) -> None:
    station.do("sit")
    station.settle()
    station.do("machine", 1)
    assert "hung-up" in station.do("sit").told
    assert "hung-up" not in station.do("sit").told


def test_a_user_who_hangs_up_is_away_and_the_next_sees_the_logo(station: Station) -> None:
    at_cp_read(station)
    station.do("machine", 1)
    station.do("mode", 0)
    station.settle()
    assert station.do("key").running == READ
    assert "hung-up" in station.do("end", 1, GONE).told
    assert any("ONLINE" in shown for shown in station.settle())


def test_nothing_is_written_to_a_line_that_failed_until_somebody_sits_down(
    station: Station,
) -> None:
    station.do("sit")
    station.settle()
    assert station.do("write", "HELLO").running == 0 or station.do("end", 0).running == 0
    station.do("reset")
    if station.do("busy", 0).running:
        assert station.do("end", 0).running == 0
    assert station.do("reset").running == 0
    assert station.do("sit").running == ERASE_WRITE


def at_cp_read(station: Station) -> None:
    """Somebody has pressed ENTER on the logo."""
    station.do("sit")
    station.settle()
    assert station.do("key").running == READ
    assert "connected" in station.do("end", 1, ENTER).told
    station.settle()


def test_a_line_goes_to_who_reads_once(station: Station) -> None:
    at_cp_read(station)
    lines = [word for word in station.type("QUERY").told if word.startswith("line:")]
    assert len(lines) == 1


def test_a_line_without_room_is_kept_and_given_once(station: Station) -> None:
    at_cp_read(station)
    station.do("machine", 1)
    station.do("mode", 1)
    station.settle()
    station.do("takes", 0)
    told = station.type("KEPT").told
    assert [word.split(":")[0] for word in told if ":" in word] == ["no-room"]
    station.do("takes", 1)
    assert [w.split(":")[0] for w in station.do("accept").told if ":" in w] == ["line"]
    assert [w for w in station.do("accept").told if ":" in w] == []


@pytest.mark.parametrize("ends", [("machine 0", "reset"), ("sit", "machine 1")])
def test_a_line_that_was_kept_goes_with_who_typed_it(
    station: Station, ends: tuple[str, str]
) -> None:
    at_cp_read(station)
    station.do("machine", 1)
    station.do("mode", 1)
    station.settle()
    station.do("takes", 0)
    station.type("KEPT")
    for word in ends:
        station.do(word)
    station.do("takes", 1)
    assert [w for w in station.do("accept").told if ":" in w] == []


@pytest.mark.parametrize("size", [1, 100, ROOM])
def test_full_screen_input_is_taken_once(station: Station, size: int) -> None:
    at_cp_read(station)
    station.do("machine", 1)
    station.do("mode", 0)
    station.settle()
    assert station.do("full", ROOM).answer == EBUSY
    assert station.do("screen").answer >= 0
    station.settle()
    assert station.do("key").running == READ
    data = ENTER + "C1" * max(0, size - 3) if size > 1 else CLEAR
    assert "screen" in station.do("end", 1, data).told
    assert station.do("full", 10).answer == min(10, size)
    assert station.do("full", 10).answer == EBUSY


WORDS = st.one_of(
    st.sampled_from(
        ["sit", "replace", "key", "reset", "accept", "end 0", "end 1", f"end 1 {ENTER}",
         f"end 1 {CLEAR}", f"end 1 {ENTER}114040C8C9", "busy 0", "busy 1", "refuse 0", "refuse 1",
         "machine 0", "machine 1", "takes 0", "takes 1", "mode 0", "mode 1", "mode 2", "screen",
         "full 8", "full 4096"]
    ),
    st.text("ABCDEF", min_size=1, max_size=200).map(lambda text: f"write {text}"),
    st.binary(max_size=300).map(lambda data: f"end 1 {data.hex()}"),
)  # fmt: skip


@given(steps=st.lists(st.tuples(WORDS, st.integers(0, 3_000_000)), max_size=40))
def test_any_order_of_what_happens(program: Path, steps: list[tuple[str, int]]) -> None:
    """Never two programs at once, no timer that fires for ever, nothing that a sanitizer finds;
    and who sits down then sees the logo."""
    station, now = Station(program), 0
    for word, later in steps:
        station.do(word)
        now += later
        station.do("at", now)
    for word in ("busy 0", "refuse 0", "end 1", "machine 0", "reset"):
        station.do(word)
    station.settle()
    station.do("sit")
    assert any("ONLINE" in shown for shown in station.settle())
    station.end()
