# SPDX-License-Identifier: MIT
"""Rx on a UDP socket of this computer."""

from __future__ import annotations

import secrets
import select
import socket
import time
from contextlib import suppress

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline
from vmkb.hercules.rx.calls import Abort, Address, Connection, Handler
from vmkb.hercules.rx.core import Rx

LONGEST_S = 1.0
_DATAGRAM = 65535


class UdpRx(Closing):
    """A socket bound to `address`. Nothing happens but in `call` and `serve`. Use as a context."""

    def __init__(
        self,
        address: Address = ("127.0.0.1", 0),
        services: dict[int, Handler] | None = None,
        mtu: int = 1500,
        window: int = 32,
        jumbo: int = 1,
    ) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self.rx = Rx(
            self._send, services, mtu, window, jumbo, int(time.time()), cid=secrets.randbits(32)
        )
        self.rx.now = time.monotonic()

    @property
    def address(self) -> Address:
        """Where it is bound."""
        host, port = self._socket.getsockname()
        return host, port

    def close(self) -> None:
        """Ends its connections."""
        for connection in list(self.rx.connections.values()):
            self.rx.disconnect(connection)
        self._socket.close()

    def _send(self, peer: Address, packet: bytes) -> None:
        with suppress(ConnectionRefusedError):  # of an earlier packet: as lost on the way
            self._socket.sendto(packet, peer)

    def _turn(self, seconds: float) -> None:
        now = time.monotonic()
        wait = min(max(self.rx.next - now, 0), max(seconds, 0), LONGEST_S)
        if select.select([self._socket], [], [], wait)[0]:
            try:
                packet, peer = self._socket.recvfrom(_DATAGRAM)
            except ConnectionRefusedError:
                pass
            else:
                self.rx.receive(peer, packet, time.monotonic())
        self.rx.tick(time.monotonic())

    def connect(self, peer: Address, service: int) -> Connection:
        """A connection to a server."""
        return self.rx.connect(peer, service)

    def call(self, connection: Connection, request: bytes, within: float = 60.0) -> bytes:
        """A call's reply. Abort with its code, or TimeoutError; then the call is ended."""
        deadline = Deadline(within)
        self.rx.now = time.monotonic()
        call = self.rx.begin(connection, request)
        if call is None:
            raise RuntimeError("all four channels of the connection have a call")
        while not call.done:
            if deadline.over:
                self.rx.abort(call)
                raise TimeoutError(f"{connection.peer} did not answer in {deadline.elapsed:.0f} s")
            self._turn(deadline.left)
        if call.error:
            raise Abort(call.error)
        return bytes(call.reply)

    def serve(self, seconds: float) -> None:
        """Answers calls for so long."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            self._turn(left)
