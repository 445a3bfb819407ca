# SPDX-License-Identifier: MIT
"""How often a command must run in one interval for what is not its own not to matter: the step of
the counter, and the question itself, whose answer is part of what is counted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from vmkb.accounting.intervals import Interval
from vmkb.workloads.measuring.trial import CommandFailed, Taken

SHARE = 0.01
"""The step of the counter and the question may be this part of what an interval uses."""
LONGEST_S = 30.0
"""An interval is not made longer than this to get there."""
_MORE = 1.1  # the next guess aims beyond the share, so that one more is not needed for luck
_AT_MOST = 30
"""Times as often as the last guess, which the first repetitions may mislead."""


@dataclass(frozen=True)
class Repeats:
    """The number chosen and what is to be said of it, if anything."""

    count: int
    note: str


@dataclass(frozen=True)
class _Shares:
    """Parts of one interval that are not the command's own."""

    step: float
    question: float

    @property
    def worst(self) -> float:
        return max(self.step, self.question)


def _shares(interval: Interval, empty: Interval) -> _Shares:
    name = "total_instr" if "total_instr" in interval.used else "totcpu"
    used, question = interval.used[name], empty.used[name]
    if not used.value:
        return _Shares(math.inf, 0.0)
    return _Shares(used.tick / used.value, question.value / used.value)


def choose(
    take: Callable[[int], Taken],
    interval: Callable[[Taken], Interval],
    empty: Interval,
    given: int = 0,
) -> Repeats:
    """Run intervals of more and more repetitions until one is long enough. EMPTY: one with nothing
    but the question in it. GIVEN: how often, if that is settled.

    Raises what TAKE does; a command that fails when it is repeated, but not alone, is run once.
    """
    count = given or 1
    while True:
        try:
            taken = take(count)
        except CommandFailed as error:
            if count == 1 or given:
                raise
            taken = take(1)
            return Repeats(1, _said(1, _shares(interval(taken), empty), taken, str(error)))
        shares = _shares(interval(taken), empty)
        if given or shares.worst <= SHARE:
            return Repeats(count, _said(count, shares, taken))
        wanted = count * _AT_MOST
        if not math.isinf(shares.worst):
            wanted = min(wanted, math.ceil(count * _MORE * shares.worst / SHARE))
        most = max(1, int(LONGEST_S * count / max(taken.elapsed_s, 1e-3)))
        if count >= most:
            return Repeats(count, _said(count, shares, taken))
        count = min(wanted, most)


def _said(count: int, shares: _Shares, taken: Taken, failed: str = "") -> str:
    """A warning about the intervals; nothing if they are long enough."""
    if math.isinf(shares.worst):
        said = [f"the counter does not move in an interval of {count}"]
    elif shares.worst > SHARE:
        parts = {"the step of TOTCPU": shares.step, "the question itself": shares.question}
        what = [f"{name} is {100 * x:.0f} %" for name, x in parts.items() if x > SHARE]
        wanted = math.ceil(count * shares.worst / SHARE)
        seconds = wanted * taken.elapsed_s / count
        said = [
            f"{' and '.join(what)} of what an interval uses; about --repeat {wanted} ({seconds:.0f}"
            f" s an interval) would bring that to {100 * SHARE:g} %"
        ]
    else:
        said = []
    return "; ".join(
        [*said, *([f"it cannot be repeated in one interval: {failed}"] if failed else ())]
    )
