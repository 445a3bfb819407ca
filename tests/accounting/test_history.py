# SPDX-License-Identifier: MIT
"""A figure over many runs: a planted change is found at its run, noise is none, cron is told."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.accounting.texts import make_results
from vmkb.accounting.history.changes import bound, levels
from vmkb.accounting.stats import Estimate, Luck, StatsError
from vmkb.workloads.cli.main import group, needs_extra
from vmkb.workloads.ftp import workload as ftp

pytestmark = pytest.mark.skipif(find_spec("ruptures") is None, reason="ruptures is not here")
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


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "spread"), [(6, 0.001), (8, 0.001), (12, 0.01), (30, 0.001)])
def test_at_most_one_history_in_twenty_claims_what_did_not_happen(runs: int, spread: float) -> None:
    made = (noisy(runs, 0, 0.0, seed, spread) for seed in range(1500))
    assert sum(len(levels(estimates(values))) > 1 for values in made) <= 0.05 * 1500


@pytest.mark.parametrize("apiece", [1, 3])
def test_what_builds_do_is_no_change(apiece: int) -> None:
    """Each of four programs ran APIECE times, always with the same count."""
    wrong = 0
    for seed in range(400):
        rng = random.Random(seed)
        seen = stdev(math.sqrt(2) * rng.gauss(0, SPREAD) for _ in range(8))
        programs = [f"image{k // apiece}" for k in range(12)]
        each = {name: 6.4 * math.exp(rng.gauss(0, SPREAD)) for name in programs}
        values = [each[name] for name in programs]
        wrong += len(levels(estimates(values), programs, Luck(seen, 7))) > 1
    assert wrong <= 0.05 * 400, wrong


@pytest.mark.parametrize("each", [3, 6])
@pytest.mark.parametrize("change", [0.01, -0.01])
def test_one_percent_is_found_in_few_runs(each: int, change: float) -> None:
    found = [
        [x.first for x in levels(estimates(noisy(2 * each, each, change, seed, 0.001)))]
        for seed in range(100)
    ]
    assert found.count([0, each]) >= 95


def test_with_two_programs_only_their_luck_tells_what_is_a_change() -> None:
    programs = ["image0"] * 3 + ["image1"] * 3
    luck = Luck(0.0012, 7)
    (_, level) = levels(estimates([6.4] * 3 + [6.464] * 3), programs, luck)
    assert level.ratio is not None and level.ratio.half_width_percent > 0.2
    assert len(levels(estimates([6.4] * 3 + [6.41] * 3), programs, luck)) == 1
    assert len(levels(estimates([6.4] * 3 + [6.405] * 3))) == 1, "less than a thousandth"


def test_what_the_steps_of_the_sources_leave_open_is_no_change() -> None:
    values = [6.4] * 3 + [6.464] * 3
    coarse = [replace(e, step=0.05) for e in estimates(values)]
    assert len(levels(coarse)) == 1 and len(levels(estimates(values))) == 2
    assert bound(coarse) > 0.01 > bound(estimates(noisy(12, 0, 0.0, 1, 0.001))) > 0.001


def test_a_run_that_cost_nothing_is_refused() -> None:
    with pytest.raises(StatsError, match="run 2 cost 0"):
        levels(estimates([1.0, 0.0, 1.0]))


def test_one_odd_run_is_no_level_and_exact_counts_have_levels() -> None:
    values = noisy(60, 0, 0.0, 1)
    values[30] *= 1.2
    assert len(levels(estimates(values))) == 1
    assert [x.first for x in levels(estimates([5.0] * 10 + [5.1] * 5 + [5.0] * 4))] == [0, 10, 15]
    assert len(levels(estimates([5.0, 6.0]))) == 1


def archive(
    folder: Path, figures: dict[str, list[float]], trials: int = 6, changes: int = 700, **meta: str
) -> Path:
    """An archive of made runs, of releases in FIGURES; the image of the guest changes at run
    CHANGES, META[key] at run 5 (but for the workload)."""
    import duckdb

    folder.mkdir()
    (folder / "vmkb-archive.json").write_text(json.dumps({"schema": 1}))
    costs, runs = folder / "costs.json", folder / "runs.json"
    with costs.open("w") as c, runs.open("w") as r:
        for k in range(len(next(iter(figures.values())))):
            begun = datetime(2026, 1, 1) + timedelta(hours=k)
            about = {"at": begun.isoformat(), "model": "2064-109",
                     "guest_image": f"image{k >= changes:d}"}  # fmt: skip
            about |= {
                key: value if key == "workload" else f"{value}{k >= 5:d}"
                for key, value in meta.items()
            }
            for key, value in about.items():
                r.write(json.dumps({"run": f"r{k:04d}", "key": key, "value": value}) + "\n")
            for release, values in figures.items():
                for trial in range(trials):
                    for label, part in (("TCPIP", 0.25), ("VM Client", 0.75)):
                        row = {"run": f"r{k:04d}", "trial": f"{release}-{trial}",
                               "case_id": "G2M_B", "release": release, "machine": label,
                               "label": label, "step": 1e-6, "method": "IC",
                               "us_per_kb": part * values[k] * (1 + 1e-4 * trial)}  # fmt: skip
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
    assert len(re.findall(r"<title>\S+ r\d{4}: ", text)) == 1000 and ">2026-01-30 r0700<" in text


@pytest.mark.parametrize("trials", [1, 2, 6])
@pytest.mark.parametrize("label", ["", "TCPIP"])
def test_the_total_tells_what_its_parts_tell(tmp_path: Path, trials: int, label: str) -> None:
    made = archive(tmp_path / "all", {"221": noisy(6, 3, 0.01, 2, 0.001)}, trials)
    done = history(made, *(("--label", label) if label else ()))
    assert done.exit_code == 1 and "since run r0003" in done.output.splitlines()[0]


def test_the_sentence_has_the_figures_of_the_table(tmp_path: Path) -> None:
    made = archive(tmp_path / "all", {"221": noisy(12, 6, 0.01, 4, 0.001)})
    text = history(made).output
    said = re.search(
        r"([\d.]+) % more CPU than before \(([\d.]+) to ([\d.]+) %\)", " ".join(text.split())
    )
    assert said is not None
    change, low, high = said.groups()
    assert f"+{change} %" in text and f"+{low} .. +{high}" in text and "dearer" in text
    assert "no interval" not in text and not re.search(r"\d %:", text)


def test_no_change_has_a_bound(tmp_path: Path) -> None:
    made = archive(tmp_path / "all", {"221": noisy(12, 0, 0.0, 1, 0.001)})
    done = history(made)
    found = re.search(r"did not change by more than ([\d.]+) % in 12 runs", done.output)
    assert done.exit_code == 0 and found is not None and 0.1 < float(found[1]) < 0.5
    same = history(archive(tmp_path / "same", {"221": [6.4] * 6}))
    assert same.exit_code == 0 and "did not change by more than 0.0" in same.output


def test_the_luck_of_the_workload_is_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only ftp's is known, and 0.14 % of G2M_B's Total."""
    luck = {"G2M_B": {"Total": Luck(0.0014, 7)}}
    monkeypatch.setattr(ftp.Workload, "_luck", lambda _: luck)
    values = [6.4] * 3 + [6.41] * 3
    known = archive(tmp_path / "ftp", {"221": values}, changes=3, workload="ftp")
    assert history(known).exit_code == 0
    assert history(archive(tmp_path / "none", {"221": values}, changes=3)).exit_code == 1


def test_the_axis_has_dates_and_names(tmp_path: Path) -> None:
    made = archive(tmp_path / "all", {"221": noisy(30, 20, 0.05, 1)})
    page = tmp_path / "page.html"
    assert history(made, "--to", "html", "--out", str(page)).exit_code == 1
    axis = re.findall(r">(2026-01-\d\d r\d{4})<", page.read_text())
    assert {"2026-01-01 r0000", "2026-01-01 r0020", "2026-01-02 r0029"} <= set(axis)


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
    other: dict[str, Any] = {} if words else {"wire": "ethernet"}
    made = archive(tmp_path / "all", {"A": [1.0] * 8}, **other)
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
