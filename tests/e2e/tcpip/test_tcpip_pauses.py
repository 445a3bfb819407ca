# SPDX-License-Identifier: MIT
"""Every frame that the wire counts as taken by the guest is in the guest's books, however the host
treats the emulator and whatever the TCPIP machine does."""

from __future__ import annotations

import asyncio
import random
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

from tests.busy import busy
from tests.e2e.cp_console import WITHIN, Console
from tests.e2e.net_guest import NetGuest, get, put
from tests.e2e.stopped import stopped
from tests.e2e.system import ADDRESS
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.tn3270.screen import Status
from vmkb.hercules.wire.ports.endpoint import Endpoint

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
DATA = random.Random(7).randbytes(2 << 20)
CLIENTS = 4
TCPIP = b"\x02\0" + socket.inet_aton(ADDRESS)
ME = bytes((2, 0, 0, 0, 0, 9))


def lan(net: NetGuest) -> dict[str, int]:
    """QUERY LAN's numbers."""
    text = "\n".join(net.console.ask("QUERY LAN"))
    match = re.fullmatch(
        r"LAN NODE VMKB 02(?:-[0-9A-F]{2}){5}, USED BY CP AND TCPIP\n"
        r"BLOCKS IN (\d+), WITH FRAMES FOR A MACHINE (\d+), MALFORMED (\d+)\n"
        r"LOST, AS NO MACHINE READ THEM: BLOCKS (\d+) FRAMES (\d+)\n"
        r"FRAMES OF CP IN (\d+) OUT \d+, BYTES IN \d+ OUT \d+, NO ROOM \d+",
        text,
    )
    assert match is not None, text
    names = ("blocks", "given", "malformed", "lost_blocks", "lost_frames", "cps")
    return dict(zip(names, map(int, match.groups()), strict=True))


def check_books(net: NetGuest) -> None:
    """What the wire gave is what CP and the TCPIP machine took, or lost and counted."""

    def quiet() -> tuple[dict[str, int], re.Match[str], dict[str, int]] | None:
        def given() -> dict[str, int]:
            port = net.wire.counters()["ports"]["vmkb"]
            waiting = port["queued_frames"] + port["in_flight"]
            return {
                "frames": port["frames_out"],
                "blocks": port["blocks"]["blocks_out"],
                "waiting": waiting,
            }

        before = given()
        said = "\n".join(net.netstat("DEVICES"))
        match = re.search(r"FRAMES IN (\d+).*BLOCKS IN (\d+) OUT \d+ BAD 0", said, re.DOTALL)
        assert match is not None, said
        counts = lan(net)
        return (before, match, counts) if given() == before and not before["waiting"] else None

    wire, machine, cp = wait_until(quiet, WITHIN, "a quiet wire", poll=0.05)
    assert int(machine[1]) + cp["lost_frames"] + cp["cps"] == wire["frames"]
    assert int(machine[2]) + cp["lost_blocks"] == cp["given"]
    assert (cp["blocks"], cp["malformed"]) == (wire["blocks"], 0)


def pauses(pid: int, seconds: float, seed: int) -> AbstractContextManager[None]:
    """The process is stopped for `seconds` again and again, after 1 to 30 ms in which it runs."""
    chance = random.Random(seed)
    return stopped(pid, seconds, lambda: chance.uniform(0.001, 0.03))


@pytest.mark.parametrize(("ms", "others"), [(50, 0), (100, 0), (150, 0), (300, 0), (100, 4)])
def test_no_frame_is_lost_while_the_emulator_is_paused(net: NetGuest, ms: int, others: int) -> None:
    def transfer(number: int) -> None:
        with net.ftp(f"CL{number + 1:02}", timeout=60) as ftp:
            put(ftp, "PAUSE.BIN", DATA)
            assert get(ftp, "PAUSE.BIN") == DATA
            ftp.delete("PAUSE.BIN")

    lost = lan(net)["lost_blocks"]
    with (
        busy(others, 0),
        pauses(net.machine.pid, ms / 1000, ms),
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        list(pool.map(transfer, range(CLIENTS)))
    assert lan(net)["lost_blocks"] == lost
    check_books(net)


def test_a_machine_that_is_stopped_loses_its_frames_and_cp_does_not(net: NetGuest) -> None:
    path = net.wire.add_stream("py")
    terminal = Console(net.guest, net.machine, 0x0701)
    try:
        terminal.session.logon("TCPIP", "TCPIP", WITHIN)
        terminal.session.terminal.pa(1)
        terminal.session.terminal.wait(lambda s: s.status is Status.CP_READ, WITHIN, "CP READ")
        before = lan(net)

        async def send() -> None:
            endpoint = await Endpoint.connect(path)
            for number in range(500):  # five blocks at least; TCPIP has room for one, CP for two
                endpoint.send(TCPIP + ME + b"\x88\xb5" + bytes([number % 256]) + bytes(600))
                await asyncio.sleep(0)
            endpoint.send(b"\xff" * 6 + ME + b"\x60\x04" + bytes(46))
            await endpoint.close()

        asyncio.run(send())
        wait_until(
            lambda: lan(net)["cps"] > before["cps"], WITHIN, "CP's own frame behind the others"
        )
        assert lan(net)["lost_frames"] > before["lost_frames"]
        terminal.session.terminal.type("BEGIN")
        terminal.session.terminal.enter()
        check_books(net)
    finally:
        terminal.close()
        net.wire.remove("py")
    with net.ftp() as ftp:
        assert put(ftp, "AFTER.BIN", DATA).startswith("250")
        ftp.delete("AFTER.BIN")
    check_books(net)
