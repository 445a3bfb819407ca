# SPDX-License-Identifier: MIT
"""A program's calls of TCPIP (socket/net.c) that go with its next wait: none is lost, whatever IUCV
says to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
PATH, LIMIT, SYSTEM = 1, 3, 50
"""IUCV's return codes for a path that is gone, too many messages on it, and no room in CP."""
NO_PATH, NO_TIME = -42, -40
SECOND = 1000000


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    flags = rooms("include", "lib", "socket")
    return compiled(tmp_path_factory.mktemp("net"), flags, HERE / "harness.c", VMKB / "lib/fmt.c")


@pytest.fixture
def net(program: Path) -> Iterator[Harness]:
    harness = Harness(program)
    yield harness
    harness.end()


def test_a_call_goes_with_the_wait(net: Harness) -> None:
    assert net.line("later", 5) == "- 0 0 0"
    assert net.line("wait", SECOND) == "SW 1 5 0"
    assert net.line("wait", SECOND) == f"W 0 0 {NO_TIME}"


@pytest.mark.parametrize(("size", "flags"), [(8, 0x80), (9, 0), (16, 0), (2000, 0)])
def test_what_a_connection_is_opened_to_send_is_no_parameter(
    net: Harness, size: int, flags: int
) -> None:
    assert net.line("connect", size) == f"S {flags} 0 0"


def test_the_one_before_goes_first(net: Harness) -> None:
    net.line("later", 5)
    assert net.line("later", 6) == "S 0 0 0"
    assert net.line("start", 7) == "SS 0 0 0"
    assert [net.line("wait", SECOND) for _ in "567"] == [f"W 1 {tag} 0" for tag in "567"]


def test_what_there_is_no_room_for_goes_when_there_is(net: Harness) -> None:
    net.line("cp", LIMIT, SYSTEM, LIMIT)
    net.line("later", 5)
    assert net.line("pass") == "S 0 0 0"
    assert net.line("wait", 5 * SECOND) == "SWSWSW 1 5 0"


def test_what_is_refused_ends(net: Harness) -> None:
    net.line("cp", PATH)
    net.line("later", 5)
    assert net.line("wait", SECOND) == f"S 1 5 {NO_PATH}"
    assert net.line("wait", SECOND) == f"W 0 0 {NO_TIME}"


def test_what_is_taken_back_is_never_sent(net: Harness) -> None:
    net.line("later", 5)
    assert net.line("cancel", 5) == "- 0 0 0"
    assert net.line("wait", SECOND) == f"W 0 0 {NO_TIME}"


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.sampled_from(("later", "start", "pass", "wait")), max_size=40),
       full=st.lists(st.sampled_from((0, LIMIT, SYSTEM)), max_size=15))  # fmt: skip
def test_each_call_ends_once(program: Path, steps: list[str], full: list[int]) -> None:
    net, begun, ended, tag = Harness(program), set(), list[str](), 0
    net.line("cp", *full)
    for step in steps:
        tag += step in ("later", "start")
        words = net.line(step, SECOND if step == "wait" else tag).split()
        if step in ("later", "start") and words[1] == "0":
            begun.add(str(tag))
        if words[2] != "0":
            ended.append(words[2])
    net.line("cp")
    while (words := net.line("wait", SECOND).split())[1] == "1":
        ended.append(words[2])
    assert sorted(ended) == sorted(begun)
    net.end()
