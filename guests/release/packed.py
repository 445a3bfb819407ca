# SPDX-License-Identifier: MIT
"""The members of an archive: .tar, .tar.gz, .tar.bz2, .tar.xz or .zip.

What an archive says of itself may be wrong: it is unpacked piece by piece, forwards only, and up to
a limit.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from vmkb.guests.release.errors import MemberError
from vmkb.guests.release.members import MEMBERS, Member

UNPACKED = 2 << 30
"""Bytes that a tar archive may have, unpacked."""
_PIECE = 1 << 16
_HEAD = 8 << 20
"""Bytes that may be asked for at once: a header is smaller, and files are read in pieces."""
_XZ_MEMORY = 256 << 20
_MAGIC = 6
_LINK, _DEVICE = "is a link", "is a device or a pipe"
BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError,
    ValueError, OverflowError, RuntimeError,  # what tarfile and zipfile raise at strange values
)  # fmt: skip
"""Errors that reading an archive can raise, beside OSError and MemberError."""


def members(path: Path) -> Iterator[Member]:
    """The members of the archive PATH. MemberError if it is none; BROKEN, OSError."""
    with path.open("rb") as file:
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(_Bounded(file)) as archive:
                yield from _zipped(archive)
            return
        file.seek(0)
        stream = _Stream(_pieces(file))
        try:
            tar = tarfile.TarFile(fileobj=stream)  # type: ignore[arg-type]
        except tarfile.ReadError:
            raise MemberError("it is neither a folder nor a .tar.gz, .tar.xz or .zip") from None
        with tar:
            for _ in range(MEMBERS):
                if (member := tar.next()) is None:
                    return
                tar.members = []  # type: ignore[attr-defined]  # it would keep them all
                if not member.isdir():
                    yield _of_tar(tar, member)
        raise MemberError(f"it has more than {MEMBERS} files")


def _of_tar(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Member:
    if not member.isfile():
        return Member(member.name, what=_LINK if member.issym() or member.islnk() else _DEVICE)

    def read(most: int) -> bytes:
        opened = tar.extractfile(member)
        assert opened is not None
        return _read(opened, most)

    return Member(member.name, member.size, read)


def _zipped(archive: zipfile.ZipFile) -> Iterator[Member]:
    for member in archive.infolist():
        mode = stat.S_IFMT(member.external_attr >> 16)
        if member.is_dir():
            continue
        if mode not in (0, stat.S_IFREG):
            yield Member(member.filename, what=_LINK if mode == stat.S_IFLNK else _DEVICE)
            continue

        def read(most: int, one: zipfile.ZipInfo = member) -> bytes:
            with archive.open(one) as opened:
                return _read(opened, most)

        yield Member(member.filename, member.file_size, read)


def _read(file: IO[bytes], most: int) -> bytes:
    pieces = []
    while most > 0 and (piece := file.read(min(most, _PIECE))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


class _Bounded:
    """FILE, of which nobody reads much at once: a zip's directory is read whole."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """As a file's. MemberError if more than _HEAD are asked for, and there."""
        piece = self._file.read(size if 0 <= size <= _HEAD else _HEAD + 1)
        if len(piece) > _HEAD:
            raise MemberError(f"it has a directory of more than {_HEAD >> 20} MB")
        return piece


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The content of FILE, unpacked if it is packed."""
    start = file.peek(_MAGIC)[:_MAGIC]  # type: ignore[attr-defined]
    if start.startswith(b"\xfd7zXZ\0"):
        return _of_xz(file)
    opened: Any = file
    if start.startswith(b"\x1f\x8b"):
        opened = gzip.GzipFile(fileobj=file)
    elif start.startswith(b"BZh"):
        opened = bz2.BZ2File(file)
    return iter(lambda: opened.read(_PIECE), b"")


def _of_xz(file: IO[bytes]) -> Iterator[bytes]:
    """The same of an .xz: lzma.LZMAFile would take as much memory as the archive asks for."""
    left = file.read(_PIECE)
    while left:
        one = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        while not one.eof:
            if not left and one.needs_input:
                raise EOFError("it ends too early")
            yield one.decompress(left, _PIECE)
            left = b"" if one.eof or not one.needs_input else file.read(_PIECE)
        left = one.unused_data.lstrip(b"\0") or file.read(_PIECE)


class _Stream:
    """A tar archive of PIECES, as a file that is read forwards."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._ready, self._at = b"", 0

    def tell(self) -> int:
        """How much has been read."""
        return self._at

    def seek(self, at: int) -> None:
        """Pass over what comes before AT. MemberError if AT lies behind us."""
        if at < self._at:
            raise MemberError("it is damaged: one of its files has a negative size")
        while self._at < at and self.read(min(at - self._at, _PIECE)):
            pass

    def read(self, size: int) -> bytes:
        """The next SIZE bytes, fewer at the end. MemberError beyond the limits."""
        if not 0 <= size <= _HEAD:
            raise MemberError(f"it is damaged: it has a header of more than {_HEAD >> 20} MB")
        found = bytearray()
        while len(found) < size:
            self._ready = self._ready or next((p for p in self._pieces if p), b"")
            if not self._ready:
                break
            take = size - len(found)
            found += self._ready[:take]
            self._ready = self._ready[take:]
        self._at += len(found)
        if self._at > UNPACKED:
            raise MemberError(f"it has more than {UNPACKED >> 30} GB, unpacked")
        return bytes(found)
