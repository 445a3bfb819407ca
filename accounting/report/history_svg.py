# SPDX-License-Identifier: MIT
"""The plot of a history: a dot for each run, a line for each level, a mark where one begins."""

from __future__ import annotations

from html import escape

from vmkb.accounting.tables.table import Plot

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 760, 260, 78, 20, 34
#: From so many runs on a dot has no whisker: they would be one smear.
MANY = 120


def history(plot: Plot, ticks: list[float], across: list[float]) -> str:
    """Series 0 are the runs, each other one a level. TICKS: of the figure; ACROSS: of the runs."""
    runs, *levels = plot.series
    points = runs[1]
    low, high = ticks[0], ticks[-1]
    first, last = float(points[0][0]), float(points[-1][0])
    bottom = TOP + HEIGHT

    def x(n: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * ((n - first) / (last - first) if last > first else 0)

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
    for n in across:
        if first <= n <= last:
            out.append(
                f'<text x="{x(n):.1f}" y="{bottom + 16}" text-anchor="middle" class="axis">'
                f"{n:g}</text>"
            )
    for place, value, lo, hi in points:
        n = float(place)
        out.append(f'<g class="s0"><title>run {n:g}: {value:.6g} {plot.unit}</title>')
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
                f" begins at run {float(a):g}</title></path>"
            )
    words = f"{plot.x_title}; {plot.unit}"
    out.append(f'<text x="{LEFT}" y="{bottom + 34}" class="axis">{escape(words)}</text>')
    said = "; ".join(f"from run {float(e[0][0]):g}: {e[0][1]:.6g}" for _, e in levels)
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 40}" role="img" aria-label="{escape(plot.title)}">'
        f"<desc>{escape(plot.title)}, {plot.unit}. {said}</desc>{''.join(out)}</svg>"
    )
