# SPDX-License-Identifier: MIT
"""A process that is stopped again and again, as one that gets no CPU."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stopped(pid: int, seconds: float, between: Callable[[], float]) -> Iterator[None]:
    """The process PID is stopped for so many SECONDS, each time after BETWEEN seconds in which it
    runs."""
    over = threading.Event()

    def play() -> None:
        while not over.wait(between()):
            os.kill(pid, signal.SIGSTOP)
            try:
                over.wait(seconds)
            finally:
                os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
