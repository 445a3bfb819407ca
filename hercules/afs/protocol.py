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
NAME_MAX, PATH_MAX, BULK_MAX = 255, 1023, 50
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


@dataclass(frozen=True, slots=True)
class VolumeStatus:
    """The answer of GetVolumeStatus; sizes in KB, a quota of 0 is none."""

    volume: int
    online: bool
    quota: int
    used: int
    free: int
    size: int
    name: bytes


def store_status(
    mode: int | None = None, time: int | None = None, owner: int | None = None,
    group: int | None = None,
) -> bytes:  # fmt: skip
    """The fields of a status that are to be set."""
    mask = sum(bit for bit, v in ((1, time), (2, owner), (4, group), (8, mode)) if v is not None)
    return xdr.words(mask, time or 0, owner or 0, group or 0, mode or 0, 0)


# --- requests


def fetch_status(fid: Fid) -> bytes:
    """FetchStatus; reply: `status_reply`."""
    return xdr.words(132) + fid.encode()


def fetch_data(fid: Fid, position: int, length: int) -> bytes:
    """FetchData; reply: `data_reply`."""
    return xdr.words(130) + fid.encode() + xdr.words(position, length)


def fetch_data_64(fid: Fid, position: int, length: int) -> bytes:
    """FetchData64; reply: `data_reply(reply, wide=True)`."""
    return xdr.words(65537) + fid.encode() + xdr.long(position) + xdr.long(length)


def store_data(fid: Fid, position: int, data: bytes, length: int, status: bytes = b"") -> bytes:
    """StoreData of a file that then has `length` bytes; reply: `stored_reply`."""
    head = xdr.words(133) + fid.encode() + (status or store_status())
    return head + xdr.words(position, len(data), length) + data


def store_data_64(fid: Fid, position: int, data: bytes, length: int, status: bytes = b"") -> bytes:
    """StoreData64; reply: `stored_reply`."""
    head = xdr.words(65538) + fid.encode() + (status or store_status())
    return head + xdr.long(position) + xdr.long(len(data)) + xdr.long(length) + data


def set_status(fid: Fid, status: bytes) -> bytes:
    """StoreStatus; reply: `stored_reply`."""
    return xdr.words(135) + fid.encode() + status


def create_file(directory: Fid, name: bytes, status: bytes = b"") -> bytes:
    """CreateFile; reply: `made_reply`."""
    return xdr.words(137) + directory.encode() + xdr.string(name) + (status or store_status())


def make_dir(directory: Fid, name: bytes, status: bytes = b"") -> bytes:
    """MakeDir; reply: `made_reply`."""
    return xdr.words(141) + directory.encode() + xdr.string(name) + (status or store_status())


def symlink(directory: Fid, name: bytes, text: bytes, status: bytes = b"") -> bytes:
    """Symlink; reply: `symlink_reply`."""
    head = xdr.words(139) + directory.encode() + xdr.string(name) + xdr.string(text)
    return head + (status or store_status())


def link(directory: Fid, name: bytes, to: Fid) -> bytes:
    """Link; reply: `two_reply` of the file and the directory."""
    return xdr.words(140) + directory.encode() + xdr.string(name) + to.encode()


def remove_file(directory: Fid, name: bytes) -> bytes:
    """RemoveFile; reply: `stored_reply` of the directory."""
    return xdr.words(136) + directory.encode() + xdr.string(name)


def remove_dir(directory: Fid, name: bytes) -> bytes:
    """RemoveDir; reply: `stored_reply` of the directory."""
    return xdr.words(142) + directory.encode() + xdr.string(name)


def rename(directory: Fid, name: bytes, to: Fid, new: bytes) -> bytes:
    """Rename; reply: `two_reply` of both directories."""
    return xdr.words(138) + directory.encode() + xdr.string(name) + to.encode() + xdr.string(new)


def lookup(directory: Fid, name: bytes) -> bytes:
    """Lookup; reply: `lookup_reply`."""
    return xdr.words(161) + directory.encode() + xdr.string(name)


def bulk_status(fids: list[Fid], inline: bool = False) -> bytes:
    """BulkStatus of at most BULK_MAX, or InlineBulkStatus; reply: `bulk_reply`."""
    return xdr.words(65536 if inline else 155) + xdr.array(f.encode() for f in fids)


def give_up_callbacks(fids: list[Fid]) -> bytes:
    """GiveUpCallBacks; an empty reply."""
    dropped = [xdr.words(1, 0, 3)] * len(fids)
    return xdr.words(147) + xdr.array(f.encode() for f in fids) + xdr.array(dropped)


def give_up_all_callbacks() -> bytes:
    """GiveUpAllCallBacks; an empty reply."""
    return xdr.words(65539)


def get_time() -> bytes:
    """GetTime; reply: `time_reply`."""
    return xdr.words(153)


def get_volume_status(volume: int) -> bytes:
    """GetVolumeStatus; reply: `volume_reply`."""
    return xdr.words(149, volume)


def get_root_volume() -> bytes:
    """GetRootVolume; reply: `name_reply`."""
    return xdr.words(151)


def get_capabilities() -> bytes:
    """GetCapabilities; reply: `capabilities_reply`."""
    return xdr.words(65540)


def fetch_acl(fid: Fid) -> bytes:
    """FetchACL; reply: `acl_reply`."""
    return xdr.words(131) + fid.encode()


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


def data_reply(reply: bytes, wide: bool = False) -> tuple[bytes, Status, CallBack]:
    """Of FetchData and FetchData64."""
    r = Reader(reply)
    data = r.take(r.long() if wide else r.word())
    found = data, _status(r), _callback(r)
    _sync(r)
    return found


def stored_reply(reply: bytes) -> Status:
    """Of what answers with one status."""
    r = Reader(reply)
    found = _status(r)
    _sync(r)
    return found


def two_reply(reply: bytes) -> tuple[Status, Status]:
    """Of what answers with two statuses."""
    r = Reader(reply)
    found = _status(r), _status(r)
    _sync(r)
    return found


def made_reply(reply: bytes) -> tuple[Fid, Status, Status, CallBack]:
    """Of what makes a file or directory: it, its status, that of the directory, the promise."""
    r = Reader(reply)
    found = _fid(r), _status(r), _status(r), _callback(r)
    _sync(r)
    return found


lookup_reply = made_reply
"""Of Lookup: as of what makes."""


def symlink_reply(reply: bytes) -> tuple[Fid, Status, Status]:
    """Of Symlink: it, its status, that of the directory."""
    r = Reader(reply)
    found = _fid(r), _status(r), _status(r)
    _sync(r)
    return found


def bulk_reply(reply: bytes) -> list[tuple[Status, CallBack]]:
    """Of BulkStatus."""
    r = Reader(reply)
    statuses = [_status(r) for _ in range(r.count(BULK_MAX))]
    callbacks = [_callback(r) for _ in range(r.count(BULK_MAX))]
    _sync(r)
    if len(statuses) != len(callbacks):
        raise Malformed(f"{len(statuses)} statuses and {len(callbacks)} callbacks")
    return list(zip(statuses, callbacks, strict=True))


def capabilities_reply(reply: bytes) -> list[int]:
    """Of GetCapabilities: words of bits, at least one. Linux' client stops on none."""
    r = Reader(reply)
    found = r.words(r.count(196))
    r.end()
    if not found:
        raise Malformed("a list of capabilities without a word")
    return list(found)


def acl_reply(reply: bytes) -> bytes:
    """Of FetchACL: the list as text."""
    r = Reader(reply)
    text = r.string(1000)
    _status(r)
    _sync(r)
    return text


def time_reply(reply: bytes) -> float:
    """Of GetTime: seconds since 1970."""
    r = Reader(reply)
    seconds, microseconds = r.words(2)
    r.end()
    return seconds + microseconds / 1e6


def volume_reply(reply: bytes) -> VolumeStatus:
    """Of GetVolumeStatus."""
    r = Reader(reply)
    w = r.words(12)
    name = r.string(NAME_MAX)
    r.string(1024)
    r.string(1024)
    r.end()
    return VolumeStatus(w[0], bool(w[2]), w[8], w[9], w[10], w[11], name)


def name_reply(reply: bytes) -> bytes:
    """Of GetRootVolume."""
    r = Reader(reply)
    name = r.string(NAME_MAX)
    r.end()
    return name


# --- what the server asks of a client

CALLBACK, INIT_STATE, PROBE, INIT_STATE_3, PROBE_UUID, TELL_ME = 204, 205, 206, 213, 214, 65538


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
