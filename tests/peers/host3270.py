# SPDX-License-Identifier: MIT
"""A small 3270 host for tests: negotiates as Hercules does, or TN3270E; paints VM screens, notes
the keys."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable
from typing import BinaryIO

IAC, EOR, SB, SE = 255, 239, 250, 240
DO, WILL = 253, 251
TTYPE, BINARY, EOR_OPTION, TN3270E = 24, 0, 25, 40
#: RFC 2355: what is said in subnegotiations of TN3270E.
CONNECT, DEVICE_TYPE, FUNCTIONS, IS, REQUEST, SEND = 1, 2, 3, 4, 7, 8
AIDS = {0x7D: "ENTER", 0x6E: "PA2", 0x6C: "PA1", 0x6D: "CLEAR", 0xF3: "PF3"}
_ADDRESS = (
    "40 C1 C2 C3 C4 C5 C6 C7 C8 C9 4A 4B 4C 4D 4E 4F 50 D1 D2 D3 D4 D5 D6 D7 D8 D9 5A 5B 5C 5D 5E"
    " 5F 60 61 E2 E3 E4 E5 E6 E7 E8 E9 6A 6B 6C 6D 6E 6F F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 7A 7B 7C 7D"
    " 7E 7F"
)
ADDRESS = bytes.fromhex(_ADDRESS)


# Python has no cp1047; it is cp037 with three pairs of codes exchanged: brackets, and ^ with not.
_PAIRS = bytes.fromhex("AD BA BD BB 5F B0")
_EXCHANGE = bytes.maketrans(_PAIRS, bytes.fromhex("BA AD BB BD B0 5F"))


def from_1047(data: bytes) -> str:
    """Text from EBCDIC code page 1047."""
    return data.translate(_EXCHANGE).decode("cp037")


def sba(position: int) -> bytes:
    """Set buffer address, 12-bit form."""
    return bytes([0x11, ADDRESS[position >> 6], ADDRESS[position & 63]])


def status_write(status: str, wcc: int = 0xC3) -> bytes:
    """A write of the input field's attribute and the status, as CP does after each change."""
    return (
        bytes([0xF1, wcc])
        + sba(1759)
        + b"\x1d\xc1\x13"
        + sba(1899)
        + b"\x1d\x60"
        + status.ljust(12).encode("cp037")
    )


def line_write(row: int, text: str, status: str) -> bytes:
    """A line of output in ROW, counted from 0, as CP adds one: what is typed stays."""
    return bytes([0xF1, 0xC3]) + sba(80 * row) + text.encode("cp037") + status_write(status)[2:]


def page_write(lines: list[str], status: str) -> bytes:
    """Erase, write `lines` from row 1 on, then input field and status."""
    rows = b"".join(sba(80 * n) + line.encode("cp037") for n, line in enumerate(lines))
    return bytes([0xF5, 0xC3]) + rows + status_write(status)[2:]


def _subnegotiation(stream: BinaryIO) -> bytes:
    """What stands between the next IAC SB and its IAC SE; b"" if the terminal has gone."""
    text = b""
    while not text.endswith(bytes([IAC, SE])):
        byte = stream.read(1)
        if not byte:
            return b""
        text += byte
    return text.partition(bytes([IAC, SB]))[2][:-2]


class Host3270:
    """Serves one terminal after another. `answer` gets each key and typed text and returns what to
    send; `pieces` cuts it into what is written at once. An answer of b"" hangs up. With `enhanced`
    it speaks TN3270E. `wanted` is the logical unit that the last terminal asked for,
    `served` how many terminals came.
    """

    def __init__(
        self,
        first: bytes,
        answer: Callable[[str, str], list[bytes]],
        pieces: Callable[[bytes], Iterable[bytes]] = lambda data: (data,),
        enhanced: bool = False,
    ) -> None:
        self._first = first
        self._answer = answer
        self._pieces = pieces
        self._head = bytes(5) if enhanced else b""
        self.wanted = ""
        self.served = 0
        self.keys: list[tuple[str, str]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._connection: socket.socket | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up."""
        for sock in (self._connection, self._socket):
            if sock is not None:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
                sock.close()
        self._thread.join(5)

    def send(self, data: bytes) -> None:
        """One 3270 record to the terminal, unasked."""
        assert self._connection is not None
        record = (self._head + data).replace(b"\xff", b"\xff\xff") + bytes([IAC, EOR])
        for piece in self._pieces(record):
            self._connection.sendall(piece)

    def flood(self) -> None:
        """A record that never ends, until the terminal has gone."""
        assert self._connection is not None
        with contextlib.suppress(OSError):
            while True:
                self._connection.sendall(b"\xf5\xc3" + b"\x40" * 65536)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._serve_one(connection)

    def _serve_one(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self.served += 1
        with connection, connection.makefile("rb") as stream, contextlib.suppress(OSError):
            if self._head:
                self._negotiate_enhanced(connection, stream)
            else:
                self._negotiate(connection, stream)
            self.send(self._first)
            record = b""
            while byte := stream.read(1):
                record += byte
                if record.endswith(bytes([IAC, EOR])):
                    self._key(record[len(self._head) : -2])
                    record = b""

    def _negotiate(self, connection: socket.socket, stream: BinaryIO) -> None:
        connection.sendall(bytes([IAC, DO, TTYPE]))
        stream.read(3)
        connection.sendall(bytes([IAC, SB, TTYPE, 1, IAC, SE]))
        kind = _subnegotiation(stream)[2:]
        self.wanted = kind.partition(b"@")[2].decode("ascii")
        for option in (EOR_OPTION, BINARY):
            connection.sendall(bytes([IAC, DO, option, IAC, WILL, option]))
            stream.read(6)

    def _negotiate_enhanced(self, connection: socket.socket, stream: BinaryIO) -> None:
        def say(*words: int | bytes) -> None:
            text = b"".join(w if isinstance(w, bytes) else bytes([w]) for w in words)
            connection.sendall(bytes([IAC, SB, TN3270E]) + text + bytes([IAC, SE]))

        connection.sendall(bytes([IAC, DO, TN3270E]))
        assert stream.read(3) == bytes([IAC, WILL, TN3270E])
        say(SEND, DEVICE_TYPE)
        asked = _subnegotiation(stream)
        assert asked[:3] == bytes([TN3270E, DEVICE_TYPE, REQUEST])
        kind, _, unit = asked[3:].partition(bytes([CONNECT]))
        self.wanted = unit.decode("ascii")
        say(DEVICE_TYPE, IS, kind, CONNECT, unit or b"LU0001")
        assert _subnegotiation(stream)[:3] == bytes([TN3270E, FUNCTIONS, REQUEST])
        say(FUNCTIONS, REQUEST)  # none of them
        assert _subnegotiation(stream) == bytes([TN3270E, FUNCTIONS, IS])

    def _key(self, record: bytes) -> None:
        text = record[3:].split(b"\x11", 1)[-1][2:] if len(record) > 3 else b""
        key = (AIDS.get(record[0], f"{record[0]:02X}"), from_1047(text))
        self.keys.append(key)
        for data in self._answer(*key):
            if not data:
                assert self._connection is not None
                self._connection.shutdown(socket.SHUT_RDWR)
                return
            self.send(data)
