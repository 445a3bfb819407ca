# SPDX-License-Identifier: MIT
"""The shared state of one UDP port: its settings, its clock, its counts, the
packets that go out, and how a call ends."""

from __future__ import annotations

import math
from collections.abc import Callable

from vmkb.hercules.rx.calls import PROTOCOL, WINDOW_MAX, Address, Call, Handler
from vmkb.hercules.rx.packets import IP_UDP, Ack, Flag, Header, Reason, Type


class Port:
    """`now` and `next` are seconds: the time, and when something is due at the latest."""

    def __init__(
        self,
        send: Callable[[Address, bytes], None],
        services: dict[int, Handler] | None,
        mtu: int,
        window: int,
        jumbo: int,
    ) -> None:
        if not 576 <= mtu <= 65535 or not 1 <= window <= WINDOW_MAX or jumbo < 1:
            raise ValueError(f"MTU {mtu}, window {window} or jumbograms of {jumbo} cannot be")
        self.now = 0.0
        self.next = math.inf
        self.services = services or {}
        self.mtu, self.window, self.jumbo = mtu, window, jumbo
        self.counts: dict[str, int] = {}
        self.send = send

    def count(self, what: str) -> None:
        """One more of these."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def arm(self, at: float) -> None:
        """Something is due at this time."""
        self.next = min(self.next, at)

    def finish(self, call: Call, error: int = 0) -> None:
        """The call is over; 0: it went well."""
        connection = call.connection
        call.active, call.done, call.error = False, True, error
        call.sent.clear()
        call.early.clear()
        call.resend_at = math.inf
        connection.cwnd, connection.ssthresh = call.cwnd, call.ssthresh
        connection.used_at = self.now

    def fail(self, call: Call, code: int) -> None:
        """The call ended badly."""
        self.count("failed")
        call.ack_at = math.inf
        self.finish(call, code or PROTOCOL)

    def packet(
        self, call: Call, number: int, kind: Type, flags: int, body: bytes, seq: int = 0
    ) -> int:
        """Sends a packet of a call; its serial number."""
        c = call.connection
        serial = c.serial
        c.serial = c.serial + 1 & 0xFFFFFFFF
        header = Header(
            c.epoch, c.cid | call.channel, number, seq, serial, kind,
            flags | (Flag.CLIENT if c.client else 0), service=c.service,
        )  # fmt: skip
        self.send(c.peer, header.encode() + body)
        return serial

    def abort_packet(self, call: Call, number: int, code: int) -> None:
        """Tells the other side that its call ended with this code."""
        self.packet(call, number, Type.ABORT, 0, code.to_bytes(4, "big", signed=True))

    def stray_abort(self, peer: Address, header: Header, number: int, code: int) -> None:
        """The same where there is no connection."""
        flags = header.flags & Flag.CLIENT ^ Flag.CLIENT
        answer = Header(
            header.epoch, header.cid, number, 0, 1, Type.ABORT, flags, service=header.service
        )
        self.send(peer, answer.encode() + code.to_bytes(4, "big", signed=True))

    def ack(self, call: Call, reason: Reason, serial: int) -> None:
        """Acknowledges what has arrived of a call."""
        own = self.mtu - IP_UDP
        have = bytes(s in call.early for s in range(call.want, call.highest + 1))
        ack = Ack(call.want, call.highest, serial, reason, have, own, own, self.window, self.jumbo)
        call.unacked, call.ack_at = 0, math.inf
        self.count("acks out")
        flags = Flag.REQUEST_ACK if reason == Reason.PING else Flag.NONE
        self.packet(call, call.number, Type.ACK, flags, ack.encode())
