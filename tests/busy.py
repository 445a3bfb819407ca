# SPDX-License-Identifier: MIT
"""A computer that has other work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy(processes: int, nice: int = 10) -> Iterator[list[int]]:
    """So many processes compute all the time; their pids. Being NICE they get the smaller part."""
    words = ["nice", "-n", str(nice), sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(words) for _ in range(processes)]
    try:
        yield [loop.pid for loop in loops]
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
