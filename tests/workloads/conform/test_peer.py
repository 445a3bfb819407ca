# SPDX-License-Identifier: MIT
"""Segments that a peer reads, whatever a stack sends it."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from vmkb.workloads.conform.peer import Segment, after, distance, mss

NUMBERS = st.integers(0, 2**32 - 1)


def tcp_of(seq: int, ack: int, flags: int, options: bytes, data: bytes) -> bytes:
    options += b"\0" * (-len(options) % 4)
    tcp = struct.pack(">HHLLBBHHH", 1, 2, seq, ack, (20 + len(options)) // 4 << 4, flags, 9, 0, 0)
    tcp += options + data
    return tcp


@given(NUMBERS, NUMBERS, st.integers(0, 63), st.binary(max_size=99))
def test_a_segment_is_read_as_it_was_written(seq: int, ack: int, flags: int, data: bytes) -> None:
    options = mss(1460) + b"\1\1\4\2" + b"\5\12" + struct.pack(">LL", 7, 9)
    segment = Segment.read(tcp_of(seq, ack, flags, options, data))
    assert segment == Segment(seq, ack, flags, data, [(7, 9)], True)


@given(st.binary(max_size=80))
def test_rubbish_is_no_segment_or_one_without_more(rubbish: bytes) -> None:
    Segment.read(rubbish)
    with_head = Segment.read(tcp_of(1, 2, 16, rubbish[:40], b"x"))
    assert with_head is not None and with_head.data == b"x"


@given(NUMBERS, st.integers(-(2**31), 2**31 - 1))
def test_distances_are_over_the_end_of_the_numbers_too(seq: int, far: int) -> None:
    assert distance(seq, after(seq, far)) == far
