# SPDX-License-Identifier: MIT
"""A booted VM/KB with TCPIP and TELNETD on a wire with the host, for the tests of its terminals."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e import system
from tests.e2e.cp_console import Console
from tests.e2e.system import ADDRESS, TELNET, Joined
from vmkb.guests.contents import document
from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.wire.process import WireProcess

WITHIN = 30.0
USERS = 30

VOLUME = (
    system.VOLUME.format(200000)
    + system.CMS_DISK
    + system.TCPIP_DISK
    + """\
[[minidisk]]
owner = "MAINT"
vaddr = "19E"
label = "DOC19E"
file = [
    { generate = "DOC10K TEXT", bytes = 10240 },
    { generate = "DOC100K TEXT", bytes = 102400 },
    { generate = "DOC1M TEXT", bytes = 1048576 },
]
"""
)
USER = """\
USER {0} SECRET{1:02} 1M 2M G
 INCLUDE CMSUSER
 MDISK 0191 3370 AUTO 64 TESTVL MR
"""


def directory() -> str:
    """Users TU01 to TU30, and what serves them."""
    common = system.HEAD + system.CMSUSER + system.DOCUMENTS + system.OPERATORS
    services = system.MAINT.format(8192) + system.TCPIP + system.TELNETD
    return common + services + "".join(USER.format(user(n), n) for n in range(1, USERS + 1))


def user(n: int) -> str:
    """The name of user number `n`, from 1."""
    return f"TU{n:02}"


def password(n: int) -> str:
    """The password of user number `n`."""
    return f"SECRET{n:02}"


class Nvt(Closing):
    """A network virtual terminal at the end of a socket: what is sent and what came, byte by byte.

    It agrees to the options of an ordinary terminal and refuses the rest; `terminal_type` None
    refuses to name a type."""

    def __init__(
        self, at: tuple[str, int], terminal_type: bytes | None = b"vt100",
        receive: int | None = None,
    ) -> None:  # fmt: skip
        self.socket = socket.socket()
        if receive is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.socket.settimeout(WITHIN)
        try:
            self.socket.connect(at)
        except OSError:
            self.socket.close()
            raise
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.type = terminal_type
        self.data = bytearray()
        """Characters shown, without TELNET's commands."""
        self.wire = bytearray()
        """Every byte that came."""
        self.ended = False
        self._raw = bytearray()

    def close(self) -> None:
        """Hangs up."""
        self.socket.close()

    def _command(self, command: int, option: int) -> None:
        if command == 253:  # DO
            yes = option in (3,) or (option == 24 and self.type is not None)
            self.socket.sendall(bytes((255, 251 if yes else 252, option)))
        elif command == 251:  # WILL
            self.socket.sendall(bytes((255, 253 if option in (1, 3) else 254, option)))

    def _digest(self) -> None:
        raw = self._raw
        while raw:
            at = raw.find(255)
            if at != 0:
                at = len(raw) if at < 0 else at
                self.data += raw[:at]
                del raw[:at]
                continue
            if len(raw) < 2:
                return
            if raw[1] == 255:
                self.data.append(255)
                del raw[:2]
            elif raw[1] == 250:
                end = raw.find(b"\xff\xf0")
                if end < 0:
                    return
                if raw[2:4] == b"\x18\x01" and self.type is not None:
                    self.socket.sendall(b"\xff\xfa\x18\x00" + self.type + b"\xff\xf0")
                del raw[: end + 2]
            elif raw[1] >= 251:
                if len(raw) < 3:
                    return
                self._command(raw[1], raw[2])
                del raw[:3]
            else:
                del raw[:2]

    def receive(self, within: float, most: int = 65536) -> bool:
        """Take what there is, waiting at most so long; False when nothing came."""
        self.socket.settimeout(max(within, 0.001))
        try:
            got = self.socket.recv(most)
        except TimeoutError:
            return False
        finally:
            self.socket.settimeout(WITHIN)
        if not got:
            self.ended = True
            return False
        self.wire += got
        self._raw += got
        self._digest()
        return True

    def wait(self, text: bytes, within: float = WITHIN, since: int = 0) -> int:
        """Wait for `text` at or behind place `since`; the place behind it."""
        deadline = Deadline(within)
        while (at := self.data.find(text, since)) < 0:
            assert not deadline.over, f"no {text!r} in {bytes(self.data[since:])[-2000:]!r}"
            self.receive(deadline.left)
            assert not self.ended or text in self.data[since:], bytes(self.data[since:])[-2000:]
        return at + len(text)

    def wait_end(self, within: float = WITHIN) -> None:
        """Wait until the other side closes."""
        deadline = Deadline(within)
        while not self.ended:
            assert not deadline.over, "the connection was not closed"
            self.receive(deadline.left)

    def send(self, text: bytes) -> int:
        """Type `text`; the place where what is shown from now on begins."""
        self.socket.sendall(text)
        return len(self.data)

    def line(self, text: str) -> int:
        """Type a line."""
        return self.send(text.encode("latin-1") + b"\r\0")

    def logon(self, n: int) -> None:
        """User number `n` logs on, with the password typed where it is asked for."""
        self.wait(b"VM/KB ONLINE")
        mark = self.line(f"logon {user(n)}")
        self.wait(b"ENTER PASSWORD", since=mark)
        mark = self.line(password(n))
        self.wait(b"Ready;", since=mark)
        self.wait(b"\n", since=self.wait(b"Ready;", since=mark))

    def command(self, text: str, within: float = WITHIN) -> bytes:
        """What a CMS command shows, from behind its echo to before its Ready message."""
        start = self.wait(text.encode() + b"\r\n", since=self.line(text))
        end = self.wait(b"\r\nReady;", within, start - 2)
        self.wait(b"\n", since=end)
        return bytes(self.data[start : max(start, end - 6)])

    def reset(self) -> None:
        """Cut the connection with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()


class TelnetGuest:
    """The running guest and a console of its CP."""

    def __init__(
        self, machine: Hercules, wire: WireProcess, console: Console, host: Joined
    ) -> None:
        self.machine = machine
        self.wire = wire
        self.console = console
        self.host = host

    def nvt(self, terminal_type: bytes | None = b"vt100", receive: int | None = None) -> Nvt:
        """A terminal at TELNETD."""
        return Nvt(self.host.at(TELNET), terminal_type, receive)

    def wait_server(self) -> None:
        """Wait until TELNETD says who it is."""

        def says() -> bool:
            try:
                with self.nvt(None) as nvt:
                    nvt.wait(b"VM/KB ONLINE", 2)
            except (OSError, AssertionError):
                return False
            return True

        wait_until(says, WITHIN, "TELNETD to answer", log=self.machine.log.tail)

    def logged_on(self, n: int) -> str | None:
        """Where user number `n` is, as QUERY says: a terminal's name, DSC, or None."""
        for line in self.console.ask(f"QUERY {user(n)}"):
            match = re.match(rf"{user(n)}\s*-\s*(\S+)", line)
            if match is not None:
                return match[1]
        return None


def expected(size: int) -> bytes:
    """A generated document of `size` bytes as TYPE shows it."""
    lines = document(size).splitlines()
    return "".join(line.rstrip(" ") + "\r\n" for line in lines).encode("ascii")


@contextmanager
def telnet_guest(folder: Path, parameter: str = "", mtu: int = 1500) -> Iterator[TelnetGuest]:
    """VM/KB at ADDRESS on a wire with the host at HOST; TCPIP and TELNETD run."""
    guest = system.delivered()
    run = folder / "run"
    profile = (guest.folder / "volume" / "tcpip" / "profile.tcpip").read_text()
    files = {"tcpip/profile.tcpip": profile.replace("  FTPSERVE TELNETD", "  TELNETD")}
    made = system.source(folder, VOLUME, directory(), files, folders=("system", "tcpip"))
    system.image(made, run)
    with WireProcess(profile="fast", log=folder / "wire.log") as wire:
        host = system.join(wire, mtu)
        text = f"MODEL=HOST IP={ADDRESS} MTU={mtu} {host.parameter} {parameter}".strip()
        machine = boot(guest, run, keep=True, ctce=wire.add_guest("vmkb"), parameter=text)
        try:
            console = Console(guest, machine, 0x0700)
            console.logon("WHEEL")
            console.ask("XAUTOLOG TCPIP")
            telnet = TelnetGuest(machine, wire, console, host)
            telnet.wait_server()
            yield telnet
            console.close()
        finally:
            machine.stop()
