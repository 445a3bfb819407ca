# SPDX-License-Identifier: MIT
"""Ctrl-C while a command only imports: nothing is to be ended in order yet. A KeyboardInterrupt
there comes out of the import as a traceback, or as another exception of the module's own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPED = 130
"""Exit code of a command that was stopped."""


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
