# SPDX-License-Identifier: MIT
"""Rx as a program of a workstation speaks it, in both roles. Pure: packets and the time (seconds)
go in, packets go out by `send`; `next` is when `tick` must be called at the latest. Security is
null: nobody's name is known and nothing is secret."""

from __future__ import annotations

import math
from collections.abc import Callable

from vmkb.hercules.rx import acks, data, send, timers
from vmkb.hercules.rx.calls import (
    CHANNELS,
    DEAD,
    INVALID,
    PROTOCOL,
    USER,
    Abort,
    Address,
    Call,
    Connection,
    Handler,
    newer,
)
from vmkb.hercules.rx.packets import (
    DATA_DEFAULT,
    HEADER,
    IP_UDP,
    Flag,
    Header,
    Malformed,
    Reason,
    Type,
    decode,
    decode_ack,
    split_jumbo,
)
from vmkb.hercules.rx.port import Port
from vmkb.hercules.rx.timers import DEAD_S, PING_S

IDLE_S = 60.0
_VERSION_BYTES = 65


class Rx(Port):
    """One UDP port's worth of Rx."""

    def __init__(
        self,
        send: Callable[[Address, bytes], None],
        services: dict[int, Handler] | None = None,
        mtu: int = 1500,
        window: int = 32,
        jumbo: int = 1,
        epoch: int = 1,
        version: bytes = b"hercules.rx",
        cid: int = 0,
    ) -> None:
        """CID: connections get numbers from there on. A program that begins again at the same
        address in the same second, which is its epoch, begins at another one."""
        super().__init__(send, services, mtu, window, jumbo)
        self.epoch = epoch & 0x7FFFFFFF
        self.version = version
        self.connections: dict[tuple[object, ...], Connection] = {}
        self._cid = cid & ~3

    # --- the program's side

    def connect(self, peer: Address, service: int) -> Connection:
        """A connection to a server; nothing is sent yet."""
        self._cid = self._cid + 4 & 0xFFFFFFFF
        return self._new_connection(peer, self.epoch, self._cid, service, client=True)

    def begin(self, connection: Connection, request: bytes) -> Call | None:
        """A call on a free channel; None if all four have one. Abort if the connection failed."""
        if connection.error:
            raise Abort(connection.error)
        free = next((c for c in connection.calls if not c.active), None)
        if free is None:
            return None
        call = self._start(connection, free.channel, free.number + 1)
        call.out = request
        send.transmit(self, call)
        return call

    def abort(self, call: Call) -> None:
        """Ends a call, and tells the other side."""
        if call.active:
            self.abort_packet(call, call.number, USER)
            self.fail(call, USER)

    def disconnect(self, connection: Connection) -> None:
        """Ends its calls; what is not acknowledged is."""
        for call in connection.calls:
            if call.active:
                self.abort(call)
            elif call.ack_at < math.inf:
                self.ack(call, Reason.DELAY, call.ack_serial)
        self.connections.pop(self._key(connection), None)

    # --- connections

    @staticmethod
    def _key(c: Connection) -> tuple[object, ...]:
        return (None if c.epoch >> 31 else c.peer, c.epoch, c.cid, c.client)

    def _new_connection(
        self, peer: Address, epoch: int, cid: int, service: int, client: bool
    ) -> Connection:
        own = self.mtu - IP_UDP - HEADER
        connection = Connection(peer, epoch, cid, service, client, min(own, DATA_DEFAULT))
        connection.calls = [Call(connection, i) for i in range(CHANNELS)]
        connection.used_at = self.now
        self.connections[self._key(connection)] = connection
        return connection

    def _start(self, connection: Connection, channel: int, number: int) -> Call:
        call = Call(connection, channel, number, active=True)
        call.cwnd, call.ssthresh = connection.cwnd, connection.ssthresh
        call.heard = call.pinged = connection.used_at = self.now
        connection.calls[channel] = call
        self.count("calls")
        self.arm(self.now + PING_S)
        return call

    # --- what comes in

    def receive(self, peer: Address, packet: bytes, now: float) -> None:
        """A datagram came."""
        self.now = now
        try:
            header, body = decode(packet)
            if header.type == Type.VERSION and header.flags & Flag.CLIENT:
                text = self.version[: _VERSION_BYTES - 1].ljust(_VERSION_BYTES, b"\0")
                self.send(peer, packet[:21] + bytes((header.flags & ~1,)) + packet[22:28] + text)
            elif header.type not in (Type.VERSION, Type.DEBUG):
                self._dispatch(peer, header, body)
        except Malformed:
            self.count("malformed")

    def _dispatch(self, peer: Address, header: Header, body: bytes) -> None:
        client = not header.flags & Flag.CLIENT
        key = (None if header.epoch >> 31 else peer, header.epoch, header.cid & ~3, client)
        connection = self.connections.get(key)
        if connection is None:
            connection = self._stranger(peer, header, body)
        if connection is None:
            return
        if header.security or header.service != connection.service:
            raise Malformed("another service, or a security that is not spoken")
        call = connection.calls[header.cid & 3]
        if header.call == 0 or header.type == Type.CHALLENGE:
            self._of_connection(connection, header, body)
        elif client:
            self._to_client(call, header, body)
        else:
            self._to_server(call, header, body)

    def _stranger(self, peer: Address, header: Header, body: bytes) -> Connection | None:
        from_client = bool(header.flags & Flag.CLIENT)
        if from_client and header.type == Type.ACK and decode_ack(body).reason == Reason.PING:
            self.stray_abort(peer, header, header.call, DEAD)
        if not from_client or header.type != Type.DATA or header.seq != 1 or not header.call:
            self.count("unknown")
            return None
        if header.security or header.service not in self.services:
            self.count("refused")
            self.stray_abort(peer, header, 0, INVALID)
            return None
        return self._new_connection(
            peer, header.epoch, header.cid & ~3, header.service, client=False
        )

    def _of_connection(self, connection: Connection, header: Header, body: bytes) -> None:
        if header.type == Type.ABORT:
            code = int.from_bytes(body[:4], "big", signed=True)
        elif header.type == Type.CHALLENGE and connection.client:
            code = INVALID
            self.abort_packet(connection.calls[0], 0, code)
        else:
            return
        if connection.client:
            connection.error = code or PROTOCOL
        for call in connection.calls:
            if call.active:
                self.fail(call, code)

    def _to_server(self, call: Call, header: Header, body: bytes) -> None:
        ahead = newer(header.call, call.number)
        if ahead:
            if header.type == Type.ACK and decode_ack(body).reason == Reason.PING:
                self.abort_packet(call, header.call, DEAD)
            if header.type != Type.DATA or not 0 < header.seq <= self.window:
                return
            if call.active and not (call.ended and call.next > 1):
                self.count("busies out")
                self.fail(call, USER)
                self.packet(call, header.call, Type.BUSY, 0, b"")
                return
            if call.active:
                self.finish(call)
            call = self._start(call.connection, call.channel, header.call)
        elif header.call != call.number:
            self.count("stale")
            return
        call.heard, call.heard_any = self.now, True
        if not call.active and call.error and header.type != Type.ABORT:
            self.abort_packet(call, call.number, call.error)
            return
        self._of_call(call, header, body)

    def _to_client(self, call: Call, header: Header, body: bytes) -> None:
        if header.call != call.number:
            self.count("stale")
            return
        if not call.active and call.error:
            if header.type not in (Type.ABORT, Type.BUSY):
                self.abort_packet(call, call.number, call.error)
            return
        call.heard = self.now
        if header.type == Type.BUSY:
            self.count("busies in")
            call.busy_since = min(call.busy_since, self.now)
            self.arm(call.busy_since + DEAD_S)
            return
        call.heard_any, call.busy_since = True, math.inf
        if header.type == Type.DATA and call.active:
            acks.acked_all(call)
        self._of_call(call, header, body)

    def _of_call(self, call: Call, header: Header, body: bytes) -> None:
        if header.type == Type.DATA:
            for part, payload in split_jumbo(header, body):
                data.arrived(self, call, part, payload)
        elif header.type in (Type.ACK, Type.ACKALL):
            acks.heard(self, call, header, body)
        elif header.type == Type.ABORT and call.active:
            self.fail(call, int.from_bytes(body[:4], "big", signed=True))

    # --- time

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.now = now
        if now < self.next:
            return
        self.next = math.inf
        for connection in list(self.connections.values()):
            for call in connection.calls:
                timers.tick(self, call)
            if connection.client:
                continue
            quiet = not any(c.active or c.ack_at < math.inf for c in connection.calls)
            if quiet and now - connection.used_at >= IDLE_S:
                del self.connections[self._key(connection)]
            else:
                idle = connection.used_at + IDLE_S
                self.arm(idle if idle > now else now + IDLE_S)
