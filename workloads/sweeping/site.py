# SPDX-License-Identifier: MIT
"""A trail as a static site: a page of all commits, one for each step, and a feed of the steps.

Equal results give equal bytes: nothing of this host or of today is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vmkb.accounting.analysis.analyse import Analysis, of_tables
from vmkb.accounting.report.feed import Entry, feed
from vmkb.accounting.report.formats import render
from vmkb.accounting.tables import step
from vmkb.accounting.tables.table import Table
from vmkb.accounting.tables.trail import sentence, steps, tables
from vmkb.workloads.sweeping.trail import Trail

FOLDER, INDEX, FEED = "site", "index.html", "feed.xml"
PROFILED = 64
"""Of so many steps, the largest, the pages tell which functions grew."""


def write(trail: Trail, threshold: float, folder: Path) -> Path:
    """Write the site of TRAIL below FOLDER, with the steps beyond THRESHOLD; return its first
    page."""
    site = folder / FOLDER
    site.mkdir(exist_ok=True)
    for old in site.glob("step-*.html"):
        old.unlink()
    points = trail.points()
    found = steps(points, threshold)
    largest = sorted(found, key=lambda c: -abs(c.value or 0))[:PROFILED]
    entries = []
    for number, change in enumerate(found, start=1):
        grown = trail.functions(change) if change in largest else None
        said = step.sentence(change, trail.case)
        page = of_tables([step.table(change), *([grown] if grown else [])], said)
        title = f"Step {number} of {trail.name}: {step.title(change)}"
        _page(site / change.point.page, page, title, [("All commits", INDEX)])
        text = f"{said}{_functions(grown)}"
        entries.append(Entry(change.point.commit, step.title(change), change.point.date,
                             change.point.page, text))  # fmt: skip
    title = f"{trail.name} by commit: {trail.case}"
    index = of_tables(
        tables(points, trail.case, threshold, trail.sized),
        sentence(points, trail.case, threshold, trail.sized),
    )
    _page(site / INDEX, index, title, [("Feed of steps", FEED)])
    key = f"vmkb trail {trail.name} {trail.case} {trail.commits[0].name}"
    told = feed(title, key, INDEX, FEED, entries[::-1])
    (site / FEED).write_text(told, "utf-8")
    return site / INDEX


def _page(path: Path, found: Analysis, title: str, links: Sequence[tuple[str, str]]) -> None:
    path.write_text(render(found, "html", title=title, links=links), "utf-8")


def _functions(grown: Table | None) -> str:
    """What GROWN, a table of functions, says, in words."""
    if grown is None:
        return ""
    rows = [f"{r.label} {r.cells[-1].text.rstrip('~')}" for s in grown.body for r in s.rows]
    return f" Instructions per KB: {', '.join(rows)}."
