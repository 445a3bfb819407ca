# SPDX-License-Identifier: MIT
"""How many digits a number is printed with: the only place that decides it. Pure.

A number has the digits that its interval supports, none below the step of its source, and three
significant ones at least. In a table it has SIGNIFICANT ones at most, but where numbers are
compared: those that stand side by side have all that each of them supports. In a sentence it has
three.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal

from vmkb.accounting.stats import Estimate

SIGNIFICANT = 4
"""Digits of a number that stands for itself."""
SPOKEN = 3
"""Digits of a number in a sentence."""
WHOLE = ("count", "instr", "B")
"""Units of which there are whole numbers."""
TINY = 4
"""Decimals at most of a number that nothing says how well it is known of."""
_ANY_SIZE = Context(prec=400)
"""More digits than a float has before its point and a table behind it."""


def fixed(x: float, places: int) -> str:
    """X with PLACES decimals, halves away from zero, trailing zeros kept; no zero has a sign."""
    if not math.isfinite(x):
        return str(x)
    made = Decimal(repr(float(x))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _ANY_SIZE)
    return f"{made if made else abs(made):f}"


def decimals(x: float, significant: int = SIGNIFICANT) -> int:
    """Decimals that leave X so many SIGNIFICANT digits; all of a whole number stay."""
    if not x or not math.isfinite(x):
        return 0
    return max(0, significant - 1 - math.floor(math.log10(abs(x))))


def bare(x: float) -> str:
    """X in a table, where nothing says how well it is known."""
    return fixed(x, 0 if _whole(x) else min(decimals(x), TINY))


def spoken(x: float) -> str:
    """X in a sentence."""
    return fixed(x, 0 if _whole(x) else decimals(x, SPOKEN))


def _whole(x: float) -> bool:
    return math.isfinite(x) and x == int(x)


def step_places(step: float) -> int:
    """Decimals of a number whose last digit has the size of STEP."""
    return max(0, -math.floor(math.log10(step)))


def _known(estimate: Estimate, least: int) -> int:
    """LEAST decimals, or more that the interval supports, none below the step of the source."""
    half = (estimate.hi - estimate.lo) / 2
    want = least
    if estimate.has_interval and half > 0:
        want = max(want, -math.floor(math.log10(half)))
    return min(want, step_places(estimate.step)) if estimate.step > 0 else want


def supported(estimate: Estimate) -> int:
    """Decimals that the interval supports, three significant ones at least (and where there is no
    interval), none below the step of the source."""
    return min(6, max(0, _known(estimate, decimals(estimate.value, 3))))


def places(estimate: Estimate, unit: str) -> int:
    """Decimals of a mean that stands for itself."""
    if unit in WHOLE and _whole(estimate.value):
        return 0
    return min(supported(estimate), decimals(estimate.value))


def significant(estimate: Estimate) -> int:
    """Decimals of a mean on the first screen, where its change stands beside it."""
    most = step_places(estimate.step) if estimate.step > 0 else TINY
    return min(most, decimals(estimate.value))


def pair_places(found: Iterable[Estimate]) -> int:
    """Decimals of numbers that are compared: those which all of them support."""
    every = [supported(e) for e in found if not e.below_step]
    return min(every, default=0)


def ratio_places(estimate: Estimate) -> int:
    """Decimals of a ratio: three as the published tables have, more if the interval supports
    them, fewer if the sources' steps leave no more."""
    return min(5, _known(estimate, 3))


def percent_places(half: float) -> int:
    """Decimals of percentages that are known to +/- HALF percent: one digit of that or two."""
    if not 0 < half < math.inf:
        return 1
    return min(4, max(0, 1 - math.floor(math.log10(2 * half))))


def times(ratio: float) -> str:
    """A ratio that is told in times."""
    return fixed(ratio, 2)


def like(x: float, places: int) -> str:
    """X beside a published figure of so many PLACES, with three significant digits at least."""
    return fixed(x, max(places, decimals(x, SPOKEN)))


def upward(step: float) -> str:
    """STEP with two significant digits, never less than it is."""
    exact = Decimal(repr(float(f"{step:.9g}")))
    at = Decimal(1).scaleb(math.floor(math.log10(step)) - 1)
    return f"{exact.quantize(at, ROUND_CEILING):f}"
