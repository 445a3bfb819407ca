# SPDX-License-Identifier: MIT
"""A port for CTC blocks of IP: the blocks, the station that speaks ARP for the guest, and the
channel programs, against a Python peer that does as Linux' driver does."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hercules.wire.test_ctce_port import Device
from vmkb.hercules.wire import ctcm
from vmkb.hercules.wire.ctce import EXTENDED_MODE, PREPARE, READ, WRITE
from vmkb.hercules.wire.profile import profile
from vmkb.hercules.wire.server import Wire
from vmkb.hercules.wire.station import Station

GUEST, PEER = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))
PEER_MAC = b"\2\0\0\0\0\x22"
MINE = b"\2\0" + GUEST
BROADCAST = b"\xff" * 6


def packet(source: bytes = GUEST, target: bytes = PEER, data: bytes = b"hello") -> bytes:
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0, 64, 17, 0)
    return head + source + target + data


def arp(kind: int, mac: bytes, own: bytes, target: bytes, to: bytes = BROADCAST) -> bytes:
    body = struct.pack(">HHBBH6s4s6s4s", 1, 0x800, 6, 4, kind, mac, own, b"\0" * 6, target)
    return to + mac + b"\x08\x06" + body


packets = st.lists(st.binary(max_size=900).map(lambda data: packet(data=data)), max_size=20)


@given(packets)
def test_blocks_come_back_as_they_were(several: list[bytes]) -> None:
    block = ctcm.encode(several)
    assert len(block) == ctcm.size(several)
    assert ctcm.decode(block) == several
    assert ctcm.decode(block + b"\0\0") == several  # what VM's TCP adds


@given(st.binary(max_size=200))
def test_noise_is_refused_or_read_never_a_crash(noise: bytes) -> None:
    try:
        found = ctcm.decode(noise)
    except ctcm.CtcmError:
        return
    assert all(each[0] >> 4 == 4 for each in found)


def test_the_largest_packet_fits_and_one_byte_more_does_not() -> None:
    assert ctcm.PACKET_MAX == 32760
    assert len(ctcm.encode([packet(data=bytes(32740))])) == ctcm.BLOCK_MAX
    with pytest.raises(ctcm.CtcmError):
        ctcm.encode([packet(data=bytes(32741))])
    assert ctcm.fitting([packet(data=bytes(20000))] * 3, ctcm.BLOCK_MAX) == 1


def known() -> Station:
    """A station whose guest has asked for its peer, and been answered."""
    station = Station()
    assert station.sent(packet()) == [arp(1, MINE, GUEST, PEER)]
    assert station.came(arp(2, PEER_MAC, PEER, GUEST, to=MINE)) == (
        None, [PEER_MAC + MINE + b"\x08\0" + packet()],
    )  # fmt: skip
    return station


def test_a_packet_waits_for_its_receivers_address() -> None:
    station = known()
    assert station.sent(packet(data=b"two")) == [
        PEER_MAC + MINE + b"\x08\0" + packet(data=b"two")
    ]  # fmt: skip


def test_it_answers_for_the_guest_and_for_nobody_else() -> None:
    station = known()
    _, (reply,) = station.came(arp(1, PEER_MAC, PEER, GUEST))
    assert reply[:12] == PEER_MAC + MINE
    assert reply[20:22] == b"\0\2" and reply[28:32] == GUEST
    assert station.came(arp(1, PEER_MAC, PEER, bytes((10, 0, 0, 9)))) == (None, [])


def test_padding_and_what_is_for_others_do_not_reach_the_guest() -> None:
    station = known()
    own = packet(PEER, GUEST)
    assert station.came(MINE + PEER_MAC + b"\x08\0" + own + b"pad" * 7)[0] == own
    assert station.came(b"\2\0\1\2\3\4" + PEER_MAC + b"\x08\0" + own)[0] is None
    assert station.came(MINE + PEER_MAC + b"\x60\x04" + own)[0] is None
    assert station.came(MINE + PEER_MAC + b"\x08\0" + own[:12])[0] is None


@given(st.lists(st.binary(min_size=14, max_size=80), max_size=10))
def test_no_frame_breaks_it(frames: list[bytes]) -> None:
    station = known()
    for frame in frames:
        for mac in (b"", MINE):
            station.came(mac + frame[len(mac) :])


def test_a_group_has_its_own_address() -> None:
    (frame,) = known().sent(packet(target=bytes((224, 0, 0, 251))))
    assert frame[:6] == b"\1\0\x5e\0\0\xfb"


#: So many packets wait that they are put together however they came.
MANY = 60


class Linux:
    """The driver ctcm on a pretended Hercules."""

    def __init__(self, lines: list[str]) -> None:
        self.reads, self.writes = map(Device, lines)

    async def start(self) -> None:
        """Its handshake, as it begins and after each loss."""
        await self.reads.say(EXTENDED_MODE, 4)
        await self.writes.say(EXTENDED_MODE, 4)
        assert await self.read() == ctcm.EMPTY
        await self.write(ctcm.EMPTY)

    async def read(self) -> bytes:
        """A channel program that reads: what came before its READ is lost."""
        await self.reads.say(PREPARE, 0)
        await self.reads.hear(WRITE)
        await self.reads.say(READ, 2)
        return await self.reads.hear(WRITE)

    async def write(self, block: bytes) -> None:
        """A channel program that writes."""
        await self.writes.say(PREPARE, 0)
        await self.writes.hear(READ)
        await self.writes.say(WRITE, 3, block)
        await self.writes.hear(READ)

    async def connect(self) -> None:
        await asyncio.gather(self.reads.connect(), self.writes.connect())

    def close(self) -> None:
        self.reads.close()
        self.writes.close()


async def _conversation(folder: Path) -> None:
    wire = Wire(profile("fast"), 1, folder)
    try:
        linux = Linux(await wire.add_ctcm("linux"))
        other = wire.add_endpoint("other")
        await linux.connect()
        await linux.start()
        await linux.write(ctcm.encode([packet(), packet(data=b"two")]))
        asked = await other.receive(5)
        assert asked == arp(1, MINE, GUEST, PEER)
        assert await other.receive(5) == asked  # one for each packet: a question may be lost
        reading = asyncio.create_task(linux.read())
        other.send(arp(2, PEER_MAC, PEER, GUEST, to=MINE))
        came = [await other.receive(5), await other.receive(5)]
        assert came == [
            PEER_MAC + MINE + b"\x08\0" + each for each in (packet(), packet(data=b"two"))
        ]  # fmt: skip
        answers = [packet(PEER, GUEST, b"%d" % n) for n in range(3)]
        for each in answers:
            other.send(MINE + PEER_MAC + b"\x08\0" + each)
        got = ctcm.decode(await reading)
        while len(got) < 3:
            got += ctcm.decode(await linux.read())
        assert got == answers
        large = packet(PEER, GUEST, bytes(32740))
        reading = asyncio.create_task(linux.read())
        other.send(MINE + PEER_MAC + b"\x08\0" + large)
        assert ctcm.decode(await reading) == [large]
        # a block is as long as the driver's buffer where packets are large
        for bytes_each, at_most in ((1500, 20480), (4000, ctcm.BLOCK_MAX)):
            each = packet(PEER, GUEST, bytes(bytes_each - 20))
            for _ in range(MANY):
                other.send(MINE + PEER_MAC + b"\x08\0" + each)
            while wire.snapshot()["ports"]["linux"]["queued_frames"] < MANY:
                await asyncio.sleep(0)
            block = await linux.read()
            assert len(block) + ctcm.HEAD + bytes_each > at_most >= len(block)
            left = MANY - len(ctcm.decode(block))
            while left:
                left -= len(ctcm.decode(await linux.read()))
        await linux.write(b"\xff\xff no block")
        assert wire.snapshot()["ports"]["linux"]["blocks"]["bad_blocks"] == 1
        # the driver starts anew: it is gone until it has done both
        await linux.start()
        assert wire.snapshot()["ports"]["linux"]["blocks"]["arrivals"] == 2
        # and need not say again who it is, though it was silent since
        reading = asyncio.create_task(linux.read())
        other.send(arp(1, PEER_MAC, PEER, GUEST))
        answer = await other.receive(5)
        assert (answer[:12], answer[20:22], answer[28:32]) == (PEER_MAC + MINE, b"\0\2", GUEST)
        reading.cancel()
        linux.close()
    finally:
        await wire.close()


def test_a_driver_and_the_lan(tmp_path: Path) -> None:
    asyncio.run(asyncio.wait_for(_conversation(tmp_path), 30))
