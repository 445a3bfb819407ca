# SPDX-License-Identifier: MIT
"""Extent lists longer than an entry and than one overflow block, written by C and by Python."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.fs.drive import Drive, FsCode
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region, format_disk
from vmkb.guests.vmkb.disk.records import fixed, variable

FILES = 1000
BLOCKS = 8 * 2100
PIECES = 700  # blocks: more extents than one overflow block has
BIG = b"".join(bytes((i * 11 + n) & 0xFF for i in range(256)) * 16 for n in range(PIECES))[:-100]


def _singles(disk: Minidisk, letter: str, count: int) -> None:
    """One-block files; the rest of the disk goes to a file REST."""
    disk.put((f"{letter}{i}", "X", 1, fixed(bytes([i & 255]), 1), 1) for i in range(count))
    disk.put([("REST", "X", 1, fixed(bytes(disk.free * 4096), 80), 1)])


@pytest.fixture(scope="module")
def fragmented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A disk whose free blocks are nearly all single ones, over 700 of them."""
    path = tmp_path_factory.mktemp("fragmented") / "image"
    with path.open("w+b") as f:
        f.truncate(BLOCKS * 512)
        region = Region(f, 0, BLOCKS)
        format_disk(region, "FRAG", 1)
        disk = Minidisk(region)
        _singles(disk, "F", FILES)
        disk.erase(*((f"F{i}", "X") for i in range(1, FILES, 2)))
        disk.put([("ODD", "X", 1, fixed(bytes(disk.free * 4096 - 4 * 4096), 80), 1)])
        disk.erase(("REST", "X"))
        _singles(disk, "G", FILES // 2)
        disk.erase(*((f"G{i}", "X") for i in range(1, FILES // 2, 2)))
        disk.erase(*((f"F{i}", "X") for i in range(0, FILES, 2)))
    return path


@pytest.fixture
def image(tmp_path: Path, fragmented: Path) -> Path:
    """A copy of the fragmented disk."""
    return Path(shutil.copy(fragmented, tmp_path / "image"))


@pytest.fixture
def drive(image: Path, fs_program: Callable[[str], Path]) -> Iterator[Drive]:
    drive = Drive(fs_program("fsdrive"), image, 0, BLOCKS, buffer=4096)
    drive.mount(True)
    yield drive
    drive.end()


def test_written_by_c(drive: Drive, image: Path) -> None:
    drive.put("BIG", "DATA", fixed(BIG, 80), how=100000)
    assert drive.stat("BIG", "DATA").blocks == PIECES + 2
    for how in (0, 1, 5, 4096, 1 << 20):
        assert drive.get("BIG", "DATA", how) == BIG
    free = drive.usage()["free"]
    drive.mount(True)
    assert drive.usage()["free"] == free
    with image.open("rb") as f:
        disk = Minidisk(Region(f, 0, BLOCKS))
        entry = disk.find("BIG", "DATA")
        assert len(entry.extents) > 400 and len(entry.overflow) == 2
        assert disk.read(entry).data == BIG
        assert disk.free == free
    drive.erase("BIG", "DATA")
    assert drive.usage()["free"] == free + PIECES + 2
    with pytest.raises(FsCode, match="FULL"):
        drive.put("BIG", "DATA", fixed(BIG * 2, 80), how=100000)
    assert drive.usage()["free"] == free + PIECES + 2


def test_written_by_python(drive: Drive, image: Path) -> None:
    content = variable([BIG[i : i + 999] for i in range(0, 690 * 4000, 999)])
    with image.open("r+b") as f:
        disk = Minidisk(Region(f, 0, BLOCKS))
        disk.put([("BIG", "DATA", 1, content, 1)])
        assert len(disk.find("BIG", "DATA").extents) > 400
    drive.mount(True)
    assert drive.get("BIG", "DATA", 0) == content.data
    drive.rename("BIG", "DATA", "BIGGER", "DATA", 2)
    assert drive.get("BIGGER", "DATA", 7777) == content.data


def test_pieces_of_a_writer_that_gives_up_are_free_again(drive: Drive) -> None:
    before = drive.usage()
    with pytest.raises(FsCode, match="FULL"):
        drive.put("BIG", "DATA", fixed(BIG + bytes(200000), 80), how=4096)
    assert drive.usage()["free"] == before["free"]
    drive.put("BIG", "DATA", fixed(BIG, 80), how=4096)
    assert drive.get("BIG", "DATA") == BIG


def test_directory_full(tmp_path: Path, fs_program: Callable[[str], Path]) -> None:
    path = tmp_path / "image"
    path.write_bytes(bytes(8 * 40 * 512))
    drive = Drive(fs_program("fsdrive"), path, 0, 8 * 40)
    drive.format("DIR", 1)
    drive.mount(True)
    with path.open("r+b") as f:
        Minidisk(Region(f, 0, 320)).put((f"E{i}", "X", 1, fixed(b"", 80), 1) for i in range(1023))
    drive.mount(True)
    drive.put("LAST", "X", fixed(b"", 80))
    with pytest.raises(FsCode, match="DIRFULL"):
        drive.put("MORE", "X", fixed(b"", 80))
    drive.put("LAST", "X", fixed(b"1", 80), how=1)
    assert len(drive.list("L%ST", "*")) == 1
    assert len(drive.list("E*9*", "X", 1)) == sum("9" in str(i) for i in range(1023))
    assert drive.list("*", "*", 2) == []
    drive.end()
