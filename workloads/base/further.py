# SPDX-License-Identifier: MIT
"""How a run goes on until it knows enough: more rounds of the cases that are not decided. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vmkb.accounting.analysis.rule import UNDECIDED, Change, Ruling, open_at
from vmkb.accounting.stats import WIDTH_TARGET

MOST_ROUNDS = 12
"""Of a case, beyond those that were planned: more would be waited for in vain."""


def undecided(rulings: Sequence[Ruling], fail_above: float | None) -> list[Change]:
    """The cases that were asked about and are not decided."""
    if fail_above is not None:
        return open_at(rulings, fail_above)
    return [c for ruling in rulings for c in ruling.of(UNDECIDED)]


def wanted(
    changes: Sequence[Change], rounds: int, had: Mapping[str, int], target: float = WIDTH_TARGET
) -> dict[str, int]:
    """Rounds of each case beyond the ROUNDS of all, of which it HAD some, when the cases of CHANGES
    get as many more as bring their intervals to TARGET percent (at most as many again as there
    are), and one at least."""
    made = dict(had)
    for change in changes:
        case = change.known.column.case
        done = rounds + had.get(case, 0)
        half = max(50 * (hi - lo) for lo, hi in change.intervals)
        need = math.ceil(done * (half / target) ** 2) if math.isfinite(half) else 2 * done
        more = max(1, min(need - done, done))
        made[case] = max(made.get(case, 0), min(MOST_ROUNDS, had.get(case, 0) + more))
    return made
