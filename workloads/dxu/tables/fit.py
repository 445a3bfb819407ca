# SPDX-License-Identifier: MIT
"""The line through elapsed times: seconds of a call = a + b x KB. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """Seconds of a call of any size, and seconds of each KB."""

    call_s: float
    kb_s: float

    def seconds(self, kilobytes: float) -> float:
        """What the line says of a call of so many KB."""
        return self.call_s + self.kb_s * kilobytes


def fit(points: Sequence[tuple[float, float]]) -> Line | None:
    """The line that makes the sum of the squares of relative errors least, through POINTS (KB,
    seconds of a call, more than 0); None with fewer than two sizes. Relative, because the times
    have two digits each, from the shortest to the longest."""
    if len({kb for kb, _ in points}) < 2:
        return None
    weights = [1 / (seconds * seconds) for _, seconds in points]
    total = sum(weights)
    mid_kb = sum(w * kb for w, (kb, _) in zip(weights, points, strict=True)) / total
    mid_s = sum(w * s for w, (_, s) in zip(weights, points, strict=True)) / total
    top = sum(w * (kb - mid_kb) * (s - mid_s) for w, (kb, s) in zip(weights, points, strict=True))
    below = sum(w * (kb - mid_kb) ** 2 for w, (kb, _) in zip(weights, points, strict=True))
    slope = top / below
    return Line(mid_s - slope * mid_kb, slope)
