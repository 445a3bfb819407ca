# SPDX-License-Identifier: MIT
"""A figure over many runs: a planted change is found at its run, noise is none, cron is told."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.accounting.texts import make_results
from vmkb.accounting.history.changes import levels
from vmkb.accounting.stats import Estimate
from vmkb.workloads.cli.main import group, needs_extra

pytest.importorskip("ruptures")
SPREAD = 0.0023  # of the ratio between builds of one release, as ftp.toml has it


def estimates(values: list[float]) -> list[Estimate]:
    return [Estimate(x, x, x, 6, 0.96) for x in values]


def noisy(n: int, at: int, change: float, seed: int, spread: float = SPREAD) -> list[float]:
    rng = random.Random(seed)
    return [6.4 * (1 + change * (k >= at)) * (1 + rng.gauss(0, spread)) for k in range(n)]


@pytest.mark.parametrize("seed", range(5))
def test_one_percent_in_a_thousand_runs_is_found_at_its_run(seed: int) -> None:
    at = random.Random(seed).randrange(20, 980)
    found = levels(estimates(noisy(1000, at, 0.01, seed)))
    assert [x.first for x in found] == [0, at]
    assert found[1].dearer and found[1].ratio is not None
    assert found[1].ratio.covers(1.01)


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_change(seed: int) -> None:
    assert len(levels(estimates(noisy(1000, 0, 0.0, seed)))) == 1


def test_one_odd_run_is_no_level_and_exact_counts_have_levels() -> None:
    values = noisy(60, 0, 0.0, 1)
    values[30] *= 1.2
    assert len(levels(estimates(values))) == 1
    assert [x.first for x in levels(estimates([5.0] * 10 + [5.1] * 5 + [5.0] * 4))] == [0, 10, 15]
    assert len(levels(estimates([5.0, 6.0]))) == 1


def archive(folder: Path, figures: dict[str, list[float]], **meta: str) -> Path:
    """An archive of made runs, of releases in FIGURES; the image of the guest changes at run 700,
    META[key] at run 5."""
    import duckdb

    folder.mkdir()
    (folder / "vmkb-archive.json").write_text(json.dumps({"schema": 1}))
    costs, runs = folder / "costs.json", folder / "runs.json"
    with costs.open("w") as c, runs.open("w") as r:
        for k in range(len(next(iter(figures.values())))):
            begun = datetime(2026, 1, 1) + timedelta(hours=k)
            about = {"at": begun.isoformat(), "model": "2064-109",
                     "guest_image": f"image{k >= 700:d}"}  # fmt: skip
            about |= {key: f"{value}{k >= 5:d}" for key, value in meta.items()}
            for key, value in about.items():
                r.write(json.dumps({"run": f"r{k:04d}", "key": key, "value": value}) + "\n")
            for release, values in figures.items():
                for trial in range(6):
                    row = {"run": f"r{k:04d}", "trial": f"{release}-{trial}", "case_id": "G2M_B",
                           "release": release, "machine": "TCPIP", "label": "TCPIP",
                           "us_per_kb": values[k] * (1 + 1e-4 * trial), "step": 1e-6,
                           "method": "IC"}  # fmt: skip
                    c.write(json.dumps(row) + "\n")
    for table, path in (("costs", costs), ("runs", runs)):
        duckdb.sql(f"COPY (SELECT * FROM read_json('{path}')) TO '{folder / table}'"
                   " (FORMAT parquet, PARTITION_BY (run))")  # fmt: skip
    return folder


def history(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(group, ["history", "G2M_B", "--in", str(folder), *words])


@pytest.mark.slow
def test_cron_is_told_of_a_regression_with_its_run_and_its_cause(tmp_path: Path) -> None:
    made = archive(tmp_path / "all", {"221": noisy(1000, 700, 0.01, 3)})
    done = history(made)
    assert done.exit_code == 1, done.output
    first = done.output.splitlines()[0]
    assert "REGRESSION in G2M_B, release 221: since run r0700" in first
    assert "guest image image0 -> image1" in " ".join(done.output.split())
    assert history(made, "--accept", "r0700").exit_code == 0
    assert history(made, "--accept", "r0699").exit_code == 1
    page = tmp_path / "page.html"
    assert history(made, "--to", "html", "--out", str(page)).exit_code == 1
    text = page.read_text()
    assert text.count("<circle") == 1000 and "a level begins at run 701" in text


def test_what_became_cheaper_and_what_was_put_right_is_none(tmp_path: Path) -> None:
    values = noisy(30, 10, 0.05, 1)[:20] + noisy(20, 0, 0.0, 2)
    made = archive(tmp_path / "all", {"A": values, "B": noisy(40, 20, -0.05, 3)})
    done = history(made)
    assert done.exit_code == 0, done.output
    assert "release B: the last change is since run r0020" in done.output
    lines = history(made, "--release", "A").output.splitlines()
    assert {x.split()[0] for x in lines if x.startswith(" r0")} == {"r0000", "r0010", "r0020"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--release", "X"), "has no release X; it has A"),
        (("--label", "VM"), "has no label VM; it has TCPIP"),
        (("--accept", "r9"), "has no run r9"),
        ((), "wire differs: ethernet0, ethernet1"),
    ],
)
def test_what_cannot_be_told_is_said(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    made = archive(tmp_path / "all", {"A": [1.0] * 8}, **({} if words else {"wire": "ethernet"}))
    done = history(made, *words)
    assert done.exit_code == 2 and says in done.output
    if not words:
        assert history(made, "--allow", "wire").exit_code == 0


def test_a_case_that_there_is_not_names_those_there_are(tmp_path: Path) -> None:
    made = archive(tmp_path / "all", {"A": [1.0] * 8})
    done = CliRunner().invoke(group, ["history", "P2M", "--in", str(made)])
    assert done.exit_code == 2 and "has no case P2M; it has G2M_B" in done.output
    results = make_results(tmp_path / "results")
    done = CliRunner().invoke(group, ["history", "P2M", "--in", str(results)])
    assert f"{results} has no case P2M; it has G2M_B" in " ".join(done.output.split())
    done = CliRunner().invoke(
        group, ["history", "G2M_B", "--in", str(results), "--release", "2.1.3"]
    )
    assert "1 run is too few" in done.output and "over 1 run\n" in done.output


def test_without_the_extra_it_is_said_how_to_get_it() -> None:
    assert "'.[history]'" in needs_extra("ruptures")
