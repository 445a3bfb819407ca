# SPDX-License-Identifier: MIT
"""smoltcp with this computer's own TCP/IP at the other end: sessions and files of FTPSERVE, many at
once and MTUs to 4000, datagrams whole and in fragments, and echo requests both ways. VMKB_SMOLTCP
names a tree of it (tests/e2e/workloads/test_workload_own_smoltcp.py)."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.net_guest import NetGuest, get, net_guest, put
from tests.e2e.system import ADDRESS, FTP, HOST, tap_needed
from tests.guests.release.smoltcp import TREE, rust_needed
from vmkb.guests.release.build import Build
from vmkb.guests.release.cache import alone
from vmkb.guests.release.image import level, with_program
from vmkb.guests.release.source import read
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ECHO = 7


@pytest.fixture(scope="module", params=[1500, 4000])
def net(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NetGuest]:
    """One guest for this file and MTU, with UDPECHO."""
    tap_needed("echo requests")
    rust_needed()
    guest = system.delivered()
    found = read(Path(TREE))
    with alone():
        build = Build(found.digest, what=found.kind.name)
        if not build.placed:
            build.place(found.files, found.kind.where)
        image = with_program(guest.image, build.program(1), level(1))
    folder = tmp_path_factory.mktemp("smoltcp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system, "delivered", lambda: guest.with_image(str(image)))
        with net_guest(folder, f"TCPIP={level(1)}", mtu=request.param, start=False) as made:
            made.console.ask("XAUTOLOG TCPIP")
            wait_until(lambda: greets(made), 20, "FTPSERVE to greet")
            made.console.ask("XAUTOLOG CL02 IPL EXERCISE PARM UDPECHO")
            wait_until(
                lambda: any(f"*..{ECHO} " in x for x in made.netstat("CONNECTIONS")), 10, "UDPECHO"
            )
            yield made


def greets(net: NetGuest) -> bool:
    """Whether FTPSERVE serves CL01."""
    try:
        with net.ftp(timeout=5) as ftp:
            return bool(ftp.pwd())
    except (OSError, EOFError):
        return False


def test_a_file_goes_there_and_back(net: NetGuest) -> None:
    data = random.Random(1).randbytes(300_000)
    with net.ftp() as ftp:
        put(ftp, "A.FILE", data)
        assert get(ftp, "A.FILE") == data
        ftp.set_pasv(False)
        assert get(ftp, "A.FILE") == data


def test_many_sessions_at_once_and_nothing_is_left(net: NetGuest) -> None:
    with ExitStack() as all_of_them:
        for _ in range(12):
            ftp = all_of_them.enter_context(net.ftp())
            assert ftp.pwd()
    wait_until(
        lambda: not any("ESTABLISHED" in x for x in net.netstat("CONNECTIONS")), 10, "the ends"
    )


@pytest.mark.parametrize("size", [0, 1, 1472, 1473, 9000, 57336])
def test_datagrams_come_back(net: NetGuest, size: int) -> None:
    data = random.Random(size).randbytes(size)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((HOST, 0))
        udp.settimeout(5)
        for _ in range(3):
            udp.sendto(data, (ADDRESS, ECHO))
            assert udp.recvfrom(65535) == (data, (ADDRESS, ECHO))


def test_a_port_without_a_listener_refuses(net: NetGuest) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((ADDRESS, 99), timeout=5)
    assert net.host.at(FTP)


def test_a_connection_that_is_reset_is_forgotten(net: NetGuest) -> None:
    for _ in range(5):
        with socket.create_connection((ADDRESS, 21), timeout=5) as sock:
            assert sock.recv(3) == b"220"
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    with net.ftp() as ftp:
        assert ftp.pwd()


@pytest.mark.parametrize("size", [0, 56, 3000])
def test_echo_requests_are_answered(net: NetGuest, size: int) -> None:
    head = struct.pack(">BBHHH", 8, 0, 0, 7, size)
    whole = head + bytes(size)
    total = sum(struct.unpack(f">{len(whole) // 2}H", whole))
    total = ~(total + (total >> 16)) & 0xFFFF
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.bind((HOST, 0))
        raw.settimeout(5)
        raw.sendto(whole[:2] + struct.pack(">H", total) + whole[4:], (ADDRESS, 0))
        while (answer := raw.recv(65535)[20:])[0] != 0:
            pass
    assert answer[4:] == whole[4:]
