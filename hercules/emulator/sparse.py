# SPDX-License-Identifier: MIT
"""Copying a volume without writing its empty parts."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_CHUNK = 1 << 20


def copy_sparse(source: Path, target: Path) -> None:
    """Copy `source` to `target`; what is a hole in the one is a hole in the other.

    `target` is replaced. Raises OSError as open and write do.
    """
    with source.open("rb", buffering=0) as old, target.open("wb", buffering=0) as new:
        size = os.fstat(old.fileno()).st_size
        new.truncate(size)
        at = 0
        while at < size:
            try:
                at = os.lseek(old.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    break
                raise
            end = os.lseek(old.fileno(), at, os.SEEK_HOLE)
            old.seek(at)
            new.seek(at)
            while at < end:
                chunk = old.read(min(_CHUNK, end - at))
                if not chunk:
                    break
                at += new.write(chunk)
