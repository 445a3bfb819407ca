# SPDX-License-Identifier: MIT
"""XDR, replies and directories: what is written is read, and nothing else is believed."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.peers.afs import calls, directory, parts, volumes
from vmkb.hercules.afs import protocol, xdr
from vmkb.hercules.afs.xdr import Malformed, Reader

WORD = st.integers(0, 2**32 - 1)
REPLIES: list[Callable[[bytes], object]] = [
    protocol.status_reply, protocol.data_reply, protocol.stored_reply, calls.two_reply,
    protocol.made_reply, calls.symlink_reply, calls.bulk_reply, calls.time_reply,
    calls.volume_reply, calls.name_reply, protocol.callback_request, volumes.entry_reply,
    lambda reply: volumes.entry_reply(reply, True), volumes.addresses_reply,
    lambda reply: calls.data_reply_64(reply), directory.entries,
]  # fmt: skip


def status(kind: int = 1, **words: int) -> bytes:
    """A status' 21 words, those that are not given being their numbers."""
    value = [1, kind, *range(2, 20), 0]
    value[19] = value[17] = 0
    for name, at in (("length", 3), ("version", 4), ("high", 19), ("error", 20)):
        value[at] = words.get(name, value[at])
    return xdr.words(*value)


CALLBACK, SYNC = xdr.words(1, 60, 2), xdr.words(*range(6))


@given(st.lists(WORD), WORD, st.binary(max_size=50), st.lists(st.binary(max_size=9)))
def test_what_is_written_is_read(words: list[int], n: int, text: bytes, many: list[bytes]) -> None:
    data = (
        xdr.words(*words)
        + xdr.string(text)
        + parts.long(n << 20)
        + parts.array(xdr.string(each) for each in many)
    )
    assert len(data) % 4 == 0
    r = Reader(data)
    assert list(r.words(len(words))) == words
    assert parts.read_string(r) == text and parts.read_long(r) == n << 20
    assert [parts.read_string(r) for _ in range(r.count(len(many)))] == many
    r.end()


@given(st.binary(max_size=60), st.integers(0, 20))
def test_a_string_is_not_believed(data: bytes, most: int) -> None:
    r = Reader(data)
    try:
        value = parts.read_string(r, most)
    except Malformed:
        return
    assert len(value) <= most and xdr.string(value) == data[: len(data) - r.left]


@pytest.mark.parametrize("read", REPLIES)
@given(data=st.binary(max_size=900))
def test_any_bytes_are_a_reply_or_malformed(read: Callable[[bytes], object], data: bytes) -> None:
    try:
        read(data)
    except Malformed as why:
        assert str(why)


def test_a_status_is_read() -> None:
    reply = status(length=5, high=1, version=9) + CALLBACK + SYNC
    found, promise = protocol.status_reply(reply)
    assert (found.length, found.version, found.owner) == (5 | 1 << 32, 9, 6)
    assert (found.parent_vnode, found.parent_unique) == (10, 11)
    assert (found.client_time, found.server_time, found.group) == (13, 14, 15)
    assert promise.seconds == 60
    dropped = protocol.status_reply(status() + xdr.words(1, 60, 3) + SYNC)[1]
    assert dropped.seconds == 0
    for bad in (reply[:-1], reply + b"x", status(7) + CALLBACK + SYNC):
        with pytest.raises(Malformed):
            protocol.status_reply(bad)


@given(st.binary(max_size=3000))
def test_a_fetch_is_read(data: bytes) -> None:
    tail = status() + CALLBACK + SYNC
    assert protocol.data_reply(xdr.words(len(data)) + data + tail)[0] == data
    assert calls.data_reply_64(parts.long(len(data)) + data + tail)[0] == data
    with pytest.raises(Malformed):
        protocol.data_reply(xdr.words(len(data) + 1) + data + tail)


def test_callbacks_are_read() -> None:
    fids = [protocol.Fid(1, 2, 3), protocol.Fid(4, 5, 6)]
    request = xdr.words(204) + parts.array(f.encode() for f in fids) + xdr.words(0)
    assert protocol.callback_request(request) == (204, fids)
    assert protocol.callback_request(xdr.words(205)) == (205, [])


def page(names: list[bytes]) -> bytearray:
    """A directory of one page."""
    data = bytearray(directory.PAGE)
    struct.pack_into(">HH", data, 0, 1, 1234)
    data[5:7] = b"\xff\x1f"
    at = 13
    for i, name in enumerate(names):
        chain = 160 + 2 * directory.name_hash(name)
        data[at * 32] = 1
        data[at * 32 + 2 : at * 32 + 4] = data[chain : chain + 2]
        struct.pack_into(">II", data, at * 32 + 4, i + 1, i + 2)
        data[at * 32 + 12 : at * 32 + 12 + len(name)] = name
        struct.pack_into(">H", data, chain, at)
        for k in range(at, at + 1 + (len(name) + 16) // 32):
            data[5 + k // 8] |= 1 << k % 8
        at += 1 + (len(name) + 16) // 32
    return data


NAMES = st.lists(
    st.binary(min_size=1, max_size=40).filter(lambda n: 0 not in n), max_size=15, unique=True
)


@given(NAMES)
def test_a_directory_is_read(names: list[bytes]) -> None:
    found = directory.entries(bytes(page(names)))
    assert found == {name: (i + 1, i + 2) for i, name in enumerate(names)}


@given(NAMES, st.lists(st.tuples(st.integers(0, 2047), st.integers(1, 255)), max_size=4))
def test_a_damaged_directory_ends(names: list[bytes], damage: list[tuple[int, int]]) -> None:
    data = page(names)
    for at, bits in damage:
        data[at] ^= bits
    with suppress(Malformed):
        assert len(directory.entries(bytes(data))) <= 51
