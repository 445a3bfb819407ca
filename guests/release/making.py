# SPDX-License-Identifier: MIT
"""Run make for a release, and say what went wrong."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from vmkb.guests.release.cache import VMKB
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.sandbox import Room, command, environment
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.installed import is_clone, obtained

BUILD_WITHIN = 600.0
"""Seconds for one build."""
SILENT_S = 8.0
COMPILER, CLANG = "s390x-linux-gnu-gcc", "zig cc"
_HOST = re.compile(
    r"No space left on device|Disk quota exceeded|Killed signal terminated program \w+"
)
"""Messages of faults that are not the source's."""
_OLD, _FAILED = 1, 2
"""How make ends if something is to be made and it was only asked, and if it cannot be made."""
_TAIL, _ROOM = 1 << 16, 1 << 20
_running: set[subprocess.Popen[bytes]] = set()
_ERROR = re.compile(r"^.*?(?:\berror(?:\[E\d+\])?: |undefined reference|cannot find).*$", re.M)


@cache
def compiler() -> str:
    """The compiler's name and version: gcc, or else zig's clang. SourceError if there is none."""
    try:
        return subprocess.run(
            [COMPILER, "--version"], capture_output=True, text=True, check=True, timeout=60
        ).stdout.splitlines()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        with suppress(PackageNotFoundError):
            return f"{CLANG} {distribution('ziglang').version}"
    how = "run scripts/setup" if is_clone() else "install Debian's gcc-s390x-linux-gnu"
    raise SourceError(f"the compiler {COMPILER} cannot be run: {how}, or pip install vmkb[build]")


def version() -> str:
    """The compiler's name and version as a table has them, or only its name if none is here."""
    try:
        return compiler() if by_clang() else f"gcc {compiler().split()[-1]}"
    except SourceError:
        return "gcc"


def by_clang() -> bool:
    """Whether the compiler is zig's clang."""
    return compiler().startswith(CLANG)


def made(
    words: Sequence[str], log: Path, folder: Path = VMKB, room: Room | None = None,
    within: float = BUILD_WITHIN, tell: Callable[[], None] = lambda: None,
) -> bool:  # fmt: skip
    """Run make with WORDS in FOLDER, or in ROOM, if a stranger's files are built, WITHIN seconds;
    its output goes to LOG. TELL is called now and then. True if it succeeds. EmulatorError if this
    computer is what keeps it from that."""
    if not (folder / "Makefile").is_file():
        raise SourceError(
            "this installation has no sources of VM/KB, which a release of your own is built with;"
            " use a clone of vmkb"
        )
    jobs = len(os.sched_getaffinity(0))
    words = ["make", "-s", f"-j{jobs}", *words]
    ours = {**os.environ, "PYTHON": sys.executable, "LC_ALL": "C"}
    with log.open("wb") as out:
        try:
            make = subprocess.Popen(
                command(room, words) if room else words, cwd=folder, start_new_session=True,
                env=environment() if room else ours, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT,
            )  # fmt: skip
        except FileNotFoundError:
            raise SourceError(f"make is not installed; {obtained('make')}") from None
    _running.add(make)
    try:
        code = _waited(make, within, tell)
    except subprocess.TimeoutExpired:
        raise SourceError(f"make took over {within:.0f} s; the log is {log}") from None
    finally:
        _end(make)
        _running.discard(make)
    if code and (why := _of_host(log)):
        raise EmulatorError(f"A build stopped: {why}. The log is {log}.")
    if code not in (0, _FAILED) and (room or code != _OLD):
        raise EmulatorError(f"A build was killed, or could not begin. The log is {log}.")
    return code == 0


def _waited(make: subprocess.Popen[bytes], within: float, tell: Callable[[], None]) -> int:
    """How MAKE ends WITHIN seconds. TELL is called every SILENT_S until then."""
    ends = time.monotonic() + within
    while True:
        left = ends - time.monotonic()
        try:
            return make.wait(min(left, SILENT_S))
        except subprocess.TimeoutExpired:
            if left <= SILENT_S:
                raise
            tell()


def _of_host(log: Path) -> str:
    """Why a build failed that is no fault of its source, or nothing."""
    if shutil.disk_usage(log.parent).free < _ROOM:
        return "No space left on device"  # maybe not even for the log
    found = _HOST.search(log.read_text("utf-8", "replace")[-_TAIL:])
    return found[0] if found else ""


def stop() -> None:
    """End what `made` runs in other threads."""
    for make in list(_running):
        _end(make)


def _end(make: subprocess.Popen[bytes]) -> None:
    """End MAKE and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(make.pid, signal.SIGKILL)
    make.wait()


def refused(log: Path, here: Path = Path(), what: str = "it") -> SourceError:
    """The error that WHAT does not build, with the first one in LOG (see `first_error`)."""
    return SourceError(f"{what} does not build: {first_error(log, here)}; the log is {log}")


def first_error(log: Path, here: Path = Path()) -> str:
    """The compiler's first error in LOG, or make's last line. HERE: the build's folder, whose paths
    are left out."""
    text = log.read_text("utf-8", "replace")
    found = _ERROR.search(text)
    lines = text.strip().splitlines()
    lines = [line for line in lines if not line.startswith("make")] or lines
    said = found.group(0) if found else lines[-1] if lines else "make says nothing"
    for folder in (VMKB / here, here):
        said = said.replace(f"{folder}/lwip/lwip-own/", "")
    return said.strip()
