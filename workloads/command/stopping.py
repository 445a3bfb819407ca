# SPDX-License-Identifier: MIT
"""How Ctrl-C, SIGTERM and the end of the window stop a command that runs guests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType

from vmkb.workloads.command.early import SIGNALS, deaf_at_the_end
from vmkb.workloads.command.early import STOPPED as STOPPED

_CURSOR_ON = b"\x1b[?25h"


def stop_in_order() -> None:
    """From now on the first of these signals is a KeyboardInterrupt, so that all is ended in order.
    The next one ends this process at once: then the guests' warden (or front) sees to the rest.
    Under nohup the end of the window stays nothing."""
    deaf_at_the_end()
    _handle(_first)


def _handle(handler: Callable[[int, FrameType | None], None]) -> None:
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _first(number: int, frame: FrameType | None) -> None:
    _handle(_second)
    raise KeyboardInterrupt


def _second(number: int, frame: FrameType | None) -> None:
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _CURSOR_ON)  # progress bars hide it
    os._exit(STOPPED)
