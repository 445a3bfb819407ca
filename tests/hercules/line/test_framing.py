# SPDX-License-Identifier: MIT
"""PPP's frames: what is sent comes back whole, what is damaged does not come."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.narrow import some
from vmkb.hercules.wire.line.framing import IP, Deframer, check, encode

packets = st.binary(min_size=1, max_size=300)


def test_the_check_sequence_is_x25s() -> None:
    # ITU-T X.25's check of "123456789", as RFC 1662's: 906E
    assert check(b"123456789") ^ 0xFFFF == 0x906E


def test_a_frame_is_eight_characters_more_than_its_packet() -> None:
    assert len(encode(IP, bytes(232))) == 240


@given(st.lists(packets, max_size=8))
def test_packets_come_as_they_were_sent(sent: list[Any]) -> None:
    deframer = Deframer[int]()
    got = []
    for number, packet in enumerate(sent):
        characters = encode(IP, packet)
        got += [
            (some(f).packet, some(f).mark, some(f).place)
            for f in deframer.feed(list(characters), number)
        ]
        assert got[-1][2] == len(characters) - 1
    assert [(packet, mark) for packet, mark, _ in got] == [(p, n) for n, p in enumerate(sent)]
    assert deframer.damaged == 0


@given(packets, st.data())
def test_a_frame_with_up_to_three_inverted_bits_never_comes_as_another(
    packet: Any, data: st.DataObject
) -> None:
    # CRC-16 finds all of these where flags and escapes stay what they are; where they do not, the
    # frame is split or joined, and none of what results is whole
    sent = bytearray(encode(IP, packet))
    for bit in data.draw(st.sets(st.integers(0, len(sent) * 8 - 1), min_size=1, max_size=3)):
        sent[bit >> 3] ^= 1 << (bit & 7)
    deframer = Deframer[int]()
    found = deframer.feed([*sent, *encode(IP, b"next")], 0)
    assert {f.packet for f in found if f is not None} <= {packet, b"next"}


@given(st.lists(st.one_of(st.none(), st.integers(0, 255)), max_size=4000))
def test_any_noise_is_taken_and_the_next_frame_comes(noise: list[Any]) -> None:
    deframer = Deframer[int]()
    deframer.feed(noise, 0)
    found = deframer.feed(list(encode(IP, b"packet")), 1)
    assert found[-1] is not None and found[-1].packet == b"packet"


def test_a_lost_flag_costs_its_frame_and_no_other() -> None:
    sent: list[list[int | None]] = [list(encode(IP, part)) for part in (b"first", b"second")]
    deframer = Deframer[int]()
    assert deframer.feed([*sent[0][:-1], None], 1) == []
    late, now = deframer.feed(sent[1], 2)
    assert late is not None and (late.packet, late.mark) == (b"first", 1)
    assert now is not None and (now.packet, now.mark) == (b"second", 2)
