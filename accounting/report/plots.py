# SPDX-License-Identifier: MIT
"""The kinds of plots, drawn on matplotlib's axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from vmkb.accounting.shown import cut
from vmkb.accounting.tables.table import Plot

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 440, 260
"""Of a plot, in units of which a letter has FONT: a phone shows letters of 9 px, a page of 15."""
FONT = 11
LETTERS = 68
"""So many of a row's name go across a plot."""
INK, QUIET, RULE, PAPER = "#000001", "#000002", "#000003", "#000004"
SERIES = [f"#0001{k:02x}" for k in range(8)]
PAGE = {
    INK: "var(--ink)", QUIET: "var(--quiet)", RULE: "var(--rule)", PAPER: "var(--paper)",
    **{colour: f"var(--c{k})" for k, colour in enumerate(SERIES)},
}  # fmt: skip
"""Colours that are drawn with, and what they are on the page: page.css has light and dark ones."""
MARKERS = "osD^vPX*"
DASHES = ("-", "--", "-.", ":")
STYLE: dict[str, Any] = {
    "font.size": FONT, "text.color": INK, "text.parse_math": False, "svg.fonttype": "none",
    "axes.edgecolor": RULE, "axes.labelcolor": QUIET, "axes.labelsize": FONT, "axes.grid": True,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
    "grid.color": RULE, "grid.linewidth": 0.6, "xtick.color": RULE, "ytick.color": RULE,
    "xtick.labelcolor": QUIET, "ytick.labelcolor": QUIET, "legend.frameon": False,
    "legend.borderpad": 0.2, "legend.handlelength": 2.6,
    "legend.handletextpad": 0.6, "legend.columnspacing": 1.2, "figure.dpi": 72,
}  # fmt: skip
MANY = 120
"""From so many runs on a dot has no whisker: they would be one smear."""
CROWD = 40
"""A series of more points than these is dots: no line through them, no words at each."""
ODD = 0.03
"""Part of a trail's commits that may lie outside of the axis, on each side."""
FAR = 1.0
"""How far outside of what the others span they must lie, in spans."""
DEARER = "ratio; below 1 is cheaper, above 1 dearer"
Points = Sequence[tuple[str | float, float, float, float]]


def draw(plot: Plot, figure: Figure) -> dict[str, Sequence[str]]:
    """Draw PLOT on FIGURE. Return what its marks say, by the names of their groups."""
    figure.set_size_inches(WIDTH / 72, HEIGHT / 72)
    figure.patch.set_visible(False)
    ax = figure.add_subplot()
    ax.patch.set_visible(False)
    ax.locator_params(nbins=6)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(plot.x_title)
    ax.set_ylabel(plot.unit)
    kinds = {"history": _history, "trail": _trail, "lines": _lines}
    told = kinds.get(plot.kind, _rows)(plot, figure, ax)
    for artist in ax.findobj():
        artist.set_clip_on(False)
    return told


def _style(k: int) -> dict[str, Any]:
    """Colour and marker of the series K; the ninth has the first one's colour, not its marker."""
    return {"color": SERIES[k % 8], "marker": MARKERS[(k + k // 8) % 8], "markersize": 5}


def _say(name: str, point: Sequence[Any], unit: str) -> str:
    x, value, lo, hi = point
    spread = f", {lo:.4g} to {hi:.4g}" if hi > lo else ""
    where = ", ".join(filter(None, (name, x if isinstance(x, str) else _short(x))))
    return f"{where}: {value:.4g} {unit}{spread}"


def _short(x: float) -> str:
    """24576 as 24K: sizes are powers of 1024 more often than not."""
    for unit, size in (("M", 1024**2), ("K", 1024)):
        if x >= size and x % (size / 2) == 0:
            return f"{x / size:g}{unit}"
    return f"{x:g}"


def _legend(figure: Figure, marks: Sequence[Artist], names: Sequence[str]) -> int:
    """Name MARKS above the plot, as many in a line as have room. Return the number of lines."""
    names = [cut(name, LETTERS - 8) for name in names]
    across = min(len(names), 6)
    while True:
        made = figure.legend(marks, names, loc="outside upper left", ncols=across)
        if across == 1 or made.get_window_extent().width <= figure.bbox.width:
            return -(-len(names) // across)
        made.remove()
        across -= 1


def _rows(plot: Plot, figure: Figure, ax: Axes) -> dict[str, Sequence[str]]:
    """A name for each word, and below it a mark with its interval for each series. Bars begin at
    0."""
    places: dict[tuple[str, int], float] = {}
    high = 0.0
    bars = plot.kind == "bars"
    for word in dict.fromkeys(str(p[0]) for _, points in plot.series for p in points):
        ax.text(0.006, high + 14, cut(word, LETTERS), transform=ax.get_yaxis_transform(),
                in_layout=False, bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
                zorder=1.5)  # fmt: skip
        high += 23
        for k, (_, points) in enumerate(plot.series):
            if any(str(p[0]) == word for p in points):
                places[word, k] = high
                high += 12
    told: dict[str, Sequence[str]] = {}
    marks: list[Artist] = []
    for k, (name, points) in enumerate(plot.series):
        at = [places[str(x), k] for x, *_ in points]
        style = _style(k)
        if bars:
            ax.hlines(at, 0, [p[1] for p in points], color=style["color"], linewidth=3)
        ax.hlines(at, [p[2] for p in points], [p[3] for p in points],
                  color=INK if bars else style["color"], linewidth=1.3)  # fmt: skip
        marks += ax.plot([p[1] for p in points], at, linestyle="", gid=f"s{k}", **style)
        told[f"s{k}"] = [_say(name, p, plot.unit) for p in points]
    if plot.reference is not None:
        ax.axvline(plot.reference, color=INK, linestyle="--", linewidth=1, zorder=1.2)
    if bars:
        ax.set_xlim(left=0)
    ax.set_ylim(high, 0)
    ax.set_yticks([])
    ax.spines.left.set_visible(bars)
    ax.set_ylabel("")
    ax.set_xlabel(DEARER if plot.unit == "ratio" else plot.unit)
    lines = _legend(figure, marks, [name for name, _ in plot.series]) if len(marks) > 1 else 0
    figure.set_figheight((high + 42 + 15 * lines) / 72)
    return told


def _lines(plot: Plot, figure: Figure, ax: Axes) -> dict[str, Sequence[str]]:
    """Lines over a number, on a logarithmic axis where it spans more than a factor of 50."""
    xs = sorted({float(p[0]) for _, points in plot.series for p in points})
    if xs[0] > 0 and xs[-1] / xs[0] > 50:
        ax.set_xscale("log", base=2)
        ax.minorticks_off()
    if len(xs) <= CROWD:
        chosen = [xs[n] for n in named(len(xs) - 1, (), 8)]
        ax.set_xticks(chosen, [_short(x) for x in chosen])
    told: dict[str, Sequence[str]] = {}
    marks = []
    for k, (name, points) in enumerate(plot.series):
        at, values = [float(p[0]) for p in points], [p[1] for p in points]
        if len(points) > CROWD:
            style = _style(k) | {"linestyle": "", "markersize": 3}
        else:
            style = _style(k) | {"linestyle": DASHES[k % 4], "gid": f"s{k}"}
            told[f"s{k}"] = [_say(name, p, plot.unit) for p in points]
            ax.vlines(at, [p[2] for p in points], [p[3] for p in points], color=style["color"])
        marks += ax.plot(at, values, **style)
    ax.set_ylim(bottom=min([0.0, *(p[2] for _, points in plot.series for p in points)]))
    if plot.reference is not None and plot.reference < ax.get_ylim()[1]:
        ax.axhline(plot.reference, color=INK, linestyle="--", linewidth=1)
    if len(marks) > 1 and not _ends(plot, ax, xs[-1]):
        _legend(figure, marks, [name for name, _ in plot.series])
    return told


def _ends(plot: Plot, ax: Axes, last: float) -> bool:
    """Name lines at their ends, if all names have room there."""
    ends = [
        (points[-1][1], name) for name, points in plot.series if points and points[-1][0] == last
    ]
    places = sorted(value for value, _ in ends)
    apart = (ax.get_ylim()[1] - ax.get_ylim()[0]) * 1.4 * FONT / HEIGHT
    near = any(b - a < apart for a, b in zip(places, places[1:], strict=False))
    if len(ends) < len(plot.series) or near or any(len(name) > 18 for _, name in ends):
        return False
    for value, name in ends:
        ax.annotate(name, (last, value), (7, 0), textcoords="offset points", va="center")
    return True


def named(last: int, first: Iterable[int], most: int) -> list[int]:
    """Places of 0 to LAST that have their name written: FIRST, both ends, then others, but none
    nearer to another than a part in MOST."""
    chosen: list[int] = []
    even = (round(k * last / (most - 1)) for k in range(most))
    for n in (*first, 0, last, *even, *range(last)):
        if n not in chosen and all(abs(n - c) >= last / most for c in chosen):
            chosen.append(n)
    return sorted(chosen)


def _history(plot: Plot, figure: Figure, ax: Axes) -> dict[str, Sequence[str]]:
    """A dot for each run, a line for each level, a mark where one begins. Series 0 are the runs,
    each called by its date and name, and each other one is a level."""
    (_, points), *levels = plot.series
    names = [str(name) for name, *_ in points]
    style = _style(0) | {"markersize": 4 if len(points) < MANY else 2}
    if len(points) < MANY:
        ax.vlines(
            range(len(points)), [p[2] for p in points], [p[3] for p in points], color=style["color"]
        )
    marks: list[Artist] = [*ax.plot([p[1] for p in points], linestyle="", gid="runs", **style)]
    begins = []
    for k, (_, ((a, value, *_), (b, *_))) in enumerate(levels):
        line = ax.hlines(value, float(a) - 0.4, float(b) + 0.4, color=SERIES[1], linewidth=2)
        if k == 0:
            marks.append(line)
        else:
            begins.append(int(a))
            ax.axvline(float(a) - 0.5, color=INK, linestyle="--", linewidth=1)
    chosen = named(len(points) - 1, begins, 18)
    words = [cut(names[n], 26) for n in chosen]
    ax.set_xticks(chosen, words, rotation=40, ha="right", rotation_mode="anchor")
    ax.grid(visible=False, axis="x")
    _legend(figure, marks, ("run", "level")[: len(marks)])
    told = [f"{name}: {p[1]:.6g} {plot.unit}" for name, p in zip(names, points, strict=True)]
    return {"runs": told}


def shown(values: Sequence[float]) -> tuple[float, float]:
    """The least and the most of VALUES that the axis must show."""
    found = sorted(values)
    cut = int(len(found) * ODD)
    low, high = found[cut], found[-1 - cut]
    span = high - low
    near = [v for v in found if low - FAR * span <= v <= high + FAR * span]
    return near[0], near[-1]


def _trail(plot: Plot, figure: Figure, ax: Axes) -> dict[str, Sequence[str]]:
    """A line over commits, numbered marks at the steps, crosses where there is no cost. A cost
    that would flatten all others is cut off and written out. The plot's names are those of all
    commits; series 0 is their cost, 1 that of the steps, 2 those without."""
    (_, line), (_, steps), (_, failed) = plot.series
    least, most = shown([p[1] for p in line])
    margin = 0.08 * (most - least) or 0.01 * (abs(most) or 1)
    low, high = least - margin, most + margin

    def held(points: Points) -> tuple[list[float], list[float]]:
        return [float(n) for n, *_ in points], [min(max(p[1], low), high) for p in points]

    def told(n: str | float, *value: float) -> str:
        return plot.names[int(float(n))] + "".join(f": {v:.6g} {plot.unit}" for v in value)

    marks = ax.plot(*held(line), color=SERIES[0], drawstyle="steps-post", marker="o",
                    markersize=2.5 if len(line) < MANY else 0)  # fmt: skip
    said: dict[str, Sequence[str]] = {}
    if steps:
        marks += ax.plot(
            *held(steps), color=SERIES[1], marker="D", markersize=4, linestyle="", gid="steps"
        )
        said["steps"] = [f"{k}: {told(n, v)}" for k, (n, v, *_) in enumerate(steps, 1)]
        ax.vlines(*held(steps), high, color=RULE, linewidth=1, zorder=1)
    for k, (n, *_) in enumerate(steps):  # in rows, so that none covers another
        ax.text(float(n), 1.02 + 0.08 * (k % 3), str(k + 1), ha="center",
                transform=ax.get_xaxis_transform())  # fmt: skip
    _marks(plot, ax, (low + high) / 2)
    before = 0.0
    for n, value, *_ in line:
        if value != before and not low <= value <= high:
            right, below = 2 * float(n) > len(plot.names), value < low  # inside of the axes
            ax.annotate(f"{value:.4g}", (float(n), low if below else high),
                        (-5 if right else 5, 5 if below else -12), textcoords="offset points",
                        ha="right" if right else "left")  # fmt: skip
        before = value
    if failed:
        marks += ax.plot([float(n) for n, *_ in failed], [low] * len(failed), color=SERIES[3],
                         marker="x", linestyle="", gid="failed")  # fmt: skip
        said["failed"] = [f"no cost: {told(n)}" for n, *_ in failed]
    dates = named(len(plot.names) - 1, (), 5)
    ax.set_xticks(dates, [plot.names[n].partition(" ")[0] for n in dates])
    ax.set_ylim(low, high)
    named_series = zip(plot.series, ("commit", "step", "no cost"), strict=True)
    _legend(figure, marks, [name for (_, points), name in named_series if points])
    return said


def _marks(plot: Plot, ax: Axes, middle: float) -> None:
    """A name along a line for each of PLOT's marks, on that side of MIDDLE where the cost is not.
    Of names that would cover each other only the last one is written."""
    (_, line), *_ = plot.series
    apart = max(len(plot.names) / 24, 0.5)
    for k, (n, name) in enumerate(plot.marks):
        ax.axvline(n, color=QUIET, linestyle=":", linewidth=1, zorder=1)
        if any(0 <= later - n < apart for later, _ in plot.marks[k + 1 :]):
            continue
        high = next((p[1] for p in reversed(line) if float(p[0]) <= n), 0.0) > middle
        ax.text(n, 0.02 if high else 0.98, name, rotation=90, ha="right", color=QUIET,
                va="bottom" if high else "top", transform=ax.get_xaxis_transform(), zorder=1.2,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5})  # fmt: skip
