# SPDX-License-Identifier: MIT
"""TCPIP and FTPSERVE when the wire, the other side or they themselves fail: files stay whole,
nothing hangs, nothing stays locked, and the accounts still add up."""

from __future__ import annotations

import asyncio
import ftplib
import random
import re
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.ftp.test_ftp_server_refusals import Raw
from tests.e2e.net_guest import NetGuest, get, put
from tests.e2e.system import ADDRESS, FTP, HOST, NET, tap_needed
from vmkb.hercules.deadline import Deadline, wait_until
from vmkb.hercules.rx.ip import checksum
from vmkb.hercules.wire.ports.endpoint import Endpoint

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
DATA = random.Random(6).randbytes(2 << 20)
LESS = DATA[: 1 << 19]
"""One loss of many here is waited for, for a second and more."""
FASTER = 0.04
"""Hercules' toddrag: the guest's clock runs 25 times as fast, its minutes are 2.4 s."""


@pytest.fixture
def net(file_net: NetGuest) -> Iterator[NetGuest]:
    """The guest; after each test the wire is good again and nothing is held."""
    before = file_net.in_use()
    yield file_net
    file_net.wire.restore("*")
    file_net.wire.set_profile("*", "fast")
    file_net.machine.command("toddrag 1.0")
    file_net.wait_as_before(before, 60)


@pytest.mark.parametrize(
    "changes",
    [{"loss": 0.01}, {"duplication": 0.01}, {"reordering": 0.05}, {"bit_errors": 1e-6}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_bad_wire(net: NetGuest, changes: dict[str, Any]) -> None:
    tap_needed("passt checks no checksum and takes what is out of order for broken")
    with net.ftp() as ftp:
        net.wire.set_profile("*", **changes)
        assert put(ftp, "BAD.BIN", LESS).startswith("250")
        assert get(ftp, "BAD.BIN") == LESS
        for n in range(10):
            assert put(ftp, "SMALL.BIN", DATA[n : n + 24576]).startswith("250")
            assert get(ftp, "SMALL.BIN") == DATA[n : n + 24576]
        net.wire.set_profile("*", "fast")
        for name in ftp.nlst():
            ftp.delete(name)


def test_link_cut_for_ten_seconds(net: NetGuest) -> None:
    with net.ftp(timeout=60) as ftp:
        ftp.voidcmd("TYPE I")
        data = ftp.transfercmd("STOR CUT.BIN")
        data.sendall(DATA[: 1 << 20])
        net.wire.cut("*", 10)
        data.sendall(DATA[1 << 20 :])
        data.close()
        assert ftp.voidresp().startswith("250")
        assert get(ftp, "CUT.BIN") == DATA
        ftp.delete("CUT.BIN")


def test_link_cut_for_good(net: NetGuest) -> None:
    """The server ends the transfer, then the session; the old file stands."""
    with net.ftp() as ftp:
        put(ftp, "OLD.BIN", DATA[:1000])
    up, down = net.ftp(timeout=5), net.ftp(timeout=5)
    up.voidcmd("TYPE I")
    down.voidcmd("TYPE I")
    put(down, "BIG.BIN", DATA)
    sending, receiving = up.transfercmd("STOR OLD.BIN"), down.transfercmd("RETR BIG.BIN")
    sending.sendall(DATA[:100_000])
    receiving.recv(1000)
    net.wire.cut("*")
    with pytest.raises(OSError):
        while True:
            sending.sendall(DATA)
    for end in (sending, receiving, up, down):
        end.close()
    net.machine.command(f"toddrag {FASTER}")
    wait_until(
        lambda: not any(HOST in x for x in net.netstat("CONNECTIONS")),
        120,
        "all sessions to end",
        poll=1.0,
    )
    net.machine.command("toddrag 1.0")
    net.wire.restore("*")
    with net.ftp() as ftp:
        assert get(ftp, "OLD.BIN") == DATA[:1000]
        for name in ftp.nlst():
            ftp.delete(name)


def test_who_never_reads(net: NetGuest) -> None:
    """Ten who take no data and four who take no replies do not hold the others up; in the end
    they are out."""
    with net.ftp() as ftp:
        put(ftp, "BIG.BIN", DATA)
        idle = []
        for _ in range(10):
            session = net.ftp()
            session.voidcmd("TYPE I")
            idle.append((session, session.transfercmd("RETR BIG.BIN")))
        deaf = [Raw(net, 2048) for _ in range(4)]
        for raw in deaf:
            raw.login()
            raw.socket.setblocking(False)
            with pytest.raises(BlockingIOError):
                while True:
                    raw.socket.send(b"HELP\r\n" * 1000)
        for _ in range(3):
            assert get(ftp, "BIG.BIN") == DATA
        net.machine.command(f"toddrag {FASTER}")
        wait_until(
            lambda: sum("ESTABL" in x for x in net.netstat("CONNECTIONS")) <= 11,
            60,
            "the transfers that stand still and the deaf to be ended",
            poll=0.5,
        )
        net.machine.command("toddrag 1.0")
        for session, data in idle:
            with pytest.raises((OSError, ftplib.Error, EOFError)):
                while data.recv(65536):
                    pass
                raise EOFError
            session.close()
            data.close()
        for raw in deaf:
            raw.__exit__()
        ftp.delete("BIG.BIN")


def test_zero_window_at_the_end(net: NetGuest) -> None:
    """What fits into buffers is 'sent' for FTPSERVE; TCPIP gives up a minute later."""
    with net.ftp() as ftp:
        put(ftp, "SOME.BIN", DATA[:60_000])
        ftp.voidcmd("TYPE I")
        where = ftp.makepasv()
        data = socket.socket()
        data.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        data.connect(where)
        ftp.sendcmd("RETR SOME.BIN")
        assert ftp.voidresp().startswith("250")
    # nobody is logged on meanwhile: five minutes without a command may pass
    net.machine.command(f"toddrag {FASTER}")
    wait_until(lambda: net.in_use()["DATA BUFFERS"] == 0, 40, "the buffers to be free", poll=0.5)
    net.machine.command("toddrag 1.0")
    data.close()
    with net.ftp() as ftp:
        ftp.delete("SOME.BIN")


def test_a_hundred_connections_without_a_word(net: NetGuest) -> None:
    silent = [socket.create_connection(net.host.at(FTP), 10) for _ in range(100)]
    greeted = [one.recv(3) for one in silent]
    assert set(greeted) == {b"220", b"421"}

    def someone_gets_in() -> bool:
        try:
            net.ftp(timeout=5).quit()
        except (OSError, ftplib.Error, EOFError):
            return False
        return True

    wait_until(someone_gets_in, 15, "a session for who has a password", poll=0.5)
    for one in silent:
        one.close()


def test_a_hundred_half_open_connections(net: NetGuest) -> None:
    """SYNs from an address that never confirms: others get in at once; the memory comes back."""

    async def flood() -> None:
        end = await Endpoint.connect(net.wire.add_stream("flood"))
        us = bytes.fromhex("020000000099")
        guest = b"\x02\x00" + socket.inet_aton(ADDRESS)
        for n in range(100):
            end.send(guest + us + b"\x08\x00" + syn(f"{NET}.99", ADDRESS, 2000 + n, 21))
        await end.close()

    try:
        asyncio.run(flood())
        # TCPIP gives one up after 20 s of its clock; a question takes 2 s when it must be repeated
        wait_until(
            lambda: sum("SYN-RCVD" in x for x in net.netstat("CONNECTIONS")) >= 90,
            15,
            "half-open connections",
            screen=lambda: [*net.netstat("CONNECTIONS"), str(net.wire.counters()["ports"])],
        )
    finally:
        net.wire.remove("flood")
    with net.ftp(timeout=10) as ftp:
        put(ftp, "THROUGH.BIN", DATA)
        assert get(ftp, "THROUGH.BIN") == DATA
        ftp.delete("THROUGH.BIN")
    net.machine.command(f"toddrag {FASTER}")
    wait_until(
        lambda: not any("SYN-RCVD" in x for x in net.netstat("CONNECTIONS")),
        30,
        "the half-open connections to be given up",
        poll=0.5,
    )


def test_six_hundred_short_transfers(net: NetGuest) -> None:
    """More connections than TCPIP remembers in TIME-WAIT."""

    def remembered() -> int:
        counts = [re.match(r"(\d+) MORE IN TIME-WAIT", x) for x in net.netstat("CONNECTIONS")]
        return sum(int(c[1]) for c in counts if c)

    with net.ftp() as ftp:
        for n in range(300):
            put(ftp, "SHORT.BIN", DATA[n : n + 24576])
            assert get(ftp, "SHORT.BIN") == DATA[n : n + 24576]
        ftp.delete("SHORT.BIN")
    wait_until(lambda: 0 < remembered() <= 32, 5, "the oldest in TIME-WAIT to be forgotten")


def test_who_sends_a_byte_now_and_then(net: NetGuest) -> None:
    """For longer than a transfer may stand still: what comes slowly is not taken for that."""
    sent = 0
    with net.ftp(timeout=20) as ftp:
        ftp.voidcmd("TYPE I")
        with ftp.transfercmd("STOR SLOW.BIN") as data:
            data.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            net.machine.command("toddrag 0.1")
            time = Deadline(8.0)  # 80 s of the guest's
            while not time.over:
                data.sendall(DATA[sent : sent + 1])
                sent += 1
                net.console.ask("QUERY TIME")
            net.machine.command("toddrag 1.0")
        assert ftp.voidresp().startswith("250")
        assert get(ftp, "SLOW.BIN") == DATA[:sent]
        ftp.delete("SLOW.BIN")


@pytest.mark.parametrize("server", ["FTPSERVE", "TCPIP"])
def test_forced_in_mid_transfer_and_back(net: NetGuest, server: str) -> None:
    with net.ftp() as ftp:
        put(ftp, "OLD.BIN", DATA[:5000])
    ftp = net.ftp(timeout=20)
    ftp.voidcmd("TYPE I")
    data = ftp.transfercmd("STOR OLD.BIN")
    data.sendall(DATA[:500_000])
    net.console.ask(f"FORCE {server}")
    net.console.ask(f"XAUTOLOG {server}")
    with pytest.raises((OSError, EOFError)):
        for _ in range(40):
            data.sendall(DATA)
        data.close()
        ftp.voidresp()
    ftp.close()
    data.close()
    net.wait_server()
    with net.ftp() as ftp:
        assert get(ftp, "OLD.BIN") == DATA[:5000]
        assert put(ftp, "OLD.BIN", DATA).startswith("250")
        ftp.delete("OLD.BIN")


def test_guest_killed_in_mid_transfer(net: NetGuest) -> None:
    """The last test of this file: the machine is another one afterwards."""
    with net.ftp() as ftp:
        put(ftp, "OLD.BIN", DATA[:5000])
    ftp = net.ftp(timeout=5)
    ftp.voidcmd("TYPE I")
    data = ftp.transfercmd("STOR OLD.BIN")
    data.settimeout(5)
    data.sendall(DATA[:500_000])
    net.machine.kill()
    with pytest.raises(OSError):
        while True:
            data.sendall(DATA)
    ftp.close()
    data.close()
    net.restart()
    with net.ftp() as ftp:
        assert get(ftp, "OLD.BIN") == DATA[:5000]
        ftp.delete("OLD.BIN")


def syn(source: str, target: str, port: int, to: int) -> bytes:
    """An IP packet with a TCP segment that asks for a connection."""
    ends = socket.inet_aton(source) + socket.inet_aton(target)
    tcp = struct.pack(">HHLLBBHHH", port, to, port * 1000, 0, 0x50, 0x02, 8192, 0, 0)
    check = checksum(ends + struct.pack(">HH", 6, len(tcp)) + tcp)
    tcp = tcp[:16] + struct.pack(">H", check) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), port, 0, 64, 6, 0) + ends
    return ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:] + tcp
