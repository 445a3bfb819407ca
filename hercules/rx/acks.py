# SPDX-License-Identifier: MIT
"""Acknowledgements of what was sent: what they say of the way there, and what of it is lost."""

from __future__ import annotations

import math

from vmkb.hercules.rx import send
from vmkb.hercules.rx.calls import WINDOW_MAX, Call, Connection, newer
from vmkb.hercules.rx.packets import HEADER, IP_UDP, Ack, Flag, Header, Reason, Type, decode_ack
from vmkb.hercules.rx.port import Port

NAKS = 3
_DATA_MIN = 520


def acked_all(call: Call) -> None:
    """All has arrived; what was not sent need not be."""
    _grow(call, len(call.sent))
    call.sent.clear()
    call.first = call.next
    call.ended = True
    call.recover = call.backoff = 0
    call.resend_at = math.inf


def _grow(call: Call, acked: int) -> None:
    for _ in range(acked):
        if call.cwnd < call.connection.peer_window and (not call.recover or call.backoff):
            call.cwnd += 1 if call.cwnd < call.ssthresh else 1 / call.cwnd


def heard(rx: Port, call: Call, header: Header, body: bytes) -> None:
    """An acknowledgement came. Malformed."""
    ack = Ack(call.next, 0, 0, 0) if header.type == Type.ACKALL else decode_ack(body)
    rx.count("acks in")
    if ack.first > call.next:
        rx.count("unsent")
        return
    if ack.reason == Reason.PING and header.flags & Flag.REQUEST_ACK:
        rx.ack(call, Reason.PING_RESPONSE, header.serial)
    if not call.active:
        return
    newest = newer(header.serial, call.ack_heard)
    if ack.first < call.first or (not newest and ack.first == call.first):
        rx.count("stale")
        return
    if newest:
        call.ack_heard = header.serial
        _measure(rx, call, ack)
        _learn(rx, call.connection, ack)
    progress = ack.first > call.first
    if progress or ack.reason not in (Reason.PING, Reason.PING_RESPONSE):
        call.arrived = rx.now
    _grow(call, ack.first - call.first)
    for seq in range(call.first, ack.first):
        call.sent.pop(seq, None)
    call.first = ack.first
    if call.first > call.recover:
        call.recover = 0
    if newest:
        _soft(rx, call, ack)
    if progress:
        call.backoff = 0
        call.resend_at = rx.now + send.timeout(call) if call.sent else math.inf
        rx.arm(call.resend_at)
    if not call.connection.client and call.ended and not call.sent and call.next > 1:
        rx.finish(call)
        return
    send.transmit(rx, call)


def _measure(rx: Port, call: Call, ack: Ack) -> None:
    if ack.reason == Reason.DELAY:
        return
    for out in call.sent.values():
        if out.serial == ack.serial and out.sends == 1 and not out.acked:
            c, rtt = call.connection, max(rx.now - out.sent_at, 1e-6)
            if not c.srtt:
                c.srtt, c.rttvar = rtt, rtt / 2
                return
            delta = rtt - c.srtt
            c.srtt += delta / 8
            c.rttvar += (abs(delta) - c.rttvar) / 4
            return


def _learn(rx: Port, connection: Connection, ack: Ack) -> None:
    said = min(ack.max_mtu, ack.if_mtu)
    if said > HEADER:
        own = min(rx.mtu - IP_UDP - HEADER, connection.path_max)
        connection.data_max = min(max(said - HEADER, _DATA_MIN), own)
    if ack.window:
        connection.peer_window = min(ack.window, WINDOW_MAX)
    if ack.jumbo:
        connection.jumbo = min(ack.jumbo, rx.jumbo)


def _slow_down(call: Call) -> None:
    if not call.recover:
        call.recover = call.next - 1
        call.cwnd = call.ssthresh = send.half_window(call)


def _soft(rx: Port, call: Call, ack: Ack) -> None:
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
            _slow_down(call)
    if not arrived:
        return
    for out in call.sent.values():
        if out.acked or out.lost:
            continue
        later = sum(p.seq > out.seq and newer(p.serial, out.serial) for p in arrived)
        if later >= NAKS:
            out.lost = True
            rx.count("fast resent")
            _slow_down(call)
