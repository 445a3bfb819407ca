# SPDX-License-Identifier: MIT
"""Header compression: packets come back as they were, short ones for what a stream sends."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.wire.line.framing import COMPRESSED_TCP, IP, UNCOMPRESSED_TCP
from vmkb.hercules.wire.line.vj import Compressor, Decompressor


def summed(data: bytes) -> int:
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def segment(
    port: int = 20, ident: int = 1, seq: int = 0, ack: int = 0, flags: int = 0x10,
    window: int = 4096, urgent: int = 0, options: bytes = b"", data: bytes = b"", ttl: int = 60,
) -> bytes:  # fmt: skip
    """An IP packet with a TCP segment, both check sums right."""
    head = struct.pack(
        ">HHIIBBHHH", port, 1024, seq % 2**32, ack % 2**32, (5 + len(options) // 4) << 4, flags,
        window, 0, urgent,
    )  # fmt: skip
    tcp = bytearray(head + options + data)
    ends = bytes([10, 17, 0, 1, 10, 17, 0, 2])
    total = summed(ends + struct.pack(">HH", 6, len(tcp)) + bytes(tcp)) ^ 0xFFFF
    struct.pack_into(">H", tcp, 16, total)
    ip = bytearray(
        struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), ident, 0x4000, ttl, 6, 0) + ends
    )
    struct.pack_into(">H", ip, 10, summed(bytes(ip)) ^ 0xFFFF)
    return bytes(ip + tcp)


numbers = st.one_of(st.integers(0, 300), st.integers(0, 2**32 - 1))
segments = st.builds(
    segment,
    port=st.integers(1, 20),
    ident=st.integers(0, 65535),
    seq=numbers,
    ack=numbers,
    flags=st.sampled_from([0x10, 0x18, 0x02, 0x12, 0x11, 0x14, 0x30, 0x50]),
    window=st.sampled_from([0, 1, 4096, 65535]),
    urgent=st.sampled_from([0, 0, 5, 300]),
    options=st.sampled_from([b"", b"", b"\1\1\1\1", b"\2\4\2\0"]),
    data=st.binary(max_size=20),
    ttl=st.sampled_from([60, 61]),
)


@settings(deadline=None)
@given(st.lists(st.one_of(segments, st.binary(min_size=1, max_size=80)), max_size=40))
def test_every_packet_comes_back(packets: list[Any]) -> None:
    here, there = Compressor(), Decompressor()
    for packet in packets:
        assert there.restore(*here.compress(packet)) == packet


@settings(deadline=None)
@given(st.lists(st.tuples(segments, st.booleans()), max_size=40))
def test_after_a_loss_nothing_wrong_comes_but_what_the_check_sum_finds(sent: list[Any]) -> None:
    here, there = Compressor(), Decompressor()
    for packet, lost in sent:
        coded = here.compress(packet)
        if lost:
            there.damaged()
            continue
        back = there.restore(*coded)
        if back is None or back == packet:
            continue
        # RFC 1144, 4.1: one that says its connection may be restored from an older header; TCP's
        # own check sum, which travels in full, refuses it
        length = (back[0] & 15) * 4
        tcp = back[length:]
        assert summed(back[12:20] + struct.pack(">HH", 6, len(tcp)) + tcp) != 0xFFFF


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([IP, COMPRESSED_TCP, UNCOMPRESSED_TCP]), st.binary())))
def test_any_bytes_are_taken(coded: list[Any]) -> None:
    there = Decompressor()
    for protocol, packet in coded:
        there.restore(protocol, packet)


def test_a_stream_costs_three_bytes_a_segment_and_an_echo_too() -> None:
    here = Compressor()
    data = bytes(192)
    sizes = [
        len(here.compress(segment(ident=k, seq=192 * k, data=data))[1]) - 192 for k in range(6)
    ]
    assert sizes == [40, 3, 3, 3, 3, 3]
    here = Compressor()
    typed = [len(here.compress(segment(ident=k, seq=k, ack=k, data=b"x"))[1]) for k in range(4)]
    assert typed == [41, 4, 4, 4]


def test_data_sent_again_goes_whole() -> None:
    here = Compressor()
    first = segment(ident=1, seq=192, data=b"abc")
    here.compress(first)
    assert here.compress(segment(ident=2, seq=192, data=b"abc"))[0] == UNCOMPRESSED_TCP


def test_sixteen_connections_have_slots_and_the_oldest_gives_way() -> None:
    here = Compressor()
    kinds = []
    for turn in range(2):
        for port in range(1, 18):
            kinds.append(here.compress(segment(port=port, ident=turn, seq=turn, data=b"x"))[0])
    assert kinds == [UNCOMPRESSED_TCP] * 34  # seventeen in turn: each has lost its slot


def test_after_a_damaged_frame_nothing_is_guessed() -> None:
    here, there = Compressor(), Decompressor()
    sent = [segment(ident=k, seq=192 * k, data=bytes(192)) for k in range(4)]
    for packet in sent[:2]:
        assert there.restore(*here.compress(packet)) == packet
    here.compress(sent[2])
    there.damaged()
    assert there.restore(*here.compress(sent[3])) is None
    assert there.tossed == 1
    again = segment(ident=9, seq=192 * 2, data=bytes(192))  # whole, for it goes back
    assert there.restore(*here.compress(again)) == again


def test_a_flag_that_is_not_said_goes_whole() -> None:
    here, there = Compressor(), Decompressor()
    for ident, flags in enumerate((0x50, 0x10, 0x50)):
        packet = segment(ident=ident, flags=flags, seq=ident, data=b"x")
        assert there.restore(*here.compress(packet)) == packet
