# SPDX-License-Identifier: MIT
"""An analysis for a pull request: a comment in Markdown, and annotations of the job's log."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.answer import case_name, counted
from vmkb.accounting.analysis.first import DOUBTS, beside, how, unlinked
from vmkb.accounting.analysis.rule import Change, beyond, open_at
from vmkb.accounting.analysis.verdicts import NAME
from vmkb.accounting.report.markup import escaped, markdown
from vmkb.accounting.shown import plain
from vmkb.accounting.tables.grown import FUNCTIONS, SIZES
from vmkb.accounting.tables.table import Row, Section, Table

MARK = "<!-- vmkb check -->"
"""The first line, by which a workflow finds its own comment."""
MOST = 60_000
"""Characters; GitHub takes 65,536."""
_LONG = 600
"""Characters of a sentence that may have others' words in it."""
_OBEYED = re.compile(r"(?<=[@#])(?=[\w/-])|(?<=##)(?=\[)|^(?=\s*::)", re.M)
"""Where GitHub would see a mention of somebody, an issue, or a command to the job's runner."""
_BLANK = "&#8203;"
"""Of no width."""
_WORDS = (
    "CPU per KB is the processor time that the whole system needs to move 1 KB, in microseconds of"
    " a modelled mainframe, the same one for both. A machine is a virtual machine: TCPIP runs the"
    " stack, System is the operating system's own work."
)


def comment(found: Analysis, percent: float) -> str:
    """The verdict, the cases and the sizes; functions, notes and machines folded. PERCENT is what a
    case may become dearer by."""
    lead = [t for t in found.tables if t.name == NAME]
    functions = [t for t in found.tables if t.name == FUNCTIONS]
    sizes = [t for t in found.tables if t.name == SIZES]
    machines = [t for t in found.tables if t.name.startswith("release")]
    parts = [f"**{_text(verdict(found, percent))}**", _text(found.sentence)]
    parts += [f"**Not trusted:** {_text(doubt)}" for doubt in found.doubts[:DOUBTS]]
    if (more := len(found.doubts) - DOUBTS) > 0:
        parts.append(f"{counted(more, 'more doubt')}: the job's log has all.")
    parts += [_headed(t) for t in lead]
    unfolded = replace(found, tables=tuple(sizes))
    parts += map(_text, (*beside(unfolded), *unlinked(found)))
    told = dict.fromkeys(n for t in (*lead, *sizes, *functions, *machines) for n in t.notes)
    notes = [_WORDS, how(found), *found.notes, *told]
    folds = [
        *(_fold(t.title, markdown([replace(_bare(t), title="")])) for t in functions),
        _fold("Notes", "".join(f"- {escaped(n)}\n" for n in notes if n)),
        *([_fold("By machine", markdown([_bare(t) for t in machines]))] if machines else []),
    ]
    while folds and sum(map(len, (*parts, *folds))) > MOST:
        folds.pop()
    text = "\n\n".join(part.strip() for part in (*parts, *folds))
    return plain(f"{MARK}\n{_OBEYED.sub(_BLANK, text)}\n")


def _text(said: str) -> str:
    """A sentence in Markdown, whatever words of others are in it."""
    return escaped(said if len(said) <= _LONG else f"{said[:_LONG]}..")


def _fold(title: str, inside: str) -> str:
    shown = escape(" ".join(title.split()), quote=False)
    return f"<details><summary>{shown}</summary>\n\n{inside.strip()}\n</details>"


def _bare(table: Table) -> Table:
    """TABLE without its notes."""
    return replace(table, notes=())


def _headed(table: Table) -> str:
    """TABLE with its title as the head of its first column."""
    head, *more = table.sections
    top, *rows = head.rows
    first = Section(head.kind, (Row(table.title, top.cells), *rows))
    return markdown([replace(_bare(table), title="", sections=(first, *more))])


def verdict(found: Analysis, percent: float) -> str:
    """Whether a case became dearer by more than PERCENT."""
    if found.doubts:
        return "vmkb: not measured"
    if dearer := beyond(found.rulings, percent):
        return f"vmkb: dearer by more than {percent:g} %: {_named(found, dearer)}"
    if left := open_at(found.rulings, percent):
        return f"vmkb: undecided whether dearer by more than {percent:g} %: {_named(found, left)}"
    return f"vmkb: no case is dearer by more than {percent:g} %"


def log_lines(found: Analysis, percent: float) -> list[str]:
    """A line for each thing that the job's page shows."""
    said = verdict(found, percent)
    good = not found.doubts and not beyond(found.rulings, percent)
    kind = "notice" if good and not open_at(found.rulings, percent) else "error"
    lines = [f"::{kind} title=vmkb::{_data(said)}. {_data(found.sentence)}"]
    return lines + [f"::error title=vmkb::{_data(doubt)}" for doubt in found.doubts]


def _data(text: str) -> str:
    """TEXT as a workflow command takes it."""
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _named(found: Analysis, changes: Sequence[Change]) -> str:
    cases = found.specification.cases
    return "; ".join(case_name(c.known.column.case, cases) for c in changes)
