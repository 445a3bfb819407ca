# SPDX-License-Identifier: MIT
"""Least squares. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def fitted(points: Sequence[tuple[Sequence[float], float]]) -> tuple[list[float], float]:
    """The cost of each unit of the first of each point, from POINTS of so many units of each kind
    and the cost of all, which is not 0: least squares of relative errors; and the largest of
    those, in percent."""
    import numpy as np  # longer than all that asks for this

    shares = np.array([[u / cost for u in units] for units, cost in points])
    found, *_ = np.linalg.lstsq(shares, np.ones(len(points)), rcond=None)
    return found.tolist(), 100 * float(np.abs(shares @ found - 1).max())
