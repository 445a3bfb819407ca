# SPDX-License-Identifier: MIT
"""An analysis for a pull request: a comment in Markdown, and annotations of the job's log."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.answer import case_name
from vmkb.accounting.analysis.first import how
from vmkb.accounting.analysis.rule import Change, beyond, open_at
from vmkb.accounting.analysis.verdicts import NAME
from vmkb.accounting.report.markup import markdown
from vmkb.accounting.shown import plain


def comment(found: Analysis, percent: float) -> str:
    """The answer, its table, and the tables by machine folded; PERCENT is what a case may become
    dearer by."""
    lead = [t for t in found.tables if t.name == NAME]
    rest = [t for t in found.tables if t not in lead and t.name.startswith(("release", "wide"))]
    parts = [f"**{verdict(found, percent)}**", found.sentence, markdown(lead), how(found)]
    parts += [f"**Not trusted:** {doubt}" for doubt in found.doubts]
    if rest:
        parts.append(f"<details><summary>By machine</summary>\n\n{markdown(rest)}\n</details>")
    return plain("\n\n".join(part.strip() for part in parts if part)) + "\n"


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
