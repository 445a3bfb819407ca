# SPDX-License-Identifier: MIT
"""Plots as inline SVG, drawn by matplotlib. The page's style sheet has the colours and the font.

Every mark has a title, which a browser shows under the pointer.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

from vmkb.accounting.report.plots import PAGE, STYLE, draw
from vmkb.accounting.tables.table import Plot

_FONTS = {
    "__class__": "FontManager", "_version": "3.11.0", "_FontManager__default_weight": "normal",
    "default_size": None, "defaultFamily": {"ttf": "DejaVu Sans"}, "afmlist": [],
    "ttflist": [{
        "__class__": "FontEntry", "fname": "fonts/ttf/DejaVuSans.ttf", "index": 0,
        "name": "DejaVu Sans", "style": "normal", "variant": "normal", "weight": 400,
        "stretch": "normal", "size": "scalable",
    }],
}  # fmt: skip
"""A list of fonts as matplotlib stores it, with the one font that plots use. A matplotlib of
another version ignores it and makes its own list, from 100 font files."""


@cache
def _matplotlib() -> ModuleType:
    """The library with one font of its own, so that all machines draw the same. It reads no
    settings of this user and leaves no files. Half of its import is left out, because no plot needs
    it: three-dimensional axes, and docstrings that list properties."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the axes that are left out
        Path("matplotlibrc").touch()  # found before any other
        Path(f"fontlist-v{_FONTS['_version']}.json").write_text(json.dumps(_FONTS), "ascii")
        os.environ |= {"MPLCONFIGDIR": folder, "MPL_IGNORE_SYSTEM_FONTS": "1"}
        sys.modules["mpl_toolkits.mplot3d"] = None  # type: ignore[assignment]
        import matplotlib.artist

        matplotlib.artist.kwdoc = str  # type: ignore[assignment]
        import matplotlib.backends.backend_svg
        import matplotlib.figure
    del os.environ["MPLCONFIGDIR"], os.environ["MPL_IGNORE_SYSTEM_FONTS"]
    del sys.modules["mpl_toolkits.mplot3d"]
    return matplotlib


def svg(plot: Plot) -> str:
    """PLOT as an svg element; empty text if there is nothing to draw."""
    drawn = plot.series[:1] if plot.kind == "trail" else plot.series
    if not any(points for _, points in drawn):
        return ""
    made = io.StringIO()
    library = _matplotlib()
    # Identifiers follow the title: no two plots of a page share one.
    library.rcParams.update(STYLE | {"svg.hashsalt": plot.title})
    with warnings.catch_warnings():
        # A name may have characters that matplotlib's font lacks; the page has another one.
        warnings.simplefilter("ignore")
        figure = library.figure.Figure(layout="constrained")
        told = draw(plot, figure)
        # savefig would draw each plot twice, first without output.
        library.backends.backend_svg.FigureCanvasSVG(figure).print_svg(
            made, metadata={"Date": None}
        )
    return _inline(made.getvalue(), told)


def _inline(text: str, told: dict[str, Sequence[str]]) -> str:
    """matplotlib's file as an element of the page, with the titles of marks. TOLD: of each group
    of marks, by its name."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.tail = None
        if element.tag != "text":
            element.text = None
        element.attrib = {
            name.rpartition("}")[2]: _value(name, value) for name, value in element.items()
        }
    for group in list(root.iter("g")):
        uses = group.findall("use")
        if len({use.get("style") for use in uses}) == 1:
            group.set("style", uses[0].attrib["style"])
            for use in uses:
                del use.attrib["style"]
        if words := told.get(group.attrib.pop("id", "")):
            for mark, said in zip(group.findall("g/use"), words, strict=True):
                ElementTree.SubElement(mark, "title").text = said
    root[:] = [element for element in root if element.tag == "g"]
    root.attrib = {"viewBox": root.attrib["viewBox"]}
    return ElementTree.tostring(root, encoding="unicode")


def _value(name: str, value: str) -> str:
    """An attribute with the page's colours and font, and places to a tenth."""
    if name == "style":
        value = re.sub(r"font-family: [^;]*;? ?", "", value)
        return re.sub("#[0-9a-f]{6}", lambda m: PAGE.get(m[0], m[0]), value)
    if name in ("d", "x", "y", "transform"):
        return re.sub(r"-?\d+\.\d+", lambda m: f"{round(float(m[0]), 1):g}", value)
    return value
