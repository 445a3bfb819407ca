# SPDX-License-Identifier: MIT
"""A history as a table of levels, a plot of all runs, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vmkb.accounting.analysis.answer import amount, at_most, change, ends
from vmkb.accounting.analysis.rule import CHEAPER, DEARER
from vmkb.accounting.analysis.rule import LEAST as NAMED
from vmkb.accounting.digits import percent_places
from vmkb.accounting.history.changes import LEAST, Level
from vmkb.accounting.history.figures import WATCHED, Run
from vmkb.accounting.stats import Estimate, mean_estimate
from vmkb.accounting.tables.table import (
    EXACT,
    Cell,
    Plot,
    Row,
    Section,
    Table,
    header,
    known,
    word,
)

HEADS = ("Begun", "Runs", "us/KB", "Change", "95 % interval", "", "What else changed")


@dataclass(frozen=True)
class History:
    """The runs of one case and release, and the levels that they make."""

    case: str
    release: str
    runs: Sequence[Run]
    levels: Sequence[Level]
    bound: float = math.inf
    """Of one level: the part by which it may have changed."""

    def regressions(self, accepted: str = "") -> list[Level]:
        """Levels above the one before them, that still stand: no later one is back down at what was
        before. Those that begin at run ACCEPTED or before it are known."""
        names = [r.name for r in self.runs]
        since = names.index(accepted) if accepted else -1
        found = []
        for k, level in enumerate(self.levels):
            if not level.dearer or level.first <= since:
                continue
            before = self.levels[k - 1].figure
            later = (x.figure for x in self.levels[k + 1 :])
            if all(figure > before for figure in later):
                found.append(level)
        return found


def history_table(history: History) -> Table:
    """A row for each level: since which run, its figure, its change from the one before."""
    runs = history.runs
    source = runs[-1].method
    rows = []
    for level in history.levels:
        mine = runs[level.first : level.last + 1]
        step = max(r.figure.step for r in mine)
        figure = mean_estimate([r.figure.value for r in mine], step=step)
        cells = (
            word(_day(mine[0])), word(str(len(mine))), known(figure, "us/KB", source),
            *_against(level, source), word(_changed(runs, level)),
        )  # fmt: skip
        rows.append(Row(mine[0].name, cells))
    title = f"{history.case}, release {history.release}: CPU per KB over {counted(len(runs))}"
    head = header("Since run", HEADS)
    notes = (
        f"A run's figure is the mean of its trials, a level's that of its runs. A level has"
        f" {LEAST} runs at least. A change is named if its 95 % interval, which holds for all"
        f" places at once at which a level may begin, does not cover 0, and from"
        f" {100 * NAMED:g} % up.",
    )
    return Table("history", title, (head, Section("body", tuple(rows))), notes,
                 plots=(_plot(history, title),))  # fmt: skip


def _day(run: Run) -> str:
    """When RUN began, to the minute."""
    return run.at[:16].replace("T", " ") or "-"


def _against(level: Level, source: str) -> tuple[Cell, Cell, Cell]:
    """The change from the level before, its interval, and the word for it."""
    e = level.ratio
    if e is None:
        return word(""), word(""), word("")
    text = change(e.value, percent_places(50 * (e.hi - e.lo)))
    within = EXACT if e.exact else ends(e.lo, e.hi)
    verdict = DEARER if level.dearer else CHEAPER
    return Cell(text, e.value, "ratio", source, e.lo, e.hi, e.n), word(within), word(verdict)


def counted(count: int) -> str:
    """COUNT runs, in words."""
    return f"{count} run{'s' if count != 1 else ''}"


def _changed(runs: Sequence[Run], level: Level) -> str:
    """The metadata that changed with the run at which a level begins."""
    if level.first == 0:
        return ""
    before, now = (runs[n].meta for n in (level.first - 1, level.first))
    keys = [k for k in (*WATCHED, *sorted(now)) if k not in ("at", "trials", "size")]
    said = [
        f"{k.replace('_', ' ')} {before.get(k, '-')} -> {now[k]}"
        for k in dict.fromkeys(keys)
        if k in now and now[k] != before.get(k)
    ]
    return "; ".join(said) or "nothing that was recorded"


def _plot(history: History, title: str) -> Plot:
    points = tuple(
        (f"{r.at[:10]} {r.name}".strip(), r.figure.value, r.figure.lo, r.figure.hi)
        for r in history.runs
    )
    steps = tuple(
        (f"level {k}", tuple((float(n), x.figure, x.figure, x.figure) for n in (x.first, x.last)))
        for k, x in enumerate(history.levels, start=1)
    )
    return Plot("history", title, "us/KB", (("runs", points), *steps), x_title="run, oldest first")


def sentence(history: History, accepted: str = "") -> str:
    """The last change, in one sentence."""
    where = f"{history.case}, release {history.release}"
    worse = history.regressions(accepted)
    if worse:
        level = worse[-1]
        assert level.ratio is not None
        much, word_of, within = _amount(level.ratio)
        return (
            f"REGRESSION in {where}: since run {history.runs[level.first].name} a kilobyte costs"
            f" {much} CPU {word_of} before ({within})."
        )
    if len(history.runs) < 2 * LEAST:
        few = len(history.runs)
        are = "is" if few == 1 else "are"
        return f"{where}: {counted(few)} {are} too few: a change shows in {2 * LEAST} at least."
    last = history.levels[-1]
    if last.ratio is None:
        return f"{where}: CPU per KB {_same(history)} in {len(history.runs)} runs."
    much, _, within = _amount(last.ratio)
    known_of = " That is accepted." if last.dearer else ""
    return (
        f"{where}: the last change is since run {history.runs[last.first].name}: {much}"
        f" CPU per KB ({within}).{known_of}"
    )


def _same(history: History) -> str:
    """A sentence on a history of one level."""
    if history.bound == 0:
        return "is exactly the same"
    if math.isinf(history.bound):
        return "is known too coarsely to tell a change"
    return f"did not change by more than {at_most(history.bound)}"


def _amount(e: Estimate) -> tuple[str, str, str]:
    """How much, the word behind it, and within what; with the digits that the table has."""
    amount_of, than, within = amount(e)
    return amount_of, than, EXACT if e.exact else within
