# SPDX-License-Identifier: MIT
"""Sending: windows, jumbograms, and what was lost once more."""

from __future__ import annotations

import math

from vmkb.hercules.rx.calls import WINDOW_MAX, Call, Out
from vmkb.hercules.rx.packets import DATA_DEFAULT, JUMBO_DATA, Flag, Type
from vmkb.hercules.rx.port import Port

RTO_FIRST_S, RTO_ADD_S, RTO_MAX_S = 1.0, 0.35, 8.0
SHRINKS_AFTER = 3
"""Timeouts of a long packet in a row before those to come are short."""


def timeout(call: Call) -> float:
    """Seconds until a packet without an answer is sent again."""
    c = call.connection
    rto = c.srtt + 4 * c.rttvar + RTO_ADD_S if c.srtt else RTO_FIRST_S
    return min(rto * 2.0 ** min(call.backoff, 6), RTO_MAX_S)


def half_window(call: Call) -> float:
    """Half of what is under way, 2 packets at least (RFC 5681, equation 4)."""
    return max(min(call.cwnd, call.next - call.first) // 2, 2)


def _pick(call: Call) -> Out | None:
    c = call.connection
    if call.recover:
        if sum(not (p.acked or p.lost) for p in call.sent.values()) >= call.cwnd:
            return None
        lost = next((p for p in call.sent.values() if p.lost), None)
        if lost is not None:
            return lost
    if call.out is None or call.ended or call.next - call.first >= min(c.peer_window, WINDOW_MAX):
        return None
    if not call.recover and call.next - call.first >= int(call.cwnd):
        return None
    size = JUMBO_DATA if c.jumbo > 1 else c.data_max
    data = call.out[call.cut : call.cut + size]
    call.cut += len(data)
    call.ended = call.cut == len(call.out)
    out = Out(call.next, data, call.ended)
    call.sent[call.next] = out
    call.next += 1
    return out


def _mark(rx: Port, out: Out) -> None:
    out.sends += 1
    out.lost = False
    out.sent_at = rx.now
    rx.count("resent" if out.sends > 1 else "data out")


def _flags(call: Call, out: Out, more: bool) -> int:
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


def transmit(rx: Port, call: Call) -> None:
    """Sends what the windows allow, what was lost first."""
    out = _pick(call)
    if out is None:
        return
    if not call.connection.client:
        call.ack_at, call.unacked = math.inf, 0
    while out is not None:
        _mark(rx, out)
        then = _pick(call)
        if call.connection.jumbo > 1 and out.sends == 1:
            out = _send_jumbo(rx, call, out, then)
            continue
        flags = _flags(call, out, then is not None)
        out.serial = rx.packet(call, call.number, Type.DATA, flags, out.data, out.seq)
        out = then
    if call.resend_at == math.inf:
        if not call.backoff:
            call.arrived = rx.now
        call.resend_at = rx.now + timeout(call)
        rx.arm(call.resend_at)


def _send_jumbo(rx: Port, call: Call, out: Out, then: Out | None) -> Out | None:
    c = call.connection
    parts = [out]
    while (
        then is not None
        and len(parts) < c.jumbo
        and then.sends == 0
        and then.seq == parts[-1].seq + 1
        and len(parts[-1].data) == JUMBO_DATA
    ):
        _mark(rx, then)
        parts.append(then)
        then = _pick(call)
    flags = [Flag.JUMBO] * (len(parts) - 1) + [_flags(call, parts[-1], then is not None)]
    body = parts[0].data
    for part, flag in zip(parts[1:], flags[1:], strict=True):
        body += bytes((flag, 0, 0, 0)) + part.data
    serial = rx.packet(call, call.number, Type.DATA, flags[0], body, parts[0].seq)
    for i, part in enumerate(parts):
        part.serial = serial + i
    c.serial = serial + len(parts) & 0xFFFFFFFF
    return then


def timed_out(rx: Port, call: Call) -> None:
    """No answer came in time: all that is not acknowledged is lost."""
    rx.count("timeouts")
    call.backoff += call.backoff < 8
    call.ssthresh = half_window(call)
    call.cwnd, call.recover = 1, call.next - 1
    for out in call.sent.values():
        out.lost = not out.acked
    oldest = call.sent[call.first]
    oldest.acked, oldest.lost = False, True
    if call.backoff >= SHRINKS_AFTER and len(oldest.data) > DATA_DEFAULT:
        call.connection.path_max = call.connection.data_max = DATA_DEFAULT
    call.resend_at = math.inf
    transmit(rx, call)
