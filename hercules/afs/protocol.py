# SPDX-License-Identifier: MIT
"""Calls of AFS's file service (docs/reference/afs.md): requests to send and replies to read.

A reply's reader raises Malformed; an error of the server is the Abort that the call ended with.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from vmkb.hercules.afs import xdr
from vmkb.hercules.afs.xdr import Malformed, Reader

PORT, PORT_CLIENT = 7000, 7001
SERVICE = 1
BULK_MAX = 50
CHUNK = 65536
"""Bytes that a cache manager asks for at once."""


class Code(IntEnum):
    """The code that a call is aborted with."""

    ENOENT = 2
    EIO = 5
    EEXIST = 17
    EXDEV = 18
    ENOTDIR = 20
    EISDIR = 21
    EINVAL = 22
    EFBIG = 27
    EROFS = 30
    VNOVNODE = 102
    VNOVOL = 103
    VOFFLINE = 106
    VDISKFULL = 108
    VBUSY = 110
    BAD_ARGUMENTS = -453
    BAD_OPERATION = -455


class VnodeType(IntEnum):
    """The types of vnodes."""

    FILE = 1
    DIRECTORY = 2
    SYMBOLIC = 3


@dataclass(frozen=True, slots=True, order=True)
class Fid:
    """The name of a file, directory or symbolic link."""

    volume: int
    vnode: int
    unique: int

    def encode(self) -> bytes:
        """Its three words."""
        return xdr.words(self.volume, self.vnode, self.unique)


def root(volume: int) -> Fid:
    """The volume's root directory."""
    return Fid(volume, 1, 1)


@dataclass(frozen=True, slots=True)
class Status:
    """The answer of FetchStatus; times are seconds since 1970."""

    kind: int
    links: int
    length: int
    version: int
    author: int
    owner: int
    group: int
    mode: int
    access: int
    parent_vnode: int
    parent_unique: int
    client_time: int
    server_time: int
    error: int = 0


@dataclass(frozen=True, slots=True)
class CallBack:
    """A promise to tell of changes, for `seconds` from now; 0: there is none."""

    seconds: int


_AS_IT_IS = xdr.words(*[0] * 6)
"""A status to store that sets nothing."""


def mode_status(mode: int) -> bytes:
    """A status to store that sets the mode."""
    return xdr.words(8, 0, 0, 0, mode, 0)


# --- requests


def fetch_status(fid: Fid) -> bytes:
    """FetchStatus; reply: `status_reply`."""
    return xdr.words(132) + fid.encode()


def fetch_data(fid: Fid, position: int, length: int) -> bytes:
    """FetchData; reply: `data_reply`."""
    return xdr.words(130) + fid.encode() + xdr.words(position, length)


def store_data(fid: Fid, position: int, data: bytes, length: int) -> bytes:
    """StoreData of a file that then has `length` bytes; reply: `stored_reply`."""
    head = xdr.words(133) + fid.encode() + _AS_IT_IS
    return head + xdr.words(position, len(data), length) + data


def create_file(directory: Fid, name: bytes, status: bytes = _AS_IT_IS) -> bytes:
    """CreateFile; reply: `made_reply`."""
    return xdr.words(137) + directory.encode() + xdr.string(name) + status


def give_up_all_callbacks() -> bytes:
    """GiveUpAllCallBacks; an empty reply."""
    return xdr.words(65539)


# --- replies


def _fid(r: Reader) -> Fid:
    return Fid(*r.words(3))


def _status(r: Reader) -> Status:
    w = r.words(21)
    if w[0] != 1 or w[1] not in tuple(VnodeType) and not w[20]:
        raise Malformed(f"a status of version {w[0]} and type {w[1]}")
    return Status(
        kind=w[1], links=w[2], length=w[3] | w[19] << 32, version=w[4] | w[17] << 32, author=w[5],
        owner=w[6], access=w[7], mode=w[9], parent_vnode=w[10], parent_unique=w[11],
        client_time=w[13], server_time=w[14], group=w[15], error=w[20],
    )  # fmt: skip


def _callback(r: Reader) -> CallBack:
    _, seconds, kind = r.words(3)
    return CallBack(seconds if kind in (1, 2) else 0)


def _sync(r: Reader) -> None:
    r.words(6)
    r.end()


def status_reply(reply: bytes) -> tuple[Status, CallBack]:
    """Of FetchStatus."""
    r = Reader(reply)
    found = _status(r), _callback(r)
    _sync(r)
    return found


def data_reply(reply: bytes) -> tuple[bytes, Status, CallBack]:
    """Of FetchData."""
    r = Reader(reply)
    data = r.take(r.word())
    found = data, _status(r), _callback(r)
    _sync(r)
    return found


def stored_reply(reply: bytes) -> Status:
    """Of what answers with one status."""
    r = Reader(reply)
    found = _status(r)
    _sync(r)
    return found


def made_reply(reply: bytes) -> tuple[Fid, Status, Status, CallBack]:
    """Of what makes a file or directory: it, its status, that of the directory, the promise."""
    r = Reader(reply)
    found = _fid(r), _status(r), _status(r), _callback(r)
    _sync(r)
    return found


# --- what the server asks of a client

CALLBACK, INIT_STATE, PROBE, INIT_STATE_3 = 204, 205, 206, 213


def callback_request(request: bytes) -> tuple[int, list[Fid]]:
    """The operation, and of CALLBACK the files that have changed."""
    r = Reader(request)
    operation = r.word()
    if operation != CALLBACK:
        return operation, []
    fids = [_fid(r) for _ in range(r.count(BULK_MAX))]
    for _ in range(r.count(BULK_MAX)):
        r.words(3)
    r.end()
    return operation, fids
