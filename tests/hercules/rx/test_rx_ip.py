# SPDX-License-Identifier: MIT
"""UDP, IP and ARP of a workstation: two stations, frames in any order, lengths, damage."""

from __future__ import annotations

import random

from hypothesis import example, given
from hypothesis import strategies as st

from vmkb.hercules.rx.ip import UdpStack, checksum

A, B = ("10.17.0.11", 7001), ("10.17.0.12", 7000)


def stations(mtu: int = 1500) -> tuple[UdpStack, UdpStack, list[bytes]]:
    """Two that know each other, and the frames that they send from then on."""
    way: list[bytes] = []
    a, b = UdpStack(*A, way.append, mtu), UdpStack(*B, way.append, mtu)
    a.send(B, b"hello")
    got = []
    while way:
        frame = way.pop(0)
        got += a.receive(frame, 0) + b.receive(frame, 0)
    assert got == [(A, b"hello")]
    return a, b, way


@given(data=st.binary(max_size=9000), mtu=st.integers(68, 9000), seed=st.integers(0, 99))
def test_datagrams_arrive_in_whatever_order(data: bytes, mtu: int, seed: int) -> None:
    a, b, way = stations(mtu)
    a.send(B, data)
    assert all(len(frame) - 14 <= max(mtu, 46) for frame in way)
    random.Random(seed).shuffle(way)
    way += way[:1]  # and one twice
    got = [d for frame in way for d in b.receive(frame, 1.0)]
    assert got[0] == (A, data)


@given(seed=st.integers(0, 999), size=st.integers(0, 4000))
@example(seed=1, size=1481)  # the last fragment is padded
def test_a_damaged_frame_is_dropped(seed: int, size: int) -> None:
    chance = random.Random(seed)
    a, b, way = stations()
    data = chance.randbytes(size)
    a.send(B, data)
    spoiled = bytearray(way[-1])
    length = int.from_bytes(spoiled[16:18], "big")
    at = chance.randrange(len(spoiled) * 8)
    spoiled[at // 8] ^= 1 << at % 8
    way[-1] = bytes(spoiled)
    got = [d for frame in way for d in b.receive(frame, 1.0)]
    padding = at // 8 >= 14 + length
    ethernet = at // 8 < 14
    assert got == [] or padding or ethernet


@given(frame=st.binary(max_size=100))
def test_any_bytes(frame: bytes) -> None:
    _, b, _ = stations()
    for head in (b"", b.mac + bytes(6) + b"\x08\x00", b.mac + bytes(6) + b"\x08\x06"):
        b.receive(head + frame, 1.0)


def test_an_incomplete_datagram_is_forgotten() -> None:
    a, b, way = stations()
    a.send(B, bytes(5000))
    for frame in way[:-1]:
        assert b.receive(frame, 1.0) == []
    a.send(B, bytes(4000))
    late = way[-3:]
    assert [d for frame in late for d in b.receive(frame, 20.0)] == [(A, bytes(4000))]
    assert b.receive(way[3], 20.0) == [], "its first parts were too old"


def test_checksum_of_an_example() -> None:
    # RFC 1071, section 3: its sum is DDF2
    assert checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xDDF2 ^ 0xFFFF
