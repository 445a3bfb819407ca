# SPDX-License-Identifier: MIT
"""A kernel image whose payload need not be decompressed: that takes the emulated CPU 20 seconds,
and the host one. Pure but for the program zstd.

An s390x bzImage is a boot part, which is loaded where it lies in the file, and the compressed
kernel behind it. The boot part loads the payload's end from a word of its data, with an LGRL, and
its start likewise or, in later kernels (7.2), with a LARL, next to each other. Both are found by
what they are, since they lie elsewhere in each build. The payload is put elsewhere in storage, in
the same container but stored, and these are changed: the boot part's decompressor then copies.
"""

from __future__ import annotations

import lzma
import struct
import subprocess
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from vmkb.errors import VmkbError

XZ = b"\xfd7zXZ\0"
ZSTD = b"\x28\xb5\x2f\xfd"
_CODE = 0x10000
"""Where the boot part's code begins."""
_NEAR = 64
"""Bytes between the two loads at most."""
_U64 = struct.Struct(">Q")
_I32 = struct.Struct(">i")
_CHUNK_XZ = 1 << 16
_CHUNK_ZSTD = 1 << 17
_ZSTD_WITHIN = 60.0
_SIZE_BYTES = 4
"""Behind the payload stands its size, as the kernel's build appends it."""


class PayloadError(VmkbError, ValueError):
    """The image is not as the ones that are known; it boots as it is. The text says why."""


class Stored(NamedTuple):
    """An image that looks for its payload elsewhere, and the payload for there."""

    image: bytes
    payload: bytes


def stored(image: bytes, address: int) -> Stored:
    """IMAGE with its payload, stored, at ADDRESS. PayloadError."""
    found, why = [], ""
    for place in _places(image):
        try:
            found.append((place, _unpacked(image[place.start : place.end])))
        except PayloadError as error:
            why = f": {error}"
    if len(found) != 1:
        raise PayloadError(f"its payload is found in {len(found)} places, not in one{why}")
    ((place, data),) = found
    store = store_xz if image.startswith(XZ, place.start) else store_zstd
    payload = store(data)
    changed = bytearray(image)
    place.load_start.change(changed, address)
    place.load_end.change(changed, address + len(payload))
    return Stored(bytes(changed[: place.start]), payload)


class _Load(NamedTuple):
    """An instruction that may load an address: where it is and what it loads; with LGRL, where the
    word is that has it, with LARL it is the instruction itself."""

    here: int
    value: int
    word: int | None

    def change(self, image: bytearray, address: int) -> None:
        """Let it load ADDRESS. An image is loaded where it lies in its file."""
        if self.word is None:
            _I32.pack_into(image, self.here + 2, (address - self.here) // 2)
        else:
            _U64.pack_into(image, self.word, address)


class _Place(NamedTuple):
    """Where a payload may be, and what loads its start and its end."""

    start: int
    end: int
    load_start: _Load
    load_end: _Load


def _places(image: bytes) -> list[_Place]:
    loads = list(_loads(image))
    ends = [load for load in loads if load.word is not None]
    found = {
        (start.value, end.value, start.word or start.here, end.word): _Place(
            start.value, end.value, start, end
        )
        for start in loads
        if image.startswith((XZ, ZSTD), start.value)
        for end in ends
        if start.here != end.here
        and abs(start.here - end.here) <= _NEAR
        and start.value < end.value <= len(image)
    }
    return list(found.values())


def _loads(image: bytes) -> Iterator[_Load]:
    """Each LGRL or LARL of the boot part that may be one."""
    for at in range(_CODE, len(image) - 6, 2):
        if image[at] in (0xC0, 0xC4):
            loads = image[at], image[at + 1] & 0xF
            (halfwords,) = _I32.unpack_from(image, at + 2)
            there = at + 2 * halfwords
            if loads == (0xC0, 0) and _CODE <= there < len(image):
                yield _Load(at, there, None)
            elif loads == (0xC4, 8) and _CODE <= there <= len(image) - 8 and there % 8 == 0:
                yield _Load(at, _U64.unpack_from(image, there)[0], there)


def _unpacked(packed: bytes) -> bytes:
    """The content of a payload; PayloadError if it does not end with its size."""
    data = _unpacked_xz(packed) if packed.startswith(XZ) else _unpacked_zstd(packed)
    if packed[-_SIZE_BYTES:] != struct.pack("<I", len(data)):
        raise PayloadError("its payload does not end with its size")
    return data


def _unpacked_xz(packed: bytes) -> bytes:
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        data = reader.decompress(packed)
    except lzma.LZMAError as error:
        raise PayloadError(f"its payload cannot be read: {error}") from None
    if len(reader.unused_data) != _SIZE_BYTES:
        raise PayloadError("its payload does not end where it should")
    return data


def _unpacked_zstd(packed: bytes) -> bytes:
    try:
        ran = subprocess.run(
            ["zstd", "-dcq"], input=packed[:-_SIZE_BYTES], capture_output=True, timeout=_ZSTD_WITHIN
        )
    except FileNotFoundError:
        raise PayloadError(
            "its payload is in the form of zstd, a program that is not here"
        ) from None
    except subprocess.TimeoutExpired:
        raise PayloadError("zstd did not read its payload in time") from None
    if ran.returncode != 0:
        raise PayloadError("zstd cannot read its payload")
    return ran.stdout


def store_xz(data: bytes) -> bytes:
    """DATA as an .xz file of chunks that are stored, without a check, and its size as the kernel's
    build appends it."""
    chunks = [data[at : at + _CHUNK_XZ] for at in range(0, len(data), _CHUNK_XZ)]
    block = b"".join(
        struct.pack(">BH", 1 if n == 0 else 2, len(chunk) - 1) + chunk
        for n, chunk in enumerate(chunks)
    ) + b"\0"  # fmt: skip
    # one filter, LZMA2, with the smallest dictionary that holds a chunk
    head = _with_crc(bytes([2, 0, 0x21, 1, 8, 0, 0, 0]))
    unpadded = len(head) + len(block)
    block += b"\0" * (-unpadded % 4)
    index = b"\0" + _number(1) + _number(unpadded) + _number(len(data))
    index = _with_crc(index + b"\0" * (-len(index) % 4))
    flags = b"\0\0"
    foot = struct.pack("<I", len(index) // 4 - 1) + flags
    tail = struct.pack("<I", zlib.crc32(foot)) + foot + b"YZ"
    whole = XZ + flags + struct.pack("<I", zlib.crc32(flags)) + head + block + index + tail
    return whole + struct.pack("<I", len(data))


def store_zstd(data: bytes) -> bytes:
    """DATA as a zstd frame of raw blocks, and its size as the kernel's build appends it."""
    # single segment, with a content size of 8 bytes
    out = [ZSTD, b"\xe0", struct.pack("<Q", len(data))]
    for at in range(0, len(data), _CHUNK_ZSTD):
        chunk = data[at : at + _CHUNK_ZSTD]
        last = at + _CHUNK_ZSTD >= len(data)
        out += [struct.pack("<I", len(chunk) << 3 | last)[:3], chunk]
    return b"".join([*out, struct.pack("<I", len(data))])


def _with_crc(data: bytes) -> bytes:
    return data + struct.pack("<I", zlib.crc32(data))


def _number(value: int) -> bytes:
    """A number as .xz writes it: seven bits a byte, the low ones first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
