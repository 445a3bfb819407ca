# SPDX-License-Identifier: MIT
"""The parts of a plan that may run on different machines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workloads.base.workload import Planned

LEAST = 4
"""Pairs in a part at least, where there are enough: a lab's start costs about as much as they."""


def pairs(planned: Iterable[Planned]) -> list[tuple[str, ...]]:
    """The ids of trials that must run on one machine, next to each other: the releases of one case
    in one round."""
    found: dict[tuple[int, str], list[str]] = {}
    for each in planned:
        found.setdefault((each.pair, each.case.id), []).append(each.id)
    return [tuple(ids) for ids in found.values()]


def next_part(left: Sequence[tuple[str, ...]], workers: int) -> list[tuple[str, ...]]:
    """The pairs that the next free of WORKERS takes of those that are LEFT: half of its share, so
    that all are done at about the same time; LEAST, unless its share is less."""
    workers = max(1, workers)
    size = max(-(-len(left) // (2 * workers)), min(LEAST, -(-len(left) // workers)))
    return list(left[:size])
