# SPDX-License-Identifier: MIT
"""What a cost is divided by is said the same way on the screen, in the page and in every file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.workloads.test_agree import by_report
from vmkb.accounting.report.formats import FILES, FORMATS, render, write_all
from vmkb.accounting.tables.table import Table

#: A denominator in words: CPU/KB, instructions per command, us a call.
NAMED = re.compile(r"(?:(?<!VM)/|\b(?:per|a) )(KB|round trip|command|call|key)\b")
#: Units of what is divided, as the tables write them.
DIVIDED = re.compile(r"(?:us|ms|instr|B)(?:/(?!s$)(.+))?")
PER_KB = re.compile(r"(?<!VM)/KB\b|\bKB/s(?:ec)?\b|\b[Pp]er KB\b|a KB\b")


def denominators(table: Table) -> Iterator[tuple[str, str, set[str], set[str]]]:
    """Of each number: the words at it, its unit, what these words name, and what the table does."""
    every = {d for r in (*table.head, *(r for s in table.body for r in s.rows))
             for d in NAMED.findall(" ".join((r.label, *(c.text for c in r.cells))))}  # fmt: skip
    every |= set(NAMED.findall(table.title))
    for section, row, k, cell in table.numbers():
        words = f"{table.columns[k]} {row.label}"
        if section.kind != "ratio":
            yield words, cell.unit, set(NAMED.findall(words)), every


def test_a_unit_has_the_denominator_that_its_words_name(kept: tuple[str, Path]) -> None:
    wrong = []
    for table in by_report(*kept).tables:
        for words, unit, near, every in denominators(table):
            parts = DIVIDED.fullmatch(unit)
            if parts is not None and (parts[1] or near) and parts[1] not in (near or every):
                wrong.append((table.name, words, unit))
    assert not wrong, wrong


def test_a_workload_of_events_names_no_kilobytes(kept: tuple[str, Path], tmp_path: Path) -> None:
    """And all formats have one unit for one cost, which the workload names."""
    found = by_report(*kept)
    if not found.specification.count or found.specification.alone:
        pytest.skip("its costs are of KB")
    event = found.specification.unit
    for form in FORMATS:
        text = render(found, form)
        assert not (said := PER_KB.findall(text)), (form, said)
    write_all(found, tmp_path / "out", "a run")
    rows = list(csv.DictReader(render(found, "csv").splitlines()))
    parquet = str(tmp_path / "out" / FILES["parquet"])
    stored = duckdb.connect().execute("SELECT unit FROM read_parquet(?)", [parquet]).fetchall()
    assert [r["unit"] for r in rows] == [u for (u,) in stored]
    costs = {r["unit"] for r in rows if r["table_name"] == "answer"} - {"ratio"}
    assert costs == {f"us/{event}"}
    answer = next(t for t in json.loads(render(found, "json"))["tables"] if t["name"] == "answer")
    units = {c.get("unit") for s in answer["sections"] for r in s["rows"] for c in r["cells"]}
    assert units - {None, "ratio"} == {f"us/{event}"}


def test_benchfmt_has_the_units_of_the_tables(kept: tuple[str, Path]) -> None:
    found = by_report(*kept)
    lines = [x for x in render(found, "benchfmt").splitlines() if x.startswith("Benchmark")]
    if not lines:
        pytest.skip("its costs are in tables of its own")
    per = found.specification.unit
    units = {unit for line in lines for unit in line.split()[3::2]}
    assert units <= {f"us/{per}".replace(" ", "-"), "KB/s" if per == "KB" else
                     f"{per}s/s".replace(" ", "-")}  # fmt: skip
    means = [c.value for t in found.tables if t.name == "wide" for s in t.body
             for r in s.rows if r.cells[t.columns.index("Part")].text == "Total"
             for c in [r.cells[t.columns.index("Mean")]]]  # fmt: skip
    totals = [float(x.split()[2]) for x in lines if "/part=Total" in x]
    if means:
        assert min(totals) <= min(m for m in means if m) and max(totals) >= max(
            m or 0 for m in means
        )
