# SPDX-License-Identifier: MIT
"""The checks that a peer makes by hand, against a service that sends back what it gets. Each is a
coroutine that returns nothing if the stack conforms, and else a sentence's end: what it did."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from vmkb.hercules.wire.ports.endpoint import EndpointTimeout
from vmkb.workloads.conform.peer import (
    ACK,
    ANSWERS_S,
    FIN,
    RST,
    SYN,
    Peer,
    after,
    distance,
    mss,
    now,
)

Come = Callable[[], Awaitable[Peer]]
"""A new peer at a place of its own on the wire."""
MSS = 1460
PIECE, PIECES = 1000, 6
ROOM = 2 * PIECE
"""Bytes that the window is open for at first."""
PROBE_S = 70.0
"""How long a stack may take before it probes a window that is closed: a retransmission timeout is
60 s at most (RFC 6298)."""
PROBES = 3
SYNS, SYN_EVERY_S, FIRST_PORT = 1000, 0.001, 20000
AGAIN_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""How long who connects waits for an answer to each SYN, as Linux does."""
AFAR = 1 << 24


async def echoed(peer: Peer, data: bytes) -> str:
    """DATA goes to the service and comes back. Nothing, or what happened instead."""
    peer.send(data)
    peer.seq = after(peer.seq, len(data))
    back = b""
    while len(back) < len(data):
        try:
            came = await peer.receive()
        except EndpointTimeout:
            return "sends nothing back"
        if came.flags & RST:
            return "resets the connection"
        if came.data and came.seq == peer.theirs:
            back += came.data
            peer.theirs = after(peer.theirs, len(came.data))
            peer.send()
    return "" if back == data else "sends other bytes back"


async def _served(come: Come) -> Peer:
    """A peer with a connection over which something has come back. ConnectionError."""
    peer = await come()
    await peer.connect(mss(MSS))
    if said := await echoed(peer, b"before"):
        raise ConnectionError(f"before the check it {said}")
    return peer


async def closed_window(come: Come) -> str:
    """The window closes; whether it is open again only a probe's answer says."""
    data = random.Random(1).randbytes(PIECE * PIECES)
    peer = await come()
    peer.window = room = ROOM
    await peer.connect(mss(PIECE))
    first = peer.theirs
    for at in range(0, len(data), PIECE):
        peer.send(data[at : at + PIECE], at)
    peer.seq = after(peer.seq, len(data))
    got, probes = b"", 0
    while len(got) < len(data):
        try:
            came = await peer.receive(PROBE_S)
        except EndpointTimeout:
            what = "data" if peer.window else "probe of the closed window"
            return f"sends no {what} for {PROBE_S:.0f} s"
        if came.flags & RST:
            return "resets the connection"
        at = distance(first, came.seq)
        if at + len(came.data) > room + 1:  # a probe may have a byte
            return f"sends {at + len(came.data) - room} bytes beyond the window"
        if not (came.data or at < len(got)):
            continue  # it acknowledges, no more
        probes += peer.window == 0
        if probes == PROBES:
            room = 2 * len(data)
        if at <= len(got):
            got += came.data[len(got) - at : room - at]
        peer.theirs = after(first, len(got))
        peer.window = room - len(got)
        peer.send()
    return "" if got == data else "sends other bytes"


async def half_open(come: Come) -> str:
    """The peer begins again from where nothing is known of the connection."""
    peer = await _served(come)
    old_next, old_seq = peer.theirs, peer.seq
    peer.seq, peer.theirs = after(peer.seq, 16 * AFAR), 0
    peer.send(flags=SYN, options=mss(MSS))
    try:
        answer = await peer.receive()
    except EndpointTimeout:
        return "does not answer a SYN on a connection that its peer has forgotten"
    if answer.flags & (SYN | RST | ACK) != ACK or (answer.seq, answer.ack) != (old_next, old_seq):
        return "does not answer a SYN within a connection by an acknowledgement of what it has"
    again = peer.seq
    peer.seq = answer.ack
    peer.send(flags=RST)
    peer.seq = again
    try:
        await peer.connect(mss(MSS))
    except EndpointTimeout:
        return "does not answer the SYN behind the reset"
    return await echoed(peer, b"anew")


async def reset_at_next(come: Come) -> str:
    """A reset that is its peer's ends the connection."""
    peer = await _served(come)
    peer.send(flags=RST)
    peer.send(b"after")
    try:
        answer = await peer.receive()
    except EndpointTimeout:
        return ""  # it need not answer what it knows nothing of
    return "" if answer.flags & RST else "goes on after a reset"


async def reset_in_window(come: Come) -> str:
    """One that is perhaps somebody else's does not."""
    peer = await _served(come)
    peer.send(at=PIECE, flags=RST)
    try:
        answer = await peer.receive()
    except EndpointTimeout:
        said = await echoed(peer, b"after")
        return said or "does not answer a reset in the window (it keeps the connection)"
    if answer.flags & (SYN | RST | ACK) != ACK:
        return "does not answer a reset in the window by an acknowledgement"
    if said := await echoed(peer, b"after"):
        return f"{said} after a reset in the window"
    return ""


async def reset_outside(come: Come) -> str:
    """Neither do old ones, nor those of who guesses."""
    peer = await _served(come)
    for at in (-AFAR, -1, AFAR):
        peer.send(at=at, flags=RST)
        await peer.quiet(1.0)
        if said := await echoed(peer, b"after"):
            return (
                f"{said} after a reset {abs(at)} bytes {'before' if at < 0 else 'behind'} the next"
            )
    return ""


async def old_acknowledgement(come: Come) -> str:
    """Data is taken though what it acknowledges was so long before, as on a wire that reorders."""
    peer = await _served(come)
    newest = peer.theirs
    peer.theirs = after(newest, -1)
    peer.send(b"old")
    peer.seq, peer.theirs = after(peer.seq, 3), newest
    back = b"".join(came.data for came in await peer.quiet(ANSWERS_S) if came.seq == newest)
    return "" if back.startswith(b"old") else "drops data that acknowledges no more than it knows"


async def late_end(come: Come) -> str:
    """A FIN that came before what precedes its data was lost comes again when that data is there:
    it ends the connection."""
    peer = await _served(come)
    first, last = b"first", b"last"
    peer.send(last, len(first), flags=FIN | ACK)
    peer.send(first)
    await peer.quiet(1.0)
    peer.send(last, len(first), flags=FIN | ACK)
    behind = after(peer.seq, len(first) + len(last) + 1)
    ended = any(came.ack == behind for came in await peer.quiet(ANSWERS_S))
    return "" if ended else "takes no FIN that comes again with data that is there"


async def flood(come: Come) -> str:
    """Who comes behind many that never answer is served, if he tries as long as people do."""
    many = await come()
    for n in range(SYNS):
        many.send(flags=SYN, options=mss(MSS), port=FIRST_PORT + n)
        await many.quiet(SYN_EVERY_S)
    peer = await come()
    begun, refused = now(), False
    for seconds in AGAIN_S:
        peer.send(flags=SYN, options=mss(MSS))
        until = now() + seconds
        with suppress(EndpointTimeout):
            while now() < until:
                came = await peer.receive(until - now())
                if came.flags & RST:
                    refused = True
                    continue
                waited = now() - begun
                peer.seq, peer.theirs = after(peer.seq, 1), after(came.seq, 1)
                peer.send()
                said = await echoed(peer, b"at last")
                return said or (
                    f"refuses connections; one after {waited:.0f} s is served" if refused else ""
                )
    return "refuses connections" if refused else "does not answer who connects"


CHECKS: Mapping[str, Callable[[Come], Awaitable[str]]] = {
    each.__name__: each
    for each in (
        closed_window,
        half_open,
        reset_at_next,
        reset_in_window,
        reset_outside,
        old_acknowledgement,
        late_end,
        flood,
    )
}
