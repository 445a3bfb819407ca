# SPDX-License-Identifier: MIT
"""The claims of a comparison: all cases together, then a case by its Total, else the bound.

Parts never make the headline. The cases' intervals hold together (Bonferroni), the pooled one by
itself; how often that claims a change where nothing changed is simulated from real trials in
tests/accounting/analysis/test_rule.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from vmkb.accounting.measures import TOTAL
from vmkb.accounting.stats import LEVEL, WIDTH_TARGET, Estimate, largest_change, ratio_of_logs
from vmkb.accounting.tables.group import releases
from vmkb.accounting.tables.lines import Comparison, Known

#: The least change that is named, as part of the base.
LEAST = 0.001

DEARER, CHEAPER, SAME, UNDECIDED = "dearer", "cheaper", "same", "undecided"
DEPENDS = "depends on price"
"""On that of a byte: no source says what one costs, so a verdict must hold from nothing to twice
what the model says."""
ON_OPTIONS = "depends on options"
"""Of the compiler: a release is its source, so a change must have one sign with each of them."""
BYTE_PRICES = 0.0, 2.0


@dataclass(frozen=True)
class Change:
    """A case's Total under one release beside the base's. lo, hi: of the ratio, an interval that
    holds for all cases at once and for each set of the compiler's options; without one the verdict
    is undecided. elsewhere: the same at each of BYTE_PRICES, if bytes have an assumed price.
    options: the ratio and its own interval for each set of options, if there are several."""

    known: Known
    lo: float
    hi: float
    verdict: str
    elsewhere: tuple[Change, ...] = ()
    options: tuple[tuple[str, float, float, float], ...] = ()

    @property
    def ratio(self) -> Estimate:
        """The ratio of the Totals."""
        assert self.known.compared is not None
        return self.known.compared

    @property
    def everywhere(self) -> tuple[Change, ...]:
        """It at all prices of a byte."""
        return self, *self.elsewhere

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Its intervals at all prices of a byte, for all options."""
        return [
            ends
            for c in self.everywhere
            for ends in ([(lo, hi) for _, _, lo, hi in c.options] or [(c.lo, c.hi)])
        ]

    @property
    def largest(self) -> float:
        """The largest change that the intervals leave, as part of the base."""
        return max(largest_change(lo, hi) for lo, hi in self.intervals)

    @property
    def one_sign(self) -> bool:
        """Whether its ratio lies on one side of 1 for all options."""
        return len({(value > 1) - (value < 1) for _, value, _, _ in self.options}) < 2


@dataclass(frozen=True)
class Ruling:
    """One RELEASE beside the base: the pooled ratio of its Totals (None for one
    case, or where a case has no interval), and each case; cases without a ratio are not there."""

    release: str
    base: str
    pooled: Estimate | None
    changes: tuple[Change, ...]
    unknown: tuple[str, ...] = ()
    """Cases of which there is no ratio."""

    @property
    def pooled_differs(self) -> bool:
        """Whether all cases together are shown to have changed."""
        return self.pooled is not None and not self.pooled.covers(1)

    def of(self, *verdicts: str) -> list[Change]:
        """The changes with one of VERDICTS, the largest first."""
        found = [c for c in self.changes if c.verdict in verdicts]
        return sorted(found, key=lambda c: -abs(math.log(c.ratio.value)))


def judged(found: Comparison, target: float = WIDTH_TARGET) -> list[Ruling]:
    """A ruling for each release that is not a base. TARGET: percent within which an interval must
    lie for a case to be the same."""
    made = []
    for release in releases(found.columns):
        mine = [c for c in found.columns if c.release == release]
        totals = [k for c in mine if (k := found.known(c, TOTAL)) is not None and not k.is_base]
        totals = [k for k in totals if k.base is not None]
        if not totals:
            continue
        sure = [k for k in totals if k.compared is not None]
        changes = tuple(_decided(_change(k, len(sure), target), target) for k in sure)
        base = totals[0].base
        assert base is not None
        unknown = tuple(k.column.case for k in totals if k.compared is None)
        made.append(Ruling(release, base.release, _pooled(sure), changes, unknown))
    return made


def priced(
    rulings: Sequence[Ruling], others: Sequence[Sequence[Ruling]], target: float = WIDTH_TARGET
) -> list[Ruling]:
    """RULINGS, of whose verdicts those are left that OTHERS have too: rulings of the same trials at
    each of BYTE_PRICES. TARGET as `judged` had it."""
    changes = [
        {(r.release, c.known.column.key): c for r in each for c in r.changes} for each in others
    ]
    pooled = [{r.release: r for r in each} for each in others]
    made = []
    for ruling in rulings:
        mine = tuple(
            _decided(
                replace(
                    c,
                    elsewhere=tuple(each[ruling.release, c.known.column.key] for each in changes),
                ),
                target,
            )
            for c in ruling.changes
        )
        holds = all(_agree(ruling, each.get(ruling.release)) for each in pooled)
        kept = ruling.pooled if holds else None
        made.append(replace(ruling, changes=mine, pooled=kept))
    return made


def _decided(c: Change, target: float) -> Change:
    """C with the verdict that holds at all prices of a byte and for all options, or with why there
    is none. What lies within TARGET percent everywhere is the same, whatever moves it there."""
    if {each.verdict for each in c.everywhere} in ({DEARER}, {CHEAPER}):
        return c
    if c.ratio.has_interval and c.largest <= target / 100:
        return replace(c, verdict=SAME)
    if not c.ratio.has_interval or _open(c, target):
        return replace(c, verdict=UNDECIDED)
    one_sign = all(each.one_sign for each in c.everywhere)
    return replace(c, verdict=DEPENDS if one_sign else ON_OPTIONS)


def _open(c: Change, target: float) -> bool:
    """Whether an interval of C has 1 in it and reaches beyond TARGET percent."""
    return any(lo <= 1 <= hi and largest_change(lo, hi) > target / 100 for lo, hi in c.intervals)


def _agree(ruling: Ruling, other: Ruling | None) -> bool:
    if ruling.pooled is None or other is None:
        return True
    if not ruling.pooled_differs:
        return True
    if other.pooled is None or not other.pooled_differs:
        return False
    return (other.pooled.value > 1) == (ruling.pooled.value > 1)


def _change(k: Known, cases: int, target: float) -> Change:
    e = k.compared
    assert e is not None
    if not e.has_interval:
        return Change(k, e.lo, e.hi, UNDECIDED)
    level = 1 - (1 - LEVEL) / cases
    lo, hi = e.at(level)
    options = tuple((name, one.value, *one.at(level)) for name, one in e.each)
    verdict = UNDECIDED
    if not lo <= 1 <= hi and abs(e.value - 1) >= LEAST:
        verdict = DEARER if lo > 1 else CHEAPER
    elif largest_change(lo, hi) <= target / 100:
        verdict = SAME
    return Change(k, lo, hi, verdict, options=options)


def _pooled(sure: Sequence[Known]) -> Estimate | None:
    """The mean of the cases' ratios, with an interval that holds for each set of options."""
    found = [k.compared for k in sure if k.compared is not None]
    if len(found) < 2 or not all(e.has_interval for e in found):
        return None
    whole = _mean(found)
    each = [_mean([one for _, one in same]) for same in zip(*(e.each for e in found), strict=False)]
    return replace(
        whole, lo=min(e.lo for e in (whole, *each)), hi=max(e.hi for e in (whole, *each))
    )


def _mean(found: Sequence[Estimate]) -> Estimate:
    """The mean of ratios. One build's luck moves all cases alike (their correlation is 0.7 to 0.99
    over eight builds), so errors are taken as wholly correlated: they add up."""
    return ratio_of_logs(
        fmean(math.log(e.value) for e in found),
        fmean(e.error for e in found),
        min(e.freedom for e in found),
        exact=all(e.exact for e in found),
        n=min(e.n for e in found),
        around=(
            fmean(math.log(e.low) if e.low > 0 else -math.inf for e in found),
            fmean(math.log(e.high) for e in found),
        ),
    )


def beyond(rulings: Sequence[Ruling], percent: float) -> list[Change]:
    """The cases that became dearer by more than PERCENT: their intervals lie above it, whatever a
    byte costs and for all of the compiler's options."""
    return _at(rulings, percent, lambda sides: sides == {True})


def open_at(rulings: Sequence[Ruling], percent: float) -> list[Change]:
    """The cases of which it is not known whether they became dearer by more than PERCENT."""
    return _at(rulings, percent, lambda sides: None in sides)


def split_at(rulings: Sequence[Ruling], percent: float) -> list[Change]:
    """The cases of which the price of a byte or the compiler's options decide whether they became
    dearer by more than PERCENT: more trials do not tell."""
    return _at(rulings, percent, lambda sides: sides == {True, False})


def _at(
    rulings: Sequence[Ruling], percent: float, wanted: Callable[[set[bool | None]], bool]
) -> list[Change]:
    """The changes that lie on WANTED sides of PERCENT, at each price of a byte and for all options;
    None: which one is not known."""
    limit = 1 + percent / 100
    made = []
    for c in (c for ruling in rulings for c in ruling.changes):
        sure = all(each.ratio.has_interval for each in c.everywhere)
        sides = {None if lo <= limit < hi else lo > limit for lo, hi in c.intervals}
        if wanted(sides if sure else {None}):
            made.append(c)
    return made
