# SPDX-License-Identifier: MIT
"""Terminals over TELNET: other people's clients log on; typing is echoed, passwords are not."""

from __future__ import annotations

import asyncio
import re
import select
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system import ADDRESS, TELNET, tap_needed
from tests.e2e.telnet_guest import (
    WITHIN,
    Nvt,
    TelnetGuest,
    expected,
    password,
    telnet_guest,
    user,
)  # fmt: skip
from vmkb.hercules.deadline import patient, wait_until
from vmkb.hercules.guest import load_guest
from vmkb.hercules.tn3270.session import UserSession

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TelnetGuest]:
    """The guest, for all tests of this file; each has users of its own."""
    with telnet_guest(tmp_path_factory.mktemp("telnet") / "guest") as running:
        yield running


class Tap:
    """A port of the loopback address that passes one connection to TELNETD; keeps the bytes."""

    def __init__(self, guest: TelnetGuest) -> None:
        self._far = guest.host.at(TELNET)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.shown = bytearray()
        self.typed = bytearray()
        self._thread = threading.Thread(target=self._pass, daemon=True)
        self._thread.start()

    def _pass(self) -> None:
        near, _ = self._listener.accept()
        far = socket.create_connection(self._far, WITHIN)
        with near, far:
            for s in (near, far):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for ready in select.select((near, far), (), ())[0]:
                    try:
                        got = ready.recv(65536)
                    except OSError:
                        return
                    if not got:
                        return
                    (self.typed if ready is near else self.shown).extend(got)
                    (far if ready is near else near).sendall(got)

    def close(self) -> None:
        """End it; its connection must have ended."""
        self._listener.close()
        self._thread.join(WITHIN)
        assert not self._thread.is_alive(), "the connection did not end"


def test_typed_characters_are_echoed_one_by_one(guest: TelnetGuest) -> None:
    """With ECHO on each character comes back before the next is typed; a password's never."""
    with guest.nvt() as nvt:
        nvt.wait(b"VM/KB ONLINE")
        for c in b"logon tu01":
            mark = nvt.send(bytes((c,)))
            assert nvt.wait(bytes((c,)), since=mark) == mark + 1, bytes(nvt.data[mark:])
        mark = nvt.send(b"\r\0")
        mark = nvt.wait(b"ENTER PASSWORD", since=mark)
        mark = nvt.wait(b"\r\n", since=mark)
        for c in password(1).encode():
            nvt.send(bytes((c,)))
            assert not nvt.receive(0.02), bytes(nvt.data[mark:])
        nvt.send(b"\r\0")
        nvt.wait(b"Ready;", since=mark)
        assert password(1).encode() not in nvt.wire
        nvt.line("logoff")
        nvt.wait_end()
    assert guest.logged_on(1) is None


def test_password_that_is_wrong_or_typed_ahead_is_not_echoed(guest: TelnetGuest) -> None:
    """Both passwords of two tries, sent in one piece with the LOGON before them."""
    with guest.nvt() as nvt:
        nvt.wait(b"VM/KB ONLINE")
        nvt.send(b"logon tu02\r\0WRONGONE\r\0")
        nvt.wait(b"DMKLOG050E")
        mark = nvt.send(b"logon tu02\r\0" + password(2).encode() + b"\r\0")
        nvt.wait(b"Ready;", since=mark)
        assert b"WRONGONE" not in nvt.wire
        assert password(2).encode() not in nvt.wire
        nvt.line("logoff")
        nvt.wait_end()


def test_type_shows_a_document_whole(guest: TelnetGuest) -> None:
    """1 MB by TYPE is the file, character by character."""
    with guest.nvt() as nvt:
        nvt.logon(3)
        assert nvt.command("type doc1m text", 60) == expected(1048576)
        nvt.line("logoff")
        nvt.wait_end()


def test_rubout_kill_and_attention(guest: TelnetGuest) -> None:
    """DEL and BS rub out, EC and EL do the same, IP and BRK are attention."""
    with guest.nvt() as nvt:
        nvt.logon(4)
        mark = nvt.send(b"quern\x7f\x08ry timm\xff\xf7e\r\0")
        nvt.wait(b"TIME IS", since=mark)
        mark = nvt.send(b"rubbish\xff\xf8query time\r\0")
        nvt.wait(b"TIME IS", since=mark)
        mark = nvt.send(b"half a line\xff\xf4query time\r\0")  # IP: CP READ
        nvt.wait(b"TIME IS", since=mark)
        mark = nvt.send(b"begin\r\0\xff\xf3query time\r\0")  # BRK
        nvt.wait(b"TIME IS", since=mark)
        mark = nvt.send(b"\xff\xf6")
        nvt.wait(b"[yes]\r\n", since=mark)
        nvt.line("logoff")
        nvt.wait_end()


def test_debians_telnet(guest: TelnetGuest) -> None:
    """Debian's telnet logs on, lists and logs off; the connection ends with it."""
    pexpect = pytest.importorskip("pexpect")
    program = shutil.which("telnet")
    if program is None:
        pytest.skip("telnet is not installed")
    where = [str(word) for word in guest.host.at(TELNET)]
    child = pexpect.spawn(program, where, timeout=patient(WITHIN), encoding="latin-1")
    seen: list[str] = []
    try:
        child.expect_exact("VM/KB ONLINE")
        for line, answer in (
            (f"logon {user(5)}", "ENTER PASSWORD"), (password(5), "Ready;"),
            ("listfile * text y", "DOC1M(?s:.*)Ready;"), ("type doc10k text", "Ready;"),
            ("logoff", pexpect.EOF),
        ):  # fmt: skip
            child.send(line + "\r")
            child.expect(answer)
            seen.append(child.before)
        assert password(5) not in "".join(seen)
        assert expected(10240).decode().strip() in seen[3]
    finally:
        child.close(force=True)
    assert guest.logged_on(5) is None


def test_telnetlib3(guest: TelnetGuest) -> None:
    """Python's telnetlib3 logs on and reads a document."""
    telnetlib3 = pytest.importorskip("telnetlib3")

    async def session() -> str:
        reader, writer = await telnetlib3.open_connection(
            *guest.host.at(TELNET), encoding="latin-1", connect_minwait=0.2
        )
        seen = ""
        for line, answer in (
            ("", "VM/KB ONLINE"), (f"logon {user(6)}", "ENTER PASSWORD"), (password(6), "Ready;"),
            ("type doc10k text", "Ready;"),
        ):  # fmt: skip
            if line:
                writer.write(line + "\r\n")
            got = ""
            while answer not in got:
                piece = await asyncio.wait_for(reader.read(4096), WITHIN)
                assert piece, got
                got += piece
            seen += got
        writer.write("logoff\r\n")
        while await asyncio.wait_for(reader.read(4096), WITHIN):
            pass
        writer.close()
        return seen

    seen = asyncio.run(session())
    assert password(6) not in seen
    assert expected(10240).decode() in seen


def test_s3270_over_tn3270(guest: TelnetGuest) -> None:
    """A screen session: LOGON, LISTFILE, a TYPE of several pages with MORE..., LOGOFF closes."""
    tap = Tap(guest)
    with UserSession(load_guest("vmkb").session, tap.port) as session:
        session.logon(user(7), password(7), WITHIN)
        assert "DOC10K" in session.command("listfile * text y", WITHIN).text()
        shown = session.command("type doc10k text", WITHIN).lines
        assert shown == tuple(expected(10240).decode().splitlines())
        terminal = session.terminal
        terminal.type("logoff")
        terminal.enter()
        wait_until(
            lambda: not (terminal.read() and terminal.connected), WITHIN, "the line to close"
        )
    tap.close()
    assert password(7).encode("cp037") not in tap.shown
    assert password(7).encode("cp037") in tap.typed, "the tap saw nothing"
    assert guest.logged_on(7) is None


def test_c3270(guest: TelnetGuest) -> None:
    """The 3270 emulator for text terminals shows the logo, logs on and off."""
    pexpect = pytest.importorskip("pexpect")
    program = shutil.which("c3270")
    if program is None:
        pytest.skip("c3270 is not installed")
    where = "{}:{}".format(*guest.host.at(TELNET))
    child = pexpect.spawn(
        program, ["-model", "3278-2", where], timeout=WITHIN, encoding="latin-1",
        dimensions=(30, 90), env={"TERM": "xterm", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )  # fmt: skip
    try:
        child.expect_exact("ONLINE")
        child.send("\r")
        child.expect("CP READ")
        child.send(f"logon {user(8)}\r")
        child.expect("ENTER PASSWORD")
        child.send(password(8) + "\r")
        child.expect("Ready;")
        assert password(8) not in child.before
        child.send("logoff\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert guest.logged_on(8) is None


@pytest.mark.parametrize("refused", ["type", "eor"])
def test_who_is_no_3270_gets_lines(guest: TelnetGuest, refused: str) -> None:
    """A client without a type, and one that names a 3270 and then refuses EOR."""
    with guest.nvt(None if refused == "type" else b"IBM-3278-2") as nvt:
        nvt.wait(b"VM/KB ONLINE")
        mark = nvt.line("query time")
        nvt.wait(b"LOGON MUST BE THE FIRST COMMAND", since=mark)


def test_capture_has_no_malformed_frame(guest: TelnetGuest, tmp_path: Path) -> None:
    """tshark decodes a line-mode and a TN3270 session; nothing of the guest is malformed."""
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed")
    capture = tmp_path / "telnet.pcapng"
    guest.wire.start_capture(capture)
    with guest.nvt() as nvt:
        nvt.logon(9)
        nvt.command("type doc10k text")
        nvt.line("logoff")
        nvt.wait_end()
    test_s3270_over_tn3270(guest)
    guest.wire.stop_capture()

    def decode(*options: str) -> str:
        return subprocess.run(
            [tshark, "-r", capture, *options],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout

    telnet = decode("-Y", "telnet")
    assert len(telnet.splitlines()) > 20, telnet
    assert decode("-Y", "tn3270").strip(), "no TN3270 was decoded"
    assert decode("-Y", f"_ws.malformed && ip.src == {ADDRESS}") == ""


def test_unread_lines_do_not_stop_others(guest: TelnetGuest) -> None:
    """A terminal that never reads holds only its own user; TELNETD and TCPIP serve the rest."""
    with guest.nvt(receive=4096) as deaf, guest.nvt() as other:
        deaf.logon(10)
        other.logon(11)
        deaf.line("type doc1m text")
        assert other.command("type doc100k text") == expected(102400)  # or its wait ends
        with guest.nvt() as third:
            third.logon(12)
            third.line("logoff")
            third.wait_end()
        # It wakes up and misses nothing.
        start = deaf.wait(b"type doc1m text\r\n")
        deaf.wait(b"\r\nReady;", 60, since=start)
        size = len(expected(1048576))
        assert bytes(deaf.data[start : start + size]) == expected(1048576)
        for nvt in (deaf, other):
            nvt.line("logoff")
            nvt.wait_end()


def test_unread_terminal_that_goes_away(guest: TelnetGuest) -> None:
    """The deaf terminal is cut: its user is disconnected, and the guest goes on."""
    deaf = guest.nvt(receive=4096)
    deaf.logon(13)
    deaf.line("type doc1m text")
    deaf.wait(b"000001 ")
    deaf.reset()
    wait_until(lambda: guest.logged_on(13) == "DSC", WITHIN, "the user to be disconnected")
    with guest.nvt() as again:
        again.wait(b"VM/KB ONLINE")
        again.line(f"logon {user(13)}")
        again.wait(b"ENTER PASSWORD")
        again.line(password(13))
        again.wait(b"RECONNECTED AT")
        again.line("begin")
        again.line("type doc10k text")  # typed ahead if the TYPE of before goes on
        again.wait(b"Ready;", 30, again.wait(expected(10240), 30))
        again.line("logoff")
        again.wait_end()


def test_sixty_at_once(guest: TelnetGuest) -> None:
    """60 connections: 20 log on (the guest's storage has room for so many) and TYPE at once, the
    others talk to CP; nothing is left behind."""
    lines: list[Nvt] = []
    try:
        while len(lines) < 60:  # one by one: TCPIP resets those behind 16 that nobody accepted yet
            lines.append(guest.nvt())
            lines[-1].wait(b"VM/KB ONLINE")
        users, others = lines[:20], lines[20:]
        for n, nvt in enumerate(users, 1):
            nvt.logon(n)
        for nvt in users:
            nvt.line("type doc10k text")
        for nvt in others:
            nvt.wait(b"LOGON MUST BE THE FIRST COMMAND", since=nvt.line("query time"))
        for nvt in users:
            start = nvt.wait(b"type doc10k text\r\n")
            end = nvt.wait(b"\r\nReady;", 60, start)
            assert bytes(nvt.data[start : end - 6]) == expected(10240)
            nvt.line("logoff")
        for nvt in users:
            nvt.wait_end()
    finally:
        for nvt in lines:
            nvt.socket.close()
    said = " ".join(guest.console.ask("QUERY NAMES"))
    assert not re.search(r"\bTU\d\d\b", said), said


def test_hostile_bytes(guest: TelnetGuest) -> None:
    """Floods of requests, endless subnegotiations and broken records: refused, and others go on."""
    bad = (
        b"\xff\xfd\x63" * 20000,
        b"\xff\xfa" + b"x" * 50000,
        b"\xff\xf6" * 5000,
        b"\xff\xfa\x18\x00IBM-3278-2\xff\xf0\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00"
        + b"\x7d\x40\x40" + b"\x11" * 9000 + b"\xff\xef" + b"\xff\xef" * 500,
        bytes(range(256)) * 100,
    )  # fmt: skip
    for flood in bad:
        nvt = guest.nvt()
        nvt.socket.settimeout(0.5)
        try:
            nvt.socket.sendall(flood)
            nvt.receive(0.2)
        except OSError:
            pass  # refused in the middle is as good
        nvt.reset()
    with guest.nvt() as nvt:
        nvt.logon(14)
        assert nvt.command("type doc10k text") == expected(10240)
        nvt.line("logoff")
        nvt.wait_end()


def test_noisy_wire(guest: TelnetGuest) -> None:
    """5 % loss, duplication and reordering: TYPE's characters come all, once and in order."""
    tap_needed("passt takes a second to repeat what was lost")
    with guest.nvt() as nvt:
        nvt.logon(15)
        guest.wire.set_profile("*", loss=0.05, duplication=0.05, reordering=0.05)
        try:
            assert nvt.command("type doc100k text", 120) == expected(102400)
        finally:
            guest.wire.set_profile("*", loss=0.0, duplication=0.0, reordering=0.0)
        nvt.line("logoff")
        nvt.wait_end()
