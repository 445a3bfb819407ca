# SPDX-License-Identifier: MIT
"""What tshark, which nobody here wrote, says of a capture."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def frames(capture: Path, condition: str) -> list[int]:
    """Numbers of the packets that fit a display filter; skips where tshark is not installed."""
    if shutil.which("tshark") is None:
        pytest.skip("tshark is not installed")
    done = subprocess.run(
        ["tshark", "-n", "-r", str(capture), "-Y", condition, "-T", "fields", "-e", "frame.number"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return [int(line) for line in done.stdout.split()]


AGAIN = (
    "tcp.analysis.retransmission || tcp.analysis.fast_retransmission"
    " || tcp.analysis.spurious_retransmission || tcp.analysis.out_of_order"
)
"""Data that was sent before. From the sender's side nothing comes out of order; tshark calls what
is sent again within a round trip so."""
