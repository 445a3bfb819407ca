# SPDX-License-Identifier: MIT
"""The timers of a call: acknowledgements, what was lost, pings, its death."""

from __future__ import annotations

import math

from vmkb.hercules.rx import send
from vmkb.hercules.rx.calls import DEAD, TIMEOUT, Call
from vmkb.hercules.rx.packets import Reason
from vmkb.hercules.rx.port import Port

DEAD_S = 12.0
PING_S = DEAD_S / 6
STUCK_S = 30.0
"""The other side is there, and nothing that was sent has arrived: the way takes no packets of that
size any more, or next to none."""


def tick(rx: Port, call: Call) -> None:
    """Do what is due of a call, and arm what will be."""
    now = rx.now
    if now >= call.ack_at:
        rx.ack(call, Reason.DELAY, call.ack_serial)
    rx.arm(call.ack_at)
    if not call.active:
        return
    dead = now - call.heard >= DEAD_S
    stuck = call.resend_at < math.inf and now - call.arrived >= STUCK_S
    if dead or stuck or now - call.busy_since >= DEAD_S:
        code = DEAD if dead else TIMEOUT
        rx.abort_packet(call, call.number, code)
        rx.fail(call, code)
        return
    if now >= call.resend_at:
        send.timed_out(rx, call)
    silent = max(call.heard, call.pinged)
    if call.heard_any and now - silent >= PING_S:
        call.pinged = silent = now
        rx.ack(call, Reason.PING, 0)
    for at in (call.resend_at, silent + PING_S, call.heard + DEAD_S, call.busy_since + DEAD_S):
        if at > now:
            rx.arm(at)
