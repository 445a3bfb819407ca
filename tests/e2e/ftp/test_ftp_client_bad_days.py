# SPDX-License-Identifier: MIT
"""CMS's FTP when things go wrong in the middle: a clear end, no half file, and it works again."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.ftp_client_peers import WITHIN, FtpUser, Lan, Server, pyftpdlib
from tests.e2e.system import HOST, tap_needed
from vmkb.hercules.tn3270.screen import parse_ready

pytestmark = pytest.mark.e2e

BIG = os.urandom(2 << 20)


@pytest.fixture
def server(file_lan: Lan, tmp_path: Path) -> Iterator[Server]:
    file_lan.wire.set_profile("*", "token-ring-16")  # 2 MB take over a second
    found = pyftpdlib(file_lan, tmp_path / "files")
    found.put("big.bin", BIG)
    found.put("small.bin", BIG[:5000])
    yield found
    found.end()
    file_lan.wire.set_profile("*", "fast")


def _begin(user: FtpUser, server: Server, get: str) -> int:
    """Starts a transfer and waits until it is under way."""
    mark = user.type(get)
    user.session.expect("125 ", 10, mark)
    return mark


def _works(file_lan: Lan, user: FtpUser, server: Server) -> None:
    user.ftp(*server.begin, "BIN", "GET small.bin (REP", "PUT small.bin small.back", "QUIT")
    stored = file_lan.stored("SMALL.BIN")
    assert stored is not None and stored.data == BIG[:5000] == server.got("small.back")


@pytest.mark.parametrize("what", ["GET big.bin", "PUT keep.bin keep.back"])
def test_server_killed(
    file_lan: Lan, user: FtpUser, server: Server, what: str, tmp_path: Path
) -> None:
    tap_needed("a server's bytes are all in passt before the guest has them")
    user.ftp(*server.begin, "BIN")
    if what.startswith("PUT"):
        user.ftp("GET big.bin keep.bin (REP")
    mark = _begin(user, server, what)
    server.process.kill()
    lines = user.until_prompt(mark)
    assert any(line.startswith("Control connection lost: ") for line in lines), lines
    assert file_lan.stored("BIG.BIN") is None
    assert "Not connected: use OPEN host" in user.ftp("PWD")
    user.ftp("QUIT")
    assert user.rc() == 0
    again = pyftpdlib(file_lan, tmp_path / "files")
    try:
        _works(file_lan, user, again)
    finally:
        again.end()


def test_server_silent(file_lan: Lan, user: FtpUser, server: Server) -> None:
    tap_needed("a server's bytes are all in passt before the guest has them")
    start, *rest = server.begin
    user.ftp(f"{start} (EXIT TIMEOUT 2", *rest, "BIN")
    mark = _begin(user, server, "GET big.bin")
    server.process.send_signal(signal.SIGSTOP)
    lines = user.until_prompt(mark)
    server.process.send_signal(signal.SIGCONT)
    assert "Data connection: no answer in time" in lines
    assert "BIG BIN A: nothing was kept" in lines
    assert user.rc() in (16003, 16426)
    assert file_lan.stored("BIG.BIN") is None
    _works(file_lan, user, server)


def test_link_cut_and_back(file_lan: Lan, user: FtpUser, server: Server) -> None:
    tap_needed("a server's bytes are all in passt before the guest has them")
    user.ftp(*server.begin, "BIN")
    mark = _begin(user, server, "GET big.bin cut.bin (REP")
    file_lan.wire.cut("host", 2.0)
    user.until_prompt(mark, 60)
    stored = file_lan.stored("CUT.BIN")
    assert stored is not None and stored.data == BIG
    user.ftp("QUIT")


@pytest.mark.parametrize("what", ["GET big.bin", "PUT keep.bin keep.back"])
def test_hx_ends_it(file_lan: Lan, user: FtpUser, server: Server, what: str) -> None:
    user.ftp(*server.begin, "BIN")
    if what.startswith("PUT"):
        user.ftp("GET big.bin keep.bin (REP")
    mark = _begin(user, server, what)
    user.type("HX")
    lines = user.until_prompt(mark)
    assert "FTP halted; a file on its way was not kept" in lines
    assert parse_ready(lines[-1]) is not None
    assert user.rc() == 10005
    assert file_lan.stored("BIG.BIN") is None
    _works(file_lan, user, server)


def test_wrong_password(user: FtpUser, server: Server) -> None:
    lines = user.ftp(server.begin[0], "joe", "wrong")
    assert any(line.startswith("530 ") for line in lines)
    assert not any("wrong" in line for line in lines)
    lines = user.ftp("USER joe", "secret", "PWD", "QUIT")
    assert any(line.startswith("257 ") for line in lines)


def test_disk_full(file_lan: Lan, server: Server) -> None:
    user = FtpUser(file_lan, "VMUSER3", 0x0703)  # its 191 has 1 MB
    try:
        lines = user.ftp(*server.begin, "BIN", "GET small.bin", "GET big.bin")
        assert "DMSFTP107S Disk A(191) is full" in lines
        assert "BIG BIN A: nothing was kept" in lines
        lines = user.ftp("GET small.bin again.bin", "QUIT")
        assert file_lan.stored("BIG.BIN", "VMUSER3") is None
        for name in ("SMALL.BIN", "AGAIN.BIN"):
            stored = file_lan.stored(name, "VMUSER3")
            assert stored is not None and stored.data == BIG[:5000]
    finally:
        user.close()


def test_a_bad_line(file_lan: Lan, user: FtpUser, server: Server) -> None:
    tap_needed("passt takes a second to repeat what was lost")
    file_lan.wire.set_profile("*", "fast")
    for name, changes in {
        "loss": {"loss": 0.01},
        "twice": {"duplication": 0.01},
        "order": {"reordering": 0.05},
    }.items():
        file_lan.wire.set_profile("*", "fast", **changes)
        lines = user.ftp(
            *server.begin, "BIN", f"GET big.bin {name}.bin (REP", f"PUT {name}.bin {name}", "QUIT",
            within=60,
        )  # fmt: skip
        stored = file_lan.stored(f"{name.upper()}.BIN")
        assert stored is not None and stored.data == BIG, (name, lines)
        assert server.got(name) == BIG


@contextmanager
def _play(user: FtpUser, part: Callable[[socket.socket], object]) -> Iterator[int]:
    """A server that speaks one client's lines; its port."""
    with socket.create_server((user.lan.host.listen, 0)) as listener:
        listener.settimeout(30)

        def serve() -> None:
            with listener.accept()[0] as client:
                client.settimeout(30)
                part(client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(30)


def _line(client: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\r\n"):
        got = client.recv(1)
        assert got, line
        line += got
    return line[:-2]


def test_it_is_no_ftp_server(user: FtpUser) -> None:
    with _play(user, lambda client: client.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")) as port:
        lines = user.ftp(f"FTP {HOST} {port}")
    assert "Control connection lost: the server does not speak FTP" in lines
    assert user.rc() == 10003


def test_a_server_without_a_word(user: FtpUser) -> None:
    with _play(user, lambda client: client.recv(1)) as port:
        lines = user.ftp(f"FTP {HOST} {port} (TIMEOUT 1")
    assert "Control connection lost: no reply in time" in lines
    assert user.rc() == 10003


def test_a_reply_without_end(user: FtpUser) -> None:
    def part(client: socket.socket) -> None:
        client.sendall(b"220-" + b"x" * 100000 + b"\r\n220 short\r\n")
        assert _line(client) == b"USER joe"
        client.sendall(b"331-")

    with _play(user, part) as port:
        lines = user.ftp(f"FTP {HOST} {port} (EXIT", "joe")
    assert "220 short" in lines
    assert "Control connection lost: closed by the server" in lines
    assert user.rc() == 19003


def test_pasv_when_there_is_no_epsv(file_lan: Lan, user: FtpUser) -> None:
    """The address in 227 is not the server's: it is not believed."""
    asked: list[bytes] = []

    def part(client: socket.socket) -> None:
        client.sendall(b"220 old\r\n")
        with socket.create_server((user.lan.host.listen, 0)) as data:
            port = data.getsockname()[1]
            passive = f"227 Passive (10,0,0,1,{port >> 8},{port & 255})".encode()
            answers = {b"USER": b"230 in", b"EPSV": b"500 what", b"PASV": passive}
            while (line := _line(client)) != b"QUIT":
                asked.append(line)
                if not line.startswith(b"RETR"):
                    client.sendall(answers.get(line[:4], b"200 ok") + b"\r\n")
                    continue
                client.sendall(b"150 coming (99 bytes)\r\n")
                with data.accept()[0] as connection:
                    connection.sendall(b"12345")
                client.sendall(b"226 done\r\n")
            client.sendall(b"221 bye\r\n")

    with _play(user, part) as port:
        lines = user.ftp(f"FTP {HOST} {port}", "joe", "PASSIVE ON", "GET a.text p1.text (REP")
        lines += user.ftp("BIN", "GET a.text p2.text", "QUIT")
    assert asked.count(b"EPSV") == 1 and asked.count(b"PASV") == 2
    stored = file_lan.stored("P1.TEXT")
    assert stored is not None and stored.records == 1
    assert "5 bytes came, the server announced 99" in lines
    assert file_lan.stored("P2.TEXT") is None


def test_no_host_and_no_such_name(user: FtpUser) -> None:
    lines = user.ftp("FTP nowhere.at.all")
    assert "Host NOWHERE.AT.ALL: host name not known" in lines
    assert user.rc() == 10003
    user.ftp("FTP", "GET a.b", "QUIT")
    assert "Not connected: use OPEN host" in user.lines


class Slow:
    """A server that waits before it opens the data connection and before it says that all is done;
    it serves one session."""

    BEFORE_S, AFTER_S = 0.8, 0.7

    def __init__(self, lan: Lan) -> None:
        self._listen = lan.host.listen
        self._listener = socket.create_server((self._listen, 0))
        self._listener.settimeout(WITHIN)
        self.port = self._listener.getsockname()[1]
        self._data: tuple[str, int] | socket.socket | None = None
        self._control: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def end(self) -> None:
        """End the session."""
        self._listener.close()
        for each in self._control:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._thread.join(WITHIN)

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # it was ended
            self._serve()

    def _serve(self) -> None:
        control, _ = self._listener.accept()
        self._control.append(control)
        control.settimeout(WITHIN)
        with control, control.makefile("rw", newline="\r\n") as lines:

            def say(text: str) -> None:
                lines.write(text + "\r\n")
                lines.flush()

            say("220 slow")
            for line in lines:
                verb, _, rest = line.strip().partition(" ")
                if verb == "PORT":
                    *ip, high, low = rest.split(",")
                    self._data = (".".join(ip), int(high) * 256 + int(low))
                elif verb == "EPSV":
                    self._data = socket.create_server((self._listen, 0))
                    say(f"229 (|||{self._data.getsockname()[1]}|)")
                    continue
                elif verb in ("RETR", "STOR"):
                    time.sleep(self.BEFORE_S)
                    say("150 now")
                    self._move(verb)
                    time.sleep(self.AFTER_S)
                    say("226 done")
                    continue
                elif verb == "QUIT":
                    say("221 bye")
                    return
                say("331 password" if verb == "USER" else "200 well")

    def _move(self, verb: str) -> None:
        if isinstance(self._data, socket.socket):
            with self._data:
                data, _ = self._data.accept()
        else:
            assert self._data is not None
            data = socket.create_connection(self._data, WITHIN)
        data.settimeout(WITHIN)
        with data:
            if verb == "RETR":
                data.sendall(bytes(8000))
            else:
                while data.recv(65536):
                    pass


def test_the_clock_goes_from_the_command_to_the_last_reply(
    file_lan: Lan, user: FtpUser, server: Server
) -> None:
    """What the wire needs is never less than the message's seconds."""
    passive = "PASSIVE ON" in server.begin
    slow = Slow(file_lan)
    try:
        user.ftp(
            f"FTP {HOST} {slow.port}", "joe secret", *(["PASSIVE ON"] if passive else []), "BIN"
        )
        for command in ("GET slow.bin", "PUT slow.bin", "GET slow.bin /dev/null"):
            said = "\n".join(user.ftp(command))
            match = re.search(r"^8000 bytes transferred in (\d+\.\d\d) seconds", said, re.M)
            assert match is not None, said
            least = slow.BEFORE_S + slow.AFTER_S
            assert least <= float(match[1]) < least + 5, (command, said)
        user.ftp("QUIT")
    finally:
        slow.end()
