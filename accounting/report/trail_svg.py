# SPDX-License-Identifier: MIT
"""The plot of a trail: a line over commits, numbered marks at the steps, crosses where there is no
cost. A cost that would flatten all others is cut off and written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from vmkb.accounting.report.axis import spread
from vmkb.accounting.tables.table import Plot

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 760, 280, 62, 20, 74
ODD = 0.03
"""Part of the commits that may lie outside of the axis, on each side."""
FAR = 1.0
"""How far outside of what the others span they must lie, in spans."""
DATES = 6
ROWS, ROW = 3, 13
"""Rows of numbers above the plot, and their height."""
Points = Sequence[tuple[str | float, float, float, float]]


def shown(values: Sequence[float]) -> tuple[float, float]:
    """The least and the most of VALUES that the axis must show."""
    found = sorted(values)
    cut = int(len(found) * ODD)
    low, high = found[cut], found[-1 - cut]
    span = high - low
    least = found[0] if low - found[0] <= FAR * span else low
    most = found[-1] if found[-1] - high <= FAR * span else high
    return least, most


def trail(plot: Plot, ticks: list[float]) -> str:
    """Series 0 is the cost of commits, 1 that of the steps, 2 where there is none. TICKS: of the
    cost. The plot's names are those of all commits."""
    (_, line), (_, steps), (_, failed) = plot.series
    low, high, bottom = ticks[0], ticks[-1], TOP + HEIGHT
    most = max(len(plot.names) - 1, 1)

    def x(n: str | float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * float(n) / most

    def y(v: float) -> float:
        return bottom - HEIGHT * (min(max(v, low), high) - low) / (high - low)

    out = [f'<text x="0" y="14" class="title">{escape(plot.title)}</text>']
    for t in ticks:
        out.append(
            f'<line x1="{LEFT}" y1="{y(t):.1f}" x2="{WIDTH - RIGHT}" y2="{y(t):.1f}" class="grid"/>'
            f'<text x="{LEFT - 8}" y="{y(t) + 4:.1f}" text-anchor="end" class="axis">{t:g}</text>'
        )
    out += _dates(plot, x, bottom + 16)
    path = f"M{x(line[0][0]):.1f} {y(line[0][1]):.1f}"
    path += "".join(f"H{x(n):.1f}V{y(v):.1f}" for n, v, *_ in line[1:])
    out.append(f'<g class="s0"><path d="{path}" class="line"/></g>')
    out += _steps(plot, steps, line, x, y)
    before = 0.0
    for n, v, *_ in line:
        if v != before and not low <= v <= high:
            out.append(_odd(plot, n, v, x, y))
        before = v
    for n, *_ in failed:
        out.append(
            f'<g class="s3"><title>no cost: {_name(plot, n)}</title>'
            f'<path d="M{x(n) - 3:.1f} {bottom - 9}l6 6m0 -6l-6 6" class="line"/></g>'
        )
    words = f"{plot.x_title}; {plot.unit}"
    words += "; crosses: no cost" if failed else ""
    out.append(f'<text x="{LEFT}" y="{bottom + 34}" class="axis">{escape(words)}</text>')
    said = "; ".join(f"{_name(plot, n)}: {v:.6g}" for n, v, *_ in steps)
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 40}" role="img" aria-label="{escape(plot.title)}">'
        f"<desc>{escape(plot.title)}, {plot.unit}. Steps: {said}</desc>{''.join(out)}</svg>"
    )


def _name(plot: Plot, n: str | float) -> str:
    return escape(plot.names[int(float(n))])


def _dates(plot: Plot, x: Callable[[float], float], y: float) -> list[str]:
    """The dates of a few commits, which the names begin with."""
    last = len(plot.names) - 1
    return [
        f'<text x="{x(n):.1f}" y="{y}" text-anchor="{"end" if n == last else "middle"}"'
        f' class="axis">{escape(plot.names[n].partition(" ")[0])}</text>'
        for n in spread(last, DATES)
    ]


def _steps(
    plot: Plot, steps: Points, line: Points, x: Callable[[str | float], float],
    y: Callable[[float], float],
) -> list[str]:  # fmt: skip
    """A dot at each step, and its number above, in rows so that none covers another."""
    out = []
    for k, (n, value, *_) in enumerate(steps, start=1):
        above = TOP - 8 - ROW * ((k - 1) % ROWS)
        out.append(
            f'<g class="s1"><title>{k}: {_name(plot, n)}: {value:.6g} {plot.unit}</title>'
            f'<path d="M{x(n):.1f} {above + 2}V{y(value):.1f}" class="grid"/>'
            f'<circle cx="{x(n):.1f}" cy="{y(value):.1f}" r="3"/></g>'
            f'<text x="{x(n):.1f}" y="{above}" text-anchor="middle" class="axis">{k}</text>'
        )
    return out


def _odd(
    plot: Plot, n: str | float, value: float, x: Callable[[str | float], float],
    y: Callable[[float], float],
) -> str:  # fmt: skip
    """What is cut off, in digits."""
    return (
        f"<g><title>{_name(plot, n)}: {value:.6g} {plot.unit}</title>"
        f'<text x="{x(n) + 5:.1f}" y="{y(value) + 12:.1f}">{value:.4g}</text></g>'
    )
