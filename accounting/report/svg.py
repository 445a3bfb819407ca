# SPDX-License-Identifier: MIT
"""Plots as inline SVG: no library, no script; colours come from the page's style sheet.

Every mark has a title, which a browser shows under the pointer and a screen reader reads out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from vmkb.accounting.report.history_svg import history
from vmkb.accounting.report.trail_svg import shown, trail
from vmkb.accounting.tables.table import Plot

WIDTH = 760
LEFT, RIGHT, TOP = 170, 30, 34
ROW, BAR, GAP = 22, 13, 8
COLOURS = 6


def nice_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from at or below LOW to at or above HIGH, at most about MOST of them."""
    if not high > low:
        high = low + (abs(low) or 1.0) * 0.1
    rough = (high - low) / most
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * 0.999)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'
    )


def _legend(plot: Plot, y: float) -> list[str]:
    """Coloured squares with names, needed from two series on."""
    if len(plot.series) < 2:
        return []
    out, x = [], float(LEFT)
    for k, (name, _) in enumerate(plot.series):
        out.append(
            f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" class="s{k % COLOURS}"/>'
        )
        out.append(_text(x + 15, y, name))
        x += 30 + 7.2 * len(name)
    return out


def _page(plot: Plot, height: float, body: Sequence[str]) -> str:
    title = plot.title
    if len(plot.series) == 1:  # no legend: the title says whose it is
        title = f"{title}, {plot.series[0][0]}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        + f"<desc>{escape(_words(plot))}</desc>"
        + _text(0, 14, title, "title")
        + "".join(body)
        + "</svg>"
    )


def _words(plot: Plot) -> str:
    """The plot's numbers as text, for those who do not see it."""
    said = []
    for name, points in plot.series:
        for place, value, lo, hi in points:
            spread = f" ({lo:.4g} to {hi:.4g})" if hi > lo else ""
            said.append(f"{name}, {place}: {value:.4g}{spread}")
    return f"{plot.title}, {plot.unit}. " + "; ".join(said)


def _say(name: str, x: str | float, y: float, lo: float, hi: float, unit: str) -> str:
    spread = f", {lo:.4g} to {hi:.4g}" if hi > lo else ""
    return f"<title>{escape(f'{name}, {x}: {y:.4g} {unit}{spread}')}</title>"


def _rows(plot: Plot) -> list[str]:
    return list(dict.fromkeys(str(p[0]) for _, points in plot.series for p in points))


def _horizontal(plot: Plot, bars: bool) -> str:
    """One group per word, one bar or dot with its interval per series."""
    names = _rows(plot)
    values = [v for _, points in plot.series for p in points for v in p[1:]]
    low = 0.0 if bars else min([*values, plot.reference or values[0]])
    ticks = nice_ticks(low, max([*values, plot.reference or values[0]]))
    span = WIDTH - LEFT - RIGHT

    def at(v: float) -> float:
        return LEFT + span * (v - ticks[0]) / (ticks[-1] - ticks[0])

    group = len(plot.series) * (BAR + 3) + GAP
    top = TOP + (18 if len(plot.series) > 1 else 0)
    bottom = top + group * len(names)
    out = _legend(plot, TOP + 4)
    for t in ticks:
        out.append(
            f'<line x1="{at(t):.1f}" y1="{top}" x2="{at(t):.1f}" y2="{bottom}" class="grid"/>'
        )
        out.append(_text(at(t), bottom + 14, f"{t:g}", "axis", "middle"))
    if plot.reference is not None:
        x = at(plot.reference)
        out.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" class="reference"/>')
    if plot.reference is not None and plot.unit == "ratio":
        out.append(_text(at(plot.reference) - 8, bottom + 30, "cheaper", "axis", "end"))
        out.append(_text(at(plot.reference) + 8, bottom + 30, "dearer", "axis"))
    else:
        out.append(_text(LEFT, bottom + 30, plot.unit, "axis"))
    for row, name in enumerate(names):
        y0 = top + group * row + GAP / 2
        out.append(_text(LEFT - 10, y0 + (group - GAP) / 2 + 4, name[:26], "label", "end"))
        for k, (series, points) in enumerate(plot.series):
            for word, value, lo, hi in points:
                if str(word) != name:
                    continue
                y = y0 + k * (BAR + 3)
                said = _say(series, word, value, lo, hi, plot.unit)
                out.append(f'<g class="s{k % COLOURS}">{said}')
                if bars:
                    long = max(1.0, at(value) - at(ticks[0]))
                    out.append(
                        f'<rect x="{at(ticks[0]):.1f}" y="{y:.1f}" width="{long:.1f}"'
                        f' height="{BAR}" rx="2"/>'
                    )
                out.append(_whisker(at(lo), at(hi), y + BAR / 2, "over" if bars else ""))
                if not bars:
                    out.append(f'<circle cx="{at(value):.1f}" cy="{y + BAR / 2:.1f}" r="5"/>')
                out.append("</g>")
    return _page(plot, bottom + 36, out)


def _whisker(x1: float, x2: float, y: float, kind: str) -> str:
    if x2 - x1 < 0.5:
        return ""
    return (
        f'<path d="M{x1:.1f} {y - 4:.1f}v8M{x1:.1f} {y:.1f}H{x2:.1f}M{x2:.1f} {y - 4:.1f}v8"'
        f' class="whisker {kind}"/>'
    )


CROWD = 40
"""A series of more points than these is dots: no line through them, no words at each."""
X_MARKS = 12


def _lines(plot: Plot) -> str:
    """Lines over a number, on a logarithmic axis where it spans more than a factor of 50."""
    xs = [float(p[0]) for _, points in plot.series for p in points]
    values = [v for _, points in plot.series for p in points for v in p[1:]]
    ticks = nice_ticks(0.0, max(values))
    log = min(xs) > 0 and max(xs) / min(xs) > 50
    low, high = (math.log2(min(xs)), math.log2(max(xs))) if log else (min(xs), max(xs))
    left, height = 70, 260
    bottom = TOP + 20 + height
    span = WIDTH - left - RIGHT

    def at_x(v: float) -> float:
        place = math.log2(v) if log else v
        return left + (span * (place - low) / (high - low) if high > low else span / 2)

    def at_y(v: float) -> float:
        return bottom - height * (v - ticks[0]) / (ticks[-1] - ticks[0])

    out = _legend(plot, TOP + 4)
    for t in ticks:
        y = at_y(t)
        out.append(
            f'<line x1="{left}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" class="grid"/>'
        )
        out.append(_text(left - 8, y + 4, f"{t:g}", "axis", "end"))
    for x in sorted(set(xs)) if len(set(xs)) <= X_MARKS or log else nice_ticks(low, high):
        if low <= (math.log2(x) if log else x) <= high:
            out.append(_text(at_x(x), bottom + 16, _short(x), "axis", "middle"))
    for k, (series, points) in enumerate(plot.series):
        if len(points) > CROWD:
            dots = (
                f'<circle cx="{at_x(float(p[0])):.1f}" cy="{at_y(p[1]):.1f}" r="1.5"/>'
                for p in points
            )
            out.append(f'<g class="s{k % COLOURS}">{"".join(dots)}</g>')
            continue
        path = " ".join(f"{at_x(float(p[0])):.1f},{at_y(p[1]):.1f}" for p in points)
        out.append(f'<g class="s{k % COLOURS}"><polyline points="{path}" class="line"/>')
        for place, value, lo, hi in points:
            px = at_x(float(place))
            out.append(f"<g>{_say(series, _short(float(place)), value, lo, hi, plot.unit)}")
            if hi > lo:
                out.append(f'<path d="M{px:.1f} {at_y(lo):.1f}V{at_y(hi):.1f}" class="whisker"/>')
            out.append(f'<circle cx="{px:.1f}" cy="{at_y(value):.1f}" r="4"/></g>')
        out.append("</g>")
    out.append(_text(left, bottom + 34, f"{plot.x_title}; {plot.unit}", "axis"))
    return _page(plot, bottom + 40, out)


def _short(x: float) -> str:
    """24576 as 24K: sizes are powers of 1024 more often than not."""
    for unit, size in (("M", 1024**2), ("K", 1024)):
        if x >= size and x % (size / 2) == 0:
            return f"{x / size:g}{unit}"
    return f"{x:g}"


def svg(plot: Plot) -> str:
    """PLOT as an svg element; empty text if there is nothing to draw."""
    if not any(points for _, points in plot.series):
        return ""
    if plot.kind == "history":
        ends = [v for _, points in plot.series for p in points for v in p[1:]]
        return history(plot, nice_ticks(min(ends), max(ends)))
    if plot.kind == "trail":
        if not plot.series[0][1]:
            return ""
        return trail(plot, nice_ticks(*shown([p[1] for p in plot.series[0][1]])))
    return _lines(plot) if plot.kind == "lines" else _horizontal(plot, plot.kind == "bars")
