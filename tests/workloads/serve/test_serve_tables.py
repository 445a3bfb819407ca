# SPDX-License-Identifier: MIT
"""The tables of a recorded run, against the records in it, worked out here once more.

small-run.jsonl.gz is what `vmkb run ftp --guest vmkb,linux` kept of real guests: gets of binary
files of 2 MB and 24 KB from VM/KB and from Linux 6.12, five trials each; long raw texts are cut.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest

from tests.narrow import some
from vmkb.accounting.store import FILE_NAME, Trial, read
from vmkb.accounting.tables.table import Row, Table
from vmkb.workloads.serve.fits import fit_table
from vmkb.workloads.serve.tables import count_table, share_table

RECORDED = Path(__file__).with_name("small-run.jsonl.gz")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, ...]:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return read(folder).trials


@pytest.fixture(scope="module")
def means(trials: tuple[Trial, ...]) -> dict[tuple[str, str], float]:
    """Instructions per KB by case and release, from the records themselves."""
    each = defaultdict(list)
    for trial in trials:
        counts = [r.value("total_instr").value for r in trial.records if r.kind == "connect"]
        moved = sum(r.value("bytes").value for r in trial.records if r.kind == "ftp_transfer")
        each[trial.case, trial.release].append((max(counts) - min(counts)) / moved * 1024)
    assert {len(found) for found in each.values()} == {5}
    return {key: mean(found) for key, found in each.items()}


def body(table: Table) -> list[Row]:
    return [row for section in table.body for row in section.rows]


def test_instructions_and_ratios_are_those_of_the_records(
    trials: tuple[Trial, ...], means: dict[tuple[str, str], float]
) -> None:
    table = some(count_table(trials))
    at = {name: i for i, name in enumerate(table.columns)}
    rows = body(table)
    assert [(r.label, r.cells[0].text) for r in rows] == [
        (case, title)
        for case in ("G2M_B", "G24KB")
        for title in ("VM/KB, lwIP 2.1.3", "Linux 6.12.107")
    ]
    for row in rows:
        release = "KB" if row.cells[0].text.startswith("VM/KB") else "6.12"
        own = means[row.label, release]
        assert row.cells[at["Instructions per KB (IC/FT)"]].value == pytest.approx(own, rel=1e-6)
        share = row.cells[at["Ratio (IC/FT)"]]
        if release == "KB":
            assert share.text == "1.000"
        else:  # of neighbours, not of the means
            assert share.value == pytest.approx(own / means[row.label, "KB"], rel=0.03)


def test_a_line_through_two_sizes_has_both_and_no_misfit(
    trials: tuple[Trial, ...], means: dict[tuple[str, str], float]
) -> None:
    """Of each trial, so the means of what a file and a KB cost are near the means' line."""
    told: dict[str, dict[str, float]] = defaultdict(dict)
    for row in body(some(fit_table(trials))):
        told[row.cells[0].text][row.cells[1].text] = some(row.cells[2].value)
        assert [row.cells[4].text, row.cells[5].text] == ["-", "2"]
    for title, each in told.items():
        release = "KB" if title.startswith("VM/KB") else "6.12"
        for case, size in (("G2M_B", 2048), ("G24KB", 24)):
            line = (each["a file"] + each["a KB"] * size) / size
            assert line == pytest.approx(means[case, release], rel=0.02)


def test_shares_of_a_system_close(trials: tuple[Trial, ...]) -> None:
    summed: dict[tuple[str, str], float] = defaultdict(float)
    for row in body(some(share_table(trials))):
        summed[row.label, row.cells[0].text] += some(row.cells[2].value)
    assert len(summed) == 4
    assert all(97 < whole <= 100.0001 for whole in summed.values())  # parts below 1 % are left out
