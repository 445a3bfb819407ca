# SPDX-License-Identifier: MIT
"""A guest's volume as a workload wants it: its own directory entries, its own files.

The guest's own folder is never changed: the directory source is taken from there, the entries of
some users are replaced, and the volume is built again beside the results.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from hercules.scratch import Scratch
from hercules.volume.build import build, minidisk, now_1900, opened
from hercules.volume.errors import VolumeError
from hercules.volume.fsformat import FsError
from hercules.volume.minidisk import Minidisk
from hercules.volume.records import Stored, to_text

CmsName = tuple[str, str]
"""A filename and a filetype."""


def replace_entries(source: str, entries: Mapping[str, str]) -> str:
    """Directory SOURCE with the entry of each user of ENTRIES replaced by the text given there.

    An entry goes from its USER statement to the comment or statement that begins the next one.
    Raises VolumeError when a user is not in the directory.
    """
    out: list[str] = []
    left = dict(entries)
    skipping = False
    for line in source.splitlines():
        words = line.split()
        if words and words[0] == "USER":
            text = left.pop(words[1], None)
            skipping = text is not None
            if text is not None:
                out.extend(text.strip("\n").splitlines())
        elif not words or words[0].startswith("*") or words[0] in ("PROFILE", "DIRECTORY"):
            skipping = False
        if not skipping:
            out.append(line)
    if left:
        raise VolumeError(f"the guest's directory has no USER {', '.join(left)} to replace")
    return "\n".join(out) + "\n"


def make_volume(guest: Path, entries: Mapping[str, str], image: Path, added: str = "") -> None:
    """Build the volume of the folder GUEST (with a volume.toml) into IMAGE with ENTRIES replaced
    and the entries of ADDED behind the others.

    Raises VolumeError for an error in the directory or the manifest.
    """
    with Scratch(tempfile.gettempdir(), "vmkb-volume-") as scratch:
        folder = scratch.path / "volume"
        folder.mkdir()
        for path in guest.iterdir():
            (folder / path.name).symlink_to(path.resolve())
        source = folder / "user.direct"
        text = source.read_text("utf-8")
        source.unlink()
        source.write_text(replace_entries(text, entries) + added, "utf-8")
        build(folder, image, now_1900())


def put_files(image: Path, owner: str, vaddr: int, files: Mapping[CmsName, Stored]) -> None:
    """Write FILES on a minidisk of an image that no guest uses. VolumeError if they do not fit."""
    with opened(image, write=True) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        try:
            disk.put([(fn, ft, 1, stored, now_1900()) for (fn, ft), stored in files.items()])
        except FsError as error:
            raise VolumeError(f"{owner} {vaddr:03X}: {error}") from None


def digest(disk: Minidisk, name: CmsName) -> tuple[str, int] | None:
    """SHA-256 and size of a file's content as stored, records and all; None if it is not there."""
    try:
        stored = disk.read(disk.find(*name))
    except FsError:
        return None
    return hashlib.sha256(stored.data).hexdigest(), len(stored.data)


def read_text(image: Path, owner: str, vaddr: int, name: CmsName) -> str | None:
    """A file of text from the image of a guest that may run, or None if it is not there."""
    with opened(image) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        try:
            return to_text(disk.read(disk.find(*name)))
        except FsError:
            return None


def digests(
    image: Path, owner: str, vaddr: int, names: Iterable[CmsName]
) -> dict[CmsName, tuple[str, int] | None]:
    """What `digest` says of each file of a minidisk, read from the image of a guest that rests.

    The file system switches from one whole state to the next, so what is read is whole.
    """
    with opened(image) as (f, _, extents):
        disk = minidisk(f, extents, owner, vaddr)
        return {name: digest(disk, name) for name in names}
