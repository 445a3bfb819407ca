# SPDX-License-Identifier: MIT
"""Rx as a program of a workstation speaks it, in both roles. Pure: packets and the time (seconds)
go in, packets go out by `send`; `next` is when `tick` must be called at the latest. Security is
null: nobody's name is known and nothing is secret."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hercules.rx.packets import (
    DATA_DEFAULT,
    HEADER,
    IP_UDP,
    JUMBO_DATA,
    Ack,
    Flag,
    Header,
    Malformed,
    Reason,
    Type,
    decode,
    decode_ack,
    split_jumbo,
)

DEAD, INVALID, TIMEOUT, PROTOCOL, USER = -1, -2, -3, -5, -6
"""Codes of calls that ended badly."""
CHANNELS = 4
WINDOW_MAX = 64
DEAD_S = 12.0
PING_S = DEAD_S / 6
IDLE_S = 60.0
ACK_DELAY_S = 0.1
RTO_FIRST_S, RTO_ADD_S, RTO_MAX_S = 1.0, 0.35, 8.0
NAKS = 3
_CWND_FIRST = 4
_DATA_MIN = 520
_VERSION_BYTES = 65

Address = tuple[str, int]
Handler = Callable[[bytes], bytes]
"""What a service does with a request: the reply, or Abort."""


class Abort(Exception):
    """A call ends with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the call ended with code {code}")
        self.code = code


@dataclass(slots=True)
class _Out:
    seq: int
    data: bytes
    last: bool
    serial: int = 0
    sent_at: float = 0.0
    sends: int = 0
    acked: bool = False
    lost: bool = False


@dataclass(slots=True)
class Call:
    """A channel and its call. A client looks at `done`, `error` (0: it went well) and `reply`."""

    connection: Connection
    channel: int
    number: int = 0
    active: bool = False
    done: bool = False
    error: int = 0
    reply: bytearray = field(default_factory=bytearray)
    """What came from the other side: of a client's call the reply."""
    out: bytes | None = None
    """What goes to the other side; None: not known yet."""
    cut: int = 0
    """Bytes of `out` that are in packets."""
    ended: bool = False
    """All of `out` is in packets, or need not be."""
    sent: dict[int, _Out] = field(default_factory=dict)
    first: int = 1
    next: int = 1
    cwnd: float = _CWND_FIRST
    ssthresh: float = WINDOW_MAX
    recover: int = 0
    backoff: int = 0
    resend_at: float = math.inf
    unasked: int = 0
    ack_heard: int = 0
    want: int = 1
    highest: int = 0
    last: int = 0
    early: dict[int, tuple[Header, bytes]] = field(default_factory=dict)
    unacked: int = 0
    ack_at: float = math.inf
    ack_serial: int = 0
    heard: float = 0.0
    pinged: float = 0.0
    heard_any: bool = False
    busy_since: float = math.inf


@dataclass(slots=True)
class Connection:
    """A connection; made by `Rx.connect` or by a client's first packet."""

    peer: Address
    epoch: int
    cid: int
    service: int
    client: bool
    data_max: int
    serial: int = 1
    error: int = 0
    jumbo: int = 1
    peer_window: int = 16
    cwnd: float = _CWND_FIRST
    ssthresh: float = WINDOW_MAX
    srtt: float = 0.0
    rttvar: float = 0.0
    used_at: float = 0.0
    calls: list[Call] = field(default_factory=list)


def _newer(a: int, b: int) -> bool:
    return 0 < (a - b & 0xFFFFFFFF) < 0x80000000


class Rx:
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
    ) -> None:
        if not 576 <= mtu <= 65535 or not 1 <= window <= WINDOW_MAX or jumbo < 1:
            raise ValueError(f"MTU {mtu}, window {window} or jumbograms of {jumbo} cannot be")
        self.now = 0.0
        self.next = math.inf
        self.services = services or {}
        self.mtu, self.window, self.jumbo = mtu, window, jumbo
        self.epoch = epoch & 0x7FFFFFFF
        self.version = version
        self.connections: dict[tuple[object, ...], Connection] = {}
        self.counts: dict[str, int] = {}
        self._send = send
        self._cid = 0

    # --- the program's side

    def connect(self, peer: Address, service: int) -> Connection:
        """A connection to a server; nothing is sent yet."""
        self._cid += 4
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
        self._transmit(call)
        return call

    def abort(self, call: Call, code: int = USER) -> None:
        """Ends a call, and tells the other side."""
        if call.active:
            self._abort_packet(call, call.number, code)
            self._fail(call, code)

    def disconnect(self, connection: Connection) -> None:
        """Ends its calls; what is not acknowledged is."""
        for call in connection.calls:
            if call.active:
                self.abort(call)
            elif call.ack_at < math.inf:
                self._ack(call, Reason.DELAY, call.ack_serial)
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
        self._count("calls")
        self._arm(self.now + PING_S)
        return call

    def _finish(self, call: Call, error: int = 0) -> None:
        connection = call.connection
        call.active, call.done, call.error = False, True, error
        call.sent.clear()
        call.early.clear()
        call.resend_at = math.inf
        connection.cwnd, connection.ssthresh = call.cwnd, call.ssthresh
        connection.used_at = self.now

    def _fail(self, call: Call, code: int) -> None:
        self._count("failed")
        call.ack_at = math.inf
        self._finish(call, code or PROTOCOL)

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def _arm(self, at: float) -> None:
        self.next = min(self.next, at)

    # --- what goes out

    def _packet(
        self, call: Call, number: int, kind: Type, flags: int, body: bytes, seq: int = 0
    ) -> int:
        c = call.connection
        serial = c.serial
        c.serial = c.serial + 1 & 0xFFFFFFFF
        header = Header(
            c.epoch, c.cid | call.channel, number, seq, serial, kind,
            flags | (Flag.CLIENT if c.client else 0), service=c.service,
        )  # fmt: skip
        self._send(c.peer, header.encode() + body)
        return serial

    def _abort_packet(self, call: Call, number: int, code: int) -> None:
        self._packet(call, number, Type.ABORT, 0, code.to_bytes(4, "big", signed=True))

    def _stray_abort(self, peer: Address, header: Header, number: int, code: int) -> None:
        flags = header.flags & Flag.CLIENT ^ Flag.CLIENT
        answer = Header(
            header.epoch, header.cid, number, 0, 1, Type.ABORT, flags, service=header.service
        )
        self._send(peer, answer.encode() + code.to_bytes(4, "big", signed=True))

    def _ack(self, call: Call, reason: Reason, serial: int) -> None:
        own = self.mtu - IP_UDP
        have = bytes(s in call.early for s in range(call.want, call.highest + 1))
        ack = Ack(call.want, call.highest, serial, reason, have, own, own, self.window, self.jumbo)
        call.unacked, call.ack_at = 0, math.inf
        self._count("acks out")
        flags = Flag.REQUEST_ACK if reason == Reason.PING else Flag.NONE
        self._packet(call, call.number, Type.ACK, flags, ack.encode())

    def _rto(self, call: Call) -> float:
        c = call.connection
        rto = c.srtt + 4 * c.rttvar + RTO_ADD_S if c.srtt else RTO_FIRST_S
        return min(rto * 2.0 ** min(call.backoff, 6), RTO_MAX_S)

    def _pick(self, call: Call) -> _Out | None:
        c = call.connection
        if call.recover:
            if sum(not (p.acked or p.lost) for p in call.sent.values()) >= call.cwnd:
                return None
            lost = next((p for p in call.sent.values() if p.lost), None)
            if lost is not None:
                return lost
        if (
            call.out is None
            or call.ended
            or call.next - call.first >= min(c.peer_window, WINDOW_MAX)
        ):
            return None
        if not call.recover and call.next - call.first >= int(call.cwnd):
            return None
        size = JUMBO_DATA if c.jumbo > 1 else c.data_max
        data = call.out[call.cut : call.cut + size]
        call.cut += len(data)
        call.ended = call.cut == len(call.out)
        out = _Out(call.next, data, call.ended)
        call.sent[call.next] = out
        call.next += 1
        return out

    def _mark(self, out: _Out) -> None:
        out.sends += 1
        out.lost = False
        out.sent_at = self.now
        self._count("resent" if out.sends > 1 else "data out")

    def _flags(self, call: Call, out: _Out, more: bool) -> int:
        call.unasked += 1
        ask = out.sends > 1 or (
            not out.last and (not more or call.unasked >= call.connection.peer_window // 2)
        )
        if ask:
            call.unasked = 0
        return (
            (Flag.LAST if out.last else 0)
            | (Flag.REQUEST_ACK if ask else 0)
            | (Flag.MORE if more else 0)
        )

    def _transmit(self, call: Call) -> None:
        out = self._pick(call)
        if out is None:
            return
        if not call.connection.client:
            call.ack_at, call.unacked = math.inf, 0
        while out is not None:
            self._mark(out)
            then = self._pick(call)
            if call.connection.jumbo > 1 and out.sends == 1:
                out = self._send_jumbo(call, out, then)
                continue
            flags = self._flags(call, out, then is not None)
            out.serial = self._packet(call, call.number, Type.DATA, flags, out.data, out.seq)
            out = then
        if call.resend_at == math.inf:
            call.resend_at = self.now + self._rto(call)
            self._arm(call.resend_at)

    def _send_jumbo(self, call: Call, out: _Out, then: _Out | None) -> _Out | None:
        c = call.connection
        parts = [out]
        while (
            then is not None
            and len(parts) < c.jumbo
            and then.sends == 0
            and then.seq == parts[-1].seq + 1
            and len(parts[-1].data) == JUMBO_DATA
        ):
            self._mark(then)
            parts.append(then)
            then = self._pick(call)
        flags = [Flag.JUMBO] * (len(parts) - 1) + [self._flags(call, parts[-1], then is not None)]
        body = parts[0].data
        for part, flag in zip(parts[1:], flags[1:], strict=True):
            body += bytes((flag, 0, 0, 0)) + part.data
        serial = self._packet(call, call.number, Type.DATA, flags[0], body, parts[0].seq)
        for i, part in enumerate(parts):
            part.serial = serial + i
        c.serial = serial + len(parts) & 0xFFFFFFFF
        return then

    # --- what comes in

    def receive(self, peer: Address, packet: bytes, now: float) -> None:
        """A datagram came."""
        self.now = now
        try:
            header, body = decode(packet)
            if header.type == Type.VERSION and header.flags & Flag.CLIENT:
                text = self.version[: _VERSION_BYTES - 1].ljust(_VERSION_BYTES, b"\0")
                self._send(peer, packet[:21] + bytes((header.flags & ~1,)) + packet[22:28] + text)
            elif header.type not in (Type.VERSION, Type.DEBUG):
                self._dispatch(peer, header, body)
        except Malformed:
            self._count("malformed")

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
            self._stray_abort(peer, header, header.call, DEAD)
        if not from_client or header.type != Type.DATA or header.seq != 1 or not header.call:
            self._count("unknown")
            return None
        if header.security or header.service not in self.services:
            self._count("refused")
            self._stray_abort(peer, header, 0, INVALID)
            return None
        return self._new_connection(
            peer, header.epoch, header.cid & ~3, header.service, client=False
        )

    def _of_connection(self, connection: Connection, header: Header, body: bytes) -> None:
        if header.type == Type.ABORT:
            code = int.from_bytes(body[:4], "big", signed=True)
        elif header.type == Type.CHALLENGE and connection.client:
            code = INVALID
            self._abort_packet(connection.calls[0], 0, code)
        else:
            return
        if connection.client:
            connection.error = code or PROTOCOL
        for call in connection.calls:
            if call.active:
                self._fail(call, code)

    def _to_server(self, call: Call, header: Header, body: bytes) -> None:
        ahead = _newer(header.call, call.number)
        if ahead:
            if header.type == Type.ACK and decode_ack(body).reason == Reason.PING:
                self._abort_packet(call, header.call, DEAD)
            if header.type != Type.DATA or not 0 < header.seq <= self.window:
                return
            if call.active and not (call.ended and call.next > 1):
                self._count("busies out")
                self._fail(call, USER)
                self._packet(call, header.call, Type.BUSY, 0, b"")
                return
            if call.active:
                self._finish(call)
            call = self._start(call.connection, call.channel, header.call)
        elif header.call != call.number:
            self._count("stale")
            return
        call.heard, call.heard_any = self.now, True
        if not call.active and call.error and header.type != Type.ABORT:
            self._abort_packet(call, call.number, call.error)
            return
        self._of_call(call, header, body)

    def _to_client(self, call: Call, header: Header, body: bytes) -> None:
        if header.call != call.number:
            self._count("stale")
            return
        if not call.active and call.error:
            if header.type not in (Type.ABORT, Type.BUSY):
                self._abort_packet(call, call.number, call.error)
            return
        call.heard = self.now
        if header.type == Type.BUSY:
            self._count("busies in")
            call.busy_since = min(call.busy_since, self.now)
            self._arm(call.busy_since + DEAD_S)
            return
        call.heard_any, call.busy_since = True, math.inf
        if header.type == Type.DATA and call.active:
            self._acked_all(call)
        self._of_call(call, header, body)

    def _of_call(self, call: Call, header: Header, body: bytes) -> None:
        if header.type == Type.DATA:
            for part, data in split_jumbo(header, body):
                self._data(call, part, data)
        elif header.type in (Type.ACK, Type.ACKALL):
            self._ack_in(call, header, body)
        elif header.type == Type.ABORT and call.active:
            self._fail(call, int.from_bytes(body[:4], "big", signed=True))

    # --- acknowledgements of what was sent

    def _acked_all(self, call: Call) -> None:
        """All has arrived; what was not sent need not be."""
        self._grow(call, len(call.sent))
        call.sent.clear()
        call.first = call.next
        call.ended = True
        call.recover = call.backoff = 0
        call.resend_at = math.inf

    def _grow(self, call: Call, acked: int) -> None:
        for _ in range(acked):
            if call.cwnd < WINDOW_MAX and (not call.recover or call.backoff):
                call.cwnd += 1 if call.cwnd < call.ssthresh else 1 / call.cwnd

    def _ack_in(self, call: Call, header: Header, body: bytes) -> None:
        ack = Ack(call.next, 0, 0, 0) if header.type == Type.ACKALL else decode_ack(body)
        self._count("acks in")
        if ack.first > call.next:
            self._count("unsent")
            return
        if ack.reason == Reason.PING and header.flags & Flag.REQUEST_ACK:
            self._ack(call, Reason.PING_RESPONSE, header.serial)
        if not call.active:
            return
        newest = _newer(header.serial, call.ack_heard)
        if ack.first < call.first or (not newest and ack.first == call.first):
            self._count("stale")
            return
        if newest:
            call.ack_heard = header.serial
            self._measure(call, ack)
            self._learn(call.connection, ack)
        progress = ack.first > call.first
        self._grow(call, ack.first - call.first)
        for seq in range(call.first, ack.first):
            call.sent.pop(seq, None)
        call.first = ack.first
        if call.first > call.recover:
            call.recover = 0
        if newest:
            self._soft(call, ack)
        if progress:
            call.backoff = 0
            call.resend_at = self.now + self._rto(call) if call.sent else math.inf
            self._arm(call.resend_at)
        if not call.connection.client and call.ended and not call.sent and call.next > 1:
            self._finish(call)
            return
        self._transmit(call)

    def _measure(self, call: Call, ack: Ack) -> None:
        if ack.reason == Reason.DELAY:
            return
        for out in call.sent.values():
            if out.serial == ack.serial and out.sends == 1 and not out.acked:
                c, rtt = call.connection, max(self.now - out.sent_at, 1e-6)
                if not c.srtt:
                    c.srtt, c.rttvar = rtt, rtt / 2
                    return
                delta = rtt - c.srtt
                c.srtt += delta / 8
                c.rttvar += (abs(delta) - c.rttvar) / 4
                return

    def _learn(self, connection: Connection, ack: Ack) -> None:
        said = min(ack.max_mtu, ack.if_mtu)
        if said > HEADER:
            own = self.mtu - IP_UDP - HEADER
            connection.data_max = min(max(said - HEADER, _DATA_MIN), own)
        if ack.window:
            connection.peer_window = min(ack.window, WINDOW_MAX)
        if ack.jumbo:
            connection.jumbo = min(ack.jumbo, self.jumbo)

    def _slow_down(self, call: Call) -> None:
        if not call.recover:
            call.recover = call.next - 1
            call.cwnd = call.ssthresh = max(call.cwnd // 2, 2)

    def _soft(self, call: Call, ack: Ack) -> None:
        arrived = []
        for i, have in enumerate(ack.acks):
            out = call.sent.get(ack.first + i)
            if out is None:
                break
            if have == 1:
                out.acked, out.lost = True, False
                arrived.append(out)
            elif out.acked:
                out.acked, out.lost = False, True
                self._slow_down(call)
        if not arrived:
            return
        for out in call.sent.values():
            if out.acked or out.lost:
                continue
            later = sum(p.seq > out.seq and _newer(p.serial, out.serial) for p in arrived)
            if later >= NAKS:
                out.lost = True
                self._count("fast resent")
                self._slow_down(call)

    # --- the other side's bytes

    def _data(self, call: Call, header: Header, data: bytes) -> None:
        seq, last = header.seq, bool(header.flags & Flag.LAST)
        if not seq or (call.last and (seq > call.last or (last and seq != call.last))):
            raise Malformed(f"packet {seq} of a call that ends with {call.last}")
        if last and seq < call.highest:
            raise Malformed(f"packet {seq} is the last one behind {call.highest}")
        if seq < call.want or seq in call.early:
            self._ack(call, Reason.DUPLICATE, header.serial)
        elif seq - call.want >= self.window:
            self._ack(call, Reason.EXCEEDS_WINDOW, header.serial)
        elif call.active:
            filled = call.highest > seq
            call.last = seq if last else call.last
            call.highest = max(call.highest, seq)
            call.early[seq] = header, data
            if seq != call.want:
                self._ack(call, Reason.OUT_OF_SEQUENCE, header.serial)
            else:
                self._take(call, header, filled)

    def _take(self, call: Call, header: Header, filled: bool) -> None:
        while call.want in call.early:
            _, data = call.early.pop(call.want)
            call.reply += data
            call.want += 1
            call.unacked += 1
        over = call.last and call.want > call.last
        if over and call.connection.client:
            self._finish(call)
        elif over:
            self._serve(call)
            return
        more = header.flags & Flag.MORE
        call.ack_serial = header.serial
        if header.flags & Flag.REQUEST_ACK:
            self._ack(call, Reason.REQUESTED, header.serial)
        elif (
            filled
            or call.unacked >= self.window // 2
            or (not more and not over and call.unacked > 1)
        ):
            reason = Reason.OUT_OF_SEQUENCE if call.early else Reason.IDLE
            self._ack(call, reason, header.serial)
        elif call.ack_at == math.inf:
            call.ack_at = self.now + ACK_DELAY_S
            self._arm(call.ack_at)

    def _serve(self, call: Call) -> None:
        try:
            call.out = self.services[call.connection.service](bytes(call.reply))
        except Abort as abort:
            self._abort_packet(call, call.number, abort.code)
            self._fail(call, abort.code)
            return
        self._transmit(call)

    # --- time

    def tick(self, now: float) -> None:
        """Time has passed."""
        self.now = now
        if now < self.next:
            return
        self.next = math.inf
        for connection in list(self.connections.values()):
            for call in connection.calls:
                self._tick_call(call)
            if connection.client:
                continue
            quiet = not any(c.active or c.ack_at < math.inf for c in connection.calls)
            if quiet and now - connection.used_at >= IDLE_S:
                del self.connections[self._key(connection)]
            else:
                idle = connection.used_at + IDLE_S
                self._arm(idle if idle > now else now + IDLE_S)

    def _tick_call(self, call: Call) -> None:
        now = self.now
        if now >= call.ack_at:
            self._ack(call, Reason.DELAY, call.ack_serial)
        self._arm(call.ack_at)
        if not call.active:
            return
        dead = now - call.heard >= DEAD_S
        if dead or now - call.busy_since >= DEAD_S:
            code = DEAD if dead else TIMEOUT
            self._abort_packet(call, call.number, code)
            self._fail(call, code)
            return
        if now >= call.resend_at:
            self._timed_out(call)
        silent = max(call.heard, call.pinged)
        if call.heard_any and now - silent >= PING_S:
            call.pinged = silent = now
            self._ack(call, Reason.PING, 0)
        for at in (call.resend_at, silent + PING_S, call.heard + DEAD_S, call.busy_since + DEAD_S):
            if at > now:
                self._arm(at)

    def _timed_out(self, call: Call) -> None:
        self._count("timeouts")
        call.backoff += call.backoff < 8
        call.ssthresh = max(call.cwnd // 2, 2)
        call.cwnd, call.recover = 1, call.next - 1
        for out in call.sent.values():
            out.lost = not out.acked
        oldest = call.sent[call.first]
        oldest.acked, oldest.lost = False, True
        call.resend_at = math.inf
        self._transmit(call)
