# SPDX-License-Identifier: MIT
"""Where volumes are: calls of AFS's volume-location service (docs/reference/afs.md)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from vmkb.hercules.afs import xdr
from vmkb.hercules.afs.xdr import Malformed, Reader

PORT, SERVICE = 7003, 52
NO_ENTRY = 363524
"""The code that a call is aborted with when there is no such volume."""
_NAME, _SERVERS, _SERVERS_U, _UUID = 65, 8, 13, 11


@dataclass(frozen=True, slots=True)
class Entry:
    """A volume: its name, the number of its read-write form, and its servers: addresses, or with
    unique numbers those."""

    name: str
    volume: int
    servers: tuple[str, ...]


def probe() -> bytes:
    """Probe: is anybody there; an empty reply."""
    return xdr.words(514)


def by_name(name: bytes, unique: bool = False) -> bytes:
    """GetEntryByName, with UNIQUE of servers' unique numbers; reply: `entry_reply`."""
    return xdr.words(527 if unique else 504) + xdr.string(name)


def by_id(volume: int, unique: bool = False) -> bytes:
    """GetEntryByID of the read-write volume; reply: `entry_reply`."""
    return xdr.words(526 if unique else 503, volume, 0)


def by_name_n(name: bytes) -> bytes:
    """GetEntryByNameN; reply: `entries_reply(reply, 1)`."""
    return xdr.words(519) + xdr.string(name)


def by_id_n(volume: int) -> bytes:
    """GetEntryByIDN; reply: `entries_reply(reply, 1)`."""
    return xdr.words(518, volume, 0)


def list_volumes(
    server: str | None = None, partition: int | None = None, volume: int | None = None,
    name: bytes | None = None,
) -> bytes:  # fmt: skip
    """ListAttributesN of the volumes that are so; with a NAME (b"" is any) ListAttributesN2. Reply:
    `entries_reply`, of N2 without its last word."""
    address = int(ipaddress.IPv4Address(server or "0.0.0.0"))
    given = ((1, server), (2, partition), (8, volume))
    mask = sum(bit for bit, what in given if what is not None)
    what = xdr.words(mask, address, partition or 0, 0, volume or 0, 0)
    if name is None:
        return xdr.words(522) + what
    return xdr.words(534) + what + xdr.string(name) + xdr.words(0)


def servers() -> bytes:
    """GetAddrs; reply: `servers_reply`."""
    return xdr.words(515, 0, 0)


def capabilities() -> bytes:
    """GetCapabilities; reply: `calls.capabilities_reply`."""
    return xdr.words(65537)


def addresses(server: str) -> bytes:
    """GetAddrsU of the server with that unique number; reply: `addresses_reply`."""
    return xdr.words(533, 4, 0, 0, 0, *_uuid_words(server))


def _uuid_words(server: str) -> list[int]:
    octets = bytes.fromhex(server)
    return [
        int.from_bytes(octets[:4], "big"), int.from_bytes(octets[4:6], "big"),
        int.from_bytes(octets[6:8], "big"), *octets[8:],
    ]  # fmt: skip


def _uuid(r: Reader) -> str:
    low, middle, high, *rest = r.words(_UUID)
    if middle > 0xFFFF or high > 0xFFFF or any(octet > 0xFF for octet in rest):
        raise Malformed("a unique number whose parts are too large")
    return low.to_bytes(4, "big").hex() + f"{middle:04x}{high:04x}" + bytes(rest).hex()


def _name(r: Reader) -> str:
    letters = r.words(_NAME)
    if any(letter > 0xFF for letter in letters):
        raise Malformed("a volume's name with letters that are none")
    return bytes(letters).partition(b"\0")[0].decode("latin-1")


def entry_reply(reply: bytes, unique: bool = False) -> Entry:
    """Of what asks for a volume."""
    r = Reader(reply)
    name = _name(r)
    if not unique:
        r.word()
    most = _SERVERS_U if unique else _SERVERS
    count = r.word()
    if count > most:
        raise Malformed(f"a volume at {count} servers, where {most} are the most")
    if unique:
        servers = [_uuid(r) for _ in range(most)]
        r.words(most)
    else:
        servers = [str(ipaddress.IPv4Address(a)) for a in r.words(most)]
    r.words(2 * most)
    volume, _, _, _, _ = r.words(5)
    if unique:
        r.words(9)
    r.end()
    return Entry(name, volume, tuple(servers[:count]))


def entries_reply(reply: bytes, count: int | None = None) -> list[Entry]:
    """Of what answers with entries of the newer form: COUNT of them, or a list."""
    r = Reader(reply)
    if count is None:
        said = r.word()
        count = r.count(1000)
        if said != count:
            raise Malformed(f"{said} entries were told, and {count} are there")
    found = []
    for _ in range(count):
        name, at = _name(r), r.word()
        addresses = [str(ipaddress.IPv4Address(a)) for a in r.words(_SERVERS_U)]
        r.words(2 * _SERVERS_U)
        volume, *_ = r.words(5 + 9)
        found.append(Entry(name, volume, tuple(addresses[:at])))
    r.end()
    return found


def servers_reply(reply: bytes) -> list[str]:
    """Of GetAddrs."""
    r = Reader(reply)
    r.words(4)
    said = r.word()
    found = [str(ipaddress.IPv4Address(r.word())) for _ in range(r.count(1000))]
    r.end()
    if said != len(found):
        raise Malformed(f"{said} servers were told, and {len(found)} are there")
    return found


def addresses_reply(reply: bytes) -> tuple[str, ...]:
    """Of GetAddrsU."""
    r = Reader(reply)
    _uuid(r)
    r.words(2)
    found = tuple(str(ipaddress.IPv4Address(r.word())) for _ in range(r.count(16)))
    r.end()
    return found
