# SPDX-License-Identifier: MIT
"""Files that somebody gives, opened so that none of them can hang or fill this process.

All that is wrong is an OSError with the file's name and, as its `strerror`, why: each caller has
words for these.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

#: Of a file that is read as a whole: TOML, a script, a configuration.
WHOLE = 16 << 20


def opened(path: Path | str, *, pipe: bool = False) -> io.FileIO:
    """The file at PATH, or with PIPE a pipe or a terminal. OSError for a folder, a device, ..."""
    # Without a writer a FIFO holds who opens it, and a device may do anything.
    waits = pipe and stat.S_ISFIFO(os.stat(path).st_mode)
    flags = os.O_RDONLY | os.O_CLOEXEC
    handle = os.open(path, flags if waits else flags | os.O_NONBLOCK)
    why = "" if pipe and os.isatty(handle) else _odd(os.fstat(handle).st_mode, pipe)
    if why:
        os.close(handle)
        raise _error(path, why)
    os.set_blocking(handle, True)
    return io.FileIO(handle)


def data(path: Path | str, most: int = WHOLE) -> bytes:
    """All bytes of the file at PATH. OSError too for one of more than MOST bytes."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        found = b"" if size > most else file.readall()
    if size > most or len(found) > most:
        raise _error(path, f"it has more than {most >> 20} MB", errno.EFBIG)
    return found


def text(path: Path | str, most: int = WHOLE) -> str:
    """The text of the file at PATH. OSError too if it is not UTF-8."""
    found = data(path, most)
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _error(path, f"it is not UTF-8 text (byte {error.start + 1})", errno.EILSEQ) from None


def _error(path: Path | str, why: str, number: int = errno.EINVAL) -> OSError:
    return OSError(number, why, str(path))


def _odd(mode: int, pipe: bool) -> str:
    """Why what has this MODE is not read, or nothing."""
    if stat.S_ISREG(mode) or (pipe and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))):
        return ""
    if stat.S_ISDIR(mode):
        return "it is a folder, not a file"
    if stat.S_ISFIFO(mode):
        return "it is a pipe, not a file"
    if stat.S_ISCHR(mode) and pipe:
        return "it is a device, not a file or a pipe"
    return "it is a device, not a file"
