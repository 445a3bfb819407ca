# SPDX-License-Identifier: MIT
"""TCPIP with IPv6 in place of IPv4, and this computer's own at the other end: files by FTPSERVE and
by CMS's FTP with EPRT and EPSV, what has no room for an address is refused, echo requests, and
nothing but IPv6 on the wire. lwIP is vmkb's own; VMKB_SMOLTCP and VMKB_FREERTOS_PLUS_TCP name trees
of the others."""

from __future__ import annotations

import ftplib
import io
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.ftp_client_peers import WITHIN, FtpUser, Lan, Server, lan
from tests.e2e.system import ADDRESS, FTP, HOST, tap_needed
from tests.guests.release.smoltcp import rust_needed
from vmkb.accounting.input.capture.files import packets
from vmkb.guests.release.build import Build
from vmkb.guests.release.cache import VMKB, alone
from vmkb.guests.release.image import level, with_program
from vmkb.guests.release.kinds import KINDS_OF_IPV6
from vmkb.guests.release.source import read
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
THERE, HERE = f"fd00::{ADDRESS}", f"fd00::{HOST}"
TREES = {
    "lwIP": str(VMKB / "build" / "lwip" / "lwip-2.2.1"),
    "smoltcp": os.environ.get("VMKB_SMOLTCP", ""),
    "FreeRTOS": os.environ.get("VMKB_FREERTOS_PLUS_TCP", ""),
}
DATA = os.urandom(300_000)
IPV6 = b"\x86\xdd"
ASKED, ANSWERED = 128, 129


@pytest.fixture(scope="module", params=TREES)
def net(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lan]:
    """A guest whose stack is the parameter's, and this computer on its LAN with IPv6."""
    tap_needed("IPv6")
    tree = TREES[request.param]
    if not tree:
        pytest.skip(f"nothing names a tree of {request.param}")
    if request.param == "smoltcp":
        rust_needed()
    guest = system.delivered()
    found = read(Path(tree), kinds=KINDS_OF_IPV6)
    with alone():
        build = Build(found.digest, what=found.kind.name, ip=6)
        if not build.placed:
            build.place(found.files, found.kind.where)
        image = with_program(guest.image, build.program(1), level(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system, "delivered", lambda: guest.with_image(str(image)))
        with lan(tmp_path_factory.mktemp("ipv6"), f"TCPIP={level(1)}") as made:
            join_by_ipv6()
            wait_until(greets, 20, "FTPSERVE to greet over IPv6")
            yield made


def join_by_ipv6() -> None:
    """This computer's TAP device has HERE, too."""
    device = ip("-o", "-4", "addr", "show", "to", HOST).split()[1]
    Path(f"/proc/sys/net/ipv6/conf/{device}/disable_ipv6").write_text("0")
    ip("-6", "addr", "add", f"{HERE}/120", "dev", device, "nodad")


def ip(*words: str) -> str:
    """What iproute2's ip says."""
    return subprocess.run(
        ["ip", *words], check=True, timeout=10, capture_output=True, text=True
    ).stdout


def greets() -> bool:
    """Whether FTPSERVE serves."""
    try:
        with ftp() as session:
            return bool(session.pwd())
    except (OSError, EOFError):
        return False


def ftp() -> ftplib.FTP:
    """A session of VMUSER1."""
    made = ftplib.FTP(timeout=10)
    made.connect(THERE, FTP)
    made.login("VMUSER1", "VMUSER1")
    return made


@pytest.fixture(scope="module")
def user(net: Lan) -> Iterator[FtpUser]:
    """A user of the guest at a terminal."""
    found = FtpUser(net, "VMUSER1", 0x0701)
    yield found
    found.close()


@pytest.mark.parametrize("passive", [True, False], ids=["EPSV", "EPRT"])
def test_files_go_to_a_server_and_back(net: Lan, tmp_path: Path, passive: bool) -> None:
    capture = tmp_path / "lan.pcapng"
    net.wire.start_capture(capture)
    got = bytearray()
    with ftp() as session:
        session.set_pasv(passive)
        session.storbinary("STOR A.FILE", io.BytesIO(DATA))
        session.retrbinary("RETR A.FILE", got.extend)
    assert net.wire.stop_capture()
    assert got == DATA
    assert {bytes(packet.data[12:14]) for packet in packets(capture)} == {IPV6}


@pytest.mark.parametrize(
    ("said", "code"),
    [("PORT 10,17,0,254,200,10", "501"), ("PASV", "425"), ("EPRT |1|HOST|40000|", "522"),
     ("EPSV 1", "522"), ("EPRT |2|fd00::1|40000|", "504"), ("EPRT |2|fc00::HOST|40000|", "504"),
     ("EPRT |2|fd00:::1|40000|", "501"), ("EPRT |2|fd00::HOST|40000|", "200"), ("EPSV 2", "229")],
)  # fmt: skip
def test_what_a_server_says_to_addresses(net: Lan, said: str, code: str) -> None:
    # A test's name is the same in each of pytest's processes; HOST is not.
    with ftp() as session:
        try:
            answer = session.sendcmd(said.replace("HOST", HOST))
        except ftplib.Error as error:
            answer = str(error)
    assert answer.startswith(code), answer


@pytest.mark.parametrize("passive", ["ON", "OFF"])
def test_files_go_to_a_client_and_back(
    net: Lan, user: FtpUser, tmp_path: Path, passive: str
) -> None:
    with socket.create_server((HERE, 0), family=socket.AF_INET6) as free:
        port = free.getsockname()[1]
    words = ["-i", HERE, "-p", str(port), "-w", "-u", "joe", "-P", "secret", "-d", str(tmp_path)]
    command = [sys.executable, "-m", "pyftpdlib", *words]
    server = Server(net, command, (HERE, port), tmp_path, "joe", "")
    try:
        server.put("big.bin", DATA)
        said = user.ftp(
            *server.begin, "BIN", f"PASSIVE {passive}", "GET big.bin (REP",
            "PUT big.bin big.back", "QUIT",
        )  # fmt: skip
        assert server.got("big.back") == DATA, said
    finally:
        server.end()
    wanted = ">>>EPSV" if passive == "ON" else ">>>EPRT "
    assert any(line.startswith(wanted) for line in said), said


def test_echo_requests_are_answered_both_ways(net: Lan, user: FtpUser) -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as raw:
        raw.bind((HERE, 0))
        raw.settimeout(WITHIN)
        raw.sendto(struct.pack(">BBHHH", ASKED, 0, 0, 7, 1) + DATA[:100], (THERE, 0))
        while (answer := raw.recv(65535))[0] != ANSWERED:
            pass
    assert answer[4:] == struct.pack(">HH", 7, 1) + DATA[:100]
    assert user.cms(f"PING {HOST}")[-1] == "PING: 1 of 1 answered"
