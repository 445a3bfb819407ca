# SPDX-License-Identifier: MIT
"""Blocks: how Ethernet frames travel through a CTC device, and through a byte stream.

A block is `u32 length` (big-endian, of the whole block, itself included), then frames, each `u16
length` (big-endian, of the frame alone) and the frame from its destination address on, without
check sequence. The stream form, used by passt and by endpoints, is `u32 length` (big-endian, of
the frame) and the frame."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from vmkb.errors import VmkbError

BLOCK_MAX = 61440
"""Bytes of the largest block: fits the 61578 bytes of Hercules' default CTCE buffer, and is 15
pages."""
FRAME_MIN = 14
"""Bytes of an Ethernet header: nothing shorter is a frame."""
MTU_MAX = 32767
FRAME_MAX = FRAME_MIN + MTU_MAX
PAGED = b"\x60\x06"
"""Ethertype of frames whose payload is pages: gms_net's (docs/reference/wire.md)."""
PAGED_CONTROL = 60
"""Bytes of such a frame before its payload: the byte at 14 says how many pages follow, that at 15
is the adapter's."""
PAGE = 4096
PAGES_MAX = 2
EMPTY_BLOCK = (4).to_bytes(4, "big")
"""A block without frames: what the wire sends to end a READ that has waited long."""

_U16 = struct.Struct(">H")
_U32 = struct.Struct(">I")


class BlockError(VmkbError, ValueError):
    """The bytes are not a block; the text says where and why."""


def encode_block(frames: Iterable[bytes]) -> bytes:
    """The block that holds these frames, in order; the payloads of those of type PAGED lie behind
    it on pages of their own, as an adapter puts them into storage. BlockError if one is no frame
    or they do not fit."""
    parts = [b""]
    payloads: list[bytes] = []
    pages = 0
    total = 4
    for frame in frames:
        if frame[12:14] == PAGED:
            frame, payload = _parted(frame, pages)
            if payload:
                payloads.append(payload)
                pages += len(payload) // PAGE
        length = len(frame)
        if not FRAME_MIN <= length <= FRAME_MAX:
            raise BlockError(f"a frame of {length} bytes; it must have {FRAME_MIN} to {FRAME_MAX}")
        total += 2 + length
        parts.append(_U16.pack(length))
        parts.append(frame)
    if total + pages * PAGE > BLOCK_MAX:
        raise BlockError(f"{total + pages * PAGE} bytes do not fit into a block of {BLOCK_MAX}")
    parts[0] = _U32.pack(total)
    block = b"".join(parts)
    return _placed(block, payloads) if payloads else block


def _parted(frame: bytes, pages: int) -> tuple[bytes, bytes]:
    """A frame of type PAGED as a guest reads it: what its driver looks at, which says that the
    payload is behind so many pages of others; and the payload. One that is not as long as it says
    has none."""
    if len(frame) < PAGED_CONTROL:
        return frame, b""
    count = frame[14]
    if not 0 < count <= PAGES_MAX or len(frame) != PAGED_CONTROL + count * PAGE:
        return frame[:14] + b"\0\0" + frame[16:], b""
    return frame[:15] + bytes((pages,)) + frame[16:PAGED_CONTROL], frame[PAGED_CONTROL:]


def _placed(block: bytes, payloads: list[bytes]) -> bytes:
    """The block with the payloads behind it, from the next page on: now it is known which."""
    first = -(-len(block) // PAGE)
    placed = bytearray(block)
    at = 4
    while at < len(block):
        length = placed[at] << 8 | placed[at + 1]
        if placed[at + 14 : at + 16] == PAGED and placed[at + 16]:
            placed[at + 17] += first
        at += 2 + length
    return bytes(placed) + bytes(first * PAGE - len(block)) + b"".join(payloads)


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
    behind = -(-end // PAGE) * PAGE
    while at < end:
        if at + 2 > end:
            raise BlockError(f"one byte left over at offset {at}")
        length = view[at] << 8 | view[at + 1]
        at += 2
        if not FRAME_MIN <= length <= FRAME_MAX or at + length > end:
            raise BlockError(f"a frame of {length} bytes at offset {at} of a block of {end}")
        frame = bytes(view[at : at + length])
        if frame[12:14] == PAGED and length == PAGED_CONTROL and frame[14]:
            size = frame[14] * PAGE
            if frame[14] > PAGES_MAX or behind + size > len(view):
                raise BlockError(f"the frame at offset {at} has no {frame[14]} pages behind it")
            frame = frame[:15] + b"\0" + frame[16:] + view[behind : behind + size]
            behind += size
        frames.append(frame)
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
