# SPDX-License-Identifier: MIT
"""CMS's FTP when things go wrong in the middle: a clear end, no half file, and it works again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hercules.screen import parse_ready
from tests.e2e.ftp_client_peers import FtpUser, Lan, Server, lan, pyftpdlib

pytestmark = pytest.mark.e2e

BIG = os.urandom(2 << 20)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lan]:
    with lan(tmp_path_factory.mktemp("ftpbad")) as found:
        yield found


@pytest.fixture(scope="module")
def user(net: Lan) -> Iterator[FtpUser]:
    found = FtpUser(net, "VMUSER1", 0x0701)
    yield found
    found.close()


@pytest.fixture
def server(net: Lan, tmp_path: Path) -> Iterator[Server]:
    net.wire.set_profile("*", "token-ring-16")  # 2 MB take over a second
    found = pyftpdlib(tmp_path / "files")
    found.put("big.bin", BIG)
    found.put("small.bin", BIG[:5000])
    yield found
    found.end()
    net.wire.set_profile("*", "fast")


def _begin(user: FtpUser, server: Server, get: str) -> int:
    """Starts a transfer and waits until it is under way."""
    mark = user.type(get)
    user.session.expect("125 ", 10, mark)
    return mark


def _works(net: Lan, user: FtpUser, server: Server) -> None:
    user.ftp(*server.begin, "BIN", "GET small.bin (REP", "PUT small.bin small.back", "QUIT")
    stored = net.stored("SMALL.BIN")
    assert stored is not None and stored.data == BIG[:5000] == server.got("small.back")


@pytest.mark.parametrize("what", ["GET big.bin", "PUT keep.bin keep.back"])
def test_server_killed(net: Lan, user: FtpUser, server: Server, what: str, tmp_path: Path) -> None:
    user.ftp(*server.begin, "BIN")
    if what.startswith("PUT"):
        user.ftp("GET big.bin keep.bin (REP")
    mark = _begin(user, server, what)
    server.process.kill()
    lines = user.until_prompt(mark)
    assert any(line.startswith("Control connection lost: ") for line in lines), lines
    assert net.stored("BIG.BIN") is None
    assert "Not connected: use OPEN host" in user.ftp("PWD")
    user.ftp("QUIT")
    assert user.rc() == 0
    again = pyftpdlib(tmp_path / "files")
    _works(net, user, again)
    again.end()


def test_server_silent(net: Lan, user: FtpUser, server: Server) -> None:
    start, *rest = server.begin
    user.ftp(f"{start} (EXIT TIMEOUT 2", *rest, "BIN")
    mark = _begin(user, server, "GET big.bin")
    server.process.send_signal(signal.SIGSTOP)
    lines = user.until_prompt(mark)
    server.process.send_signal(signal.SIGCONT)
    assert "Data connection: no answer in time" in lines
    assert "BIG BIN A: nothing was kept" in lines
    assert user.rc() in (16003, 16426)
    assert net.stored("BIG.BIN") is None
    _works(net, user, server)


def test_link_cut_and_back(net: Lan, user: FtpUser, server: Server) -> None:
    user.ftp(*server.begin, "BIN")
    mark = _begin(user, server, "GET big.bin cut.bin (REP")
    net.wire.cut("host", 2.0)
    user.until_prompt(mark, 60)
    stored = net.stored("CUT.BIN")
    assert stored is not None and stored.data == BIG
    user.ftp("QUIT")


@pytest.mark.parametrize("what", ["GET big.bin", "PUT keep.bin keep.back"])
def test_hx_ends_it(net: Lan, user: FtpUser, server: Server, what: str) -> None:
    user.ftp(*server.begin, "BIN")
    if what.startswith("PUT"):
        user.ftp("GET big.bin keep.bin (REP")
    mark = _begin(user, server, what)
    user.type("HX")
    lines = user.until_prompt(mark)
    assert "FTP halted; a file on its way was not kept" in lines
    assert parse_ready(lines[-1]) is not None
    assert user.rc() == 10005
    assert net.stored("BIG.BIN") is None
    _works(net, user, server)


def test_wrong_password(user: FtpUser, server: Server) -> None:
    lines = user.ftp(server.begin[0], "joe", "wrong")
    assert any(line.startswith("530 ") for line in lines)
    assert not any("wrong" in line for line in lines)
    lines = user.ftp("USER joe", "secret", "PWD", "QUIT")
    assert any(line.startswith("257 ") for line in lines)


def test_disk_full(net: Lan, server: Server) -> None:
    user = FtpUser(net, "VMUSER3", 0x0703)  # its 191 has 1 MB
    try:
        lines = user.ftp(*server.begin, "BIN", "GET small.bin", "GET big.bin")
        assert "DMSFTP107S Disk A(191) is full" in lines
        assert "BIG BIN A: nothing was kept" in lines
        lines = user.ftp("GET small.bin again.bin", "QUIT")
        assert net.stored("BIG.BIN", "VMUSER3") is None
        for name in ("SMALL.BIN", "AGAIN.BIN"):
            stored = net.stored(name, "VMUSER3")
            assert stored is not None and stored.data == BIG[:5000]
    finally:
        user.close()
