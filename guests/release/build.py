# SPDX-License-Identifier: MIT
"""TCPIP built with a user's lwIP: one folder for each source, with the programs of its builds.

The folder's name is a digest of all inputs of the program: lwIP's files, the user's options, our
own files and the compiler. So each program is built once.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from vmkb.guests.release.source import Files, SourceError, digest_of
from vmkb.hercules.deadline import wait_until

VMKB = Path(__file__).resolve().parents[1] / "vmkb"
KEPT = VMKB / "build" / "own"
"""Where the folders are. `make clean` removes them."""
KEPT_DAYS, KEPT_BYTES = 30, 1 << 30
"""Limits for `tidy`: days since the last use, and bytes of all folders."""
BUILD_WITHIN, ALONE_WITHIN = 600.0, 3600.0
"""Seconds for one build, and for all those of another process."""
COMPILER = "s390x-linux-gnu-gcc"
PROGRAM = "tcpipown.bin"
TEXT = "tcpipown.text"
USED = "used"
"""A file in each folder: its date is that of the last use, and each user holds a lock on it."""
_OURS = ("Makefile", "boot", "fs", "include", "lib", "service/lib", "service/tcpip",
         "tools/shuffle.py")  # fmt: skip
_ERROR = re.compile(r"^.*?(?:\berror: |undefined reference|cannot find).*$", re.M)
_OPTIONS = '#include_next "lwipopts.h"\n'
_in_use: dict[Path, int] = {}


@contextmanager
def alone() -> Iterator[None]:
    """Keep other processes from building or removing anything in KEPT. Timeout if another one
    takes too long."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("wb") as lock:
        wait_until(lambda: _exclusive(lock), ALONE_WITHIN, "another vmkb's builds to end", poll=0.1)
        yield


def _exclusive(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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


def tidy(days: float = KEPT_DAYS, size: int = KEPT_BYTES) -> None:
    """Remove folders that were not used for DAYS, and the least recently used beyond SIZE bytes.
    Keep those in use."""
    found = sorted(((_date(f), f) for f in KEPT.iterdir() if f.is_dir()), reverse=True)
    room = size
    for date, folder in found:
        room -= sum(p.lstat().st_size for p in folder.rglob("*") if p.is_file())
        if (room < 0 or date < time.time() - days * 86400) and not _locked(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _date(folder: Path) -> float:
    used = folder / USED
    return (used if used.exists() else folder).stat().st_mtime


def _locked(folder: Path) -> bool:
    if not (folder / USED).exists():
        return False
    with (folder / USED).open("rb") as file:
        return not _exclusive(file)


@cache
def _compiler() -> str:
    try:
        return subprocess.run(
            [COMPILER, "--version"], capture_output=True, text=True, check=True, timeout=60
        ).stdout.splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        raise SourceError(f"{COMPILER} cannot be run; scripts/setup installs it") from None


@cache
def _ours() -> str:
    files = {}
    for name in _OURS:
        path = VMKB / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.[chSl]*")):
            files[file.relative_to(VMKB).as_posix()] = file.read_bytes()
    return digest_of(files)


class Build:
    """TCPIP built with the lwIP that has the digest SOURCE. OPTIONS is the text of a lwipopts.h
    whose values replace ours."""

    def __init__(self, source: str, options: str = "") -> None:
        self.options = options
        words = "\n".join((source, options, _ours(), _compiler()))
        self.folder = KEPT / hashlib.sha256(words.encode()).hexdigest()[:16]

    @property
    def placed(self) -> bool:
        """Whether lwIP's files are here."""
        return (self.folder / USED).is_file()

    def place(self, files: Files) -> None:
        """Put lwIP's FILES here. Within `alone`."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, content in files.items():
            path = self.folder / "lwip" / "lwip-own" / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        own = self.folder / "options"
        own.mkdir()
        text = f'{_OPTIONS}#line 1 "lwipopts.h"\n{self.options}\n' if self.options else _OPTIONS
        (own / "lwipopts.h").write_text(text, "utf-8")
        (self.folder / USED).touch()

    def has(self, number: int) -> bool:
        """Whether the program of build NUMBER is here."""
        return (self.folder / str(number) / PROGRAM).is_file()

    def text(self) -> str:
        """A digest of what the compiler gets, without comments: of two sources that have the same,
        the programs are the same, too. SourceError as `program`. Within `alone`."""
        self._make([f"{self._here}/{TEXT}"], "text")
        return hashlib.sha256((self.folder / TEXT).read_bytes()).hexdigest()[:16]

    def program(self, number: int) -> Path:
        """Build program NUMBER, unless it is here. Number 1 has the usual order and layout.
        SourceError with the compiler's first error. Within `alone`."""
        program = self.folder / str(number) / PROGRAM
        if self.has(number):
            return program
        words = [f"B={self._here}/{number}", f"{self._here}/{number}/{PROGRAM}"]
        if number > 1:
            words += [f"ORDER={number}", f"LAYOUT={number}"]
        self._make(words, str(number))
        return program

    @property
    def _here(self) -> Path:
        return self.folder.relative_to(VMKB)

    def _make(self, words: Sequence[str], name: str) -> None:
        log = self.folder / f"{name}.log"
        if not _made(["OWN=1", f"O={self._here}", *words], log):
            said = _first_error(log, self._here)
            raise SourceError(f"it does not build: {said}; the log is {log}")


def make_guest() -> None:
    """Build VM/KB if its sources have changed, so that all TCPIPs have the same port. SourceError
    if make fails. Within `alone`."""
    log = KEPT / "guest.log"
    if not _made([], log):
        raise SourceError(f"VM/KB does not build: {_first_error(log, Path())}; the log is {log}")


def _made(words: Sequence[str], log: Path) -> bool:
    """Run make with WORDS; its output goes to LOG. True if it succeeds."""
    jobs = len(os.sched_getaffinity(0))
    try:
        with log.open("wb") as out:
            done = subprocess.run(
                ["make", "-s", f"-j{jobs}", f"PYTHON={sys.executable}", *words], cwd=VMKB,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                timeout=BUILD_WITHIN, check=False,
            )  # fmt: skip
    except FileNotFoundError:
        raise SourceError("make is not installed; scripts/setup installs it") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"make took over {BUILD_WITHIN:.0f} s; the log is {log}") from None
    return done.returncode == 0


def _first_error(log: Path, here: Path) -> str:
    text = log.read_text("utf-8", "replace")
    found = _ERROR.search(text)
    lines = text.strip().splitlines()
    said = found.group(0) if found else lines[-1] if lines else "make says nothing"
    for folder in (VMKB / here, here):
        said = said.replace(f"{folder}/lwip/lwip-own/", "")
    return said.strip()
