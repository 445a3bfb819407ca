# SPDX-License-Identifier: MIT
"""SET HOST's bad days: a wire that loses, doubles and swaps frames, a cut link, a dead host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.sethost_guest import FAR, NEAR, Pair, Visitor, counts, pair
from vmkb.guests.contents import document
from vmkb.hercules.emulator.machine import Hercules

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
GIVEN_UP = 90.0
"""Seconds: a link is given up after ten retransmissions, 2 to 4 s apart after short round trips."""


@pytest.fixture
def systems(tmp_path: Path) -> Iterator[Pair]:
    """Two systems for each test."""
    with pair(tmp_path / "pair") as running:
        yield running


@contextmanager
def faster(machine: Hercules) -> Iterator[None]:
    """The guest's clock runs ten times as fast: its half minute is 3 s."""
    machine.command("toddrag 0.1")
    yield
    machine.command("toddrag 1.0")


def test_nothing_is_lost_on_a_bad_wire(systems: Pair) -> None:
    visitor = Visitor(systems, 1)
    visitor.set_host()
    visitor.logon()
    systems.wire.set_profile("*", loss=0.05, duplication=0.05, reordering=0.05)
    visitor.within = GIVEN_UP
    wanted = [line.rstrip() for line in document(10240).splitlines() if line.strip()]
    for _ in range(2):
        shown = visitor.command("TYPE DOC10K TEXT E")
        assert [line for line in shown if line] == wanted
    systems.wire.set_profile("*", "fast")
    mark = visitor.console.type("LOGOFF")
    visitor.wait("CONTROL RETURNED", mark)
    said = counts(visitor.console)
    assert said["MALFORMED"] == 0 and said["RESENT"] + said["OUT OF ORDER"] + said["DUPLICATES"] > 0


def test_cut_link_gives_the_terminal_back(systems: Pair) -> None:
    visitor = Visitor(systems, 1)
    visitor.within = GIVEN_UP
    visitor.set_host()
    visitor.logon()
    systems.wire.cut("*")
    with faster(systems.machines[NEAR]):
        mark = visitor.console.type("CP QUERY TIME")
        visitor.wait("CONTROL RETURNED TO NODE LNS53: THE NODE IS NO LONGER REACHABLE", mark)
    systems.wire.restore("*")
    visitor.set_host()


def test_host_dies_and_returns(systems: Pair, tmp_path: Path) -> None:
    visitor = Visitor(systems, 1)
    visitor.within = GIVEN_UP
    visitor.set_host()
    visitor.logon()
    systems.machines[FAR].stop()
    with faster(systems.machines[NEAR]):
        mark = visitor.console.type("CP QUERY TIME")
        visitor.wait("CONTROL RETURNED TO NODE LNS53", mark)
    systems.start(FAR)
    visitor.set_host()
    visitor.logon()
    assert any("TIME IS" in line for line in visitor.command("CP QUERY TIME"))
