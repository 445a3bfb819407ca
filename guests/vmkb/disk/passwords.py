# SPDX-License-Identifier: MIT
"""The passwords in a volume's object directory: read, and given anew on a copy of the volume.

Those that are delivered are known to everybody; a guest that others can reach wants its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from guests.vmkb.disk.codepage import field, unfield
from guests.vmkb.disk.errors import VolumeError
from guests.vmkb.disk.layout import (
    FBA,
    HEADER,
    USER,
    summed_directory,
    unpack_label,
    verified_directory,
)

#: No letter or digit that is taken for another; 8 of them are 40 bits.
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LENGTH = 8
_PASSWORD = slice(8, 16)  # of a user's record, behind the userid


def random_passwords(userids: Iterable[str]) -> dict[str, str]:
    """A password for each of USERIDS, by the system's source of randomness."""
    return {u: "".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for u in userids}


def read_passwords(image: Path) -> dict[str, str]:
    """Who may log on by a password, and that password. VolumeError, OSError."""
    with image.open("rb") as f:
        data, _ = _directory(f)
    return {unfield(data[at : at + 8]): unfield(data[at + 8 : at + 16]) for at in _users(data)}


def write_passwords(image: Path, passwords: Mapping[str, str]) -> None:
    """Give the userids of PASSWORDS these in IMAGE, which nobody else has open; others keep theirs.

    VolumeError if one of them has none to change; OSError.
    """
    with image.open("r+b") as f:
        data, start = _directory(f)
        places = {unfield(data[at : at + 8]): at for at in _users(data)}
        missing = sorted(set(passwords) - set(places))
        if missing:
            raise VolumeError(f"{image}: {', '.join(missing)} cannot log on by a password")
        changed = bytearray(data)
        for userid, password in passwords.items():
            at = places[userid]
            changed[at + _PASSWORD.start : at + _PASSWORD.stop] = field(password, 8)
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


def _users(data: bytes) -> list[int]:
    """Where the records begin of those who have a password."""
    _, _, _, _, _, first, count, *_ = HEADER.unpack_from(data)
    places = (first + k * USER.size for k in range(count))
    return [at for at in places if unfield(data[at + 8 : at + 16])]
