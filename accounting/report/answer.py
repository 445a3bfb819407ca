# SPDX-License-Identifier: MIT
"""The answer in one sentence, from the costs: what became cheaper or dearer, by how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accounting.costs import TrialCost
from accounting.records import Source
from accounting.stats import Estimate, claim
from accounting.tables.group import TOTAL, Column, columns, releases
from accounting.tables.lines import RATE, Known, known_lines
from accounting.tables.table import fixed

#: Changes that are named one by one; the others are counted.
NAMED = 3
#: A ratio from here on is told in times: "2154 % more" is read wrongly.
SEVERAL = 2.0
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve")  # fmt: skip


def counted(n: int, noun: str) -> str:
    """'five cases', 'one case'."""
    number = _COUNTS[n] if n < len(_COUNTS) else str(n)
    return f"{number} {noun}{'' if n == 1 else 's'}"


def percent(e: Estimate) -> tuple[str, str, str]:
    """How much less or more a ratio says, the word, and its interval, all in percent."""
    change, ends = 100 * (e.value - 1), sorted((100 * (e.lo - 1), 100 * (e.hi - 1)))
    places = next((p for p in (0, 1, 2) if (ends[1] - ends[0]) / 2 >= 10**-p), 2)
    places = max(places, next((p for p in (0, 1, 2) if abs(change) >= 10**-p), 2))
    if change < 0:
        ends = [-ends[1], -ends[0]]
    shown = "..".join(fixed(x, places) for x in ends)
    return fixed(abs(change), places), "less" if change < 0 else "more", shown


def amount(e: Estimate) -> tuple[str, str, str]:
    """How much a ratio says, in percent or, from twice on, in times; the word behind what there is
    so much of; and its interval."""
    if e.value < SEVERAL:
        much, word, ends = percent(e)
        return f"{much} % {word}", "than", f"{ends} %"
    places = next((p for p in (0, 1, 2) if (e.hi - e.lo) / 2 >= 10**-p), 2)
    ends = "..".join(fixed(x, places) for x in (e.lo, e.hi))
    return f"{fixed(e.value, places)} times as much", "as", ends


def answer(
    costs: Sequence[TrialCost], base: str = "", names: Mapping[str, str] | None = None
) -> str:
    """The sentence about all cases of COSTS. NAMES: what a release is called."""
    found = columns(costs)
    if not found:
        return "There is no trial with numbers, so there is no answer."
    called = names or {}
    every = known_lines(found, base)
    if len(releases(found)) < 2:
        return _alone(found, every, called)
    if all(c.source is Source.PB for c in costs):
        return _as_printed(found, every, called)
    lasts = [k for k, c in enumerate(found) if (k, TOTAL) in every and not every[k, TOTAL].is_base]
    changes: list[tuple[Column, Known]] = []
    same: list[str] = []
    unknown, looked, chance = 0, 0, 0.0
    for k in lasts:
        mine = [
            x for (place, label), x in every.items()
            if place == k and label != RATE and not x.of_cp
        ]  # fmt: skip
        mine.sort(key=lambda x: x.line.label != TOTAL)
        sure = [x for x in mine if x.compared is not None and x.compared.has_interval]
        looked += len(sure)
        chance += sum(1 - x.compared.confidence for x in sure if x.compared is not None)
        told = [x for x in sure if x.compared is not None and not x.compared.covers(1)]
        if told:
            changes.append((found[k], told[0]))
        elif not sure or sure[0].line.label != TOTAL:
            unknown += 1
        else:
            same.append(found[k].case)
    said = _sentence(found, changes, len(same), unknown, called)
    if not changes or looked < 2:
        return said
    # Many intervals are looked at, and each leaves out the truth now and then.
    return f"{said[:-1]}. Of the {looked} intervals looked at {chance:.1f} exclude 1 by chance."


def release_name(release: str, called: Mapping[str, str]) -> str:
    """What RELEASE is CALLED; where two runs stand beside each other its name has behind it which
    of them is meant (`213 base`)."""
    name, _, run = release.partition(" ")
    if release in called or name not in called:
        return called.get(release, release)
    return f"{called[name]} ({run})"


def _sentence(
    found: Sequence[Column],
    changes: list[tuple[Column, Known]],
    same: int,
    unknown: int,
    called: Mapping[str, str],
) -> str:
    changes.sort(key=lambda c: -abs(c[1].compared.value - 1) if c[1].compared else 0)
    parts = []
    for column, k in changes[:NAMED]:
        assert k.compared is not None and k.base is not None
        much, word, ends = amount(k.compared)
        whose = "" if k.line.label == TOTAL else f" {k.line.label}"
        level = claim([k.compared.confidence]).removesuffix(" interval")
        parts.append(
            f"{release_name(column.release, called)} costs{whose} {much} CPU per KB {word}"
            f" {release_name(k.base.release, called)} when it {doing(column)} ({level}: {ends})"
        )
    rest = []
    if len(changes) > NAMED:
        rest.append(f"{counted(len(changes) - NAMED, 'more case')} changed by less")
    if same:
        if changes:
            several = "" if same > 1 else "s"
            rest.append(f"the other {counted(same, 'case')} show{several} no change")
        else:
            rest.append(f"the interval of the ratio covers 1 in {counted(same, 'case')}")
    if unknown:
        several = "" if unknown > 1 else "s"
        rest.append(f"{counted(unknown, 'case')} ha{'ve' if unknown > 1 else several} no interval,"
                    " so no change can be told")  # fmt: skip
    if not changes and found:
        names = " and ".join(release_name(r, called) for r in releases(found))
        parts.append(f"No difference in CPU per KB between {names} is shown" if same
                     else f"Whether {names} differ in CPU per KB is not known")  # fmt: skip
    return "; ".join([*parts, *rest]) + "."


def doing(column: Column) -> str:
    """What a case does: 'gets 2MB binary files', or its name."""
    params = column.trials[0].trial.params
    verb = {"get": "gets", "put": "puts"}.get(params.get("direction", ""))
    if not verb or not params.get("file"):
        return f"does {column.case}" if column.case else "does the same"
    mode = column.mode if column.mode.isupper() else column.mode.lower()
    return " ".join(x for x in (verb, params["file"], mode, "files") if x)


def _alone(
    found: Sequence[Column], every: Mapping[tuple[int, str], Known], called: Mapping[str, str]
) -> str:
    """Of one release there is no ratio: what it costs, from the cheapest to the dearest case."""
    totals = [every[k, TOTAL] for k in range(len(found)) if (k, TOTAL) in every]
    name = release_name(found[0].release, called)
    if not totals:
        return f"{name}: the bytes that were moved are not known, so CPU per KB is not."
    totals.sort(key=lambda k: k.own.value)
    ends = list(dict.fromkeys(_cost(k) for k in (totals[0], totals[-1])))
    return f"{name} costs {' to '.join(ends)} of CPU per KB; there is no other release beside it."


def _cost(k: Known) -> str:
    if k.own.below_step:
        return f"less than {k.own.step:.2g} us"
    return f"{fixed(k.own.value, k.decimals)} us"


def _as_printed(
    found: Sequence[Column], every: Mapping[tuple[int, str], Known], called: Mapping[str, str]
) -> str:
    """Of somebody's printed figures: the span of the printed Totals' ratios."""
    ratios = []
    for k in range(len(found)):
        line = every.get((k, TOTAL))
        if line is None or line.base is None or line.is_base:
            continue
        below = every[found.index(line.base), TOTAL].own.value
        if below:
            ratios.append(line.own.value / below)
    if not ratios:
        return "Printed figures without a base to compare them with."
    base, *others = (release_name(r, called) for r in releases(found))
    ends = dict.fromkeys(f"{r:.3f}" for r in (min(ratios), max(ratios)))
    return (
        f"As printed, Total CPU per KB of {', '.join(others)} is {' to '.join(ends)} times that of"
        f" {base}; printed figures have no interval."
    )
