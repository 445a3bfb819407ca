# SPDX-License-Identifier: MIT
"""The same numbers in every format, and a page that needs nothing from outside."""

import csv
import html.parser
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import replace
from html import unescape
from pathlib import Path

import duckdb
import pytest

from tests.accounting.texts import make_results
from tests.narrow import some
from vmkb.accounting.analysis.analyse import Analysis, analyse, of_tables
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.digits import fixed
from vmkb.accounting.report import data, svg
from vmkb.accounting.report.formats import FILES, FORMATS, render, write_all
from vmkb.accounting.store import read
from vmkb.accounting.tables.table import Plot, Table, TableError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    path = make_results(tmp_path_factory.mktemp("results"), cases=("G2M_B", "G2M_A"), spread=0.003)
    return analyse(read(path).trials, Specification())


def grids(tables: Iterable[Table]) -> list[list[str]]:
    """Every printed text, row by row: what each format has to show."""
    return [
        [row.label, *(c.text for c in row.cells)]
        for t in tables
        for s in t.sections
        for row in s.rows
    ]


def test_markdown_has_every_cell(made: Analysis) -> None:
    tables = made.tables
    lines = render(made, "markdown").splitlines()
    shown = [
        [re.sub(r"\\(.)", r"\1", x.strip()) for x in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if line.startswith("| ") and "**" not in line
    ]
    assert shown == grids(tables)


def test_latex_has_every_cell(made: Analysis) -> None:
    tables = made.tables
    text = render(made, "latex")
    back = {r"\%": "%", r"\_": "_", r"\#": "#", r"\&": "&", r"\textasciitilde{}": "~"}
    shown = []
    for line in text.splitlines():
        if line.endswith(r"\\") and " & " in line:
            cells = re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))
            for there, here in back.items():
                cells = [c.replace(there, here) for c in cells]
            shown.append(cells)
    assert shown == grids(tables)
    assert text.count(r"\begin{longtable}") == len(tables) == text.count(r"\end{longtable}")


class Cells(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href") and v]
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, text: str) -> None:
        if self.inside:
            self.rows[-1][-1] += text


def test_html_has_every_cell_and_needs_nothing_from_outside(made: Analysis) -> None:
    tables = made.tables
    page = render(made, "html", title="<&>")
    reader = Cells()
    reader.feed(page)
    assert sorted(reader.rows) == sorted(grids(tables))
    assert reader.rows[:3] == grids(tables[:1])[:3], "the page begins with what the answer rests on"
    assert "<title>&lt;&amp;&gt;</title>" in page
    assert all(link.startswith("#") for link in reader.links)
    assert not {"script", "link", "img", "iframe"} & set(reader.tags)
    assert "url(" not in page and "@import" not in page and "http" not in page
    assert page.count("<svg") == sum(len(t.plots) for t in tables) == 4
    assert "prefers-color-scheme: dark" in page


def test_terminal_has_every_cell(made: Analysis) -> None:
    tables = made.tables
    shown = render(made, "terminal", width=400)
    for row in grids(tables):
        said = [text for text in row if text]
        assert any(re.split(r" {2,}", x.strip()) == said for x in shown.splitlines()), row


def test_csv_json_and_parquet_have_every_number(made: Analysis, tmp_path: Path) -> None:
    tables = made.tables
    numbers = [
        (t.name, s.kind, r.label, t.columns[k], c.text, c.value, c.unit, c.source)
        for t in tables
        for s, r, k, c in t.numbers()
    ]
    assert len(numbers) > 100
    names = ("table_name", "section", "row_name", "column_name", "text", "value", "unit", "source")
    rows = list(csv.DictReader(io.StringIO(render(made, "csv"))))
    assert [
        (*(r[n] for n in names[:5]), float(r["value"]), *(r[n] for n in names[6:])) for r in rows
    ] == numbers
    data.write_parquet(tables, tmp_path / "it's.parquet")
    quoted = str(tmp_path / "it's.parquet").replace("'", "''")
    found = some(duckdb.sql(f"SELECT {', '.join(names)} FROM '{quoted}'")).fetchall()
    assert found == numbers
    got = json.loads(render(made, "json"))
    assert [
        (t["name"], s["kind"], r["label"], c["text"], c["value"], c["unit"], c["source"])
        for t in got["tables"]
        for s in t["sections"]
        for r in s["rows"]
        for c in r["cells"]
        if "value" in c
    ] == [(n[0], n[1], n[2], *n[4:]) for n in numbers]
    assert [t["notes"] for t in got["tables"]] == [list(t.notes) for t in tables]


def test_every_printed_text_is_its_value_rounded(made: Analysis) -> None:
    tables = made.tables
    for table in tables:
        for _, _, _, cell in table.numbers():
            text = cell.text.split(" ")[0].rstrip("~")
            places = len(text.partition(".")[2])
            if cell.text.endswith(" %"):  # a ratio told as a change
                change = 100 * (some(cell.value) - 1)
                assert float(text) == pytest.approx(change, abs=0.5001 * 10**-places)
                continue
            if cell.unit == "ms/KB" or (table.name.startswith("release") and cell.unit == "ratio"):
                continue  # made from printed numbers: tests/accounting/test_tables.py
            assert text == fixed(some(cell.value), places)


def test_every_number_has_a_source(made: Analysis) -> None:
    for table in made.tables:
        for _, row, k, cell in table.numbers():
            assert re.fullmatch(r"\((QT|IC|FT|PB)(/(QT|FT))?\)", cell.source), (row.label, k)
            shown = (row.label, table.columns[k], cell.text, *(c.text for c in row.cells[:3]))
            if table.name == "answer":  # has no room; the tables behind it say it
                continue
            assert any(cell.source in x for x in shown), (table.name, row.label, table.columns[k])


def test_benchfmt_is_what_benchstat_reads(made: Analysis) -> None:
    first = made.costs
    lines = render(made, "benchfmt").splitlines()
    release = ""
    values: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        if re.match(r"[a-z][^ ]*: ", line):
            key, _, value = line.partition(": ")
            release = value if key == "release" else release
        elif not line.startswith("Unit "):
            name, count, value, unit, *more = line.split(" ")
            assert re.fullmatch(r"Benchmark[A-Z0-9]\S*", name) and count == "1" and unit == "us/KB"
            values.setdefault((name, release), []).append(float(value))
            assert not more or more[1] == "KB/s"
    assert {len(v) for v in values.values()} == {5} and len(values) == 2 * 2 * 3
    want = [some(c.part("TCPIP").per_kb).value for c in first if c.trial.case == "G2M_B"
            and c.trial.release == "2.1.3"]  # fmt: skip
    assert values["BenchmarkG2M_B/part=TCPIP", "2.1.3"] == want
    assert "source: IC" in lines and "emulator_version: 3.13" in lines
    assert (
        render(replace(made, costs=(replace(first[0], missing=("x",)),)), "benchfmt").count(
            "Benchmark"
        )
        == 0
    )


def test_write_all_makes_every_file(made: Analysis, tmp_path: Path) -> None:
    paths = write_all(made, tmp_path / "out", "t")
    assert sorted(p.name for p in paths) == sorted(FILES.values())
    assert all(p.stat().st_size > 100 for p in paths)
    with pytest.raises(TableError, match="no format 'pdf'"):
        render(made, "pdf")
    assert set(FORMATS) | {"parquet"} == set(FILES)


def test_words_from_logs_are_escaped_everywhere(made: Analysis) -> None:
    tables = made.tables
    evil = of_tables(
        [replace(tables[0], title="<b>|&_%", notes=("<script>x</script> | a_b & 5 %",))]
    )
    page = render(evil, "html")
    assert "<b>|" not in page and "<script>" not in page
    assert unescape(page).count("<script>x</script>") == 1
    assert r"\| a\_b & 5 %" in render(evil, "markdown")
    assert r"a\_b \& 5 \%" in render(evil, "latex")
    plot = Plot("bars", "<t>", "u", (("<s>", (("<x>", 1.0, 0.5, 1.5),)),))
    assert "<t>" not in svg.svg(plot) and "<x>" not in svg.svg(plot)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_in_headless_chromium(made: Analysis, tmp_path: Path, scheme: str) -> None:
    """The browser draws it from the file alone: text readable on its background, plots visible."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium:
        pytest.skip("chromium is not installed")
    page = render(made, "html")
    probe = """<script>
    const c = getComputedStyle(document.body);
    const lum = s => {
      const v = s.match(/[0-9.]+/g).map(Number); return v[0]*.3+v[1]*.59+v[2]*.11; };
    const svgs = [...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect());
    const bar = document.querySelector('use:has(title)');
    document.title = JSON.stringify({ink: lum(c.color), paper: lum(c.backgroundColor),
      svgs: svgs.filter(r => r.width > 300 && r.height > 50).length,
      wide: document.body.scrollWidth <= innerWidth,
      fetched: performance.getEntriesByType('resource').length,
      mark: lum(getComputedStyle(bar).fill)});
    </script></body>"""
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", probe), "utf-8")
    done = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={tmp_path}/profile", "--window-size=900,900",
            f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}",
            "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    title = re.search(r"<title>(\{.*?\})</title>", done.stdout)
    assert title, done.stderr[-500:]
    seen = json.loads(unescape(title[1]))
    assert abs(seen["ink"] - seen["paper"]) > 150
    assert (seen["paper"] < 60) is (scheme == "dark")
    assert seen["svgs"] == 4 and seen["wide"] and seen["fetched"] == 0
    assert abs(seen["mark"] - seen["paper"]) > 60
