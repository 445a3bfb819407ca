# SPDX-License-Identifier: MIT
"""Standard output whose reader has gone."""

from __future__ import annotations

import os
import sys


def discard_output() -> None:
    """What standard output still holds goes nowhere: its flush at the end shall not fail again.

    Python 3.13 keeps what it could not write, and a second failure there makes the exit code 120.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
