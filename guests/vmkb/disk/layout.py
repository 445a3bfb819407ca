# SPDX-License-Identifier: MIT
"""Volume label and object directory as bytes: the Python side of cp/include/directory.h."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from vmkb.guests.vmkb.disk.codepage import checksum, field, summed, unfield
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.model import Directory, User

FBA = 512
VOL_MAGIC = 0xE5D4D2C2E5D6D3F1
DIR_MAGIC = 0xE5D4D2C2C4C9D9F1
VERSION = 1
AREAS = ("DIRECTRY", "WARMSTRT", "ACCOUNT", "SPOOL", "MDISKS", "TDISK")
AREA_SLOTS = 8

LABEL = struct.Struct(">QII6s2xIIQ24x")  # then areas, then 320 bytes of zero
AREA = struct.Struct(">8sII")
HEADER = struct.Struct(">QIII6s2x10I60x")
USER = struct.Struct(">8s8s8s8sIIIIHHHHH4s2x8s64s8s8I16x")
MDISK = struct.Struct(">HHIIB3x8s8s8s")
LINK = struct.Struct(">8sHHB3x")
DEVICE = struct.Struct(">HBBH2x8s")
AUTOLOG = struct.Struct(">8s")


@dataclass(frozen=True)
class Area:
    """A part of the volume, in blocks."""

    name: str
    start: int
    blocks: int


@dataclass(frozen=True)
class Label:
    """The volume label. built: seconds since 1900."""

    volser: str
    blocks: int
    built: int
    areas: tuple[Area, ...]

    def area(self, name: str) -> Area:
        """The area of that name; VolumeError if the volume has none."""
        for area in self.areas:
            if area.name == name:
                return area
        raise VolumeError(f"volume {self.volser} has no area {name}")


@dataclass(frozen=True)
class Extent:
    """A minidisk as the object directory has it."""

    owner: str
    vaddr: int
    start: int
    blocks: int


def _verify(data: bytes, offset: int, what: str) -> None:
    stored = struct.unpack_from(">I", data, offset)[0]
    if checksum(data[:offset] + bytes(4) + data[offset + 4 :]) != stored:
        raise VolumeError(f"{what} is damaged: its checksum is wrong; build the volume again")


def pack_label(label: Label) -> bytes:
    """Block 0."""
    data = LABEL.pack(
        VOL_MAGIC, VERSION, 0, field(label.volser, 6), label.blocks, len(label.areas), label.built
    )
    for area in label.areas:
        data += AREA.pack(field(area.name, 8), area.start, area.blocks)
    return summed(data.ljust(FBA, b"\0"), 12)


def unpack_label(data: bytes) -> Label:
    """Block 0 back; VolumeError says what is wrong with it."""
    if len(data) < FBA:
        raise VolumeError("the image is shorter than one block: it is truncated or not a volume")
    data = data[:FBA]
    magic, version, _, volser, blocks, count, built = LABEL.unpack_from(data)
    if magic != VOL_MAGIC:
        raise VolumeError("block 0 is not a volume label: this is not a VM/KB volume")
    _verify(data, 12, "the volume label")
    if version != VERSION or count > AREA_SLOTS:
        raise VolumeError(f"the volume label has version {version}; this program knows {VERSION}")
    areas = []
    for i in range(count):
        name, start, size = AREA.unpack_from(data, LABEL.size + i * AREA.size)
        if start + size > blocks:
            raise VolumeError(f"area {unfield(name)} ends after the volume")
        areas.append(Area(unfield(name), start, size))
    return Label(unfield(volser), blocks, built, tuple(areas))


def pack_directory(directory: Directory, volser: str) -> bytes:
    """The object directory; a whole number of blocks."""
    users = sorted(directory.users, key=lambda u: field(u.userid, 8))
    tables: list[list[bytes]] = [[], [], [], [], []]
    for u in users:
        counts = []
        for table, records in zip(tables[1:], _records(u), strict=True):
            counts += [len(table), len(records)]
            table += records
        tables[0].append(_pack_user(u, counts))
    body, places = b"", []
    for table in tables:
        places += [HEADER.size + len(body), len(table)]
        data = b"".join(table)
        body += data.ljust(-(-len(data) // 8) * 8, b"\0")
    size = HEADER.size + len(body)
    header = HEADER.pack(DIR_MAGIC, VERSION, 0, size, field(volser, 6), *places)
    data = summed(header + body, 12)
    return data.ljust(-(-len(data) // FBA) * FBA, b"\0")


def _pack_user(u: User, counts: list[int]) -> bytes:
    return USER.pack(
        field(u.userid, 8), field(u.password, 8), field(u.account, 8), field(u.distribution, 8),
        u.storage_kb, u.max_kb, u.classes, u.flags, u.priority, u.iucv_msglimit, u.maxconn,
        u.console_vaddr, u.console_type, u.edit, field(u.ipl_name, 8), field(u.ipl_parm, 64),
        field(u.secondary, 8), *counts,
    )  # fmt: skip


def _records(u: User) -> tuple[list[bytes], list[bytes], list[bytes], list[bytes]]:
    mdisks = [
        MDISK.pack(
            m.vaddr, m.device_type, m.start, m.blocks, m.mode, *(field(p, 8) for p in m.passwords)
        )
        for m in u.mdisks
    ]
    links = [LINK.pack(field(x.userid, 8), x.vaddr, x.alias, x.mode) for x in u.links]
    devices = [
        DEVICE.pack(d.vaddr, d.kind, field(d.spool_class, 1)[0], d.raddr, field(d.type, 8))
        for d in u.devices
    ]
    autologs = [AUTOLOG.pack(field(name, 8)) for name, _ in u.autologs]
    return mdisks, links, devices, autologs


def verified_directory(data: bytes) -> bytes:
    """The object directory at the beginning of DATA, whole; VolumeError says what is wrong."""
    if len(data) < HEADER.size:
        raise VolumeError("the directory area is shorter than a directory header")
    magic, version, _, size, *_ = HEADER.unpack_from(data)
    if magic != DIR_MAGIC:
        raise VolumeError("the directory area does not begin with an object directory")
    if version != VERSION or size % 8 or not HEADER.size <= size <= len(data):
        raise VolumeError("the object directory's header is damaged; build the volume again")
    _verify(data[:size], 12, "the object directory")
    return data[:size]


def summed_directory(data: bytes) -> bytes:
    """An object directory that was changed, with its checksum made anew."""
    return summed(data[:12] + bytes(4) + data[16:], 12)


def unpack_extents(data: bytes) -> list[Extent]:
    """Owners and places of all minidisks of an object directory, in its order."""
    data = verified_directory(data)
    _, _, _, _, _, *places = HEADER.unpack_from(data)
    extents = []
    for i in range(places[1]):
        record = USER.unpack_from(data, places[0] + i * USER.size)
        first, count = record[-8], record[-7]
        for k in range(first, first + count):
            vaddr, _, start, blocks, *_ = MDISK.unpack_from(data, places[2] + k * MDISK.size)
            extents.append(Extent(unfield(record[0]), vaddr, start, blocks))
    return extents
