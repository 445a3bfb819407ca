# SPDX-License-Identifier: MIT
"""TCPIP built with a user's lwIP: one folder for each source, with the programs of its builds.

A folder is named by all that the program follows from: lwIP's files, the user's options, our own
files and the compiler. So it is made once, and what has changed is made anew.
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
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from guests.vmkb.release.source import Files, SourceError, digest_of

VMKB = Path(__file__).resolve().parent.parent
KEPT = VMKB / "build" / "own"
"""Where the folders are. `make clean` removes them."""
KEPT_DAYS, KEPT_BYTES = 30, 1 << 30
"""A folder that nobody has used for so long goes, and the oldest ones beyond so many bytes."""
BUILD_WITHIN = 600.0
COMPILER = "s390x-linux-gnu-gcc"
PROGRAM = "tcpipown.bin"
USED = "used"
"""In each folder: its date is that of the last use, and who uses it has it locked."""
_OURS = ("Makefile", "boot", "fs", "include", "lib", "service/lib", "service/tcpip",
         "tools/shuffle.py")  # fmt: skip
_ERROR = re.compile(r"^.*?(?:\berror: |undefined reference|cannot find).*$", re.M)
_OPTIONS = '#include_next "lwipopts.h"\n'
_in_use: dict[Path, int] = {}


@contextmanager
def alone() -> Iterator[None]:
    """Within, no other process builds or removes anything here."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def use(folder: Path) -> None:
    """FOLDER stays as long as this process runs."""
    (folder / USED).touch()
    if folder not in _in_use:
        handle = os.open(folder / USED, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_SH)
        _in_use[folder] = handle


def let_go() -> None:
    """This process uses none of the folders any more."""
    while _in_use:
        os.close(_in_use.popitem()[1])


def tidy(days: float = KEPT_DAYS, size: int = KEPT_BYTES) -> None:
    """Remove folders that nobody has used for DAYS, and those used least lately beyond SIZE bytes;
    none that is in use."""
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
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


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
    """TCPIP with the lwIP whose files have this `source` digest and with OPTIONS, the text of a
    lwipopts.h that stands above ours."""

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

    def program(self, number: int) -> Path:
        """The program of build NUMBER, made if it is not there; 1 is as `make` makes it.
        SourceError with the compiler's first error. Within `alone`."""
        here = self.folder.relative_to(VMKB)
        program = self.folder / str(number) / PROGRAM
        if self.has(number):
            return program
        command = [
            "make", "-s", f"-j{len(os.sched_getaffinity(0))}", "OWN=1", f"O={here}",
            f"B={here}/{number}", f"PYTHON={sys.executable}", f"{here}/{number}/{PROGRAM}",
        ]  # fmt: skip
        if number > 1:
            command += [f"ORDER={number}", f"LAYOUT={number}"]
        log = self.folder / f"{number}.log"
        try:
            with log.open("wb") as out:
                done = subprocess.run(
                    command, cwd=VMKB, stdin=subprocess.DEVNULL, stdout=out,
                    stderr=subprocess.STDOUT, timeout=BUILD_WITHIN, check=False,
                )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise SourceError(f"it took over {BUILD_WITHIN:.0f} s to build; see {log}") from None
        if done.returncode:
            raise SourceError(f"it does not build: {_first_error(log, here)}; all is in {log}")
        return program


def _first_error(log: Path, here: Path) -> str:
    text = log.read_text("utf-8", "replace")
    found = _ERROR.search(text)
    lines = text.strip().splitlines()
    said = found.group(0) if found else lines[-1] if lines else "make says nothing"
    for folder in (VMKB / here, here):
        said = said.replace(f"{folder}/lwip/lwip-own/", "")
    return said.strip()
