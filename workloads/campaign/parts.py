# SPDX-License-Identifier: MIT
"""The parts of a plan that may run on different machines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vmkb.workloads.base.workload import Planned

AMPLE = 16
"""Pairs of which a part may be half of a worker's share: a lab's start costs as much as some four,
so smaller parts would start more than they run."""


def pairs(planned: Iterable[Planned]) -> list[tuple[str, ...]]:
    """The ids of trials that must run on one machine, next to each other: the releases of one case
    in one round."""
    found: dict[tuple[int, str], list[str]] = {}
    for each in planned:
        found.setdefault((each.pair, each.case.id), []).append(each.id)
    return [tuple(ids) for ids in found.values()]


def next_part(
    left: Sequence[tuple[str, ...]], workers: int, every: int = 0
) -> list[tuple[str, ...]]:
    """The pairs that the next free of WORKERS takes of those that are LEFT of one run, where EVERY
    are left of all runs: its share; of a large one half, so that all are done at about the same
    time."""
    share = -(-max(every, len(left)) // max(1, workers))
    half = -(-share // 2)
    return list(left[: half if half >= AMPLE else share])
