# SPDX-License-Identifier: MIT
"""Files that somebody gives, opened so that none of them can hang or fill this process.

All that is wrong is an OSError with the file's name and, as its `strerror`, why: each caller has
words for these. The null device is an empty file.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

#: Of a file that is read as a whole: TOML, a script, a configuration.
WHOLE = 16 << 20
_BLOCK = 1 << 20


def opened(path: Path | str, *, pipe: bool = False) -> io.FileIO:
    """The file at PATH, or with PIPE a pipe or a terminal. OSError for a folder, a device, ..."""
    # Without a writer a FIFO holds who opens it, and a device may do anything.
    waits = pipe and stat.S_ISFIFO(os.stat(path).st_mode)
    return _opened(path, pipe, os.O_RDONLY if waits else os.O_RDONLY | os.O_NONBLOCK)


def data(path: Path | str, most: int = WHOLE, *, pipe: bool = False) -> bytes:
    """All bytes of the file at PATH, or with PIPE of a pipe that somebody writes to. OSError too
    for more than MOST bytes."""
    found = bytearray()
    with _opened(path, pipe, os.O_RDONLY | os.O_NONBLOCK) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise _error(path, _too_much(most), errno.EFBIG)
        while part := file.read(_BLOCK):
            found += part
            if len(found) > most:
                raise _error(path, _too_much(most), errno.EFBIG)
    return bytes(found)


def text(path: Path | str, most: int = WHOLE, *, pipe: bool = False) -> str:
    """The text of the file at PATH, as `data` reads it. OSError too if it is not UTF-8."""
    found = data(path, most, pipe=pipe)
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _error(path, f"it is not UTF-8 text (byte {error.start + 1})", errno.EILSEQ) from None


def _opened(path: Path | str, pipe: bool, flags: int) -> io.FileIO:
    handle = os.open(path, flags | os.O_CLOEXEC)
    why = "" if pipe and os.isatty(handle) else _odd(os.fstat(handle), pipe)
    if why:
        os.close(handle)
        raise _error(path, why)
    os.set_blocking(handle, True)
    return io.FileIO(handle)


def _error(path: Path | str, why: str, number: int = errno.EINVAL) -> OSError:
    return OSError(number, why, str(path))


def _too_much(most: int) -> str:
    return f"it has more than {most >> 20} MB"


def _odd(what: os.stat_result, pipe: bool) -> str:
    """Why WHAT is not read, or nothing."""
    mode = what.st_mode
    if stat.S_ISREG(mode) or (pipe and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))):
        return ""
    if stat.S_ISDIR(mode):
        return "it is a folder, not a file"
    if stat.S_ISFIFO(mode):
        return "it is a pipe, not a file"
    if stat.S_ISCHR(mode) and what.st_rdev == os.stat(os.devnull).st_rdev:
        return ""
    return "it is a device, not a file"
