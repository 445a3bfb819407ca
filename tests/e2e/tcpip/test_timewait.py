# SPDX-License-Identifier: MIT
"""A client takes the port of a connection that waits in TIME-WAIT (RFC 1122, 4.2.2.13): the server
that closed first keeps nobody out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.e2e.net_guest import NetGuest
from tests.e2e.tcpip.hand_made import ACK, FIN, MSS_1460, RST, SYN, Peer, peer_at
from vmkb.hercules.deadline import wait_until

pytestmark = pytest.mark.e2e


async def _leave(peer: Peer) -> int:
    """The server closes first. The number behind all that it sent."""
    peer.send(b"QUIT\r\n")
    peer.seq += 6
    ended = False
    while not ended:
        segment = await peer.receive()
        assert segment.seq == peer.theirs
        ended = bool(segment.flags & FIN)
        peer.theirs += len(segment.data) + ended
        peer.send()
    peer.send(flags=FIN | ACK)
    peer.seq += 1
    while (await peer.receive()).ack != peer.seq:
        pass
    return peer.theirs


def _alone(
    net: NetGuest, port: int, talk: Callable[[Peer], Coroutine[Any, Any, None]]
) -> list[str]:
    """What `talk` does as a peer at this port; what TCPIP knows of connections then."""

    async def meet() -> None:
        async with peer_at(net, port) as peer:
            await talk(peer)

    asyncio.run(meet())
    return net.netstat("CONNECTIONS")


def test_a_new_connection_takes_the_place_of_one_in_time_wait(net: NetGuest) -> None:
    """At once, and its numbers lie behind those of the old one; it is a connection like others,
    with and without options."""

    async def talk(peer: Peer) -> None:
        for options in (MSS_1460, b"", MSS_1460):
            await peer.connect(options)
            last = await _leave(peer)
            peer.seq += 1  # a SYN's least number beyond what was sent
            peer.send(flags=SYN, options=options)
            answer = await peer.receive()
            assert (answer.flags, answer.ack) == (SYN | ACK, peer.seq + 1)
            assert 0 <= answer.seq - last < 1 << 31
            peer.theirs, peer.seq = answer.seq + 1, peer.seq + 1
            peer.send(flags=RST | ACK)
            peer.seq += 1000

    before = net.in_use()
    _alone(net, 8100, talk)  # TCPIP may be asked before the last reset has come
    wait_until(
        lambda: not any("..8100 " in line for line in net.netstat("CONNECTIONS")), 10,
        "the connection to be gone", poll=0.05,
    )  # fmt: skip
    net.wait_as_before(before)


def test_an_old_syn_is_answered_with_what_the_connection_was(net: NetGuest) -> None:
    """One of before the end, late on its way: the place stays as it is."""

    async def talk(peer: Peer) -> None:
        await peer.connect(MSS_1460)
        last = await _leave(peer)
        end, peer.seq = peer.seq, peer.seq - 500
        for seq in (end - 500, end - 1):
            peer.seq = seq
            peer.send(flags=SYN, options=MSS_1460)
            answer = await peer.receive()
            assert (answer.flags, answer.seq, answer.ack) == (ACK, last, end)

    before = net.in_use()
    assert _alone(net, 8200, talk)[-1].endswith("MORE IN TIME-WAIT")
    net.wait_as_before(before)
