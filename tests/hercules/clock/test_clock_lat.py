# SPDX-License-Identifier: MIT
"""A terminal server in a world: what a script waits for there takes the world's time alone."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from vmkb.hercules.clock.guest import WorldClock
from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.clock.loop import InWorld, WorldLoop
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import EmulatorError, Timeout, on, present
from vmkb.hercules.lat import codec
from vmkb.hercules.lat.station import LatStation
from vmkb.hercules.wire.ports.endpoint import Endpoint

TOD_2001 = 3_192_393_600 * 16_000_000
"""2001-03-01 00:00 UTC on the emulators' clock."""


@pytest.fixture
def world() -> Iterator[World]:
    world = World(TOD_2001)
    with on(WorldClock(world)):
        yield world


@pytest.fixture
def lan(world: World) -> WorldLan:
    return WorldLan(world, "lan", "ethernet-10", 1)


@pytest.fixture
def beside(world: World) -> InWorld:
    return InWorld(WorldLoop(world), random.Random(1))  # type: ignore[abstract]


@pytest.fixture
def station(lan: WorldLan, beside: InWorld) -> Iterator[LatStation]:
    with LatStation(lan.add_stream("LAT01"), "LAT01", 2, beside=beside) as station:
        yield station


def test_a_session_that_nobody_offers_is_waited_for_on_the_world_s_clock(
    world: World, station: LatStation
) -> None:
    began = time.monotonic()
    with pytest.raises(Timeout, match=r"Waited 90\.00 s for a LAT session with NOBODY"):
        station.terminal(1).connect("NOBODY", within=90.0)
    assert world.now == 90 * PS
    assert time.monotonic() - began < 20.0


def test_what_a_station_says_is_there_at_a_time_of_the_world_s(
    world: World, lan: WorldLan, beside: InWorld, station: LatStation
) -> None:
    listener = beside.run(Endpoint.connect(lan.add_stream("listener")), 1.0)
    station.terminal(1).start_connect("NOBODY")
    frame = beside.run(listener.receive(5.0), 5.0)
    assert frame[:6] == codec.GROUP
    first = world.now
    assert 0 < first < PS // 10
    assert beside.run(listener.receive(5.0), 5.0) == frame
    assert 0.9 * PS < world.now - first < 1.2 * PS
    assert station.services("", within=0.5) == []


def test_a_station_that_has_left(lan: WorldLan, station: LatStation) -> None:
    assert lan.ports()["LAT01"]["connected"]
    station.close()
    station.close()
    assert not lan.ports()["LAT01"]["connected"]
    with pytest.raises(EmulatorError, match="off the LAN"):
        station.terminal(1).type("x")


def test_the_present_date_is_the_emulators(world: World) -> None:
    assert present().date() == 983_404_800.0
    world.run(PS // 2)
    assert present().date() == 983_404_800.5
