# SPDX-License-Identifier: MIT
"""Blocks: how Ethernet frames travel through a CTC device, and through a byte stream.

A block is `u32 length` (big-endian, of the whole block, itself included), then frames, each `u16
length` (big-endian, of the frame alone) and the frame from its destination address on, without
check sequence. The stream form, used by passt and by endpoints, is `u32 length` (big-endian, of
the frame) and the frame."""

from __future__ import annotations

import struct
from collections.abc import Iterable

BLOCK_MAX = 61440
"""Bytes of the largest block: fits the 61578 bytes of Hercules' default CTCE buffer, and is 15
pages."""
FRAME_MIN = 14
"""Bytes of an Ethernet header: nothing shorter is a frame."""
MTU_MAX = 32767
FRAME_MAX = FRAME_MIN + MTU_MAX
EMPTY_BLOCK = (4).to_bytes(4, "big")
"""A block without frames: what the wire sends to end a READ that has waited long."""

_U16 = struct.Struct(">H")
_U32 = struct.Struct(">I")


class BlockError(ValueError):
    """The bytes are not a block; the text says where and why."""


def encode_block(frames: Iterable[bytes]) -> bytes:
    """The block that holds these frames, in order. BlockError if one is no frame or they do not
    fit."""
    parts = [b""]
    total = 4
    for frame in frames:
        length = len(frame)
        if not FRAME_MIN <= length <= FRAME_MAX:
            raise BlockError(f"a frame of {length} bytes; it must have {FRAME_MIN} to {FRAME_MAX}")
        total += 2 + length
        parts.append(_U16.pack(length))
        parts.append(frame)
    if total > BLOCK_MAX:
        raise BlockError(f"{total} bytes do not fit into a block of {BLOCK_MAX}")
    parts[0] = _U32.pack(total)
    return b"".join(parts)


def decode_block(block: bytes | memoryview) -> list[bytes]:
    """The frames of a block. Bytes after the block's own length are padding and not looked at.

    BlockError if a length does not fit; then no frame of the block is to be believed."""
    view = memoryview(block)
    if len(view) < 4:
        raise BlockError(f"{len(view)} bytes are too few for a block's length word")
    (end,) = _U32.unpack_from(view)
    if end < 4 or end > len(view) or end > BLOCK_MAX:
        raise BlockError(f"the length word says {end}, {len(view)} bytes came")
    frames = []
    at = 4
    while at < end:
        if at + 2 > end:
            raise BlockError(f"one byte left over at offset {at}")
        length = view[at] << 8 | view[at + 1]
        at += 2
        if not FRAME_MIN <= length <= FRAME_MAX or at + length > end:
            raise BlockError(f"a frame of {length} bytes at offset {at} of a block of {end}")
        frames.append(bytes(view[at : at + length]))
        at += length
    return frames


def encode_stream(frame: bytes) -> bytes:
    """A frame as it travels through a byte stream."""
    return _U32.pack(len(frame)) + frame


class StreamDecoder:
    """Takes frames out of a byte stream that comes in arbitrary pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that are complete now. BlockError if a length is not one of a frame: the
        stream is lost then, since nothing says where the next frame begins."""
        data = self._rest + data if self._rest else data
        frames = []
        at = 0
        while len(data) - at >= 4:
            (length,) = _U32.unpack_from(data, at)
            if not FRAME_MIN <= length <= FRAME_MAX:
                raise BlockError(f"a frame of {length} bytes in the stream")
            if len(data) - at - 4 < length:
                break
            frames.append(data[at + 4 : at + 4 + length])
            at += 4 + length
        self._rest = data[at:]
        return frames
