# SPDX-License-Identifier: MIT
"""The passwords in a volume's object directory: read, and given anew on a copy of the volume.

Those that are delivered are known to everybody; a guest that others can reach wants its own. A
password is named by what it opens: a userid for LOGON, OWNER.VADDR.MODE (R, W or M, of LINK's
modes) for a minidisk.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from vmkb.guests.vmkb.disk.codepage import field, unfield
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.layout import (
    FBA,
    HEADER,
    MDISK,
    USER,
    summed_directory,
    unpack_label,
    verified_directory,
)

#: No letter or digit that is taken for another; 8 of them are 40 bits.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LENGTH = 8
_WIDTH = 8
_OF_USER = 8
"""Where the password is in a user's record: behind the userid."""
_OF_MDISK = {16: "R", 24: "W", 32: "M"}
"""Where a minidisk's are in its record."""


def random_passwords(names: Iterable[str]) -> dict[str, str]:
    """A password for each of NAMES, by the system's source of randomness."""
    return {name: "".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for name in names}


def read_passwords(image: Path) -> dict[str, str]:
    """Every password that lets somebody in, by what it opens. VolumeError, OSError."""
    with image.open("rb") as f:
        data, _ = _directory(f)
    return {name: unfield(data[at : at + _WIDTH]) for name, at in _places(data).items()}


def write_passwords(image: Path, passwords: Mapping[str, str]) -> None:
    """Put PASSWORDS into IMAGE, which nobody else has open; others stay.

    VolumeError if one of them opens nothing there; OSError.
    """
    with image.open("r+b") as f:
        data, start = _directory(f)
        places = _places(data)
        missing = sorted(set(passwords) - set(places))
        if missing:
            raise VolumeError(f"{image}: {', '.join(missing)} cannot log on by a password")
        changed = bytearray(data)
        for name, password in passwords.items():
            at = places[name]
            changed[at : at + _WIDTH] = field(password, _WIDTH)
        f.seek(start)
        f.write(summed_directory(bytes(changed)))


def is_volume(image: Path) -> bool:
    """Whether IMAGE is a volume with an object directory."""
    try:
        with image.open("rb") as f:
            _directory(f)
    except (OSError, VolumeError):
        return False
    return True


def _directory(f: BinaryIO) -> tuple[bytes, int]:
    """The object directory of an open volume, verified, and the byte at which it begins."""
    label = unpack_label(f.read(FBA))
    area = label.area("DIRECTRY")
    f.seek(area.start * FBA)
    return verified_directory(f.read(area.blocks * FBA)), area.start * FBA


def _places(data: bytes) -> dict[str, int]:
    """Where each password stands, by what it opens. A blank one opens nothing, ALL is no secret."""
    places: dict[str, int] = {}
    _, _, _, _, _, users, count, disks, *_ = HEADER.unpack_from(data)
    for user in range(users, users + count * USER.size, USER.size):
        owner, *_, first, mdisks = USER.unpack_from(data, user)[:-6]
        userid = unfield(owner)
        places[userid] = user + _OF_USER
        for disk in range(
            disks + first * MDISK.size, disks + (first + mdisks) * MDISK.size, MDISK.size
        ):
            vaddr = MDISK.unpack_from(data, disk)[0]
            for at, mode in _OF_MDISK.items():
                places[f"{userid}.{vaddr:03X}.{mode}"] = disk + at
    return {
        name: at
        for name, at in places.items()
        if unfield(data[at : at + _WIDTH]) not in ("", *(["ALL"] if "." in name else []))
    }
