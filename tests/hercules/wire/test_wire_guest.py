# SPDX-License-Identifier: MIT
"""The wire with real Hercules: guests talk, stream, die, come back, and are paced."""

from __future__ import annotations

import statistics
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


def test_token_ring_paces_a_stream_to_its_rate(tools: Any, run: Callable[..., Any]) -> None:
    number, size = 600, 4014
    with WireProcess(profile="token-ring-16") as wire:
        for station, name in ((1, "vm1"), (2, "vm2")):
            wire.add_guest(name)
            tools.start(wire, name, station)
            wire.wait_connected(name, 10)
        path = wire.add_stream("py")

        samples = [{"data_frames": 0}]

        async def talk() -> None:
            endpoint = await Endpoint.connect(path)
            endpoint.send(tools.frame(1, ME, START, number, size, 2))
            while samples[-1]["data_frames"] < number:
                samples.append(await tools.counts(endpoint, 2))
            await endpoint.close()

        try:
            run(talk())
        except TimeoutError:
            pytest.fail(f"not all came: {samples[-1]}, {wire.counters()['ports']}")
        assert wire.counters()["ports"]["vm1"]["up"]["dropped"] == {}
    # in the steady state: the start of a guest on a busy machine is not what is measured, nor a
    # moment in which the machine has no time for the wire
    rates, since = [], samples[0]
    for sample in samples:
        if sample["data_frames"] - since["data_frames"] >= number // 10:
            if since["data_frames"]:
                seconds = (sample["last_tod"] - since["last_tod"]) / 4096e6
                bits = (sample["data_frames"] - since["data_frames"]) * (size + 15) * 8
                rates.append(bits / seconds)
            since = sample
    assert len(rates) >= 4
    assert statistics.median(rates) == pytest.approx(16e6, rel=0.03)


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
