# SPDX-License-Identifier: MIT
"""The plot of a history: a dot for each run, a line for each level, a mark where one begins."""

from __future__ import annotations

from html import escape

from vmkb.accounting.report.axis import spread
from vmkb.accounting.tables.table import Plot

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 760, 260, 78, 40, 34
#: From so many runs on a dot has no whisker: they would be one smear.
MANY = 120
#: So many runs have their date and name below the axis, each in so many letters.
NAMED, LETTERS = 6, 17


def history(plot: Plot, ticks: list[float]) -> str:
    """Series 0 are the runs, each called by its date and name, and each other one is a level.
    TICKS: of the figure."""
    runs, *levels = plot.series
    points = runs[1]
    names = [str(name) for name, *_ in points]
    low, high = ticks[0], ticks[-1]
    last = len(points) - 1
    bottom = TOP + HEIGHT

    def x(n: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (n / last if last else 0.5)

    def y(v: float) -> float:
        return bottom - HEIGHT * (v - low) / (high - low)

    out = [
        f'<text x="0" y="14" class="title">{escape(plot.title)}</text>',
    ]
    for t in ticks:
        out.append(
            f'<line x1="{LEFT}" y1="{y(t):.1f}" x2="{WIDTH - RIGHT}" y2="{y(t):.1f}" class="grid"/>'
            f'<text x="{LEFT - 8}" y="{y(t) + 4:.1f}" text-anchor="end" class="axis">{t:g}</text>'
        )
    for n in spread(last, NAMED):
        day, _, name = names[n].rpartition(" ")
        for down, text in ((20, day.partition(" ")[0]), (35, name)):
            shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 3]}..."
            out.append(
                f'<text x="{x(n):.1f}" y="{bottom + down}" text-anchor="middle" class="axis">'
                f"{escape(shown)}</text>"
            )
    for n, (_, value, lo, hi) in enumerate(points):
        said = escape(f"{names[n]}: {value:.6g} {plot.unit}")
        out.append(f'<g class="s0"><title>{said}</title>')
        if hi > lo and len(points) < MANY:
            out.append(f'<path d="M{x(n):.1f} {y(lo):.1f}V{y(hi):.1f}" class="whisker"/>')
        out.append(f'<circle cx="{x(n):.1f}" cy="{y(value):.1f}" r="2"/></g>')
    for k, (_, ends) in enumerate(levels):
        (a, value, *_), (b, *_) = ends
        out.append(
            f'<path d="M{x(float(a)):.1f} {y(value):.1f}H{x(float(b)):.1f}" class="line s1"/>'
        )
        if k:
            out.append(
                f'<path d="M{x(float(a)):.1f} {TOP}V{bottom}" class="reference"><title>a level'
                f" begins at {escape(names[int(a)])}</title></path>"
            )
    words = f"{plot.x_title}; {plot.unit}"
    out.append(f'<text x="{LEFT}" y="{bottom + 55}" class="axis">{escape(words)}</text>')
    said = "; ".join(f"from {names[int(e[0][0])]}: {e[0][1]:.6g}" for _, e in levels)
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 61}" role="img" aria-label="{escape(plot.title)}">'
        f"<desc>{escape(f'{plot.title}, {plot.unit}. {said}')}</desc>{''.join(out)}</svg>"
    )
