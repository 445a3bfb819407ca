# SPDX-License-Identifier: MIT
"""Blocks and the stream form: round trips, and refusal of everything else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.hercules.wire.block import (
    BLOCK_MAX,
    FRAME_MAX,
    PAGE,
    PAGED,
    PAGED_CONTROL,
    BlockError,
    StreamDecoder,
    decode_block,
    encode_block,
    encode_stream,
)

frames = st.lists(st.binary(min_size=14, max_size=200), max_size=20)


@settings(deadline=None)
@given(frames, st.binary(max_size=20))
def test_a_block_gives_its_frames_back_and_ignores_padding(sent: Any, padding: bytes) -> None:
    assert decode_block(encode_block(sent) + padding) == sent


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_block_or_refused(data: bytes) -> None:
    try:
        got = decode_block(data)
    except BlockError:
        return
    length = int.from_bytes(data[:4], "big")
    assert encode_block(got) == data[:length]


@settings(deadline=None)
@given(frames.filter(bool), st.data())
def test_a_block_with_one_wrong_length_is_refused_or_differs(
    sent: Any, data: st.DataObject
) -> None:
    block = bytearray(encode_block(sent))
    at = data.draw(st.integers(0, 5))
    block[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        assert decode_block(bytes(block)) != sent
    except BlockError as error:
        assert str(error)


def test_the_layout_is_the_documented_one() -> None:
    frame = bytes(range(14))
    assert encode_block([frame]) == b"\x00\x00\x00\x14" + b"\x00\x0e" + frame


@pytest.mark.parametrize("size", [0, 13, FRAME_MAX + 1])
def test_what_is_no_frame_is_not_encoded(size: Any) -> None:
    with pytest.raises(BlockError, match=str(size)):
        encode_block([bytes(size)])


def test_frames_that_do_not_fit_are_refused() -> None:
    assert len(encode_block([bytes(BLOCK_MAX - 4 - 4 - FRAME_MAX), bytes(FRAME_MAX)])) == BLOCK_MAX
    with pytest.raises(BlockError, match="do not fit"):
        encode_block([bytes(BLOCK_MAX - 4 - 4 - FRAME_MAX + 1), bytes(FRAME_MAX)])


@settings(deadline=None)
@given(frames, st.data())
def test_a_stream_gives_its_frames_back_however_it_is_cut(sent: Any, data: st.DataObject) -> None:
    stream = b"".join(map(encode_stream, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    decoder = StreamDecoder()
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[start:end])
    assert got == sent


def test_a_stream_with_an_impossible_length_is_refused() -> None:
    with pytest.raises(BlockError, match="13 bytes"):
        StreamDecoder().feed((13).to_bytes(4, "big") + bytes(13))


def control(number: int, pages: int, place: int = 0) -> bytes:
    head = bytes((number,)) * 12 + PAGED + bytes((pages, place))
    return head + bytes((number,)) * (PAGED_CONTROL - len(head))


def payload(number: int, pages: int) -> bytes:
    return bytes((number,)) * (pages * PAGE)


paged = st.lists(st.integers(0, 2), max_size=7)


@settings(deadline=None)
@given(paged, frames)
def test_pages_lie_on_pages_of_the_block_that_a_guest_reads(counts: Any, others: Any) -> None:
    sent = [control(n, c) + payload(n, c) for n, c in enumerate(counts)]
    block = encode_block([*others, *sent, *others])
    end = int.from_bytes(block[:4], "big")
    at, seen = 4, []
    while at < end:
        length = int.from_bytes(block[at : at + 2], "big")
        seen.append(block[at + 2 : at + 2 + length])
        at += 2 + length
    mine = seen[len(others) : len(others) + len(sent)]
    for n, (frame, count) in enumerate(zip(mine, counts, strict=True)):
        place = frame[15]
        assert frame == control(n, count, place)
        if count:
            assert place * PAGE >= end
            assert block[place * PAGE : (place + count) * PAGE] == payload(n, count)
        else:
            assert place == 0
    assert [f for f in seen if f[12:14] != PAGED] == [f for f in 2 * others if f[12:14] != PAGED]


@settings(deadline=None)
@given(paged)
def test_pages_behind_a_block_that_a_guest_writes_are_their_frames_payload(counts: Any) -> None:
    block = encode_block([control(n, 0) for n in range(len(counts))])
    for n, count in enumerate(counts):
        block = (
            block[: 4 + n * 62 + 2 + 14]
            + bytes((count, n if count else 0))
            + block[4 + n * 62 + 2 + 16 :]
        )
    whole = block + bytes(-len(block) % PAGE)
    whole += b"".join(payload(n, c) for n, c in enumerate(counts))
    got = decode_block(whole)
    assert got == [control(n, c) + payload(n, c) for n, c in enumerate(counts)]
    if any(counts):
        with pytest.raises(BlockError, match="pages behind it"):
            decode_block(whole[:-1])


def test_a_frame_that_is_not_as_long_as_it_says_has_no_pages() -> None:
    for frame in (control(1, 2, 5), control(1, 1, 9) + bytes(100), control(1, 3) + bytes(3 * PAGE)):
        block = encode_block([frame])
        assert block[6 + 14 : 6 + 16] == b"\0\0"
        assert len(block) == 6 + len(frame)


def test_frames_with_pages_that_fit_by_their_length_fit_as_pages() -> None:
    sent = [control(n, 2) + payload(n, 2) for n in range(7)]
    filler = bytes(BLOCK_MAX - 4 - sum(2 + len(f) for f in sent) - 2)
    assert len(encode_block([*sent, filler])) == BLOCK_MAX
