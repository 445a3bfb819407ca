# SPDX-License-Identifier: MIT
"""Further calls of AFS's file service: requests to send and replies to read, as in `protocol`."""

from __future__ import annotations

from dataclasses import dataclass

from tests.peers.afs.parts import array, long, read_long, read_string
from vmkb.hercules.afs import protocol, xdr
from vmkb.hercules.afs.protocol import CallBack, Fid, Status, _callback, _fid, _status, _sync
from vmkb.hercules.afs.xdr import Malformed, Reader

NAME_MAX = 255


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


def fetch_data_64(fid: Fid, position: int, length: int) -> bytes:
    """FetchData64; reply: `data_reply_64`."""
    return xdr.words(65537) + fid.encode() + long(position) + long(length)


def store_data_64(fid: Fid, position: int, data: bytes, length: int) -> bytes:
    """StoreData64; reply: `stored_reply`."""
    head = xdr.words(65538) + fid.encode() + store_status()
    return head + long(position) + long(len(data)) + long(length) + data


def set_status(fid: Fid, status: bytes) -> bytes:
    """StoreStatus; reply: `stored_reply`."""
    return xdr.words(135) + fid.encode() + status


def make_dir(directory: Fid, name: bytes) -> bytes:
    """MakeDir; reply: `made_reply`."""
    return xdr.words(141) + directory.encode() + xdr.string(name) + store_status()


def symlink(directory: Fid, name: bytes, text: bytes) -> bytes:
    """Symlink; reply: `symlink_reply`."""
    head = xdr.words(139) + directory.encode() + xdr.string(name) + xdr.string(text)
    return head + store_status()


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
    return xdr.words(65536 if inline else 155) + array(f.encode() for f in fids)


def give_up_callbacks(fids: list[Fid]) -> bytes:
    """GiveUpCallBacks; an empty reply."""
    dropped = [xdr.words(1, 0, 3)] * len(fids)
    return xdr.words(147) + array(f.encode() for f in fids) + array(dropped)


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


def data_reply_64(reply: bytes) -> tuple[bytes, Status, CallBack]:
    """Of FetchData64."""
    r = Reader(reply)
    data = r.take(read_long(r))
    found = data, _status(r), _callback(r)
    _sync(r)
    return found


def two_reply(reply: bytes) -> tuple[Status, Status]:
    """Of what answers with two statuses."""
    r = Reader(reply)
    found = _status(r), _status(r)
    _sync(r)
    return found


lookup_reply = protocol.made_reply
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
    statuses = [_status(r) for _ in range(r.count(protocol.BULK_MAX))]
    callbacks = [_callback(r) for _ in range(r.count(protocol.BULK_MAX))]
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
    text = read_string(r, 1000)
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
    name = read_string(r, NAME_MAX)
    read_string(r, 1024)
    read_string(r, 1024)
    r.end()
    return VolumeStatus(w[0], bool(w[2]), w[8], w[9], w[10], w[11], name)


def name_reply(reply: bytes) -> bytes:
    """Of GetRootVolume."""
    r = Reader(reply)
    name = read_string(r, NAME_MAX)
    r.end()
    return name
