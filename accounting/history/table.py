# SPDX-License-Identifier: MIT
"""A history as a table of levels, a plot of all runs, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vmkb.accounting.analysis.answer import amount
from vmkb.accounting.history.changes import LEAST, Level
from vmkb.accounting.history.figures import WATCHED, Run
from vmkb.accounting.stats import mean_estimate, ratio_places
from vmkb.accounting.tables.table import (
    Cell,
    Plot,
    Row,
    Section,
    Table,
    interval_cell,
    known,
    ratio_cell,
    word,
)

HEADS = ("Begun", "Runs", "us/KB", "Interval", "Ratio", "Interval", "What else changed")


@dataclass(frozen=True)
class History:
    """The runs of one case and release, and the levels that they make."""

    case: str
    release: str
    runs: Sequence[Run]
    levels: Sequence[Level]

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
    """A row for each level: since which run, its figure, its ratio to the one before."""
    runs = history.runs
    source = runs[-1].method
    rows = []
    for level in history.levels:
        mine = runs[level.first : level.last + 1]
        figure = mean_estimate([r.figure.value for r in mine], step=max(r.figure.step for r in
                                                                          mine))  # fmt: skip
        digits = known(figure, "us/KB", source)
        places = len(digits.text.partition(".")[2])
        against: tuple[Cell, Cell] = (word(""), word(""))
        if level.ratio is not None:
            against = (
                ratio_cell(level.ratio, source),
                interval_cell(level.ratio, ratio_places(level.ratio), "ratio", source),
            )
        rows.append(
            Row(
                mine[0].name,
                (
                    word(mine[0].at[:16].replace("T", " ") or "-"), word(str(len(mine))), digits,
                    interval_cell(figure, places, "us/KB", source), *against,
                    word(_changed(runs, level)),
                ),
            )
        )  # fmt: skip
    title = f"{history.case}, release {history.release}: CPU per KB over {counted(len(runs))}"
    head = Section("head", (Row("Since run", tuple(map(word, HEADS))),))
    notes = (
        f"A run's figure is the mean of its trials, a level's that of its runs. A level has"
        f" {LEAST} runs at least; ruptures (KernelCPD) proposes where one ends, and it is one if"
        " the 95 % interval of the ratio to the level before does not cover 1.",
    )
    return Table("history", title, (head, Section("body", tuple(rows))), notes,
                 plots=(_plot(history, title),))  # fmt: skip


def counted(count: int) -> str:
    """COUNT runs, in words."""
    return f"{count} run{'s' if count != 1 else ''}"


def _changed(runs: Sequence[Run], level: Level) -> str:
    """What the metadata say of the run at which a level begins, against the run before."""
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
        (float(n), r.figure.value, r.figure.lo, r.figure.hi)
        for n, r in enumerate(history.runs, start=1)
    )
    steps = tuple(
        (f"level {k}", tuple((float(n + 1), x.figure, x.figure, x.figure)
                             for n in (x.first, x.last)))
        for k, x in enumerate(history.levels, start=1)
    )  # fmt: skip
    return Plot("history", title, "us/KB", (("runs", points), *steps), x_title="run, oldest first")


def sentence(history: History, accepted: str = "") -> str:
    """What happened last, in one sentence."""
    where = f"{history.case}, release {history.release}"
    worse = history.regressions(accepted)
    if worse:
        level = worse[-1]
        assert level.ratio is not None
        much, word_of, within = amount(level.ratio)
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
        return f"{where}: no change of CPU per KB is shown in {len(history.runs)} runs."
    much, _, within = amount(last.ratio)
    known_of = " That is accepted." if last.dearer else ""
    return (
        f"{where}: the last change is since run {history.runs[last.first].name}: {much}"
        f" CPU per KB ({within}).{known_of}"
    )
