# SPDX-License-Identifier: MIT
"""The answer in one sentence or two: what changed, in which direction and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vmkb.accounting.analysis.rule import (
    CHEAPER,
    DEARER,
    DEPENDS,
    ON_OPTIONS,
    SAME,
    UNDECIDED,
    Change,
    Ruling,
)
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.digits import fixed, percent_places, significant, times
from vmkb.accounting.measures import TOTAL
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate
from vmkb.accounting.tables.group import releases
from vmkb.accounting.tables.lines import Comparison, Known

#: A ratio from here on is told in times: "2154 % more" is read wrongly.
SEVERAL = 2.0
NOTHING = "There is no trial with numbers, so there is no answer."


def change(ratio: float, places: int = 1) -> str:
    """A ratio as a signed change with so many PLACES: `+0.3 %`; from twice on `x 2.41`."""
    if ratio >= SEVERAL:
        return f"x {times(ratio)}"
    return f"{_signed(100 * (ratio - 1), places)} %"


def _signed(percent: float, places: int) -> str:
    text = f"{percent:+.{places}f}"
    return text[1:] if float(text) == 0 else text


def _half(lo: float, hi: float) -> float:
    """Half an interval of a ratio, in percent."""
    return 50 * (hi - lo)


def ends(lo: float, hi: float) -> str:
    """An interval of a ratio as changes: `-0.6 .. +0.3`."""
    if max(lo, hi) >= SEVERAL:
        return f"x {times(lo)} .. {times(hi)}"
    places = percent_places(_half(lo, hi))
    return " .. ".join(_signed(100 * (x - 1), places) for x in (lo, hi))


def spread(lo: float, hi: float) -> str:
    """The same with its unit: `-0.6 .. +0.3 %`."""
    text = ends(lo, hi)
    return text if text.startswith("x") else f"{text} %"


def interval(lo: float, hi: float) -> str:
    """The same in words, as a sentence has it: `0.1 to 0.5 %`."""
    if max(lo, hi) >= SEVERAL:
        return f"{times(lo)} to {times(hi)} times"
    places, sign = percent_places(_half(lo, hi)), -1 if hi <= 1 else 1
    low, high = sorted((sign * 100 * (lo - 1), sign * 100 * (hi - 1)))
    return f"{fixed(low, places)} to {fixed(high, places)} %"


def much(ratio: float, lo: float, hi: float) -> str:
    """How large a change is, without its sign and with the digits that its interval leaves."""
    if ratio >= SEVERAL:
        return f"{times(ratio)} times"
    return f"{fixed(abs(100 * (ratio - 1)), percent_places(_half(lo, hi)))} %"


def amount(e: Estimate) -> tuple[str, str, str]:
    """How much a ratio says, in percent or, from twice on, in times; the word behind what there is
    so much of; and its interval."""
    if e.value < SEVERAL:
        word = "less" if e.value < 1 else "more"
        return f"{much(e.value, e.lo, e.hi)} {word}", "than", interval(e.lo, e.hi)
    return f"{times(e.value)} times as much", "as", interval(e.lo, e.hi)


def counted(n: int, noun: str) -> str:
    """'5 cases', '1 case'."""
    return f"{n} {noun}{'' if n == 1 else 's'}"


def release_name(release: str, called: Mapping[str, str]) -> str:
    """The name of RELEASE in words; where two runs stand beside each other it says behind it which
    of them is meant (`213 base`)."""
    name, _, run = release.partition(" ")
    if release in called or name not in called:
        return called.get(release, release)
    return f"{called[name]} ({run})"


def from_to(base: str, new: str) -> str:
    """Two releases with what their names have in common said once: `lwIP 2.1.3 -> 2.2.1`."""
    before, after = base.split(), new.split()
    same = 0
    while same < min(len(before), len(after)) - 1 and before[same] == after[same]:
        same += 1
    return f"{base} -> {' '.join(after[same:])}"


def case_name(case: str, called: Mapping[str, str]) -> str:
    """The name of a CASE in words."""
    return called.get(case, case)


def sentence(spec: Specification, found: Comparison, rulings: Sequence[Ruling]) -> str:
    """The answer about FOUND, which RULINGS judge."""
    if not found.columns:
        return NOTHING
    name = f"{spec.name}: " if spec.name else ""
    every = releases(found.columns)
    printed = all(c.source is Source.PB for column in found.columns for c in column.trials)
    if len(every) < 2:
        return name + _alone(spec, found)
    if printed:
        said = _as_printed(spec, found)
        return name + said if name else _capital(said)
    if not rulings:
        return f"{name}no case ran under two releases, so nothing can be compared."
    return name + " ".join(_ruled(spec, ruling) for ruling in rulings)


def _ruled(spec: Specification, ruling: Ruling) -> str:
    called = spec.releases
    what = from_to(release_name(ruling.base, called), release_name(ruling.release, called))
    return f"{what}. {' '.join(_verdict(spec, ruling))}"


def _verdict(spec: Specification, ruling: Ruling) -> list[str]:
    """Sentences: all cases together, then a case, else the bound; then what is not known."""
    per = f"CPU per {spec.unit}"
    told, changed = [], ruling.of(DEARER, CHEAPER)
    same, undecided, depends = (ruling.of(word) for word in (SAME, UNDECIDED, DEPENDS))
    compiled = ruling.of(ON_OPTIONS)
    cases = len(ruling.changes)
    if changed or ruling.pooled_differs:
        if ruling.pooled_differs and ruling.pooled is not None:
            e = ruling.pooled
            told.append(
                f"{per} {_moved(e)} over all {counted(cases, 'case')} ({interval(e.lo, e.hi)})."
            )
        if changed:
            told.append(_of_cases(spec, changed, bool(told), per, same))
    elif same and all(c.ratio.exact and c.lo == c.hi == 1 for c in same) and not undecided:
        told.append(f"{per} is exactly the same{_in_all(same)}.")
    elif same:
        which = "The case's" if cases == 1 else "No case's"
        if undecided or depends or compiled:
            which = "Of the others no case's"
        verb = "did not change" if cases == 1 else "changed"
        told.append(f"{which} {per} {verb} by more than {_bound(same)}.")
    if depends:
        told[:0] = [_on_price(spec, depends)]
    if compiled:
        told[:0] = [_on_options(spec, compiled)]
    if undecided:
        told[:0] = [_undecided(spec, undecided, cases)]
    if ruling.unknown:
        told.append(f"{counted(len(ruling.unknown), 'case')} cannot be compared.")
    return told


def _in_all(same: Sequence[Change]) -> str:
    return f" in all {len(same)} cases" if len(same) > 1 else ""


def _moved(e: Estimate) -> str:
    if e.value >= SEVERAL:
        return f"is {much(e.value, e.lo, e.hi)} as much"
    return f"{'rose' if e.value > 1 else 'fell'} by {much(e.value, e.lo, e.hi)}"


def _bound(same: Sequence[Change]) -> str:
    """What none of these exceeds; whose it is, if the table's intervals end before it."""
    everywhere = at_most(max(c.largest for c in same))
    shown = at_most(max(replace(c, elsewhere=()).largest for c in same))
    return everywhere if shown == everywhere else f"{everywhere}, whatever a byte costs"


def at_most(part: float) -> str:
    """A bound with two digits, never rounded down."""
    percent = 100 * part
    places = max(0, 1 - math.floor(math.log10(percent))) if percent > 0 else 1
    return f"{math.ceil(percent * 10**places - 1e-9) / 10**places:.{places}f} %"


def _of_cases(
    spec: Specification, changed: Sequence[Change], behind: bool, per: str, same: Sequence[Change]
) -> str:
    first = changed[0]
    name, ratio = case_name(first.known.column.case, spec.cases), first.ratio.value
    size, _, within = amount(replace(first.ratio, lo=first.lo, hi=first.hi))
    if behind:
        text = f"Most in {name}: {size} ({within})"
    else:
        text = f"{_capital(name)} costs {size} {per} ({within})"
    others = list(changed[1:])
    other_way = next((c for c in others if (c.ratio.value > 1) != (ratio > 1)), None)
    if other_way is not None:
        others.remove(other_way)
        text += f"; {_other(spec, other_way)}"
    if others:
        text += f"; {counted(len(others), 'more case')} changed by less"
    if same and not behind:
        text += f"; no other changed by more than {_bound(same)}"
    return f"{text}."


def _other(spec: Specification, c: Change) -> str:
    """A case that changed the other way, so that nobody takes all changes for savings."""
    size, _, within = amount(replace(c.ratio, lo=c.lo, hi=c.hi))
    return f"{case_name(c.known.column.case, spec.cases)} {size} ({within})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _undecided(spec: Specification, undecided: Sequence[Change], cases: int) -> str:
    worst = max(undecided, key=lambda c: c.largest)
    name = case_name(worst.known.column.case, spec.cases)
    known = "there is no interval"
    if worst.ratio.has_interval:
        known = f"{name} changed by {spread(worst.lo, worst.hi)}"
    elif worst.known.of_command and worst.ratio.n == 1:
        known = f"{name} {change(worst.ratio.value)} in one trial: no interval; log two"
    if cases == 1:
        return f"Whether it changed is undecided: {known}."
    many = "all cases" if len(undecided) == cases else f"{len(undecided)} of {cases} cases"
    return f"Whether {many} changed is undecided: {known}."


def _on_price(spec: Specification, depends: Sequence[Change]) -> str:
    """The first of the cases whose verdict depends on what a byte costs, at both ends."""
    first = depends[0]
    places = percent_places(_half(first.lo, first.hi))
    free, twice = (change(e.ratio.value, places) for e in first.elsewhere)
    return (
        f"The price of a byte decides {_first_of(spec, depends)}: {free} if bytes cost nothing,"
        f" {twice} at twice the model's price."
    )


def _on_options(spec: Specification, compiled: Sequence[Change]) -> str:
    """The first of the cases whose change turns with the compiler's options, with each of them."""
    each = ", ".join(
        f"{change(value, percent_places(_half(lo, hi)))} with {name}"
        for name, value, lo, hi in compiled[0].options
    )
    return f"The compiler's options decide {_first_of(spec, compiled)}: {each}."


def _first_of(spec: Specification, cases: Sequence[Change]) -> str:
    name = case_name(cases[0].known.column.case, spec.cases)
    return name + (f" and {counted(len(cases) - 1, 'more case')}" if len(cases) > 1 else "")


def _alone(spec: Specification, found: Comparison) -> str:
    """Of one release there is no ratio: what it costs, from the cheapest to the dearest case."""
    totals = [k for c in found.columns if (k := found.known(c, TOTAL)) is not None]
    name = release_name(found.columns[0].release, spec.releases)
    if not totals:
        return f"{name}: the bytes that were moved are not known, so CPU per {spec.unit} is not."
    totals.sort(key=lambda k: k.own.value)
    said = list(dict.fromkeys(_cost(k, spec, len(totals) > 1) for k in (totals[0], totals[-1])))
    return f"{name} costs {' to '.join(said)} of CPU per {spec.unit}."


def _cost(k: Known, spec: Specification, several: bool) -> str:
    own, unit = k.printed
    unit = unit.partition("/")[0]
    if own.below_step:
        return f"less than {own.step:.2g} {unit}"
    name = case_name(k.column.case, spec.cases)
    places = significant(own) if k.of_command else k.decimals
    return f"{fixed(own.value, places)} {unit}{f' ({name})' if several and name else ''}"


def _as_printed(spec: Specification, found: Comparison) -> str:
    """Of somebody's printed figures: the span of the printed Totals' ratios."""
    ratios = []
    for column in found.columns:
        line = found.known(column, TOTAL)
        if line is None or line.base is None or line.is_base:
            continue
        below = found.known(line.base, TOTAL)
        if below is not None and below.own.value:
            ratios.append(line.own.value / below.own.value)
    if not ratios:
        return "printed figures without a base to compare them with."
    base, *others = (release_name(r, spec.releases) for r in releases(found.columns))
    span = dict.fromkeys(f"{r:.3f}" for r in (min(ratios), max(ratios)))
    return (
        f"as printed, Total CPU per {spec.unit} of {', '.join(others)} is {' to '.join(span)} times"
        f" that of {base}; printed figures have no interval."
    )
