# SPDX-License-Identifier: MIT
"""Minidisks that are zeroed or scribbled on: CMS says so and goes on without them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cms_guest import Cms, booted
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest

pytestmark = pytest.mark.e2e

# In a superblock (guests/vmkb/fs/fs_format.h); those of odd generations are in the second slot.
GENERATION_AT = 16
LABEL_AT = 48
DIRECTORY_AT = 64
BLOCK = 512
SLOT = 4 * BLOCK
FS_BLOCK = 4096


def _superblocks(image: bytes, label: str) -> list[int]:
    wanted = label.ljust(8).encode("cp037")
    found = []
    at = image.find(wanted)
    while at >= 0:
        if at % BLOCK == LABEL_AT:
            found.append(at - LABEL_AT)
        at = image.find(wanted, at + 1)
    return found


def _damage(path: Path) -> None:
    """USER2's 191 loses its superblocks, the documents' disk has noise where its directory is."""
    image = path.read_bytes()
    gone = _superblocks(image, "U2D191")
    noisy = _superblocks(image, "DOC19E")
    assert gone and noisy
    with path.open("r+b") as file:
        for at in gone:
            file.seek(at)
            file.write(bytes(BLOCK))
        for at in noisy:
            (generation,) = struct.unpack_from(">Q", image, at + GENERATION_AT)
            (directory,) = struct.unpack_from(">I", image, at + DIRECTORY_AT)
            first = at - generation % 2 * SLOT
            file.seek(first + directory * FS_BLOCK)
            file.write(bytes(range(256)) * (FS_BLOCK // 256))


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Guest, Hercules]]:
    with booted(tmp_path_factory.mktemp("damage"), {}, _damage) as pair:
        yield pair


def test_a_zeroed_disk_is_said_to_be_so_and_can_be_formatted(
    system: tuple[Guest, Hercules],
) -> None:
    user = Cms(system, 0x0701, "USER2")
    text = "\n".join(user.start)
    assert "DMSACC112S Disk A(191) device error: " in text
    assert user.start[-1].startswith("Ready;")
    user.run("LISTFILE * * A", 36)
    user.run("ACCESS 191 A", 100)
    mark = user.type("FORMAT 191 A")
    user.expect("Enter 1 (YES)", mark)
    user.type("1")
    user.expect("DMSFOR605R", mark)
    user.type("AGAIN")
    user.expect("Ready;", mark)
    user.run("LISTFILE * * A", 28)
    user.close()


def test_a_damaged_directory_is_not_believed(system: tuple[Guest, Hercules]) -> None:
    user = Cms(system, 0x0700, "USER1")
    assert "Disk Y(19E) device error" in "\n".join(user.start)
    (said,) = user.run("ACCESS 19E Y", 100)
    assert said.startswith("DMSACC112S Disk Y(19E) device error: ")
    assert user.run("TYPE LINES TEXT A 30") == ("line 30",)
    user.close()
