# SPDX-License-Identifier: MIT
"""The state of an Rx connection and its calls, and how a call ends badly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from vmkb.hercules.rx.packets import Header

DEAD, INVALID, TIMEOUT, PROTOCOL, USER = -1, -2, -3, -5, -6
"""Codes of calls that ended badly."""
CHANNELS = 4
WINDOW_MAX = 64
CWND_FIRST = 4

Address = tuple[str, int]
Handler = Callable[[bytes], bytes]
"""A service's act on a request: the reply, or Abort."""


class Abort(Exception):
    """A call ends with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the call ended with code {code}")
        self.code = code


@dataclass(slots=True)
class Out:
    """A packet of DATA that was sent: what is known of its way."""

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
    """Bytes from the other side: of a client's call the reply."""
    out: bytes | None = None
    """Bytes to the other side; None: not known yet."""
    cut: int = 0
    """Bytes of `out` that are in packets."""
    ended: bool = False
    """All of `out` is in packets, or need not be."""
    sent: dict[int, Out] = field(default_factory=dict)
    first: int = 1
    next: int = 1
    cwnd: float = CWND_FIRST
    ssthresh: float = WINDOW_MAX
    recover: int = 0
    backoff: int = 0
    resend_at: float = math.inf
    arrived: float = 0.0
    """When it was last known that something sent had arrived, or nothing was under way."""
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
    path_max: int = 65535
    """Bytes of DATA that the way has shown to take; the other side may say more."""
    jumbo: int = 1
    peer_window: int = 16
    cwnd: float = CWND_FIRST
    ssthresh: float = WINDOW_MAX
    srtt: float = 0.0
    rttvar: float = 0.0
    used_at: float = 0.0
    calls: list[Call] = field(default_factory=list)


def newer(a: int, b: int) -> bool:
    """Whether serial or call number `a` was given after `b`."""
    return 0 < (a - b & 0xFFFFFFFF) < 0x80000000
