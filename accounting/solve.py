# SPDX-License-Identifier: MIT
"""Least squares. Pure."""

from __future__ import annotations

from collections.abc import Sequence

_SINGULAR = 1e-9
"""What follows from others no more than this is left of."""


def fitted(points: Sequence[tuple[Sequence[float], float]]) -> tuple[list[float], float]:
    """What each unit of the first of each point costs, from POINTS of so many units of each kind
    and the cost of all: least squares of relative errors; and the largest of those, in percent."""
    kinds = len(points[0][0])
    rows = [[0.0] * (kinds + 1) for _ in range(kinds)]
    for units, cost in points:
        for row, own in zip(rows, units, strict=True):
            for k, other in enumerate((*units, cost)):
                row[k] += own * other / (cost * cost)
    found = solved(rows)
    said = [sum(u * x for u, x in zip(units, found, strict=True)) for units, _ in points]
    worst = max(abs(s - cost) / cost for s, (_, cost) in zip(said, points, strict=True))
    return found, 100 * worst


def solved(rows: list[list[float]]) -> list[float]:
    """The solution of normal equations (ROWS with their right sides, which are changed), one kind
    after the other; a kind that follows from others is 0."""
    kinds = len(rows)
    whole = [rows[k][k] for k in range(kinds)]
    used = []
    for k in range(kinds):
        if rows[k][k] <= _SINGULAR * whole[k] or whole[k] <= 0:
            continue
        used.append(k)
        for other in range(kinds):
            if other != k and rows[other][k]:
                factor = rows[other][k] / rows[k][k]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[k], strict=True)]
    return [rows[k][kinds] / rows[k][k] if k in used else 0.0 for k in range(kinds)]
