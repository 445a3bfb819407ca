# SPDX-License-Identifier: MIT
"""Nothing is called trusted that failed, or that its run, its source or its log puts in doubt."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from accounting.records import Unit, Value
from accounting.store import Store, Trial, read
from tests.accounting.texts import make_results, query_time, records_of, transfer_text
from workloads.cli.compare import command as compare
from workloads.cli.report import command as report
from workloads.measuring.tables import command_table

KEPT = Path(__file__).parents[1] / "workloads"
AT = datetime(2026, 11, 21, 10, 0, 0)


def run(command: Any, *args: object) -> Any:
    return CliRunner().invoke(command, [str(a) for a in args])


def ended(path: Path, status: str, why: str) -> Path:
    """The first trial of PATH ends otherwise."""
    file = path / "results.jsonl"
    lines = file.read_text("utf-8").splitlines()
    at = next(k for k, x in enumerate(lines) if json.loads(x)["row"] == "end")
    lines[at] = json.dumps({**json.loads(lines[at]), "status": status, "why": why})
    file.write_text("".join(f"{x}\n" for x in lines), "utf-8")
    return path


@pytest.mark.parametrize("workload", ["ftp", "echo", "terminal", "dxu", "serve"])
@pytest.mark.parametrize("status", ["failed", "untrusted"])
@pytest.mark.parametrize("command", [report, compare])
def test_a_trial_that_failed_is_told(
    tmp_path: Path, command: Any, status: str, workload: str
) -> None:
    path = tmp_path / "r"
    kept = KEPT / workload / "small-run.jsonl.gz"
    if kept.exists():
        path.mkdir()
        (path / "results.jsonl").write_bytes(gzip.decompress(kept.read_bytes()))
    else:
        mark(make_results(path, releases={"213": 3000.0, "221": 2850.0}, trials=6), workload)
    done = run(command, ended(path, status, "a segment was lost"), "--accept", "--all")
    assert done.exit_code == 1, done.output
    assert "a segment was lost" in done.output
    assert "Trusted:" not in done.output


def mark(path: Path, workload: str) -> None:
    """Make the results those of WORKLOAD, as far as its tables ask for."""
    more = {"count": "100", "bytes": "64"}
    found = read(path)
    (path / "results.jsonl").unlink()
    store = Store(path)
    store.begin_run("r1", {**found.trials[0].meta, "workload": workload}, at="2026-11-21T10:00:00")
    for trial in found.trials:
        data = Value(102_400, Unit.KB, next(iter(trial.records[-1].fields.values())).source)
        store.write_trial(replace(trial, params={**trial.params, **more}, data=data, meta={}))


def log(path: Path, ready: str, transfer: bool = True) -> Path:
    text = ""
    for k in range(6):
        text += query_time(AT + timedelta(seconds=100 * k), 100 * k, 3e6 * k, 5e6 * k)
        text += "Ready; T=0.01/0.02 10:00:01\ncopyfile a b c = = =\n"
        text += transfer_text(1024, 2) if transfer else ""
        text += f"{ready} T=1.00/2.00 10:00:05\n"
    path.write_text(text + query_time(AT + timedelta(seconds=600), 600, 18e6, 30e6))
    return path


def test_commands_that_failed_are_told(tmp_path: Path) -> None:
    files = [log(tmp_path / f"{name}.log", "Ready(00028);") for name in ("before", "after")]
    done = run(compare, *files)
    assert done.exit_code == 1, done.output
    assert "Ready(00028)" in done.output and "Trusted:" not in done.output
    good = [log(tmp_path / f"{name}.log", "Ready;") for name in ("good", "better")]
    done = run(compare, *good)
    assert "Ready(" not in done.output and done.exit_code == 0, done.output


def test_a_log_that_does_not_say_how_much_was_moved(tmp_path: Path) -> None:
    files = [
        log(tmp_path / f"{name}.log", "Ready;", transfer=False) for name in ("before", "after")
    ]
    done = run(compare, *files)
    assert done.exit_code == 1, done.output
    assert "--kb" in done.output and "Trusted:" not in done.output
    done = run(compare, *files, "--kb", "1024")
    assert "does not say" not in done.output and done.exit_code == 0, done.output


def test_a_totcpu_known_to_sixty_percent_is_told() -> None:
    """Its count of instructions is exact all the same."""
    trials = [
        Trial(
            id=str(k), run="m", case="c", release="COPY", pair=k, seq=k, parts={"U": "U"},
            params={"repeat": "1"}, status="good",
            records=records_of(query_time(AT, 1, 0, 0, (1000, 0, 0), user="U", model="HOST")
                               + query_time(AT, 2, used / 2, used, (2000, 0, 0), user="U",
                                            model="HOST")),
        )
        for k, used in enumerate((20_000, 50_000, 80_000, 30_000, 70_000, 60_000))
    ]  # fmt: skip
    (doubt,) = command_table(trials).doubts
    assert "TOTCPU" in doubt
