# SPDX-License-Identifier: MIT
"""The TELNET command of CMS against inetutils' telnetd and against hosts that misbehave."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.system import HOST, TELNET
from tests.e2e.telnet_guest import TelnetGuest, telnet_guest, user

pytestmark = pytest.mark.e2e

LOGIN = """\
#!/bin/sh
printf 'VMKB login: '
read name
stty -echo
printf 'Password: '
read secret
stty echo
printf '\\nWelcome %s, your secret has %s characters\\n' "$name" "${#secret}"
PS1='$ ' exec /bin/sh
"""
SECRET = "OpenSesame"


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TelnetGuest]:
    """The guest, for all tests of this file."""
    with telnet_guest(tmp_path_factory.mktemp("telnet") / "guest") as running:
        yield running


@contextmanager
def host(
    guest: TelnetGuest, serve: Callable[[socket.socket], None], port: int = 0
) -> Iterator[int]:
    """The port of a host that serves one connection; 0: any that is free."""

    def one() -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(10)
            with contextlib.suppress(OSError):  # the other side may go first
                serve(connection)

    try:
        listener = socket.create_server((guest.host.listen, port))
    except PermissionError:
        pytest.skip(f"only root may listen at port {port}")
    with listener:
        listener.settimeout(10)
        thread = threading.Thread(target=one, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)
        assert not thread.is_alive(), "the connection did not end"


def test_inetutils_telnetd(guest: TelnetGuest, tmp_path: Path) -> None:
    """Log on to Debian's telnetd and run a shell; the password is shown nowhere."""
    telnetd = shutil.which("telnetd", path="/usr/sbin:/usr/bin")
    if telnetd is None:
        pytest.skip("inetutils-telnetd is not installed")
    command: list[str] = [telnetd, "-h", "-E", str(tmp_path / "login")]
    login = tmp_path / "login"
    login.write_text(LOGIN)
    login.chmod(0o755)

    def serve(connection: socket.socket) -> None:
        subprocess.run(
            command,
            stdin=connection.fileno(), stdout=connection.fileno(), stderr=subprocess.DEVNULL,
            timeout=60, check=False,
        )  # fmt: skip

    with host(guest, serve) as port, guest.nvt() as nvt:
        nvt.logon(20)
        mark = nvt.line(f"telnet {HOST} {port}")
        mark = nvt.wait(b"Connected to", since=mark)
        mark = nvt.wait(b"VMKB login:", since=mark)
        nvt.line("somebody")
        mark = nvt.wait(b"Password:\r\n", since=mark)
        nvt.line(SECRET)
        mark = nvt.wait(b"Welcome somebody, your secret has 10 characters", since=mark)
        nvt.wait(b"$", since=mark)
        mark = nvt.line("echo sum $((1200+34)) [x]")
        nvt.wait(b"sum 1234 [x]", since=mark)
        assert bytes(nvt.data[mark:]).count(b"echo sum") == 1, "the echo is shown twice"
        mark = nvt.line("exit")
        mark = nvt.wait(b"Connection closed by the host", since=mark)
        nvt.wait(b"Ready;", since=mark)
        assert SECRET.encode() not in nvt.wire
        nvt.line("logoff")
        nvt.wait_end()


def test_local_escape(guest: TelnetGuest) -> None:
    r"""\b and \c are BREAK and IP, \\ begins a line with \, \x ends."""
    got = bytearray()

    def serve(connection: socket.socket) -> None:
        connection.sendall(b"hello\r\n\xff\xfd\x18\xff\xfb\x03")
        while piece := connection.recv(4096):
            got.extend(piece)

    with host(guest, serve) as port, guest.nvt() as nvt:
        nvt.logon(21)
        mark = nvt.wait(b"hello", since=nvt.line(f"telnet {HOST} {port}"))
        for line in (r"\b", r"\c", r"\\x marks", "plain"):
            nvt.line(line)
        nvt.line(r"\x")
        nvt.wait(b"Ready;", since=mark)
        nvt.line("logoff")
        nvt.wait_end()
    assert bytes(got) == b"\xff\xfc\x18\xff\xfd\x03\xff\xf3\xff\xf4\\x marks\r\nplain\r\n"


def test_the_client_speaks_first_at_the_port_of_telnet(guest: TelnetGuest) -> None:
    """Only then does it notice a host that lost it while they connected."""
    got = bytearray()

    def serve(connection: socket.socket) -> None:
        got.extend(connection.recv(3, socket.MSG_WAITALL))
        connection.sendall(b"\xff\xfb\x03hello\r\n")  # the answer to what was asked: no more of it
        while piece := connection.recv(4096):
            got.extend(piece)

    with host(guest, serve, TELNET), guest.nvt() as nvt:
        nvt.logon(24)
        mark = nvt.wait(b"hello", since=nvt.line(f"telnet {HOST}"))
        nvt.line("plain")
        nvt.line(r"\x")
        nvt.wait(b"Ready;", since=mark)
        nvt.line("logoff")
        nvt.wait_end()
    assert bytes(got) == b"\xff\xfd\x03plain\r\n"


def test_lines_with_escapes_and_long_ones(guest: TelnetGuest) -> None:
    """ANSI sequences go away, tabulations and overwritten lines are as a terminal shows them."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(b"\x1b[1;31mred\x1b[0m\tcolumn\r\n10%\r50%\rdone\r\n" + b"z" * 300)

    with host(guest, serve) as port, guest.nvt() as nvt:
        nvt.logon(22)
        mark = nvt.line(f"telnet {HOST} {port}")
        mark = nvt.wait(b"Connection closed by the host", since=mark)
        shown = bytes(nvt.data)
        assert b"\r\nred     column\r\ndone\r\n" in shown, shown
        assert shown.count(b"z") == 300
        nvt.wait(b"Ready;", since=mark)
        nvt.line("logoff")
        nvt.wait_end()


def test_nobody_there_and_a_reset(guest: TelnetGuest) -> None:
    """A port that refuses, a name that is unknown, a host that resets: said, with a return code."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(b"short\r\n")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    with guest.nvt() as nvt:
        nvt.logon(23)
        mark = nvt.line(f"telnet {HOST} 1")
        nvt.wait(b"Ready(00100)", since=nvt.wait(b"connection refused", since=mark))
        mark = nvt.line("telnet nowhere")
        nvt.wait(b"Ready(00100)", since=nvt.wait(b"DMSTEL111E", since=mark))
        mark = nvt.line("telnet 1.2.3.4 99999")
        nvt.wait(b"Ready(00024)", since=mark)
        with host(guest, serve) as port:
            mark = nvt.line(f"telnet {HOST} {port}")
            nvt.wait(b"Ready(00101)", since=nvt.wait(b"DMSTEL113E", since=mark))
        nvt.line("logoff")
        nvt.wait_end()
    assert guest.logged_on(23) is None, user(23)
