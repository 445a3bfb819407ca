# SPDX-License-Identifier: MIT
"""UDP for other machines: datagrams between a program in a guest and this computer's own UDP, in
fragments both ways, and Rx over them."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator

import pytest

from tests.e2e.net_guest import NetGuest, net_guest
from tests.e2e.system import ADDRESS, HOST, tap_needed
from tests.peers import rx_perf as perf
from tests.peers.rx_udp import UdpRx
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ECHO = 7


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    """One guest for this file, with UDPECHO and RXPERFD."""
    tap_needed("UDP in fragments")
    with net_guest(tmp_path_factory.mktemp("udp")) as guest:
        guest.console.ask("XAUTOLOG CL01 IPL EXERCISE PARM UDPECHO")
        guest.console.ask("XAUTOLOG RXPERFD")
        ready(guest, ECHO)
        ready(guest, perf.PORT)
        yield guest


def ready(net: NetGuest, port: int) -> None:
    """Waits until NETSTAT shows the port."""
    wait_until(
        lambda: any(f"*..{port} " in line for line in net.netstat("CONNECTIONS")),
        10, f"UDP port {port}",
    )  # fmt: skip


@pytest.fixture
def udp() -> Iterator[socket.socket]:
    """A socket of this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((HOST, 0))
        sock.settimeout(5)
        yield sock


@pytest.mark.parametrize("size", [0, 1, 8, 1472, 1473, 2952, 2953, 9000, 20000, 57336])
def test_datagrams_come_back(net: NetGuest, udp: socket.socket, size: int) -> None:
    """1472 bytes are one packet at this MTU, more are fragments, both ways."""
    data = random.Random(size).randbytes(size)
    for _ in range(3):
        udp.sendto(data, (ADDRESS, ECHO))
        back, peer = udp.recvfrom(65535)
        assert peer == (ADDRESS, ECHO) and back == data


def test_one_too_long_for_a_reply_is_counted(net: NetGuest, udp: socket.socket) -> None:
    udp.sendto(bytes(57337), (ADDRESS, ECHO))
    udp.sendto(b"next", (ADDRESS, ECHO))
    assert udp.recvfrom(65535)[0] == b"next"
    line = next(x for x in net.netstat("CONNECTIONS") if f"*..{ECHO} " in x)
    assert re.search(r", 1 DROPPED$", line), line


def test_many_at_once(net: NetGuest, udp: socket.socket) -> None:
    """Nothing is held afterwards; what did not fit is counted."""
    before = net.in_use()
    udp.settimeout(0.5)
    for n in range(600):
        udp.sendto(n.to_bytes(2, "big") * 400, (ADDRESS, ECHO))
    seen = set()
    try:
        while True:
            data = udp.recvfrom(65535)[0]
            assert data == data[:2] * 400
            seen.add(int.from_bytes(data[:2], "big"))
    except TimeoutError:
        pass
    assert len(seen) > 100
    net.wait_as_before(before)


def test_a_missing_fragment_is_given_up(net: NetGuest, udp: socket.socket) -> None:
    """lwIP forgets the others, and their buffers are free again."""
    before = net.in_use()
    net.wire.set_profile("host", loss=0.3)
    for _ in range(20):
        udp.sendto(bytes(9000), (ADDRESS, ECHO))
    net.wire.set_profile("*", "fast")
    net.machine.command("toddrag 0.04")
    try:
        net.wait_as_before(before, 30)
    finally:
        net.machine.command("toddrag 1.0")


def test_an_ended_machine_gives_its_port_back(net: NetGuest, udp: socket.socket) -> None:
    net.console.ask("XAUTOLOG CL03 IPL EXERCISE PARM UDPECHO 99")
    ready(net, 99)
    net.console.ask("FORCE CL03")
    wait_until(
        lambda: not any("*..99 " in x for x in net.netstat("CONNECTIONS")), 10, "port 99's end"
    )
    net.console.ask("XAUTOLOG CL03 IPL EXERCISE PARM UDPECHO 99")
    ready(net, 99)
    udp.sendto(b"again", (ADDRESS, 99))
    assert udp.recvfrom(100)[0] == b"again"
    net.console.ask("FORCE CL03")


@pytest.mark.parametrize(("mtu", "jumbo"), [(1500, 1), (9000, 1), (1500, 4)])
def test_rx_with_this_computer(net: NetGuest, mtu: int, jumbo: int) -> None:
    with UdpRx((HOST, 0), mtu=mtu, jumbo=jumbo) as client:
        conn = client.connect((ADDRESS, perf.PORT), perf.SERVICE)
        for operation, size in ((perf.NULL, 0), (perf.WRITE, 98304), (perf.READ, 300_000)):
            for _ in range(3):
                reply = client.call(conn, perf.request(operation, size), 30)
                perf.check(operation, size, reply)


def rxdebug(*arguments: str) -> str:
    """OpenAFS's rxdebug at RXPERFD's port: what it says."""
    program = os.environ.get("VMKB_RXDEBUG") or shutil.which("rxdebug")
    if program is None:
        pytest.skip("rxdebug (Debian's openafs-client) is not here; VMKB_RXDEBUG may name one")
    done = subprocess.run(
        [program, ADDRESS, str(perf.PORT), *arguments],
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return done.stdout


def test_rxdebug_asks_for_the_version(net: NetGuest) -> None:
    assert rxdebug("-version").splitlines()[-1] == "AFS version: VM/KB RXPERFD"


def test_rxdebug_shows_connections(net: NetGuest) -> None:
    with UdpRx((HOST, 0)) as client:
        conn = client.connect((ADDRESS, perf.PORT), perf.SERVICE)
        for _ in range(7):
            client.call(conn, perf.request(perf.NULL), 10)
        said = rxdebug("-allconnections", "-long")
        port = client.address[1]
    match = re.search(
        rf"Connection from host {re.escape(HOST)}, port {port}, Cuid [0-9a-f/]+(.*?)\n(.*)",
        said, re.S,
    )  # fmt: skip
    assert match is not None, said
    assert re.search(r"call 0: # 7, state (dally|not initialized|active)", match[2]), said
