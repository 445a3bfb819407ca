# SPDX-License-Identifier: MIT
"""What TCPIP answers to segments that come out of order, made by hand: no sender's kernel has a
say in when they come."""

from __future__ import annotations

import asyncio
import ftplib
import os
import random
import signal
import string
from collections.abc import Iterable

import pytest

from tests.e2e.net_guest import NetGuest
from tests.e2e.system import FTP, tap_needed
from tests.e2e.tcpip.hand_made import MSS_1460, Lose, Peer, Segment, name_of, peer_at
from vmkb.hercules.deadline import Deadline

pytestmark = pytest.mark.e2e
SACK_PERMITTED = b"\x04\x02\x01\x01"
MSS_100 = b"\x02\x04\x00\x64"
PIECE = b"no line's end" + b"-" * 7
ROUNDS = 8
LINES = b"HELP\r\n" * 8
"""What FTPSERVE answers at length."""
FULL = 1460
NAMES = 2720
"""Of commands that nobody knows, of 20 letters each, which FTPSERVE repeats: 41 full segments."""
FEW = 10
"""Acknowledgements of what came in a block or two: fewer than each fourth segment's."""
SLOWER = 100.0
"""toddrag: the guest's clock takes 100 s for a second, so that no timer of TCP's helps a test."""
FASTER = 0.05
"""Its timers go off twenty times as soon."""


def lose_at(lost: dict[int, int]) -> Lose:
    """`lost`: how often the segment with that byte is lost."""

    def lose(first: int, end: int) -> bool:
        hit = next((n for n in lost if first <= n < end and lost[n]), None)
        if hit is not None:
            lost[hit] -= 1
        return hit is not None

    return lose


async def _hole(peer: Peer) -> list[Segment]:
    """Three pieces, the second one first: all that is said up to the ACK of the third."""
    size = len(PIECE)
    said: list[Segment] = []
    for place in (1, 0, 2):
        peer.send(PIECE, at=place * size)
    while not said or said[-1].ack != peer.seq + 3 * size:
        said.append(await peer.receive())
    peer.seq += 3 * size
    return said


async def _holes(net: NetGuest, port: int, options: bytes) -> tuple[Segment, list[list[Segment]]]:
    async with peer_at(net, port) as peer:
        answer = await peer.connect(options)
        return answer, [await _hole(peer) for _ in range(ROUNDS)]


@pytest.mark.parametrize("options", [b"", SACK_PERMITTED], ids=["plain", "sack"])
def test_what_fills_a_hole_is_acknowledged_at_once(net: NetGuest, options: bytes) -> None:
    """RFC 5681, 4.2: not with the piece behind it, nor a quarter of a second later."""
    answer, rounds = asyncio.run(_holes(net, 4000 + len(options), options))
    assert answer.sack_permitted == bool(options)
    for said in rounds:
        start = said[-1].ack - 3 * len(PIECE)
        acks = [s.ack - start for s in said]
        assert acks == [0, 2 * len(PIECE), 3 * len(PIECE)]
        there = (start + len(PIECE), start + 2 * len(PIECE))
        assert said[0].sacks == ([there] if options else [])


def _help(net: NetGuest) -> bytes:
    """What FTPSERVE answers to LINES."""
    with ftplib.FTP(timeout=10) as ftp:
        ftp.connect(*net.host.at(FTP))
        text = ftp.sendcmd("HELP").replace("\n", "\r\n") + "\r\n"
    return text.encode() * LINES.count(b"\n")


async def _taken(
    net: NetGuest, port: int, size: int, lose: Lose,
    drag: float = SLOWER, mss: bytes = MSS_100, times: int = 1,
) -> tuple[bytes, list[int]]:  # fmt: skip
    async with peer_at(net, port) as peer:
        try:
            await peer.connect(mss + SACK_PERMITTED)
            net.machine.command(f"toddrag {drag}")
            for _ in range(times):
                peer.send(LINES)
                peer.seq += len(LINES)
            return await peer.take(size, lose)
        finally:
            net.machine.command("toddrag 1.0")


LOSSES: dict[str, dict[int, int]] = {
    "one": {1000: 1},
    "twice the same": {300: 2},  # the second time is told by what is new behind the first
    "several": {1000: 1, 1250: 1, 1251 + 400: 1},
    "a row": dict.fromkeys(range(1000, 1800, 100), 1),
    "near the end": {-150: 1},
}


@pytest.mark.parametrize("lost", LOSSES.values(), ids=LOSSES)
def test_what_is_lost_is_sent_again_without_waiting(net: NetGuest, lost: dict[int, int]) -> None:
    """To a receiver with SACK whose window grows meanwhile; nothing goes twice that came."""
    tap_needed("beside passt the slowed guest's segments stop, which is not understood")
    expected = _help(net)
    gone = {at % len(expected): times for at, times in lost.items()}
    port = 5000 + 10 * list(LOSSES.values()).index(lost)
    said, came = asyncio.run(_taken(net, port, len(expected), lose_at(dict(gone))))
    assert said == expected
    assert len(came) - len(set(came)) == sum(gone.values())


def test_what_was_sent_again_is_no_timeout(net: NetGuest) -> None:
    """RFC 6298, 5.5: the timer doubles each time it goes off. Nine segments are lost, and once more
    when they go out again, and so is what the timer sends first: it goes off again soon."""
    tap_needed("beside passt the guest with another clock is not understood")
    expected = _help(net)
    gone = {1000: 3} | dict.fromkeys(range(1100, 1900, 100), 2)
    said, _ = asyncio.run(_taken(net, 5900, len(expected), lose_at(gone), FASTER))
    assert said == expected


@pytest.mark.parametrize("seed", [18, 20, 22, 30])
def test_what_is_written_meanwhile_goes_to_the_end(net: NetGuest, seed: int) -> None:
    """FTPSERVE writes on while holes are filled, each answer a short segment: nothing new comes
    where something is sent again."""
    tap_needed("beside passt the guest with another clock is not understood")
    expected = _help(net) * 6
    dice = random.Random(seed)

    def lose(first: int, end: int) -> bool:
        return dice.random() < 0.25

    said, _ = asyncio.run(_taken(net, 6000 + seed, len(expected), lose, FASTER, MSS_1460, 6))
    assert said == expected


def _names(dice: random.Random) -> tuple[bytes, bytes]:
    """Lines for FTPSERVE, and what it answers: each byte of them again."""
    names = ["".join(dice.choices(string.ascii_uppercase, k=20)) for _ in range(NAMES)]
    said = "".join(f"500 Unknown command '{name}'.\r\n" for name in names)
    return "".join(f"{name}\r\n" for name in names).encode(), said.encode()


async def _while_stopped(net: NetGuest, peer: Peer, spans: Iterable[slice], text: bytes) -> None:
    """These parts of the text go out while the emulator stands still: in a block or two."""

    def sent() -> int:
        return int(net.wire.counters()["ports"][name_of(peer.port)]["frames_in"])

    before, count, deadline = sent(), 0, Deadline(10.0)
    os.kill(net.machine.pid, signal.SIGSTOP)
    try:
        for count, span in enumerate(spans, 1):  # noqa: B007
            peer.send(text[span], at=span.start)
        while sent() < before + count:
            assert not deadline.over, "the wire did not take them"
            await asyncio.sleep(0)
    finally:
        os.kill(net.machine.pid, signal.SIGCONT)


def _segments(text: bytes) -> list[slice]:
    return [slice(at, min(at + FULL, len(text))) for at in range(0, len(text), FULL)]


async def _behind_a_hole(net: NetGuest, port: int) -> tuple[list[Segment], bytes, bytes]:
    """All but the first of many segments, then that: what is said before it, and the answers."""
    text, expected = _names(random.Random(port))
    async with peer_at(net, port) as peer:
        said = list[Segment]()
        await peer.connect(MSS_1460 + SACK_PERMITTED)
        first, *others = _segments(text)
        await _while_stopped(net, peer, others, text)
        while not said or said[-1].sacks != [(peer.seq + FULL, peer.seq + len(text))]:
            said.append(await peer.receive())
        assert {(s.ack, s.data) for s in said} == {(peer.seq, b"")}
        peer.send(text[first])
        peer.seq += len(text)
        answers, _ = await peer.take(len(expected), lambda first, end: False)
        return said, answers, expected


def test_what_lies_behind_a_hole_is_told_by_the_block(net: NetGuest) -> None:
    """Three duplicates at least, as a sender may count them; not one for each segment."""
    said, answers, expected = asyncio.run(_behind_a_hole(net, 7000))
    assert 3 <= len(said) <= FEW
    assert answers == expected


async def _in_pieces(net: NetGuest, port: int) -> tuple[bytes, bytes]:
    """Segments of which some are lost, late or there twice; then any parts of the text; then all
    of it once more."""
    dice = random.Random(port)
    text, expected = _names(dice)
    async with peer_at(net, port) as peer:
        await peer.connect(MSS_1460 + SACK_PERMITTED)
        whole = _segments(text)
        lost = {0, *dice.sample(range(len(whole)), 3)}
        came = [span for i, span in enumerate(whole) if i not in lost]
        came += dice.sample(came, 3)
        for at in dice.sample(range(len(came) - 1), 5):
            came[at], came[at + 1] = came[at + 1], came[at]
        await _while_stopped(net, peer, came, text)
        starts = [dice.randrange(len(text) - 1) for _ in range(20)]
        parts = [slice(at, min(at + dice.randint(1, FULL), len(text))) for at in starts]
        await _while_stopped(net, peer, parts + whole, text)
        peer.seq += len(text)
        answers, _ = await peer.take(len(expected), lambda first, end: False)
        return answers, expected


@pytest.mark.parametrize("port", range(7100, 7104))
def test_what_is_kept_is_put_together_whole(net: NetGuest, port: int) -> None:
    """Every byte where it belongs, however what came again overlaps what was kept."""
    answers, expected = asyncio.run(_in_pieces(net, port))
    assert answers == expected
