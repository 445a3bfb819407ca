# SPDX-License-Identifier: MIT
"""A kernel's payload is found by what it is, and stored so that the emulated CPU only copies it."""

from __future__ import annotations

import lzma
import shutil
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmkb.guests.linux.make.payload import PayloadError, store_xz, store_zstd, stored

CODE, WORDS, PAYLOAD = 0x10100, 0x10200, 0x11000
AT = 0x08000000
DATA = bytes(range(256)) * 700
contents = st.one_of(st.binary(min_size=1, max_size=300), st.just(DATA))


def lgrl(at: int, word: int) -> bytes:
    """LGRL 4,WORD at address AT."""
    return b"\xc4\x48" + struct.pack(">i", (word - at) // 2)


def larl(at: int, there: int) -> bytes:
    """LARL 9,THERE at address AT."""
    return b"\xc0\x90" + struct.pack(">i", (there - at) // 2)


def image(packed: bytes, *, loads: int = 2, end: int | None = None) -> bytes:
    """A boot part that loads the start and the end of PACKED, which lies behind it."""
    made = bytearray(PAYLOAD)
    finish = PAYLOAD + len(packed) if end is None else end
    struct.pack_into(">QQQ", made, WORDS, PAYLOAD, finish, PAYLOAD + len(packed) + 0x30)
    for number in range(loads):
        at = CODE + 6 * number
        made[at : at + 6] = lgrl(at, WORDS + 8 * number)
    return bytes(made) + packed + b"\0" * 0x40


def with_size(packed: bytes, data: bytes) -> bytes:
    return packed + struct.pack("<I", len(data))


@given(contents)
def test_a_stored_xz_payload_is_what_it_was_of(data: bytes) -> None:
    made = store_xz(data)
    assert lzma.decompress(made[:-4]) == data
    assert made[-4:] == struct.pack("<I", len(data))


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
@pytest.mark.parametrize("data", [b"x", DATA, DATA * 3])
def test_a_stored_zstd_payload_is_what_it_was_of(data: bytes) -> None:
    made = store_zstd(data)
    ran = subprocess.run(["zstd", "-dcq"], input=made[:-4], capture_output=True, check=True)
    assert ran.stdout == data
    assert made[-4:] == struct.pack("<I", len(data))


@pytest.mark.parametrize("loads", [2, 3])
def test_the_words_lead_to_the_stored_payload(loads: int) -> None:
    """Also where a third load has the end of all, as some kernels do."""
    made = stored(image(with_size(lzma.compress(DATA), DATA), loads=loads), AT)
    start, end = struct.unpack_from(">QQ", made.image, WORDS)
    assert (start, end) == (AT, AT + len(made.payload))
    assert len(made.image) == PAYLOAD
    assert lzma.decompress(made.payload[:-4]) == DATA


def test_a_start_that_no_word_has_is_changed_where_it_is_loaded_and_nowhere_else() -> None:
    """As in 7.2: a table ends where the payload starts, and that is loaded elsewhere."""
    made = bytearray(image(with_size(lzma.compress(DATA), DATA)))
    far = CODE + 0x80
    made[CODE : CODE + 6] = larl(CODE, PAYLOAD)
    made[far : far + 6] = larl(far, PAYLOAD)
    found = stored(bytes(made), AT)
    assert found.image[CODE : CODE + 6] == larl(CODE, AT)
    assert found.image[far : far + 6] == larl(far, PAYLOAD)
    start, end = struct.unpack_from(">QQ", found.image, WORDS)
    assert (start, end) == (PAYLOAD, AT + len(found.payload))
    assert lzma.decompress(found.payload[:-4]) == DATA


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        bytes(0x20000),
        image(b"no payload at all"),
        image(with_size(lzma.compress(DATA), DATA), loads=1),
        image(lzma.compress(DATA) + b"\1\2\3\4"),
        image(with_size(lzma.compress(DATA)[:-40], DATA)),
        image(with_size(lzma.compress(DATA), DATA), end=PAYLOAD),
    ],
)  # fmt: skip
def test_another_image_is_left_as_it_is(odd: bytes) -> None:
    with pytest.raises(PayloadError):
        stored(odd, AT)


@given(st.binary(max_size=2000))
def test_no_bytes_break_it(noise: bytes) -> None:
    with pytest.raises(PayloadError):
        stored(bytes(0x10000) + noise, AT)
