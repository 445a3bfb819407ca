# SPDX-License-Identifier: MIT
"""The files of a folder, of which some may be links, pipes or devices: these are told, and never
opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from vmkb.guests.release.errors import MemberError
from vmkb.guests.release.kinds import KINDS
from vmkb.guests.release.members import Member, shown

_NOT_SOURCE = {"build", "volume", "__pycache__"}
"""Folders of a tree that no kind wants anything of, and that may be large."""
_DEPTH = 40
_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}


def members(path: Path) -> Iterator[Member]:
    """The files below the roots of the tree PATH. PATH itself may be a link."""
    one = next((k for k in KINDS if (path / k.mark).is_file()), KINDS[-1])
    for root in one.roots:
        if (path / root).is_symlink():
            raise MemberError(f"{root} is a link; give a tree with its own files")
        elif (path / root).is_dir():
            yield from _below(path, root)
        elif (path / root).exists():
            yield from _one(path, root)


def _one(path: Path, name: str) -> Iterator[Member]:
    here = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield _member(name, name, here)
    finally:
        os.close(here)


def _below(path: Path, root: str) -> Iterator[Member]:
    for folder, below, names, here in os.fwalk(path / root, onerror=_raise):
        inside = Path(folder).relative_to(path)
        if len(inside.parts) > _DEPTH:
            raise MemberError(f"{shown(str(inside))} is more than {_DEPTH} folders deep")
        below[:] = [name for name in below if name not in _NOT_SOURCE]
        for name in (*below, *names):
            mode = os.stat(name, dir_fd=here, follow_symlinks=False).st_mode
            if not stat.S_ISDIR(mode):
                yield _member((inside / name).as_posix(), name, here)


def _member(inside: str, name: str, here: int) -> Member:
    found = os.stat(name, dir_fd=here, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        return Member(inside, what=_KINDS.get(stat.S_IFMT(found.st_mode), "is a device"))

    def read(most: int) -> bytes:
        # It may have become something else since: no link is followed, no pipe waited for.
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise MemberError(f"{shown(inside)} is no file any more")
            return file.read(most)

    return Member(inside, found.st_size, read)


def _raise(error: OSError) -> None:
    raise error
