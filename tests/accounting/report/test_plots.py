# SPDX-License-Identifier: MIT
"""What a reader sees of each kind of plot, and that the page with it fits a phone."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from tests.narrow import some
from vmkb.accounting.analysis.analyse import of_tables
from vmkb.accounting.report.formats import render
from vmkb.accounting.report.plots import named
from vmkb.accounting.report.svg import svg
from vmkb.accounting.tables.table import Plot, Row, Section, Table, header, word

RELEASES = tuple(f"VM/KB with lwIP 2.{k}" for k in range(9))


def _points(
    k: int, xs: tuple[str | float, ...]
) -> tuple[tuple[str | float, float, float, float], ...]:
    return tuple((x, 3.0 + n + k, 2.5 + n + k, 3.5 + n + k) for n, x in enumerate(xs))


def _runs(many: int) -> Plot:
    """A history with a level from run r07 on."""
    runs = tuple((f"2026-11-{k % 28 + 1:02} r{k:02}", 7.1 + 0.2 * (k > 6), 7.0, 7.4)
                 for k in range(many))  # fmt: skip
    levels = [("level 1", ((0.0, 7.1, 7.1, 7.1), (6.0, 7.1, 7.1, 7.1))),
              ("level 2", ((7.0, 7.3, 7.3, 7.3), (many - 1.0, 7.3, 7.3, 7.3)))]  # fmt: skip
    return Plot("history", "G2M", "us/KB", (("runs", runs), *levels), x_title="run, oldest first")


WORDS, SIZES = ("get 2 MB, ASCII", "put 24 KB, binary"), (256.0, 24576.0, 1048576.0)
PLOTS = {
    "intervals": Plot("intervals", "CPU", "ratio",
                      tuple((r, _points(k, WORDS)) for k, r in enumerate(RELEASES)), 1.0),
    "bars": Plot("bars", "CPU", "us/KB",
                 (("213", _points(0, WORDS)), ("$2_21$", _points(1, WORDS[:1])))),
    "lines": Plot("lines", "CPU", "us/KB",
                  tuple((r, _points(k, SIZES)) for k, r in enumerate(RELEASES)), x_title="size"),
    "history": _runs(30),
    "trail": Plot("trail", "G2M", "us/KB",
                  (("commits", ((0.0, 7.1, 7.1, 7.1), (1.0, 7.1, 7.1, 7.1), (3.0, 7.3, 7.3, 7.3))),
                   ("steps", ((3.0, 7.3, 7.3, 7.3),)), ("no cost", ((2.0, 0.0, 0.0, 0.0),))),
                  x_title="commits, oldest first",
                  names=tuple(f"2018-01-0{n + 1} abc{n} subject" for n in range(4))),
}  # fmt: skip


def texts(drawn: str) -> list[str]:
    """The words that stand in a plot."""
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawn)]


def titles(drawn: str) -> list[str]:
    """What its marks say under the pointer."""
    return [unescape(text) for text in re.findall("<title>([^<]*)</title>", drawn)]


def test_rows_are_named_and_their_values_said() -> None:
    drawn = svg(PLOTS["intervals"])
    assert {*WORDS, *RELEASES} <= set(texts(drawn))
    assert "ratio; below 1 is cheaper, above 1 dearer" in texts(drawn)
    assert len(titles(drawn)) == 18
    assert f"{RELEASES[1]}, put 24 KB, binary: 5 ratio, 4.5 to 5.5" in titles(drawn)
    assert {"213", "$2_21$", "0", *WORDS} <= set(texts(svg(PLOTS["bars"])))
    assert len(titles(svg(PLOTS["bars"]))) == 3


def test_lines_are_named_and_their_sizes_shown() -> None:
    drawn = svg(PLOTS["lines"])
    assert {"256", "24K", "1M", "size", "us/KB", *RELEASES} <= set(texts(drawn))
    assert len(titles(drawn)) == 27
    assert f"{RELEASES[0]}, 24K: 4 us/KB, 3.5 to 4.5" in titles(drawn)


def test_lines_that_end_apart_are_named_there_and_others_above() -> None:
    def places(apart: float) -> list[float]:
        series = tuple((name, ((1.0, v, v, v), (2.0, v, v, v)))
                       for name, v in (("FTP", 10.0), ("GMS", 10.0 + apart)))  # fmt: skip
        drawn = svg(Plot("lines", "CPU", "us/KB", series, x_title="pages"))
        return [float(x) for x in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>(?:FTP|GMS)<', drawn)]

    beside, above = places(8.0), places(0.1)
    assert beside[0] == beside[1] > 380
    assert len(above) == 2 and above[0] < above[1] < 300


def test_a_history_names_the_run_where_a_level_begins() -> None:
    for many in (12, 30, 300):
        drawn = svg(_runs(many))
        assert "2026-11-08 r07" in texts(drawn)
        assert len(titles(drawn)) == many
        assert "2026-11-08 r07: 7.3 us/KB" in titles(drawn)


def test_a_trail_numbers_its_steps() -> None:
    drawn = svg(PLOTS["trail"])
    assert {"1", "2018-01-01", "2018-01-04", "commit", "step", "no cost"} <= set(texts(drawn))
    assert titles(drawn) == [
        "1: 2018-01-04 abc3 subject: 7.3 us/KB",
        "no cost: 2018-01-03 abc2 subject",
    ]


def test_releases_are_named_along_their_lines_unless_they_would_cover_each_other() -> None:
    places = tuple(range(100))
    line = tuple((float(n), 7.0 + n, 7.0, 7.0) for n in places)
    drawn = svg(replace(
        PLOTS["trail"], series=(("commits", line), ("steps", ()), ("no cost", ())),
        names=tuple(f"2018-01-01 {n}" for n in places),
        marks=((0, "2.0"), (50, "2.1.RC1"), (51, "2.1"), (99, "<2.2>")),
    ))  # fmt: skip
    assert {"2.0", "2.1", "<2.2>"} <= set(texts(drawn)) and "2.1.RC1" not in texts(drawn)


def test_names_along_an_axis_keep_apart() -> None:
    assert named(3, (), 8) == [0, 1, 2, 3]
    assert named(0, (), 8) == [0]
    chosen = named(299, (120, 121), 18)
    assert {0, 120, 299} <= set(chosen) and 121 not in chosen
    assert min(b - a for a, b in itertools.pairwise(chosen)) >= 299 / 18


def test_nothing_to_draw_is_no_plot_and_one_point_is_one() -> None:
    for kind in PLOTS:
        assert svg(Plot(kind, "t", "u", (("a", ()), ("b", ()), ("c", ())))) == ""
    for kind in ("bars", "intervals", "lines"):
        flat = Plot(kind, "t", "u", (("a", ((1.0, 5.0, 5.0, 5.0),)),))
        assert titles(svg(flat)) == ["a, 1: 5 u"]


def test_names_of_others_stay_text() -> None:
    evil = "<b>&$\\frac{$\x00\ud800\ufffe\uffff\u6f22_" + "x" * 200
    drawn = svg(Plot("bars", evil, evil, ((f"_{evil}", _points(0, (evil,))), ("a", ()))))
    assert "<b>" not in drawn and "\x00" not in drawn
    assert all(
        text.startswith(("<b>&$\\frac{$\\x00", "_<b>")) for text in texts(drawn) if "b>" in text
    )
    assert len(titles(drawn)) == 1


def test_a_page_is_the_same_anywhere_and_leaves_nothing(tmp_path: Path) -> None:
    """Nothing but the page asks for the library, which then is silent, reads no settings of this
    user and writes none."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "matplotlibrc").write_bytes(b"\xff bad\nfont.size: 40\n")
    program = (
        "import sys; from tests.accounting.report.test_plots import *\n"
        "import vmkb.workloads.cli.report, vmkb.workloads.cli.compare\n"
        "assert 'matplotlib' not in sys.modules\n"
        "print('\\n'.join(map(svg, PLOTS.values())))\n"
        "assert len(sys.modules['matplotlib.font_manager'].fontManager.ttflist) == 1\n"
        "assert 'mpl_toolkits.mplot3d.axes3d' not in sys.modules"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=home, capture_output=True, text=True, check=False,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": str(root), "MATPLOTLIBRC": str(home),
             "XDG_CACHE_HOME": str(home), "XDG_CONFIG_HOME": str(home)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.rstrip("\n") == "\n".join(map(svg, PLOTS.values()))
    assert [path.name for path in home.iterdir()] == ["matplotlibrc"]


#: Linear RGB as people without red, green and blue cones see it (Machado and others, 2009).
CONES = (
    np.eye(3),
    [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
)


def _linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def _lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB, in which a distance of 2 can just be seen."""
    to_xyz = [[0.4339, 0.3763, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8727]]
    x, y, z = np.cbrt(np.clip(to_xyz @ rgb, 0.0089, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_told_apart_by_everyone(scheme: int) -> None:
    css = (Path(svg.__code__.co_filename).parent / "page.css").read_text("utf-8")
    colours = [re.findall(rf"--{name}: (#[0-9a-f]{{6}})", css)[scheme]
               for name in ("paper", *(f"c{k}" for k in range(8)))]  # fmt: skip
    bright = [0.05 + np.array([0.2126, 0.7152, 0.0722]) @ _linear(c) for c in colours]
    assert all(max(b, bright[0]) / min(b, bright[0]) > 3 for b in bright[1:])
    for cones in CONES:
        seen = [_lab(cones @ _linear(c)) for c in colours[1:]]
        assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 15


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLOTS)
def test_a_page_fits_its_window(kind: str, tmp_path: Path) -> None:
    """No page is wider than the window that it is in, and no word of a plot is cut off."""
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("chromium is not installed")
    wide = Section("body", (Row("CPU", tuple(word("x" * 20) for _ in range(20))),))
    head = header("Case", [f"column {k}" for k in range(20)])
    page = render(of_tables([Table("t", "A table", (head, wide), plots=(PLOTS[kind],))]), "html")
    probe = """<script>onload = () => {
    const box = document.querySelector('svg').getBoundingClientRect();
    const cut = [...document.querySelectorAll('svg text')].filter(t => {
      const b = t.getBoundingClientRect();
      return b.left < box.left - 1 || b.right > box.right + 1
          || b.top < box.top - 1 || b.bottom > box.bottom + 1; }).map(t => t.textContent);
    const page = document.documentElement;
    parent.postMessage([innerWidth, page.scrollWidth - page.clientWidth, cut], '*');
    };</script></body>"""
    (tmp_path / "page.html").write_text(page.replace("</body>", probe), "utf-8")
    frames = "".join(f'<iframe src="page.html" width="{w}" style="border:0"></iframe>'
                     for w in (1100, 768, 390))  # fmt: skip
    whole = tmp_path / "whole.html"
    whole.write_text(
        "<title></title><script>const told = []; onmessage = e => { told.push(e.data);"
        f" document.title = JSON.stringify(told); }}</script>{frames}"
    )
    done = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={tmp_path}/profile", "--window-size=1200,900",
            "--virtual-time-budget=10000", "--dump-dom", whole.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    seen = json.loads(unescape(some(re.search("<title>(.*?)</title>", done.stdout))[1]))
    assert sorted(seen) == [[390, 0, []], [768, 0, []], [1100, 0, []]]
