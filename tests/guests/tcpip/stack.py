# SPDX-License-Identifier: MIT
"""A client of TCPIP's sockets in the harness (sockets.c): its calls, and what was answered."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
LEVELS = ("2.1.3", "2.2.1")
PEER = bytes((10, 0, 0, 2))
"""Who is there comes back to this stack: see sockets.c."""
SOCKET, ACCEPT, CONNECT, SEND, RECV, CLOSE, SHUTDOWN, ABORT = 1, 4, 5, 6, 7, 8, 9, 11
RECV_ALL, CONNECT_FROM = 16, 20
OK, LAST, BADF, REFUSED, RESET, CANCELLED = 0, 1, -1, -4, -5, -10
BUFFERS = 12
PATH = 3
PORT = 21
QUIET = "k"
"""Fates of the packets on the link: all come."""
_CORE = (
    "def", "inet_chksum", "init", "ip", "mem", "memp", "netif", "pbuf", "raw", "stats", "tcp",
    "tcp_in", "tcp_out", "timeouts", "udp", "ipv4/etharp", "ipv4/icmp", "ipv4/ip4",
    "ipv4/ip4_addr", "ipv4/ip4_frag", "ipv4/acd", "../netif/ethernet",
)  # fmt: skip
_OURS = (
    "sockets", "sock_calls", "sock_data", "sock_udp", "words", "packet", "port/tcp", "port/udp",
    "port/loss", "port/behavior", "port/timewait", "port/counts", "port/netif", "port/train",
    "port/gather", "port/rest",
)  # fmt: skip


def program(level: str, folder: Path) -> Path:
    """The harness with lwIP LEVEL, in FOLDER; skips where lwIP's source is not there."""
    lwip = VMKB / "build" / "lwip" / f"lwip-{level}" / "src"
    if not lwip.is_dir():
        pytest.skip("lwIP's source is not there: scripts/setup fetches it")
    service = VMKB / "service" / "tcpip"
    quoted = [word for where in (HERE / "host", service / "port", service, service / "libc")
              for word in ("-iquote", str(where))]  # fmt: skip
    played = HERE / "host" / "cp.h"
    flags = [*quoted, f"-isystem{lwip}/include", *rooms("lib", "include", "service/lib")]
    flags += ["-include", str(played)]
    core = [path for name in _CORE if (path := lwip / "core" / f"{name}.c").exists()]
    lib = [VMKB / "lib" / name for name in ("fmt.c", "ctype.c")]
    ours = [service / f"{name}.c" for name in _OURS]
    return compiled(folder, flags, HERE / "sockets.c", *ours, *lib, *core)


def pattern(seed: int, at: int, size: int) -> bytes:
    """What the harness sends: SIZE bytes of a stream, from the AT-th on."""
    return bytes(31 * seed + 7 * x + 13 * (x >> 8) & 255 for x in range(at, at + size))


class Answer(NamedTuple):
    rc: int
    value: int
    data: bytes


class Stack:
    """TCPIP with one client. What is answered to a call is kept by its number."""

    def __init__(self, made: Path, *arguments: str) -> None:
        self._harness = Harness(made, *arguments)
        self._next = 0
        self.waits = set[int]()
        self.answers = dict[int, Answer]()
        self._line("hello", PATH)

    def end(self) -> None:
        self._harness.end()

    def _line(self, *words: object) -> None:
        """Each reply is to a call that waits, so none has two."""
        for reply in self._harness.line(*words).split():
            if reply != "-":
                msgid, rc, value, data = reply.split(":")
                self.waits.remove(int(msgid))
                self.answers[int(msgid)] = Answer(int(rc), int(value), bytes.fromhex(data))

    def _begun(self) -> int:
        self._next += 1
        self.waits.add(self._next)
        return self._next

    def call(
        self, function: int, number: int = 0, room: int = 16, data: bytes = b"", closes: int = -1
    ) -> int:
        n = self._begun()
        self._line("call", PATH, n, function << 16 | number, room, data.hex() or "-", closes + 1)
        return n

    def listen(self, port: int = PORT) -> int:
        """A listener's socket."""
        return self.answer(self.call(SOCKET, data=struct.pack("=IHHII", 0, port, 0, 8, 0))).value

    def connect(self, port: int = PORT, own: int = 0, data: bytes = b"", room: int = 16) -> int:
        head = PEER + struct.pack("=HH", port, own)
        return self.call(CONNECT_FROM, room=room, data=head + data)

    def send(self, number: int, seed: int, at: int, size: int) -> int:
        n = self._begun()
        self._line("send", PATH, n, SEND << 16 | number, seed, at, size)
        return n

    def recv(self, number: int, size: int, whole: bool = False) -> int:
        return self.call(RECV_ALL if whole else RECV, number, size + 8)

    def take_back(self, n: int) -> None:
        """Call N, if it still waits, is nobody's any more."""
        if n in self.waits:
            self.waits.remove(n)
            self._line("back", n)

    def passes(self, fates: str = QUIET) -> None:
        self._line("pass", fates)

    def flows(self) -> None:
        """All comes until nothing more is under way; no time goes by."""
        while self.on_link():
            self.passes()

    def on_link(self) -> int:
        """How many packets are under way."""
        return int(self._harness.line("link"))

    def room(self, packets: int = 2**32 - 1) -> None:
        """The link takes so many more PACKETS and refuses those behind."""
        self._line("room", packets)

    def segments(self) -> int:
        """How many segments with data were sent since this was asked last."""
        return int(self._harness.line("segments"))

    def tick(self, quarters: int = 1) -> None:
        self._line("tick", quarters)

    def gone(self) -> None:
        """The client's path is severed, and made again."""
        self.waits.clear()
        self._line("gone", PATH)
        self._line("hello", PATH)

    def answer(self, n: int) -> Answer:
        """What was answered to call N."""
        assert n in self.answers, f"call {n} still waits"
        return self.answers[n]

    def left(self) -> list[int]:
        """Sockets, connections, listeners, segments, input buffers in use; data buffers free."""
        return [int(word) for word in self._harness.line("left").split()]

    def pair(self) -> tuple[int, int]:
        """A connection's two ends: who connected, who accepted. Their listener is closed."""
        listener = self.listen()
        ends = self.joined(listener)
        self.call(CLOSE, listener)
        return ends

    def joined(self, listener: int, own: int = 0) -> tuple[int, int]:
        """The same at a LISTENER that stays, from the port OWN."""
        accepted, connected = self.call(ACCEPT, listener), self.connect(own=own)
        self.flows()
        ends = self.answer(connected), self.answer(accepted)
        assert [end.rc for end in ends] == [OK, OK]
        return ends[0].value, ends[1].value
