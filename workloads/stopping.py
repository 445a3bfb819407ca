# SPDX-License-Identifier: MIT
"""What Ctrl-C, SIGTERM and the end of the window do to a command that runs guests."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

STOPPED = 130
"""Exit code of a command that was stopped."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CURSOR_ON = b"\x1b[?25h"


def stop_in_order() -> None:
    """From now on the first of these signals is a KeyboardInterrupt, so that all is ended in order.
    The next one ends this process at once: then the guests' warden (or front) sees to the rest."""
    for number in SIGNALS:
        signal.signal(number, _first)


def _first(number: int, frame: FrameType | None) -> None:
    for each in SIGNALS:
        signal.signal(each, _second)
    raise KeyboardInterrupt


def _second(number: int, frame: FrameType | None) -> None:
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _CURSOR_ON)  # progress bars hide it
    os._exit(STOPPED)
