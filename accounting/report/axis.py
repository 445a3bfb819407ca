# SPDX-License-Identifier: MIT
"""Which of many things along an axis are named."""

from __future__ import annotations


def spread(last: int, most: int) -> list[int]:
    """Numbers from 0 to LAST, at most MOST of them: both ends and some between, evenly."""
    steps = min(most - 1, last)
    return [round(k * last / steps) for k in range(steps + 1)] if steps else [0]
