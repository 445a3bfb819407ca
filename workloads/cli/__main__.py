# SPDX-License-Identifier: MIT
"""`python -m workloads.cli` is the vmkb command. It imports little before Ctrl-C is heard."""

from __future__ import annotations

import os
import signal
import sys

from workloads.early import STOPPED, at_once


def start() -> None:
    """Run the command. Until that can end what it has begun, Ctrl-C ends it at once; so it does
    once all is done."""
    with at_once():
        from workloads.cli.main import main
    try:
        main()
    except KeyboardInterrupt:  # before main has seen to it, or behind
        os.write(sys.stderr.fileno(), b"vmkb: stopped.\n")
        sys.exit(STOPPED)
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    start()
