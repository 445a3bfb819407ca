# SPDX-License-Identifier: MIT
"""Tables as one self-contained page: style and plots inside, nothing fetched, no script.

It begins with the answer: sentence, doubt, table and plot; the release tables and published beside
reproduced follow, the rest is folded. A note stands once, where it is said first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.first import how
from vmkb.accounting.analysis.verdicts import NAME
from vmkb.accounting.compare import PUBLISHED
from vmkb.accounting.report.svg import svg
from vmkb.accounting.shown import plain
from vmkb.accounting.tables.table import Plot, Table

OPEN = "release", "stacks", "step"
"""What the names of tables begin with that are not folded, besides the first one."""


def html(found: Analysis, title: str = "vmkb report", links: Sequence[tuple[str, str]] = ()) -> str:
    """The page. It follows the reader's light or dark setting. LINKS: names and pages of the same
    folder; a feed is one, too."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    here = Path(__file__).parent
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((here / "page.html.j2").read_text("utf-8"))

    def drawn(plot: Plot) -> Markup:
        return Markup(svg(plot))  # built by us, with every word escaped

    tables = found.tables
    plots = [p for t in tables for p in t.plots]
    brief = found.specification.brief
    shown = brief.table if brief is not None else NAME
    top = next((t for t in tables if t.name == shown), tables[0])
    lead = next((p for p in top.plots), None)
    if lead is None and top.name != NAME:
        lead = next((p for p in plots), None)
    first = [t for t in tables if t.name.startswith((*OPEN, PUBLISHED))]
    first = [t for t in first if t is not top]
    page = template.render(
        first=first,
        rest=[t for t in tables if t is not top and t not in first],
        lead=lead,
        top=top,
        notes=_once(tables),
        doubts=found.doubts,
        title=title,
        links=links,
        ran=_ran(found),
        how=how(found),
        sentence=found.sentence,
        css=Markup((here / "page.css").read_text("utf-8")),
        drawn=drawn,
        heading=_heading,
    )
    return plain(page)


def _heading(plot: Plot) -> str:
    """The title of PLOT; with one series, which has no legend, also its name."""
    names = [name for name, _ in plot.series if name]
    return f"{plot.title}: {names[0]}" if len(plot.series) == 1 and names else plot.title


def _ran(found: Analysis) -> str:
    """Which run, when, on what: of all that the trials say."""
    metas = [t.meta for t in found.trials]
    told = []
    for key in ("begun", "commit", "emulator", "emulator_version", "guest", "host"):
        values = list(dict.fromkeys(m[key] for m in metas if m.get(key)))
        if values:
            told.append(f"{key.replace('_', ' ')} {', '.join(values)}")
    return "; ".join(told)


def _once(tables: Sequence[Table]) -> dict[str, list[str]]:
    """The notes of each table that no table before it has said."""
    told: set[str] = set()
    made: dict[str, list[str]] = {}
    for table in tables:
        made[table.name] = [n for n in dict.fromkeys(table.notes) if n not in told]
        told.update(table.notes)
    return made
