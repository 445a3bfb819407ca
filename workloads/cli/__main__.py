# SPDX-License-Identifier: MIT
"""`python -m vmkb.workloads.cli` is the vmkb command. It imports little before Ctrl-C is heard."""

from __future__ import annotations

import os
import sys

from vmkb.workloads.command.early import STOPPED, at_once, deaf_at_the_end


def start() -> None:
    """Run the command. Until that can end what it has begun, Ctrl-C ends it at once."""
    deaf_at_the_end()
    # Threads for matrices that nobody multiplies here would be in the way of processes that fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with at_once():
        from vmkb.workloads.cli.main import main
    try:
        main()
    except KeyboardInterrupt:  # before main has seen to it, or behind
        os.write(sys.stderr.fileno(), b"vmkb: stopped.\n")
        sys.exit(STOPPED)


if __name__ == "__main__":
    start()
