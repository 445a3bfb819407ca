# SPDX-License-Identifier: MIT
"""Whatever a workload is, run, report and compare say the same of its trials, and on one screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.workloads.conftest import MEASURE
from vmkb.accounting.analysis.analyse import Analysis
from vmkb.accounting.analysis.first import LINES, WIDTH, first_screen
from vmkb.accounting.compare import PUBLISHED
from vmkb.accounting.store import read
from vmkb.accounting.tables.table import Table
from vmkb.workloads.base.found import workload
from vmkb.workloads.base.report import analysed, of_run
from vmkb.workloads.cli.compare import command as compare
from vmkb.workloads.cli.compare import load, make, together
from vmkb.workloads.cli.report import command as report
from vmkb.workloads.cli.run import tell
from vmkb.workloads.command.show import EXIT_FAILED, show

GIVEN: dict[str, Any] = {
    "source": "", "model": "", "base_release": "", "target": 1.0, "allow": (), "layout": (),
    "sweep": "",
}  # fmt: skip
REST = ["By machine, with plots: results/a-run/report.html (--all: here)"]
WHY = "TCP dropped 3 segments between the samples, so that what they cost is in the figures"


def by_run(name: str, folder: Path) -> Analysis:
    """What the run itself makes of its trials."""
    found = read(folder)
    if name == MEASURE:
        return analysed(found.trials, unfinished=found.unfinished)
    model = found.trials[0].meta["model"]
    made, _ = of_run(workload(name), folder, planned(folder), model)
    return made


def planned(folder: Path) -> int:
    """How many trials were to be run, each of which may have left several."""
    found = read(folder)
    return len({(t.run, t.seq) for t in (*found.trials, *found.unfinished)})


def by_report(name: str, folder: Path) -> Analysis:
    return make(load(str(folder)), True, **GIVEN)


def by_compare(name: str, folder: Path) -> Analysis:
    return make(together(str(folder), None), False, **GIVEN)


WAYS: tuple[Callable[[str, Path], Analysis], ...] = (by_run, by_report, by_compare)


def not_beside(found: Analysis) -> list[Table]:
    return [t for t in found.tables if not t.name.startswith(PUBLISHED)]


def ended(folder: Path, status: str) -> None:
    """The last trial of FOLDER ends as STATUS."""
    file = folder / "results.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    last = max(k for k, row in enumerate(rows) if row["row"] == "end")
    rows[last] |= {"status": status, "why": WHY}
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def test_all_ways_to_the_tables_agree(kept: tuple[str, Path]) -> None:
    ran, reported, compared = (way(*kept) for way in WAYS)
    assert ran.doubts == reported.doubts == compared.doubts == ()
    assert ran.sentence == reported.sentence == compared.sentence
    assert ran.tables == reported.tables and ran.tables
    # Only a comparison of two levels of one's own leaves what somebody published out.
    assert not_beside(compared) == not_beside(ran)
    assert ran.sentence.endswith(".") and len(ran.sentence) < 400


@pytest.mark.parametrize("status", ["failed", "untrusted"])
def test_a_trial_that_went_wrong_is_a_doubt_and_exit_code_3(
    kept: tuple[str, Path], status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, folder = kept
    ended(folder, status)
    ran, reported, compared = (way(*kept) for way in WAYS)
    assert reported.doubts == compared.doubts and len(reported.doubts) == 1
    assert WHY in reported.doubts[0]
    more = [d for d in ran.doubts if d not in reported.doubts]
    missing = status == "failed" and name != MEASURE
    assert [d.partition(" ")[0] for d in more] == (["1"] if missing else [])

    if name == MEASURE:
        assert show(ran) == EXIT_FAILED
    else:
        model = read(folder).trials[0].meta["model"]
        told = of_run(workload(name), folder, planned(folder), model)
        assert tell(folder, *told, False, None) == EXIT_FAILED
    said = [capsys.readouterr().out]
    for command in (report, compare):
        done = CliRunner().invoke(command, [str(folder)])
        assert done.exit_code == EXIT_FAILED, done.output
        said.append(done.stdout)
    for text in said:
        assert f"NOT TRUSTED: {reported.doubts[0]}" in " ".join(text.split())


def test_good_trials_are_exit_code_0(kept: tuple[str, Path]) -> None:
    """However wide the intervals of a small run are."""
    for command in (report, compare):
        done = CliRunner().invoke(command, [str(kept[1])])
        assert done.exit_code == 0, done.output
        assert "NOT TRUSTED" not in done.output and "Traceback" not in done.output


def test_the_first_screen_is_a_screen(kept: tuple[str, Path]) -> None:
    """However many doubts there are."""
    found = by_report(*kept)
    for doubts in (0, 2, 5):
        told = tuple(f"{k}-1: {WHY}" for k in range(doubts))
        screen = first_screen(replace(found, doubts=told), REST)
        lines = screen.splitlines()
        assert len(lines) <= LINES == 24, screen
        assert max(map(len, lines)) <= WIDTH == 80, screen
        first = " ".join(screen.split())
        assert first.startswith(" ".join(found.sentence.split()))
        assert screen.count("NOT TRUSTED") == min(doubts, 2)
        assert ("3 more doubts: --all" in screen) is (doubts == 5)
        body = screen.split("\n\n")
        assert len(body) >= 3 and len(body[1].splitlines()) >= 3, screen  # title, heads, a case


@pytest.mark.parametrize("count", [1, 8, 40])
def test_cases_that_do_not_fit_are_counted(count: int, tmp_path: Path) -> None:
    from tests.accounting.texts import make_results

    path = make_results(tmp_path / "r", cases=[f"CASE{k:02}" for k in range(count)], trials=2)
    done = CliRunner().invoke(compare, [str(path)])
    assert done.exit_code == 0 and len(done.stdout.splitlines()) <= LINES
    shown = sum(line.startswith("CASE") for line in done.stdout.splitlines())
    assert shown == count or f"{count - shown} more lines: --all" in done.stdout
    assert shown == count if count <= 8 else shown > 8
