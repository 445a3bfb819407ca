# SPDX-License-Identifier: MIT
"""Rx between guests, and between a guest and a workstation on the wire in both roles."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.rx_guests import SERVER, WITHIN, RxGuests, rx_guests
from tests.e2e.stopped import stopped
from tests.peers import rx_perf as perf
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.rx import Abort, WireRx
from vmkb.hercules.rx.calls import Handler

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
STATION = "10.17.0.66"
MTU = 4000


@pytest.fixture(scope="module")
def guests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RxGuests]:
    """Two guests for this file."""
    with rx_guests(tmp_path_factory.mktemp("rx"), MTU) as both:
        yield both


@pytest.fixture
def rx(guests: RxGuests) -> Iterator[RxGuests]:
    """The guests; after each test the wire is good again."""
    yield guests
    guests.wire.restore("*")
    guests.wire.set_profile("*", "fast")


@pytest.fixture(scope="module")
def station_port(guests: RxGuests) -> str:
    """Where a workstation joins the wire."""
    return guests.wire.add_stream("station")


def sent(said: str) -> dict[str, int]:
    """RXPERF's counts."""
    match = re.search(
        r"(\d+) packets sent, (\d+) received, (\d+) acknowledgements sent, (\d+) received,"
        r"\s+(\d+) sent\s+again",
        said.replace("\n", " "),
    )
    assert match is not None, said
    names = ("sent", "received", "acks sent", "acks received", "again")
    return dict(zip(names, map(int, match.groups()), strict=True))


def received(rx: RxGuests) -> int:
    """Datagrams that RXPERFD has got, as NETSTAT says."""
    said = rx.at_server.command("NETSTAT").text()
    match = re.search(r"\.\.7009 +UDP, (\d+) IN", said)
    assert match is not None, said
    return int(match[1])


@pytest.mark.parametrize(
    "what",
    ["NULL (COUNT 200", "NULL (COUNT 200 ATONCE 4", "WRITE (COUNT 50 SIZE 1536",
     "WRITE (COUNT 20 SIZE 98304", "WRITE (SIZE 1048576", "READ (COUNT 20 SIZE 49152",
     "READ (COUNT 20 SIZE 49152 ATONCE 4", "WRITE (COUNT 3 SIZE 0"],
)  # fmt: skip
def test_guest_to_guest(rx: RxGuests, what: str) -> None:
    rc, said = rx.rxperf(what)
    assert rc == 0, said
    count = int(match[1]) if (match := re.search(r"COUNT (\d+)", what)) else 1
    assert re.search(rf"RXPERF: {count} {what.split()[0]} calls of \d+ bytes in", said), said


def test_packets_are_as_long_as_the_link_takes(rx: RxGuests) -> None:
    """48 KB are 13 packets of 3944 bytes, and next to no acknowledgements."""
    rc, said = rx.rxperf("WRITE (COUNT 100 SIZE 49152")
    counts = sent(said)
    assert rc == 0 and 1300 <= counts["sent"] < 1400 + counts["again"]
    assert counts["acks received"] < 50


@pytest.mark.parametrize(
    "changes",
    [{"loss": 0.01}, {"loss": 0.05}, {"duplication": 0.05}, {"reordering": 0.1},
     {"bit_errors": 3e-7}],
    ids=str,
)  # fmt: skip
def test_a_bad_wire(rx: RxGuests, changes: dict[str, Any]) -> None:
    """The server compares every byte of a write."""
    rx.wire.set_profile("*", **changes)
    rc, said = rx.rxperf("WRITE (COUNT 15 SIZE 49152 ATONCE 4", 120)
    assert rc == 0, said
    rc, said = rx.rxperf("READ (COUNT 10 SIZE 49152", 120)
    assert rc == 0, said


def test_the_mtu_of_the_way_shrinks(rx: RxGuests, station_port: str) -> None:
    """From one guest to the other, and from a workstation to it, at the same time: packets of 4000
    bytes arrive no more, answers to pings do. Each call ends in bounded time, and all is well
    again with the way."""

    async def go() -> int:
        async with WireRx(station_port, STATION, mtu=MTU) as station:
            conn = station.connect((SERVER, perf.PORT), perf.SERVICE)
            await station.call(conn, perf.request(perf.WRITE, 98304), 60)
            mark = rx.user._enter(f"RXPERF {SERVER} WRITE (COUNT 100000 SIZE 98304")
            before = received(rx)
            wait_until(lambda: received(rx) > before, WITHIN, "the calls to begin")
            rx.wire.set_profile("*", mtu=1500)
            code = 0
            try:
                await station.call(conn, perf.request(perf.WRITE, 98304), 50)
            except Abort as abort:
                code = abort.code
            await asyncio.to_thread(rx.user.expect, "Ready(00100)", 50, mark)
            # this connection knows by now what goes through
            await station.call(conn, perf.request(perf.WRITE, 98304), 20)
            return code

    rx.user.terminal.clear()
    assert asyncio.run(go()) in (-1, -3)
    rx.wire.set_profile("*", "fast")
    rc, said = rx.rxperf("WRITE (COUNT 5 SIZE 98304")
    assert rc == 0, said


def test_nobody_is_there(rx: RxGuests) -> None:
    answer = rx.user.command("RXPERF 10.17.0.99 NULL", 30)
    assert answer.rc == 100 and "nobody answers (code -1)" in answer.text()


def test_the_server_ends_in_mid_call(rx: RxGuests) -> None:
    """The client finds that nobody is there after the dead time, and the next server at once."""
    rx.user.terminal.clear()
    mark = rx.user._enter(f"RXPERF {SERVER} WRITE (COUNT 100000 SIZE 98304")
    before = received(rx)
    wait_until(lambda: received(rx) > before, WITHIN, "the calls to begin")
    rx.at_server.cp("FORCE RXPERFD")
    rx.user.expect("nobody answers (code -1)", 30, mark)
    rx.user.expect("Ready(00100)", 10, mark)
    log = rx.server.log.mark()
    rx.at_server.cp("XAUTOLOG RXPERFD")
    rx.server.wait_log("RXPERF SERVER READY", WITHIN, log, "RXPERFD")
    rc, said = rx.rxperf("NULL (COUNT 5")
    assert rc == 0, said


@pytest.mark.parametrize("address", ["127.0.0.1", SERVER], ids=["loopback", "home"])
def test_to_oneself(rx: RxGuests, address: str) -> None:
    """Through the loopback and through its own HOME address: the bytes are not on the wire."""
    before = rx.wire.counters()["ports"]["b"]["bytes_in"]
    answer = rx.at_server.command(f"RXPERF {address} WRITE (COUNT 20 SIZE 49152", 30)
    assert not answer.rc, answer.text()
    answer = rx.at_server.command(f"PING {address}", 30)
    assert not answer.rc, answer.text()
    assert rx.wire.counters()["ports"]["b"]["bytes_in"] - before < 100_000


def test_a_workstation_calls(rx: RxGuests, station_port: str) -> None:
    async def go() -> None:
        async with WireRx(station_port, STATION, mtu=MTU) as station:
            conn = station.connect((SERVER, perf.PORT), perf.SERVICE)
            for operation, size in ((perf.NULL, 0), (perf.WRITE, 98304), (perf.READ, 1 << 20)):
                reply = await station.call(conn, perf.request(operation, size), 60)
                perf.check(operation, size, reply)

    asyncio.run(go())


def test_a_workstation_serves(rx: RxGuests, station_port: str) -> None:
    async def go() -> str:
        services: dict[int, Handler] = {perf.SERVICE: perf.serve}
        async with WireRx(station_port, STATION, perf.PORT, services, MTU):
            said = ""
            for what in ("NULL (COUNT 20", "WRITE (COUNT 5 SIZE 98304", "READ (SIZE 300000"):
                answer = await asyncio.to_thread(rx.user.command, f"RXPERF {STATION} {what}", 60)
                assert not answer.rc, answer.text()
                said += answer.text()
        return said

    assert "5 WRITE calls" in asyncio.run(go())


def test_netstat_shows_the_port(rx: RxGuests) -> None:
    said = rx.at_server.command("NETSTAT").text()
    assert re.search(r"^RXPERFD +\d+ \* +\*\.\.7009 +UDP, \d+ IN", said, re.M)


def test_another_machine_may_not_take_the_port(rx: RxGuests) -> None:
    """PORT in PROFILE TCPIP gives it to RXPERFD."""
    said = rx.user.command("NETSTAT").text()
    assert "7009" not in said
    rx.user.cp("XAUTOLOG VMUSER5 IPL EXERCISE PARM UDPECHO 7009")
    rx.user.cp("SLEEP 1 SEC")
    assert "7009" not in rx.user.command("NETSTAT").text()
    rx.user.cp("FORCE VMUSER5")


def test_tshark_finds_no_fault(rx: RxGuests, tmp_path: Path) -> None:
    """A capture of all kinds of calls is Rx to Wireshark, without a malformed packet."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    capture = tmp_path / "rx.pcapng"
    rx.wire.start_capture(capture)
    for what in ("NULL (COUNT 3", "WRITE (COUNT 3 SIZE 98304", "READ (COUNT 3 SIZE 98304"):
        rc, said = rx.rxperf(what)
        assert rc == 0, said
    rx.wire.stop_capture()
    done = subprocess.run(
        ["tshark", "-r", capture, "-d", "udp.port==7009,rx", "-Y", "udp", "-T", "fields",
         "-e", "rx.type", "-e", "_ws.malformed", "-e", "_ws.expert.message",
         "-e", "udp.checksum.status", "-o", "udp.check_checksum:TRUE"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) > 100
    assert {row[0] for row in rows} == {"1", "2"}, "DATA and ACK"
    assert not [row for row in rows if row[1] or "alformed" in row[2]]
    assert {row[3] for row in rows} == {"1"}, "checksums are right"


def finished(rx: RxGuests, what: str) -> str:
    """What RXPERF says of calls that all came to their end."""
    rc, said = rx.rxperf(what)
    assert rc == 0, said
    return said


def dropped(rx: RxGuests, what: str) -> int:
    """Frames that the wire drops while RXPERF does WHAT."""

    def so_far() -> int:
        ports = rx.wire.counters()["ports"]
        return sum(
            sum(p[way]["dropped"].values()) for p in ports.values() for way in ("up", "down")
        )

    before = so_far()
    finished(rx, what)
    return so_far() - before


def no_room(rx: RxGuests) -> list[int]:
    """Frames for which each guest's link had no room."""
    said = [s.command("NETSTAT DEVLINKS").text() for s in (rx.user, rx.at_server)]
    return [int(re.findall(r" NO ROOM (\d+)", text)[0]) for text in said]


def undisturbed(holds: Callable[[], bool], tries: int = 4) -> None:
    """It HOLDS at least once: where this computer is busy, a guest may stand still for longer than
    the wire and Rx wait, and then they drop and repeat as they should."""
    assert any(holds() for _ in range(tries))


def test_the_older_lwip_and_the_longest_packets(tmp_path: Path) -> None:
    """UDP, the loopback and HOME with lwIP 2.1.3. A slow link holds who sends faster back: nothing
    is lost in TCPIP, not even what is sent before the other's address is known."""
    with rx_guests(tmp_path, 32767, "TCPIP=213") as old:
        old.wire.set_profile("*", "dxu-channel")
        assert "LWIP 2.1.3" in old.user.command("NETSTAT").text()

        def fits(does: Callable[[], int]) -> bool:
            before = no_room(old)
            return does() == 0 and no_room(old) == before

        def again(what: str) -> int:
            return sent(finished(old, what))["again"]

        for what in ("WRITE (COUNT 3 SIZE 1048576", "READ (COUNT 3 SIZE 1048576",
                     "NULL (COUNT 50"):  # fmt: skip
            undisturbed(partial(fits, partial(again, what)))
        # four at once offer more than the router holds, and the other guest is late to read
        with stopped(old.server.pid, 0.1, lambda: 0.2):
            many = "WRITE (COUNT 8 SIZE 1048576 ATONCE 4"
            undisturbed(partial(fits, partial(dropped, old, many)))
        for address in ("127.0.0.1", SERVER):
            answer = old.at_server.command(f"RXPERF {address} WRITE (COUNT 5 SIZE 98304", 30)
            assert not answer.rc, answer.text()
        assert "DROPPED" not in old.at_server.command("NETSTAT").text()
