# SPDX-License-Identifier: MIT
"""Objects that builds of stacks share: the same files are compiled in the same way once.

Beside an object stands the list of the files that the compiler has read for it, and its name has
their digest. It is taken into another build if these files are the same there. All headers of that
build need the same names, too: else the compiler might find another one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from vmkb.guests.release import cache

OBJECT_BYTES = 128 << 20
"""Beyond so many bytes of objects those go that were not used for the longest time."""
_HERE = "@"
"""Stands for the build's folder in the name of a file."""


class Objects:
    """The objects of the build in FOLDER, which are below folders called PROGRAM... and are made
    from C files and headers SOURCES. WAY names the compiler and its options. Within `alone`."""

    def __init__(self, folder: Path, program: str, sources: Iterable[Path], *way: str) -> None:
        self._folder = folder
        self._here = folder.relative_to(cache.VMKB).as_posix()
        self._kept = cache.KEPT / "objects"
        self._pattern = f"**/{program}*/**/*.o"
        names = [self._name(path) for path in sources]
        self._sources = [name for name in names if name.endswith(".c")]
        self._way = cache.named(*way, *sorted(set(names) - set(self._sources)))
        self._digests: dict[str, str] = {}
        self._taken: set[Path] = set()

    def take(self) -> None:
        """Put objects that are kept into the build, instead of those that are there."""
        for path in self._folder.glob(self._pattern):
            path.unlink()  # make may have been killed while one was written
        self._kept.mkdir(exist_ok=True)
        (self._kept / cache.USED).touch()
        lists = defaultdict(list)
        for path in self._kept.glob("*.d"):
            lists[path.stem.partition("-")[0]].append(path)
        for source in self._sources:
            for path in lists[self._made_of(source)]:
                text = path.read_text("utf-8")
                made, *read = _rule(text)
                if path.stem == self._stem(read):
                    self._put(path.with_suffix(".o"), self._path(made), text)

    def _put(self, kept: Path, made: Path, text: str) -> None:
        made.parent.mkdir(parents=True, exist_ok=True)
        with cache.writing(made):
            made.with_suffix(".d").write_text(text.replace(f"{_HERE}/", f"{self._here}/"), "utf-8")
            shutil.copyfile(kept, made)
        os.utime(kept)
        self._taken.add(made)

    def give(self) -> None:
        """Keep the objects that make has made, and leave none in the build."""
        for path in self._folder.glob(self._pattern):
            listed = path.with_suffix(".d")
            if path not in self._taken and listed.is_file():
                text = listed.read_text("utf-8").replace(f"{self._here}/", f"{_HERE}/")
                kept = self._kept / f"{self._stem(_rule(text)[1:])}.d"
                with cache.writing(kept):
                    shutil.copyfile(path, kept.with_suffix(".o"))
                    kept.with_suffix(".new").write_text(text, "utf-8")
                kept.with_suffix(".new").rename(kept)
            path.unlink()
        _tidy(self._kept)

    def _name(self, path: Path) -> str:
        name = path.relative_to(cache.VMKB).as_posix()
        return name.replace(f"{self._here}/", f"{_HERE}/")

    def _path(self, name: str) -> Path:
        return cache.VMKB / name.replace(f"{_HERE}/", f"{self._here}/")

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            path = self._path(name)
            content = path.read_bytes() if path.is_file() else b""
            self._digests[name] = hashlib.sha256(content).hexdigest()
        return self._digests[name]

    def _made_of(self, source: str) -> str:
        return cache.named(self._way, source, self._digest(source))

    def _stem(self, read: list[str]) -> str:
        """The name of an object for which the compiler has READ these files, its source first."""
        return f"{self._made_of(read[0])}-{cache.named(*read, *map(self._digest, read))}"


def _rule(text: str) -> list[str]:
    """The object and the files of the first rule in a list of gcc's."""
    made, _, read = text.replace("\\\n", " ").partition("\n")[0].partition(": ")
    return [made, *read.split()]


def _tidy(kept: Path) -> None:
    room = OBJECT_BYTES
    found = ((path, path.stat()) for path in kept.glob("*.o"))
    for path, status in sorted(found, key=lambda one: one[1].st_mtime, reverse=True):
        room -= status.st_size
        if room < 0:
            path.with_suffix(".d").unlink(missing_ok=True)
            path.unlink()
