# SPDX-License-Identifier: MIT
"""The first screen: at most 24 lines of 80 columns. The answer, a line a case, how sure that is,
and where the rest is."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from statistics import median

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.answer import counted
from vmkb.accounting.analysis.rule import SAME
from vmkb.accounting.analysis.specification import Brief
from vmkb.accounting.analysis.verdicts import NAME
from vmkb.accounting.counter import (
    BUILD,
    COMPILED,
    COMPILER,
    NOTHING,
    PROGRAM,
    UNLINKED,
    counter_note,
)
from vmkb.accounting.measures import TOTAL
from vmkb.accounting.records import Source
from vmkb.accounting.store import Trial, clock_of
from vmkb.accounting.tables.grown import in_lines

WIDTH, LINES = 80, 24
_GAP = "  "
#: Room that a column of words keeps as long as other columns could be left out, and at all.
LABEL, LEAST = 22, 8
#: The column that tells lines of one case apart; where it has no room it is behind the case.
RELEASE = "Release"
#: A trial that costs this many times as much as the others, or as little, is told on the screen.
FAR = 1.5
#: What the CPU of somebody's log was read from.
READ = {
    Source.QT: "By QUERY TIME", Source.RM: "By Ready messages", Source.AC: "By accounting records",
}  # fmt: skip
#: Doubts that are told on the screen.
DOUBTS = 2

Line = tuple[str, ...]


def first_screen(found: Analysis, rest: Sequence[str] = ()) -> str:
    """The screen of FOUND; REST are lines about where more is."""
    kept_together = found.sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    head = [x.replace("\N{NO-BREAK SPACE}", " ") for x in textwrap.wrap(kept_together, WIDTH)]
    told = [*beside(found), *unlinked(found), *far(found), how(found), *rest]
    below = [*_doubted(found.doubts), *_wrapped(told)]
    room = LINES - len(head) - len(below) - 2
    body = _body(found, room)
    lines = [*head, "", *body, *([""] if body and below else []), *below]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrapped(texts: Sequence[str]) -> list[str]:
    """TEXTS in lines; a path or command that is longer than a line stays whole."""
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text, WIDTH, break_long_words=False, break_on_hyphens=False, subsequent_indent="  "
        )
    ]


def _doubted(doubts: Sequence[str]) -> list[str]:
    lines = _wrapped([f"NOT TRUSTED: {d}" for d in doubts[:DOUBTS]])
    more = len(doubts) - DOUBTS
    return [*lines, *([f"{counted(more, 'more doubt')}: --all"] if more > 0 else [])]


def same_programs(trials: Sequence[Trial]) -> bool:
    """Whether TRIALS are of several releases that are one program in each build."""
    builds: dict[str, dict[str, str]] = {}
    for t in trials:
        builds.setdefault(t.params.get(BUILD, "1"), {})[t.release] = t.params.get(PROGRAM, "")
    return bool(builds) and all(
        len(of) > 1 and len(set(of.values())) == 1 and all(of.values()) for of in builds.values()
    )


def beside(found: Analysis) -> list[str]:
    """Lines on what changed beside the cost: sizes and functions, as far as they are known."""
    if same_programs(found.trials):
        return ["The programs of all releases are the same, byte for byte."]
    return in_lines(found.tables)


def unlinked(found: Analysis) -> list[str]:
    """A line about files of releases that differ from the base's and were not measured."""
    meta = found.trials[0].meta if found.trials else {}
    return [
        f"Not linked, of {key.removeprefix(UNLINKED)}: {files}."
        for key, files in meta.items()
        if key.startswith(UNLINKED) and f"{NOTHING}{key.removeprefix(UNLINKED)}" not in meta
    ]


def far(found: Analysis) -> list[str]:
    """A line about trials that cost far more or less than the others of their case."""
    told = []
    for column in found.comparison.columns:
        total = found.comparison.known(column, TOTAL)
        if total is None:
            continue
        values = column.values(total.line.measure)
        for k in total.own.outliers:
            usual = median(values[:k] + values[k + 1 :])
            times = values[k] / usual if usual > 0 else math.inf
            if not 1 / FAR < times < FAR:
                told.append(_far(column.trials[k].trial, values[k], usual, total.unit))
    more = [f"{counted(len(told) - 1, 'more trial')} like that: --all"] if len(told) > 1 else []
    return [*told[:1], *more]


def _far(trial: Trial, value: float, usual: float, unit: str) -> str:
    """A sentence on TRIAL, which is far from the others, and where it is."""
    first, last = trial.records[0].where, trial.records[-1].where
    lines = f" ({first.file}:{first.line} to {last.line})" if first.file == last.file else ""
    text = f"Trial {trial.id}{lines} has {value:.4g} {unit}, the others {usual:.4g}. It counts."
    sampled = not trial.meta and any(r.kind == "connect" for r in trial.records)
    return f"{text} Was a QUERY TIME left out in it?" if sampled else text


def how(found: Analysis) -> str:
    """How sure it is, in a line: seeds, builds, counter, clock, wire."""
    mine = [c.trial for c in found.costs] or list(found.trials)
    if not mine:
        return ""
    meta = mine[0].meta
    virtual = clock_of(meta) == "virtual"
    trials: dict[tuple[str, str, str], int] = {}
    for t in mine:
        key = t.case, t.release, t.params.get(BUILD, "1")
        trials[key] = trials.get(key, 0) + 1
    fewest, most = min(trials.values()), max(trials.values())
    many = str(most) if fewest == most else f"{fewest} to {most}"
    builds = len({build for _, _, build in trials})
    noun = ("seed" if virtual else "trial") + ("" if most == 1 else "s")
    compiled = dict.fromkeys(t.params[COMPILED] for t in mine if COMPILED in t.params)
    by = f" ({meta[COMPILER]} {', '.join(compiled)})" if compiled and COMPILER in meta else ""
    parts = [f"{many} {noun} of each case{by}"]
    if builds > 1:
        parts[0] = f"{builds} builds of each release{by}, {many} {noun} of each"
    several = [r.changes for r in found.rulings if len(r.changes) > 1]
    if any(change.ratio.has_interval for changes in several for change in changes):
        each = " and with each of these options" if len(compiled) > 1 else ""
        parts.append(f"The intervals hold for all cases at once{each}")
    if not meta and found.costs and (said := READ.get(found.costs[0].source)):
        parts.append(said)
    world = []
    if meta.get("counter"):
        world.append(f"{meta['counter']} counter")
    if meta.get("clock"):
        world.append("virtual time" if virtual else "host's clock")
    if meta.get("wire"):
        world.append(meta["wire"])
    if world:
        line = ", ".join(world)
        parts.append(line[:1].upper() + line[1:])
    if note := counter_note(meta):
        parts.append(note[:1].upper() + note[1:])
    return ". ".join(parts) + "."


def _body(found: Analysis, room: int) -> list[str]:
    brief = found.specification.brief or Brief(NAME)
    own = found.tables[0] if found.specification.brief and found.tables else None
    table = next((t for t in found.tables if t.name == brief.table), own)
    if table is None:
        return []
    at = [k for c in brief.columns for k, head in enumerate(table.columns) if _is(head, c)]
    at = at or list(range(len(table.columns)))
    heads = (table.head[0].label, *(table.columns[k] for k in at))
    rows = [row for section in table.body for row in section.rows]
    often = Counter(row.label for row in rows)
    aside = [k for k, head in enumerate(table.columns) if head == RELEASE and k not in at]
    lines = []
    for row in rows:
        which = [row.cells[k].text for k in aside] if often[row.label] > 1 else []
        lines.append((" ".join([row.label, *which]), *(row.cells[k].text for k in at)))
    return [
        *_wrapped([table.title]),
        *_laid(heads, lines, room - 1, 1 + sum(k < table.keys for k in at)),
    ]


def _is(head: str, name: str) -> bool:
    """Whether the column under HEAD is called NAME; unit and source letters may stand behind it."""
    return head == name or head.startswith(f"{name} ")


def _laid(heads: Line, lines: Sequence[Line], room: int, left: int) -> list[str]:
    """LINES in columns, the first LEFT of which are words. If they do not fit, long words are cut;
    then columns are left out, but a verdict never; and lines that do not fit: of cases that are the
    same first."""
    columns = list(range(len(heads)))
    while True:
        widths = _fitted([max(len(r[k]) for r in [heads, *lines]) for k in columns], left)
        if sum(widths) + len(_GAP) * (len(columns) - 1) <= WIDTH or len(columns) <= left + 1:
            break
        columns.pop(-1 if heads[columns[-1]] or len(columns) < left + 3 else -2)
    kept = list(lines)
    if len(kept) > room - 1:
        while len(kept) > room - 2 and any(line[-1] == SAME for line in kept):
            at = max(k for k, line in enumerate(kept) if line[-1] == SAME)
            del kept[at : _whole(kept, at)]
        kept = kept[: max(1, room - 2)]
    made = [
        _GAP.join(
            _cut(cells[k], width).ljust(width)
            if at < left or not heads[k]
            else cells[k].rjust(width)
            for at, (k, width) in enumerate(zip(columns, widths, strict=True))
        )
        for cells in (heads, *kept)
    ]
    if len(kept) < len(lines):
        made.append(f"{len(lines) - len(kept)} more lines: --all")
    return made


def _whole(lines: Sequence[Line], at: int) -> int:
    """Where what stands below the line AT, as its parts, ends."""
    end = at + 1
    while end < len(lines) and lines[end][0].startswith(_GAP):
        end += 1
    return end


def _fitted(widths: list[int], left: int) -> list[int]:
    """WIDTHS with those of the LEFT columns of words cut as far as the others need it."""
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - WIDTH
    for least in (LABEL, LEAST):
        for at in range(left - 1, -1, -1):
            cut = max(0, min(over, widths[at] - least))
            widths[at] -= cut
            over -= cut
    return widths


def _cut(text: str, width: int) -> str:
    """TEXT without its middle if it is longer than WIDTH: names are often told by their ends."""
    if len(text) <= width:
        return text
    end = (width - 2) // 3
    return f"{text[: width - 2 - end]}..{text[len(text) - end :]}"
