# SPDX-License-Identifier: MIT
"""The wire with real Hercules: guests talk, stream, die, come back, and are paced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vmkb.hercules.wire.ports.endpoint import Endpoint
from vmkb.hercules.wire.process import WireProcess

pytestmark = [pytest.mark.e2e, pytest.mark.both]
ECHO, ECHOED, QUERY, COUNTS, START, DATA = range(1, 7)
ME = 9


def test_two_guests_exchange_frames_of_all_sizes(tools: Any, run: Callable[..., Any]) -> None:
    with WireProcess() as wire:
        for number, name in ((1, "vm1"), (2, "vm2")):
            wire.add_guest(name)
            tools.start(wire, name, number)
            wire.wait_connected(name, 10)
        path = wire.add_stream("py")

        async def talk() -> None:
            endpoint = await Endpoint.connect(path)
            for size in (0, 1, 28, 1468, 4000, 32749):
                for guest in (1, 2):
                    rest = bytes(i * 31 & 0xFF for i in range(size))
                    request = tools.frame(guest, ME, ECHO, rest=rest)
                    answer = await tools.ask(endpoint, ECHOED, request)
                    assert answer[:12] == request[6:12] + request[:6]
                    assert answer[15:] == request[15:]
            for size, per_block, number in ((4096, 1, 300), (1514, 0, 900), (60, 0, 1000)):
                endpoint.send(tools.frame(1, ME, START, number, size, 2, per_block))
                got = {"data_bytes": 0}
                while got["data_bytes"] != number * size:
                    got = await tools.counts(endpoint, 2)
                assert got["data_frames"] == number
                assert got["out_of_order"] == got["malformed"] == 0
            await endpoint.close()

        run(talk())
        ports = wire.counters()["ports"]
        assert ports["vm2"]["down"]["dropped"] == {}
        # many small frames travelled in few blocks
        assert ports["vm1"]["blocks"]["blocks_in"] < 300 + 900 + 1000


def test_a_guest_dies_and_comes_back_and_the_other_does_not_notice(
    tools: Any, run: Callable[..., Any]
) -> None:
    with WireProcess() as wire:
        path = wire.add_stream("py")
        first = {}
        for number, name in ((1, "vm1"), (2, "vm2")):
            wire.add_guest(name)
            first[name] = tools.start(wire, name, number)
            wire.wait_connected(name, 10)

        async def talk() -> None:
            endpoint = await Endpoint.connect(path)
            for lives in range(2, 5):
                first["vm2"].kill()
                before = await tools.counts(endpoint, 1)
                # vm1 goes on sending to a station that is not there
                endpoint.send(tools.frame(1, ME, START, 50, 4096, 2))
                first["vm2"] = tools.start(wire, "vm2", 2)
                await tools.ask(endpoint, ECHOED, tools.frame(2, ME, ECHO))
                after = await tools.counts(endpoint, 1)
                assert after["retries"] == before["retries"]
                assert after["malformed"] == 0
                assert wire.counters()["ports"]["vm2"]["blocks"]["arrivals"] == lives
            await endpoint.close()

        run(talk())


def test_a_guest_does_not_overflow_its_own_ring_and_what_another_has_no_room_for_is_counted(
    tools: Any, run: Callable[..., Any]
) -> None:
    """The rate itself is tested without the host's clock (test_wire_link.py)."""
    number, size = 600, 4014
    with WireProcess(profile="token-ring-16") as wire:
        for station, name in ((1, "vm1"), (2, "vm2")):
            wire.add_guest(name)
            tools.start(wire, name, station)
            wire.wait_connected(name, 10)
        path = wire.add_stream("py")

        got, lost = {"data_frames": 0}, 0

        async def talk() -> None:
            nonlocal got, lost
            endpoint = await Endpoint.connect(path)
            try:
                endpoint.send(tools.frame(1, ME, START, number, size, 2))
                # on a busy computer the reader may be late: its queue has an end
                while got["data_frames"] + lost < number:
                    got = await tools.counts(endpoint, 2)
                    lost = wire.counters()["ports"]["vm2"]["down"]["dropped"].get("queue", 0)
            finally:
                await endpoint.close()

        try:
            run(talk())
        except TimeoutError:
            pytest.fail(f"not all came: {got}, {wire.counters()['ports']}")
        assert got["malformed"] == 0
        assert got["out_of_order"] == 0 or lost
        assert wire.counters()["ports"]["vm1"]["up"]["dropped"] == {}


def test_a_cut_link_is_silent_and_heals_by_itself(tools: Any, run: Callable[..., Any]) -> None:
    with WireProcess() as wire:
        wire.add_guest("vm1")
        tools.start(wire, "vm1", 1)
        wire.wait_connected("vm1", 10)
        path = wire.add_stream("py")

        async def talk() -> None:
            endpoint = await Endpoint.connect(path)
            await tools.ask(endpoint, ECHOED, tools.frame(1, ME, ECHO))
            wire.cut("vm1", seconds=0.6)
            with pytest.raises(AssertionError):
                await tools.ask(endpoint, ECHOED, tools.frame(1, ME, ECHO), 1)
            await tools.ask(endpoint, ECHOED, tools.frame(1, ME, ECHO))
            await endpoint.close()

        run(talk())
        assert wire.counters()["ports"]["vm1"]["down"]["dropped"]["cut"] >= 1
