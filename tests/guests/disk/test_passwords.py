# SPDX-License-Identifier: MIT
"""New passwords on a copy of a volume: these and nothing else change."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmkb.guests.vmkb.disk.build import build
from vmkb.guests.vmkb.disk.codepage import field
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.passwords import (
    ALPHABET,
    is_volume,
    random_passwords,
    read_passwords,
    write_passwords,
)

DIRECTORY = """\
USER OP SECRET
 MDISK 190 9336 AUTO 80 VOL001 MR ALL WSYS MSYS
 MDISK 191 9336 AUTO 80 VOL001 MR RPASS WPASS MPASS
 MDISK 192 9336 AUTO 80 VOL001 MR
USER VMUSER1 VMUSER1 1M 2M G
USER NOBODY NOLOG
 MDISK 191 9336 AUTO 80 VOL001 MR RNOBODY
USER SERVER AUTOONLY
"""


@pytest.fixture
def image(tmp_path: Path) -> Path:
    (tmp_path / "user.direct").write_text(DIRECTORY)
    (tmp_path / "volume.toml").write_text(
        'volser = "VOL001"\ndirectory = "user.direct"\nblocks = 4096\n[areas]\nDIRECTRY = 16\n'
    )
    build(tmp_path, tmp_path / "volume", 0)
    return tmp_path / "volume"


USERS = {"OP": "SECRET", "VMUSER1": "VMUSER1"}
DISKS = {
    "OP.190.W": "WSYS", "OP.190.M": "MSYS",
    "OP.191.R": "RPASS", "OP.191.W": "WPASS", "OP.191.M": "MPASS", "NOBODY.191.R": "RNOBODY",
}  # fmt: skip


def test_what_opens_nothing_and_what_is_open_to_all_are_no_passwords(image: Path) -> None:
    assert read_passwords(image) == {**USERS, **DISKS}


def test_a_minidisks_passwords_are_replaced_and_come_back(image: Path) -> None:
    before = image.read_bytes()
    new = random_passwords(read_passwords(image))
    write_passwords(image, new)
    assert read_passwords(image) == new and not set(new.values()) & set(DISKS.values())
    directory = image.read_bytes()[: 40 * 512]
    for known in {*USERS.values(), *DISKS.values()} - set(USERS):
        assert field(known, 8) not in directory
    write_passwords(image, {**USERS, **DISKS})
    assert image.read_bytes() == before


def test_what_is_written_is_read_and_nothing_else_changes(image: Path, tmp_path: Path) -> None:
    before = image.read_bytes()
    new = random_passwords(read_passwords(image))
    assert all(len(word) == 8 and set(word) <= set(ALPHABET) for word in new.values())
    assert len(set(new.values())) == len(USERS) + len(DISKS)
    write_passwords(image, {"OP": new["OP"]})
    assert read_passwords(image) == {**USERS, **DISKS, "OP": new["OP"]}
    changed = [k for k, (a, b) in enumerate(zip(before, image.read_bytes(), strict=True)) if a != b]
    assert len(changed) <= 8 + 4  # a password and the directory's checksum
    write_passwords(image, {"OP": "SECRET"})
    assert image.read_bytes() == before


def test_who_has_no_password_gets_none(image: Path) -> None:
    before = image.read_bytes()
    with pytest.raises(VolumeError, match="NOBODY, SERVER cannot log on by a password"):
        write_passwords(image, {"SERVER": "X", "NOBODY": "X", "OP": "X"})
    assert image.read_bytes() == before


def test_damage_is_said_and_left_alone(image: Path, tmp_path: Path) -> None:
    data = bytearray(image.read_bytes())
    data[512 + 300] ^= 1
    image.write_bytes(data)
    assert not is_volume(image)
    with pytest.raises(VolumeError, match="checksum is wrong"):
        write_passwords(image, {"OP": "X"})
    other = tmp_path / "other"
    other.write_bytes(b"no volume at all" * 64)
    assert not is_volume(other) and not is_volume(tmp_path / "missing")
