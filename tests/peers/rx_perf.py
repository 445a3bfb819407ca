# SPDX-License-Identifier: MIT
"""Requests of RXPERF to RXPERFD (docs/reference/rx.md), and the service."""

from __future__ import annotations

import struct

from vmkb.hercules.rx.calls import Abort

SERVICE, PORT = 147, 7009
NULL, WRITE, READ = 0, 1, 2
BAD_BYTES, BAD_OPERATION = -5, -455
PATTERN = 8191
_HEAD = struct.Struct(">II")


def _make() -> bytes:
    x = 1
    made = bytearray()
    for _ in range(PATTERN):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        made.append(x >> 24)
    return bytes(made)


_PATTERN = _make()


def stream(size: int) -> bytes:
    """The first `size` bytes of the stream that both sides know."""
    return (_PATTERN * (size // PATTERN + 1))[:size]


def request(operation: int, size: int = 0) -> bytes:
    """A request; a write's bytes are in it."""
    return _HEAD.pack(operation, size) + (stream(size) if operation == WRITE else b"")


def check(operation: int, size: int, reply: bytes) -> None:
    """ValueError if this is not the reply."""
    want = {NULL: b"", WRITE: size.to_bytes(4, "big"), READ: stream(size)}[operation]
    if reply != want:
        raise ValueError(f"{len(reply)} bytes came, and not those of a reply with {len(want)}")


def serve(asked: bytes) -> bytes:
    """The service. Abort."""
    if len(asked) < _HEAD.size:
        raise Abort(BAD_OPERATION)
    operation, size = _HEAD.unpack_from(asked)
    body = asked[_HEAD.size :]
    if operation not in (NULL, WRITE, READ):
        raise Abort(BAD_OPERATION)
    if body != (stream(size) if operation == WRITE else b""):
        raise Abort(BAD_BYTES)
    if operation == READ:
        return stream(size)
    return size.to_bytes(4, "big") if operation == WRITE else b""
