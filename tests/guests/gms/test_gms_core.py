# SPDX-License-Identifier: MIT
"""gms_net's core on a LAN that loses, repeats and reorders frames, with sanitizers.

The harness itself holds what must always be so: each request executed at most once, each call
answered or failed once, with the page that was asked for in the frame that its token names, and
the lists of call records whole. VMKB_GMS_FUZZ_ROUNDS: how many damaged frames, 40 000 by default.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
CORE = ("gms_net.c", "gms_call.c", "gms_serve.c")
ROUNDS = os.environ.get("VMKB_GMS_FUZZ_ROUNDS", "40000")
#: Ticks until a call that nobody answers has failed.
BOUND = 43

Run = Callable[..., list[dict[str, int]]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    sources = [HERE / "harness.c", *(VMKB / "cp" / "comm" / "gms" / name for name in CORE)]
    flags = rooms("cp/comm/gms", "cp/include", "include", "lib")
    program = compiled(tmp_path_factory.mktemp("gms"), flags, *sources)

    def what(*words: object) -> list[dict[str, int]]:
        done = subprocess.run(
            [program, *map(str, words)], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return [
            {name: int(n) for name, n in re.findall(r"([a-z][a-z ]*?) (-?\d+)", line)}
            for line in done.stdout.splitlines()
        ]

    return what


def test_pages_are_written_once_though_the_reply_is_lost(run: Run) -> None:
    (line,) = run("writes")
    assert line == {"status": 0, "taken": 1, "there": 77, "let go": 1, "unknown": 1, "empty": 0}


def test_a_call_is_two_frames_and_one_by_way_of_a_directory_three(run: Run) -> None:
    two, three = run("net", 1, 2000, 0, 0, 0, 16)
    assert two["done"] == three["done"] == 1000
    assert two["frames"] == 2 * 1000
    assert three["frames"] - two["frames"] == 3 * 1000
    assert not two["failed"] and not three["failed"]


@pytest.mark.parametrize("seed", range(6))
def test_loss_repetition_and_reordering_execute_nothing_twice(run: Run, seed: int) -> None:
    for line in run("net", seed, 3000, 10, 10, 10, 16):
        assert line["done"] == 1500
        assert line["again"] > 50 and line["duplicates"] > 50 and line["stale"] > 20
        assert line["longest"] <= BOUND
        assert line["failed"] <= 15  # all of six tries lost


def test_sixty_four_callers_have_the_same(run: Run) -> None:
    for line in run("net", 3, 6400, 0, 0, 0, 64):
        assert line["done"] == 3200 and line["failed"] == 0
        assert line["deferred"] > 100
        assert line["apart"] <= 1


@pytest.mark.parametrize("who", ["D", "S"])
def test_who_is_dead_is_given_up_in_bounded_time(run: Run, who: str) -> None:
    dead, back = run("dies", who, 1)
    assert (dead["done"], dead["failed"]) == (40, 40)
    assert dead["longest"] <= BOUND
    assert (back["done"], back["failed"]) == (40, 0)


def test_a_machine_that_is_gone_leaves_nothing(run: Run) -> None:
    (line,) = run("forget", 1)
    assert line["stale"] > 1000


def test_a_token_is_good_once_and_for_its_frame(run: Run) -> None:
    (line,) = run("tokens")
    wrong = 6
    assert line["stale"] == wrong and line["landed"] == 0
    assert line["outside"] == wrong
    assert line["right"] == 0 and line["armed"] == 0
    assert line["frames"] == 1


def test_without_a_frame_the_control_part_is_delivered(run: Run) -> None:
    assert run("frames") == [{"status": 5, "refused": 1}]


def test_a_server_that_was_ipled_does_not_execute_what_it_may_have_executed(run: Run) -> None:
    (line,) = run("restart")
    assert line["first"] == 0
    assert line["again"] == 2 and line["executed"] == 0
    assert line["next"] == 1  # and it has no pages any more


def test_more_stations_than_there_is_room_for_are_refused(run: Run) -> None:
    assert run("stations") == [{"executed": 16, "refused": 32, "later": 17}]


def test_directories_that_know_each_other_end_it(run: Run) -> None:
    assert run("loop") == [{"status": 3, "delegated": 2}]


@pytest.mark.parametrize("seed", [1, 2])
def test_damaged_frames_break_nothing(run: Run, seed: int) -> None:
    (line,) = run("fuzz", seed, ROUNDS)
    assert line["malformed"] > int(ROUNDS) // 20
    assert line["wrong tokens"] > 10
