# SPDX-License-Identifier: MIT
"""Blocks and the stream form: round trips, and refusal of everything else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hercules.wire.block import (
    BLOCK_MAX,
    FRAME_MAX,
    BlockError,
    StreamDecoder,
    decode_block,
    encode_block,
    encode_stream,
)

frames = st.lists(st.binary(min_size=14, max_size=200), max_size=20)


@settings(deadline=None)
@given(frames, st.binary(max_size=20))
def test_a_block_gives_its_frames_back_and_ignores_padding(sent, padding):
    assert decode_block(encode_block(sent) + padding) == sent


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_block_or_refused(data):
    try:
        got = decode_block(data)
    except BlockError:
        return
    length = int.from_bytes(data[:4], "big")
    assert encode_block(got) == data[:length]


@settings(deadline=None)
@given(frames.filter(bool), st.data())
def test_a_block_with_one_wrong_length_is_refused_or_differs(sent, data):
    block = bytearray(encode_block(sent))
    at = data.draw(st.integers(0, 5))
    block[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        assert decode_block(bytes(block)) != sent
    except BlockError as error:
        assert str(error)


def test_the_layout_is_the_documented_one():
    frame = bytes(range(14))
    assert encode_block([frame]) == b"\x00\x00\x00\x14" + b"\x00\x0e" + frame


@pytest.mark.parametrize("size", [0, 13, FRAME_MAX + 1])
def test_what_is_no_frame_is_not_encoded(size):
    with pytest.raises(BlockError, match=str(size)):
        encode_block([bytes(size)])


def test_frames_that_do_not_fit_are_refused():
    assert len(encode_block([bytes(BLOCK_MAX - 4 - 4 - FRAME_MAX), bytes(FRAME_MAX)])) == BLOCK_MAX
    with pytest.raises(BlockError, match="do not fit"):
        encode_block([bytes(BLOCK_MAX - 4 - 4 - FRAME_MAX + 1), bytes(FRAME_MAX)])


@settings(deadline=None)
@given(frames, st.data())
def test_a_stream_gives_its_frames_back_however_it_is_cut(sent, data):
    stream = b"".join(map(encode_stream, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    decoder = StreamDecoder()
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[start:end])
    assert got == sent


def test_a_stream_with_an_impossible_length_is_refused():
    with pytest.raises(BlockError, match="13 bytes"):
        StreamDecoder().feed((13).to_bytes(4, "big") + bytes(13))
