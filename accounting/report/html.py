# SPDX-License-Identifier: MIT
"""Tables as one self-contained page: style and plots inside, nothing fetched, no script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accounting.report.svg import svg
from accounting.tables.table import Plot, Table


def html(tables: Sequence[Table], title: str = "vmkb report", subtitle: str = "") -> str:
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

    return template.render(
        tables=tables,
        title=title,
        subtitle=subtitle,
        css=Markup((here / "page.css").read_text("utf-8")),
        drawn=drawn,
    )
