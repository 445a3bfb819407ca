# SPDX-License-Identifier: MIT
"""Tables as one self-contained page: style and plots inside, nothing fetched, no script.

It begins with the answer in a sentence and the plot of the ratios; the release tables and published
beside reproduced follow, the rest is folded. A note stands once, where it is said first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accounting.report.svg import svg
from accounting.tables.table import Plot, Table


def html(
    tables: Sequence[Table], title: str = "vmkb report", subtitle: str = "", sentence: str = ""
) -> str:
    """The page. It follows the reader's light or dark setting."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    here = Path(__file__).parent
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((here / "page.html.j2").read_text("utf-8"))

    def drawn(plot: Plot) -> Markup:
        return Markup(svg(plot))  # built by us, with every word escaped

    plots = [p for t in tables for p in t.plots]
    first = [t for t in tables if t.name.startswith("release") or t.name == "beside"]
    first = first or list(tables[:1])
    return template.render(
        first=first,
        rest=[t for t in tables if t not in first],
        lead=next((p for p in plots if p.kind == "intervals"), None),
        notes=_once(tables),
        doubts=list(dict.fromkeys(d for t in tables for d in t.doubts)),
        title=title,
        subtitle=subtitle,
        sentence=sentence,
        css=Markup((here / "page.css").read_text("utf-8")),
        drawn=drawn,
    )


def _once(tables: Sequence[Table]) -> dict[str, list[str]]:
    """The notes of each table that no table before it has said."""
    told: set[str] = set()
    made: dict[str, list[str]] = {}
    for table in tables:
        made[table.name] = [n for n in dict.fromkeys(table.notes) if n not in told]
        told.update(table.notes)
    return made
