# SPDX-License-Identifier: MIT
"""The other side's bytes: put in order, acknowledged, and given to the service."""

from __future__ import annotations

import math

from vmkb.hercules.rx import send
from vmkb.hercules.rx.calls import Abort, Call
from vmkb.hercules.rx.packets import Flag, Header, Malformed, Reason
from vmkb.hercules.rx.port import Port

ACK_DELAY_S = 0.1


def arrived(rx: Port, call: Call, header: Header, data: bytes) -> None:
    """A packet of DATA came; a request that it completes is served. Malformed."""
    seq, last = header.seq, bool(header.flags & Flag.LAST)
    if not seq or (call.last and (seq > call.last or (last and seq != call.last))):
        raise Malformed(f"packet {seq} of a call that ends with {call.last}")
    if last and seq < call.highest:
        raise Malformed(f"packet {seq} is the last one behind {call.highest}")
    if seq < call.want or seq in call.early:
        rx.ack(call, Reason.DUPLICATE, header.serial)
    elif seq - call.want >= rx.window:
        rx.ack(call, Reason.EXCEEDS_WINDOW, header.serial)
    elif call.active:
        filled = call.highest > seq
        call.last = seq if last else call.last
        call.highest = max(call.highest, seq)
        call.early[seq] = header, data
        if seq != call.want:
            rx.ack(call, Reason.OUT_OF_SEQUENCE, header.serial)
        else:
            _take(rx, call, header, filled)


def _take(rx: Port, call: Call, header: Header, filled: bool) -> None:
    while call.want in call.early:
        _, data = call.early.pop(call.want)
        call.reply += data
        call.want += 1
        call.unacked += 1
    over = call.last and call.want > call.last
    if over and call.connection.client:
        rx.finish(call)
    elif over:
        _serve(rx, call)
        return
    more = header.flags & Flag.MORE
    call.ack_serial = header.serial
    if header.flags & Flag.REQUEST_ACK:
        rx.ack(call, Reason.REQUESTED, header.serial)
    elif filled or call.unacked >= rx.window // 2 or (not more and not over and call.unacked > 1):
        reason = Reason.OUT_OF_SEQUENCE if call.early else Reason.IDLE
        rx.ack(call, reason, header.serial)
    elif call.ack_at == math.inf:
        call.ack_at = rx.now + ACK_DELAY_S
        rx.arm(call.ack_at)


def _serve(rx: Port, call: Call) -> None:
    try:
        call.out = rx.services[call.connection.service](bytes(call.reply))
    except Abort as abort:
        rx.abort_packet(call, call.number, abort.code)
        rx.fail(call, abort.code)
        return
    send.transmit(rx, call)
