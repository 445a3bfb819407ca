# SPDX-License-Identifier: MIT
"""Coroutines of stations in a world: their times, their order, and two of them on a LAN."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.peers import rx_perf as perf
from vmkb.hercules.clock.guest import WorldClock
from vmkb.hercules.clock.lan import WorldLan
from vmkb.hercules.clock.loop import InWorld, WorldLoop
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import World
from vmkb.hercules.coroutines import Thread
from vmkb.hercules.deadline import on, pause
from vmkb.hercules.rx.calls import Abort, Handler
from vmkb.hercules.rx.wire import WireRx
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

FRAME = bytes(range(6)) + b"\2\0\0\0\0\1" + b"\x88\xb5" + bytes(50)


@pytest.fixture
def world() -> World:
    return World(0)


@pytest.fixture
def beside(world: World) -> InWorld:
    return InWorld(WorldLoop(world), random.Random(1))  # type: ignore[abstract]


def test_what_sleeps_takes_the_world_s_time(world: World, beside: InWorld) -> None:
    async def sleeps() -> float:
        await asyncio.sleep(3.5)
        return asyncio.get_running_loop().time()

    assert beside.run(sleeps(), 10.0) == 3.5
    assert world.now == 3.5 * PS


def test_a_call_takes_no_time(world: World, beside: InWorld) -> None:
    assert beside.call(lambda: asyncio.get_running_loop().time()) == 0.0
    assert world.now == 0


def test_what_takes_too_long_is_cancelled(world: World, beside: InWorld) -> None:
    ended = []

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(world.now)

    with pytest.raises(TimeoutError):
        beside.run(never(), 2.0)
    assert ended == [2 * PS]


def test_of_one_instant_the_first_told_is_first(world: World, beside: InWorld) -> None:
    order: list[int] = []

    async def at(number: int) -> None:
        await asyncio.sleep(1.0)
        order.append(number)

    async def all_at_once() -> None:
        await asyncio.gather(*(at(n) for n in range(20)))

    beside.run(all_at_once(), 5.0)
    assert order == list(range(20))


def test_a_timer_that_was_cancelled_does_not_come(world: World, beside: InWorld) -> None:
    rung: list[str] = []
    timer = beside.call(lambda: asyncio.get_running_loop().call_later(1.0, rung.append, "timer"))
    beside.call(timer.cancel)
    world.run(3 * PS)
    assert not rung


def test_the_world_goes_on_no_further_than_what_is_waited_for(
    world: World, beside: InWorld
) -> None:
    async def ticks() -> None:
        while True:
            await asyncio.sleep(0.05)

    async def short() -> None:
        await asyncio.sleep(0.12)

    beside.call(lambda: asyncio.create_task(ticks()))
    beside.run(short(), 60.0)
    assert world.now == round(0.12 * PS)


def test_what_nobody_waits_for_fails_and_is_told(
    world: World, beside: InWorld, caplog: pytest.LogCaptureFixture
) -> None:
    beside.call(lambda: asyncio.get_running_loop().call_soon(lambda: 1 // 0))
    assert "division" in caplog.text


def test_two_endpoints_on_a_lan_of_a_world(world: World, beside: InWorld) -> None:
    lan = WorldLan(world, "lan", "ethernet-10", 1)
    first, second = (
        beside.run(Endpoint.connect(lan.add_stream(name)), 1.0) for name in ("one", "two")
    )
    beside.call(lambda: first.send(FRAME))
    assert beside.run(second.receive(1.0), 2.0) == FRAME
    arrived = world.now
    assert 0 < arrived < PS // 1000
    with pytest.raises(EndpointTimeout):
        beside.run(second.receive(0.5), 2.0)
    assert world.now == arrived + PS // 2
    beside.run(first.close(), 1.0)
    assert not lan.ports()["one"]["connected"]


def _calls(seed: int) -> tuple[list[bytes], int, str]:
    """Three Rx calls of one workstation to another over a line that loses frames: what came, the
    time, and what the LAN counted."""
    world = World(0)
    lan = WorldLan(world, "lan", "ethernet-10", seed)
    beside = InWorld(WorldLoop(world), random.Random(seed))  # type: ignore[abstract]
    paths = [lan.add_stream(name) for name in ("client", "server")]
    lan.set_profile("client", loss=0.05)

    async def work() -> list[bytes]:
        services: dict[int, Handler] = {perf.SERVICE: perf.serve}
        async with (
            WireRx(paths[1], "10.0.0.2", perf.PORT, services, draws=beside.draws),
            WireRx(paths[0], "10.0.0.1", draws=beside.draws) as client,
        ):
            server = client.connect(("10.0.0.2", perf.PORT), perf.SERVICE)
            asked = [perf.request(perf.READ, 40_000), perf.request(perf.WRITE, 9_000)]
            replies = [await client.call(server, request) for request in asked]
            with pytest.raises(Abort):
                await client.call(server, b"?")
            return replies

    with on(WorldClock(world)):
        replies = beside.run(work(), 300.0)
        pause(1.0)
    return replies, world.now, str(lan.counters())


def test_rx_over_a_bad_line_is_the_same_each_time() -> None:
    once = _calls(7)
    perf.check(perf.READ, 40_000, once[0][0])
    assert once == _calls(7)
    assert once[1:] != _calls(8)[1:]


def test_the_same_in_a_thread_on_this_computer_s_clock() -> None:
    beside = Thread("test")
    try:
        assert beside.run(asyncio.sleep(0.0, "slept"), 5.0) == "slept"
        assert beside.call(lambda: asyncio.get_running_loop().is_running())
        with pytest.raises(TimeoutError):
            beside.run(asyncio.sleep(60.0), 0.01)
    finally:
        beside.close()
    beside.close()


def test_a_time_between_two_picoseconds_comes(world: World, beside: InWorld) -> None:
    """A timer must not ring before its time, or who asks again then asks for ever."""

    async def late() -> bool:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(1 / 3)
        due = loop.time() + 0.3e-12
        await asyncio.sleep(due - loop.time())
        return loop.time() >= due

    assert beside.run(late(), 1.0)
