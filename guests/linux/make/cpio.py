# SPDX-License-Identifier: MIT
"""An initramfs: an archive in cpio's form "newc". Pure: entries in, bytes out."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from typing import NamedTuple

ALIGN = 4
_END = "TRAILER!!!"


class Entry(NamedTuple):
    """One file: `name` without a slash before it, `mode` with its type, what it holds (of a link,
    where it leads), and of a device its two numbers."""

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def folder(name: str) -> Entry:
    """A folder that all may look into."""
    return Entry(name, stat.S_IFDIR | 0o755)


def program(name: str, data: bytes) -> Entry:
    """A file that may be run."""
    return Entry(name, stat.S_IFREG | 0o755, data)


def text(name: str, content: str) -> Entry:
    """A file of text."""
    return Entry(name, stat.S_IFREG | 0o644, content.encode())


def link(name: str, target: str) -> Entry:
    """A symbolic link."""
    return Entry(name, stat.S_IFLNK | 0o777, target.encode())


def device(name: str, major: int, minor: int) -> Entry:
    """A character device."""
    return Entry(name, stat.S_IFCHR | 0o600, b"", (major, minor))


def with_folders(entries: Iterable[Entry]) -> list[Entry]:
    """ENTRIES, each behind the folders that it lies in."""
    made: set[str] = set()
    out: list[Entry] = []
    for entry in entries:
        parts = entry.name.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if parent not in made:
                made.add(parent)
                out.append(folder(parent))
        if not (stat.S_ISDIR(entry.mode) and entry.name in made):
            out.append(entry)
        made.add(entry.name)
    return out


def archive(entries: Iterable[Entry]) -> bytes:
    """The archive of ENTRIES, which are all root's and of no time."""
    parts: list[bytes] = []
    for number, entry in enumerate([*entries, Entry(_END, 0)], start=1):
        name = entry.name.encode() + b"\0"
        fields = (
            number, entry.mode, 0, 0, 1, 0, len(entry.data), 0, 0, *entry.device, len(name), 0,
        )  # fmt: skip
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
        parts += [_padded(head), _padded(entry.data)]
    return b"".join(parts)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % ALIGN)
