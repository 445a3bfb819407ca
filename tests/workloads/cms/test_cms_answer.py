# SPDX-License-Identifier: MIT
"""The first screen of a recorded run of users: IBM's measures, and a sentence that agrees."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from vmkb.accounting.analysis.first import first_screen
from vmkb.accounting.store import FILE_NAME, read
from vmkb.workloads.base.report import of_run
from vmkb.workloads.cms.workload import Workload

RECORDED = Path(__file__).with_name("small-run.jsonl.gz")


def test_the_sentence_says_what_the_table_does(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    trials = read(tmp_path).trials
    made, _ = of_run(Workload(), tmp_path, len(trials), trials[0].meta["model"])
    screen = " ".join(first_screen(made).split())
    said = re.search(r"(\d+) users: a command takes ([\d.]+) ms of CPU, ([\d.]+) of it", screen)
    assert said is not None
    assert f"Users (IN) {said[1]} " in screen
    assert f"PBT/CMD, ms (IC) {said[2]} " in screen
    assert f"CP/CMD, ms (IC) {said[3][:4]}" in screen


def test_a_command_costs_the_same_in_each_table(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    trials = read(tmp_path).trials
    made, _ = of_run(Workload(), tmp_path, len(trials), trials[0].meta["model"])
    tables = {t.name: t for t in made.tables}
    rows = {
        name: {row.label: row.cells for section in tables[name].sections for row in section.rows}
        for name in ("cms", "release-1")
    }
    assert "Release" in rows["release-1"] and not any("Rate" in row for row in rows["release-1"])
    total = next(c for label, c in rows["release-1"].items() if label.startswith("Total"))
    assert rows["cms"]["PBT/CMD, ms (IC)"][0].value == pytest.approx(total[0].value, rel=1e-9)
