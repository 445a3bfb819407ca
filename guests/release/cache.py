# SPDX-License-Identifier: MIT
"""The folders in which builds are kept, by a digest of what they are made of. Limited by age and
size; those in use stay."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tarfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vmkb.guests.release.errors import SourceError
from vmkb.hercules.deadline import Timeout

_GUEST = Path(__file__).resolve().parents[1] / "vmkb"
PACKED = _GUEST / "tcpip.tar.xz"
"""TCPIP's own sources in a vmkb that was installed from a wheel (scripts/wheel)."""


def _home() -> Path:
    """Where make runs: in a clone the guest's folder; else one of the user's cache, for each
    PACKED its own, because what is installed may be another user's."""
    if not PACKED.is_file():
        return _GUEST
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(caches, "vmkb", hashlib.sha256(PACKED.read_bytes()).hexdigest()[:16]).absolute()


VMKB = _home()
KEPT = VMKB / "build" / "own"
"""Where the folders are. `make clean` removes them."""
KEPT_DAYS, KEPT_BYTES = 30, 1 << 30
"""Limits for `tidy`: days since the last use, and bytes of all folders."""
ALONE_WITHIN = 3600.0
"""Seconds for all builds of another process."""
USED = "used"
"""A file in each folder: its date is that of the last use, and each user holds a lock on it."""
_in_use: dict[Path, int] = {}


def named(*words: str) -> str:
    """Sixteen hexadecimal digits that name what is made of WORDS."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def fill(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write FILES below FOLDER; what begins as a script can be run. ValueError if a name leads
    out of it."""
    for name, content in files.items():
        path = folder / name
        if ".." in path.parts or not path.is_relative_to(folder):
            raise ValueError(f"{name} leads out of {folder}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path):
            path.write_bytes(content)
        path.chmod(0o755 if content.startswith(b"#!") else 0o644)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Give the error of a full disk, which has no name, that of PATH."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or str(path)) from None


@contextmanager
def alone(within: float = ALONE_WITHIN) -> Iterator[None]:
    """Keep other processes from building or removing anything in KEPT. Those who wait get their
    turn in the order in which they came. Timeout if it does not come WITHIN so many seconds;
    SourceError if nothing can be kept here."""
    try:
        KEPT.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(
            f"{error.filename} cannot be made: {error.strerror}; set XDG_CACHE_HOME for builds"
        ) from None
    with (KEPT / "lock").open("wb") as lock:
        # The kernel queues those whose call waits; a thread makes it, so that it has a deadline.
        waiting = threading.Thread(target=fcntl.flock, args=(lock, fcntl.LOCK_EX), daemon=True)
        waiting.start()
        waiting.join(within)
        if waiting.is_alive():
            raise Timeout("another vmkb's builds to end", within)
        try:
            if PACKED.is_file() and not (VMKB / "Makefile").is_file():
                with tarfile.open(PACKED) as archive:  # the Makefile stands last
                    archive.extractall(VMKB, filter="data")
            yield
        finally:  # a process that was forked meanwhile has the file open, too
            fcntl.flock(lock, fcntl.LOCK_UN)


def use(folder: Path) -> None:
    """Keep FOLDER until this process ends or calls `let_go`."""
    (folder / USED).touch()
    if folder not in _in_use:
        handle = os.open(folder / USED, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_SH)
        _in_use[folder] = handle


def let_go() -> None:
    """Release all folders that this process uses."""
    while _in_use:
        os.close(_in_use.popitem()[1])


def tidy(size: int = KEPT_BYTES) -> None:
    """Remove folders that were not used for KEPT_DAYS, and the least recently used beyond SIZE
    bytes. Keep those in use."""
    found = sorted(((_date(f), f) for f in KEPT.iterdir() if f.is_dir()), reverse=True)
    room = size
    for date, folder in found:
        room -= sum(p.lstat().st_size for p in folder.rglob("*") if p.is_file())
        if (room < 0 or date < time.time() - KEPT_DAYS * 86400) and not _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _date(folder: Path) -> float:
    used = folder / USED
    return (used if used.exists() else folder).stat().st_mtime


def _locked(folder: Path) -> bool:
    if not (folder / USED).exists():
        return False
    with (folder / USED).open("rb") as file:
        return not _exclusive(file)


def _exclusive(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
