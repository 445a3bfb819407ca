# SPDX-License-Identifier: MIT
"""Read a user's stack or VM/KB from a folder, an archive or a commit of a git repository: the files
that programs may be built from. Nothing is written there."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vmkb.guests.release import git
from vmkb.guests.release.git import SourceError
from vmkb.guests.release.kinds import KINDS, Files, Kind, kind_of

_NOT_SOURCE = {"build", "volume", "__pycache__"}
"""Folders of a tree that no kind wants anything of, and that may be large."""
_Members = Iterable[tuple[str, Callable[[], bytes]]]


@dataclass(frozen=True)
class Source:
    """A source of one `kind`: its `files`, their `digest`, its `version`, and where it came from.
    `commit` is empty outside of git; `changed` counts files that are not committed."""

    kind: Kind
    path: Path
    ref: str
    commit: str
    changed: int
    version: str
    digest: str
    files: Files


def split(text: str) -> tuple[str, str]:
    """Split PATH[@REF] behind the longest path that exists. SourceError if none does."""
    ends = [len(text), *(m.start() for m in reversed(list(re.finditer("@", text))))]
    for end in ends:
        if end and Path(text[:end]).expanduser().exists():
            return text[:end], text[end + 1 :]
    raise SourceError(f"there is no file or folder {text}")


def read(path: Path, ref: str = "") -> Source:
    """Read the source at PATH: as it is, or at commit or tag REF. SourceError says what is
    wrong."""
    path = path.expanduser().resolve()
    commit, changed = "", 0
    try:
        if path.is_file():
            if ref:
                raise SourceError(f"{path} is a file, which has no commit {ref}")
            kind, files = _packed(path)
        elif ref or git.is_bare(path):
            commit = git.commit_of(path, ref or "HEAD")
            kind, files = _tarred(io.BytesIO(git.archive(path, commit)))
        else:
            kind, files = _kept(_of_folder(path))
            commit, changed = git.state(path, kind.logged)
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
    version = kind.version(files, f"{path} at {ref}" if ref else str(path))
    return Source(kind, path, ref, commit, changed, version, digest_of(files), files)


def digest_of(files: Files) -> str:
    """Sixteen hexadecimal digits that name FILES."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def _kept(members: _Members) -> tuple[Kind, Files]:
    """The kind of MEMBERS, and those of them that it wants."""
    found: dict[str, dict[str, bytes]] = {kind.name: {} for kind in KINDS}
    for name, content in members:
        for kind in KINDS:
            if inside := kind.inside(name):
                found[kind.name][inside] = content()
    one = kind_of(name for files in found.values() for name in files)
    return one, found[one.name]


def _of_folder(path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    one = next((k for k in KINDS if (path / k.mark).is_file()), KINDS[0])
    for root in one.roots:
        for folder, below, names in os.walk(path / root):
            below[:] = [name for name in below if name not in _NOT_SOURCE]
            for name in names:
                file = Path(folder, name)
                yield file.relative_to(path).as_posix(), file.read_bytes


def _packed(path: Path) -> tuple[Kind, Files]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            return _kept((i.filename, lambda i=i: archive.read(i)) for i in members)  # type: ignore[misc]
    if not tarfile.is_tarfile(path):
        raise SourceError(f"{path} is neither a folder nor a .tar.gz, .tar.xz or .zip")
    with path.open("rb") as file:
        return _tarred(file)


def _tarred(file: io.BufferedIOBase | io.BufferedReader) -> tuple[Kind, Files]:
    def content(member: tarfile.TarInfo) -> bytes:
        opened = archive.extractfile(member)
        assert opened is not None
        return opened.read()

    with tarfile.open(fileobj=file, mode="r:*") as archive:
        members = (m for m in archive if m.isfile())
        return _kept((m.name, lambda m=m: content(m)) for m in members)  # type: ignore[misc]
