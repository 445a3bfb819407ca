# SPDX-License-Identifier: MIT
"""Making a volume image from a manifest, and opening one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from vmkb.guests.vmkb.disk import manifest as manifests
from vmkb.guests.vmkb.disk.compiler import compile_directory
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.fsformat import EPOCH_1900, FsError
from vmkb.guests.vmkb.disk.layout import (
    AREAS,
    FBA,
    Area,
    Extent,
    Label,
    pack_directory,
    pack_label,
    unpack_extents,
    unpack_label,
)
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region, format_disk
from vmkb.guests.vmkb.disk.model import Directory

SOURCE = Path(__file__).resolve().parents[1] / "volume"


def now_1900() -> int:
    """Seconds since 1900-01-01 00:00 UTC; SOURCE_DATE_EPOCH, if set, instead of the clock."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", time.time())) + EPOCH_1900


def build(folder: Path, image: Path, now: int) -> Label:
    """Compile the directory and write the image; the image appears whole or not at all.

    Raises VolumeError (DirectoryError for errors in the directory source).
    """
    volume = manifests.load(folder / "volume.toml")
    areas, at = [], 1
    for name in AREAS[: AREAS.index("MDISKS")]:
        size = volume.areas.get(name, manifests.DIRECTORY_BLOCKS if name == "DIRECTRY" else 0)
        areas.append(Area(name, at, size))
        at += size
    first = -(-at // 8) * 8
    source = folder / volume.directory
    try:
        text = source.read_text("utf-8")
    except OSError as e:
        raise VolumeError(f"{source}: {e.strerror}") from None
    directory, end = compile_directory(source.name, text, volume.volser, (first, volume.blocks))
    areas.append(Area("MDISKS", first, end - first))
    areas.append(Area("TDISK", end, volume.areas.get("TDISK", 0)))
    end += areas[-1].blocks
    label = Label(volume.volser, end, now, tuple(areas))
    objects = pack_directory(directory, volume.volser)
    if len(objects) > areas[0].blocks * FBA:
        raise VolumeError(
            f"the object directory takes {len(objects) // FBA} blocks and its area has "
            f"{areas[0].blocks}; raise DIRECTRY in volume.toml"
        )
    partial = image.with_name(image.name + ".new")
    try:
        with partial.open("w+b") as f:
            f.truncate(end * FBA)
            f.write(pack_label(label))
            f.write(objects)
            _fill(f, volume, directory, now)
        partial.replace(image)
    finally:
        partial.unlink(missing_ok=True)
    return label


def _fill(f: BinaryIO, volume: manifests.Volume, directory: Directory, now: int) -> None:
    disks = {(d.owner, d.vaddr): d for d in volume.disks}
    for u in directory.users:
        for m in u.mdisks:
            assert m.start is not None
            region = Region(f, m.start, m.blocks)
            disk = disks.pop((u.userid, m.vaddr), None)
            label = disk.label if disk and disk.label else f"{u.userid[:3]}{m.vaddr:03X}"
            format_disk(region, label, now)
            if disk is None:
                continue
            files = [(*c, now) for c in manifests.contents(volume, disk)]
            try:
                Minidisk(region).put(files)
            except FsError as e:
                raise VolumeError(f"minidisk {u.userid} {m.vaddr:03X}: {e}") from None
    for owner, vaddr in disks:
        raise VolumeError(f"volume.toml: the directory has no MDISK {vaddr:03X} of {owner}")


@contextmanager
def opened(image: Path, write: bool = False) -> Iterator[tuple[BinaryIO, Label, list[Extent]]]:
    """An image with its label and minidisks, validated; for reading, or both."""
    try:
        f: BinaryIO = image.open("r+b") if write else image.open("rb")
    except OSError as e:
        raise VolumeError(f"{image}: {e.strerror}") from None
    with f:
        label = unpack_label(f.read(FBA))
        size = os.fstat(f.fileno()).st_size
        if size < label.blocks * FBA:
            raise VolumeError(
                f"{image} has {size // FBA} blocks and its label says {label.blocks}: "
                "it is truncated; build it again"
            )
        area = label.area("DIRECTRY")
        f.seek(area.start * FBA)
        extents = unpack_extents(f.read(area.blocks * FBA))
        yield f, label, extents


def minidisk(f: BinaryIO, extents: list[Extent], owner: str, vaddr: int) -> Minidisk:
    """One minidisk of an opened image."""
    for e in extents:
        if (e.owner, e.vaddr) == (owner, vaddr):
            return Minidisk(Region(f, e.start, e.blocks))
    raise VolumeError(f"the directory has no MDISK {vaddr:03X} of {owner}; try list")
