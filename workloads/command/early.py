# SPDX-License-Identifier: MIT
"""Ctrl-C while a command only imports, and when it has ended: nothing is to be ended in order. A
KeyboardInterrupt comes out of an import as a traceback, or as another exception of the module's
own; behind the end it changes the exit code."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 130
"""Exit code of a command that was stopped."""


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def deaf_at_the_end() -> None:
    """Once this process has only Python itself to end, none of SIGNALS changes its exit code. Give
    it before there are other functions for atexit, which are called first."""
    atexit.register(_ignore)


def _ignore() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, b"vmkb: stopped.\n")
    os._exit(STOPPED)


@contextmanager
def at_once() -> Iterator[None]:
    """Within the block Ctrl-C ends this process at once with code STOPPED, also one that came
    before and was held back (scripts/vmkb). What ignores it goes on to ignore it."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
