# SPDX-License-Identifier: MIT
"""Student's t distribution. Pure.

scipy has it too, but takes longer to import than everything else that a report needs.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from statistics import NormalDist

_STEP = 1 / 32
_REACH = 120
"""Nodes on each side: the weights of those further out are below the last digit."""
_CLOSE = 1e-8
"""A step of Newton's method, as part of the angle, behind which the next changes no digit."""


@lru_cache(maxsize=4096)
def quantile(level: float, freedom: float) -> float:
    """The t that encloses LEVEL (between 0 and 1) of the distribution on both sides, with FREEDOM
    degrees of freedom, 1 at least; any number, not only whole ones.

    With t = sqrt(freedom) tan(angle) the density is cos(angle) to the power freedom - 1. Newton's
    method begins at the normal distribution's quantile, which is below, and stays below.
    """
    wanted = level * _area(math.pi / 2, freedom)
    angle = math.atan(NormalDist().inv_cdf((1 + level) / 2) / math.sqrt(freedom))
    step = math.inf
    while step > _CLOSE * angle:
        step = (wanted - _area(angle, freedom)) / math.cos(angle) ** (freedom - 1)
        angle += step
    return math.sqrt(freedom) * math.tan(angle)


def _area(end: float, freedom: float) -> float:
    """The integral of the density from 0 to END."""
    return end * math.fsum([w * math.cos(end * x) ** (freedom - 1) for x, w in _nodes()])


@cache
def _nodes() -> list[tuple[float, float]]:
    """Places from 0 to 1 and their weights (Takahasi and Mori's double exponential formula)."""
    made = []
    for k in range(-_REACH, _REACH + 1):
        u = math.pi / 2 * math.sinh(k * _STEP)
        slope = math.pi / 4 * math.cosh(k * _STEP) / math.cosh(u) ** 2
        made.append((1 / (1 + math.exp(-2 * u)), slope * _STEP))
    return made
