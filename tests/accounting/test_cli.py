# SPDX-License-Identifier: MIT
"""vmkb compare, report and query as a person runs them."""

import csv
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from tests.accounting.texts import START, make_results, query_time, trial_text
from vmkb.accounting.published import published
from vmkb.accounting.store import Store
from vmkb.workloads.cli.compare import command as compare
from vmkb.workloads.cli.query import command as query
from vmkb.workloads.cli.report import command as report

SAME = {"a": 3000.0, "b": 3000.0}


def run(command: click.Command, *args: object) -> Result:
    return CliRunner().invoke(command, [str(a) for a in args])


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    """The published rates and CPU figures alone, as a person would type them."""
    path = tmp_path / "figures.csv"
    keep = ("table", "run_id", "mode", "direction", "file", "tcpip_release", "rate_kb_s",
            "tcpip_ms_kb", "client_ms_kb")  # fmt: skip
    with path.open("w", newline="") as f:
        f.write("# typed from the report\n")
        writer = csv.DictWriter(f, keep, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(published("zvm310_ftp").rows)
    return path


def test_compare_gives_every_published_ratio_and_total(figures: Path) -> None:
    done = run(compare, figures, "--to", "json")
    assert done.exit_code == 0, done.output
    by_run = {r["run_id"]: r for r in published("zvm310_ftp").rows}
    keys = {
        ("absolute", "Total"): "total_ms_kb", ("ratio", "Rate"): "ratio_rate",
        ("ratio", "TCPIP"): "ratio_tcpip", ("ratio", "VM Client"): "ratio_client",
        ("ratio", "Total"): "ratio_total",
    }  # fmt: skip
    seen = 0
    for table in json.loads(done.stdout)["tables"]:
        runs = table["head"][0][1:]
        for section in table["sections"]:
            for row in section["rows"]:
                key = keys.get((section["kind"], re.split(r" CPU/KB| \(", row["label"])[0]))
                for name, cell in zip(runs, row["cells"], strict=True):
                    if key:
                        assert cell["text"] == by_run[name][key]
                        seen += 1
    assert seen == 60


def test_compare_one_directory_and_two(results: Path, tmp_path: Path) -> None:
    done = run(compare, results, "--all")
    assert done.exit_code == 0 and "0.950" in done.output and "Utilization" in done.output
    other = make_results(tmp_path / "other", releases={"2.1.3": 2000.0})
    done = run(compare, f"{results}:2.1.3", other, "--layout", "release")
    assert done.exit_code == 0, done.output
    assert "2.1.3 results" in done.output and "2.1.3 other" in done.output
    assert "Measured apart from the base" in done.output.replace("\n", " ")
    done = run(compare, f"{results}:2.2.1", f"{results}:2.1.3", "--layout", "release")
    assert done.exit_code == 0 and "5.25 % more" in done.output
    same = make_results(tmp_path / "x" / "other", releases={"2.1.3": 2000.0})
    done = run(compare, other, same, "--layout", "release")
    assert "2.1.3 base" in done.output and "2.1.3 new" in done.output


def test_an_exit_code_is_not_how_wide_an_interval_is(tmp_path: Path) -> None:
    wide = make_results(tmp_path / "wide", spread=0.05)
    for command in (compare, report):
        done = run(command, wide)
        assert done.exit_code == 0 and "undecided" in done.output, done.output
    assert "NOT TRUSTED" not in done.output
    assert " same" in run(compare, make_results(tmp_path / "two", releases=SAME, spread=0.01),
                          "--width", 30).output  # fmt: skip


@pytest.mark.parametrize("command", [compare, report])
def test_exit_1_is_a_regression_that_was_asked_for(tmp_path: Path, command: Any) -> None:
    half = make_results(tmp_path / "half", releases={"a": 6000.0, "b": 9000.0})
    assert run(command, half).exit_code == 0
    done = run(command, half, "--fail-above", 40)
    assert done.exit_code == 1
    assert "Beyond --fail-above 40 %: get 2 MB, binary costs +50" in done.stderr
    assert run(command, half, "--fail-above", 60).exit_code == 0
    cheaper = make_results(tmp_path / "cheaper", releases={"a": 9000.0, "b": 6000.0})
    assert run(command, cheaper, "--fail-above", 1).exit_code == 0


def test_exit_2_and_a_sentence_for_wrong_use(results: Path, tmp_path: Path, figures: Path) -> None:
    empty = tmp_path / "empty"
    Store(empty).begin_run("r", {})
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n")
    for args, words in (
        ((tmp_path / "none",), "no such results"),
        ((f"{results}:9.9",), "no finished trial of release '9.9'"),
        ((empty,), "no finished trials"),
        ((tmp_path,), "cannot read results"),
        ((bad,), "needs the columns run_id"),
        ((results, "--model", "4381"), "no citable MIPS"),
        ((results, "--model", "pc"), "the models are host"),
        ((results, "--source", "ZZ"), "the letters are"),
        ((results, "--allow", "shoe"), "it is one of"),
        ((results, "--sweep", "shoe"), "no trial has a parameter 'shoe'"),
        ((results, "--to", "parquet"), "give a file with --out"),
        ((results, figures), "do not stand in one table"),
    ):
        done = run(compare, *args)
        assert done.exit_code == 2, (args, done.output)
        assert words in done.output and "Traceback" not in done.output
    other = make_results(tmp_path / "other", wire="fast")
    done = run(compare, results, other)
    assert done.exit_code == 2 and "--allow wire" in done.output
    assert run(compare, results, other, "--allow", "wire").exit_code == 0


def test_formats_and_files(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.parquet"
    assert run(compare, results, "--to", "parquet", "--out", out).exit_code == 0
    assert out.read_bytes()[:4] == b"PAR1"
    assert run(compare, results, "--to", "html", "--out", tmp_path / "t.html").exit_code == 0
    assert (tmp_path / "t.html").read_text().startswith("<!DOCTYPE html>")
    for form in ("markdown", "csv", "latex", "benchfmt"):
        done = run(compare, results, "--to", form)
        assert done.exit_code == 0 and "2.2.1" in done.stdout


def test_report_writes_everything_beside_the_results(results: Path) -> None:
    done = run(report, results)
    assert done.exit_code == 0, done.output
    names = {p.name for p in results.iterdir()}
    assert {"report.md", "report.html", "report.csv", "report.json", "report.tex", "report.txt",
            "report.bench", "report.parquet"} <= names  # fmt: skip
    assert "published beside ours" in (results / "report.md").read_text()
    done = run(report, results, "--no-published", "--to", "markdown")
    assert "published beside" not in done.stdout and "| Run Id |" in done.stdout


def test_interrupted_results_are_reported_and_used(results: Path) -> None:
    path = results / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    done = run(compare, results)
    assert done.exit_code == 0
    assert "was interrupted after" in done.output and "1 unfinished" in done.output


def test_query_prints_tables_csv_and_json(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT release, count(*) AS n FROM trials GROUP BY 1 ORDER BY 1"
    done = run(query, sql, "--in", results)
    assert done.exit_code == 0 and done.stdout.splitlines()[2].split() == ["2.1.3", "5"]
    assert run(query, sql, "--in", results, "--to", "csv").stdout == "release,n\n2.1.3,5\n2.2.1,5\n"
    got = json.loads(run(query, sql, "--in", results, "--to", "json").stdout)
    assert got[1] == {"release": "2.2.1", "n": 5}
    assert run(query, "SELEC", "--in", results).exit_code == 2
    monkeypatch.chdir(tmp_path)
    assert "no results under results/" in run(query, sql).output or results.parent == tmp_path
    assert run(query, sql).exit_code == 0  # results/ is the newest here


def test_compare_own_console_logs(tmp_path: Path) -> None:
    for name, per_kb in (("old", 3000), ("new", 2700)):
        text = trial_text(102_400, per_kb, 112)
        (tmp_path / f"{name}.log").write_text(text)
    done = run(compare, tmp_path / "old.log", tmp_path / "new.log")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("old.log -> new.log. Whether it changed is undecided")
    assert "-10.0 %" in done.output and "no interval" in done.output
    assert "VMUSER1 CPU/KB" in run(compare, tmp_path / "old.log", "--all").output
    # a console that names nobody, and bytes that nobody printed
    late = START + timedelta(seconds=100)
    plain = query_time(START, 0, 0, 0) + "FTP did its work\n" + query_time(late, 100, 1e6, 2e6)
    (tmp_path / "plain.log").write_text(plain)
    done = run(compare, tmp_path / "plain.log", "--kb", 1000, "--user", "maint", "--all")
    assert done.exit_code == 0, done.output
    assert "MAINT CPU/KB (msec) (QT/PB)" in done.output and "2.000" in done.output
    assert "given with --kb" in done.output
    (tmp_path / "one.log").write_text(query_time(START, 0, 0, 0))
    done = run(compare, tmp_path / "one.log")
    assert done.exit_code == 2 and "no machine has two QUERY TIME" in done.output


def test_all_is_more_than_the_screen_and_the_page_begins_with_the_answer(results: Path) -> None:
    screen = run(report, results).output
    whole = run(report, results, "--all").output
    first = screen.split("\n\n")[0].replace("\n", " ")
    assert whole.startswith(first) and len(whole) > 3 * len(screen)
    assert "Run Id" in whole and "Run Id" not in screen and "--all" in screen
    page = (results / "report.html").read_text()
    assert page.index("% less CPU per KB") < page.index("Run Id")


def sentence(path: Path, *args: object) -> str:
    """The first paragraph as one line."""
    return run(compare, path, *args).output.split("\n\n")[0].replace("\n", " ")


def test_the_answer_says_what_changed_and_what_did_not(tmp_path: Path) -> None:
    path = make_results(tmp_path / "r", trials=6)
    assert re.fullmatch(
        r"ftp: 2\.1\.3 -> 2\.2\.1\. Get 2 MB, binary costs 5\.\d+ % less CPU per KB"
        r" \(4\.\d+ to 5\.\d+ %\)\.",
        sentence(path),
    )
    same = make_results(tmp_path / "same", releases=SAME, spread=0.004)
    assert re.fullmatch(
        r"ftp: a -> b\. The case's CPU per KB did not change by more than 0\.\d\d %\.",
        sentence(same),
    )
    alone = make_results(tmp_path / "alone", releases={"a": 3000.0})
    assert sentence(alone) == "ftp: a costs 47.30 us of CPU per KB."
    many = make_results(tmp_path / "many", trials=6, releases={"a": 3000.0, "b": 30000.0})
    assert "costs 10.00 times as much CPU per KB (9." in sentence(many)
    # of one build each, and of a case whose luck nobody has measured, nothing is known
    other = make_results(tmp_path / "other", cases=("ELSE",))
    assert sentence(other) == (
        "ftp: 2.1.3 -> 2.2.1. Whether it changed is undecided: there is no interval."
    )


def test_a_run_in_which_every_counter_grew_by_half_is_seen(tmp_path: Path) -> None:
    """The copy that began this: 50 % more of everything printed 0.015 against 0.015, 1.000~."""
    path = make_results(tmp_path / "r", releases={"a": 6000.0, "b": 9000.0})
    assert "50.0" in sentence(path)
    assert "1.500" in run(compare, path, "--all").output


@pytest.mark.parametrize("ticks", [0, 1, 3])
def test_a_classic_log_never_prints_zero(tmp_path: Path, ticks: int) -> None:
    """Row 1: hundredths alone; what is known is a step, and the table says so."""
    late = START + timedelta(seconds=20)
    for name in ("old", "new"):
        text = query_time(START, 0, 5e6, 5e6) + query_time(late, 20, 5e6, 5e6 + ticks * 1e4)
        (tmp_path / f"{name}.log").write_text(text)
    done = run(compare, tmp_path / "old.log", tmp_path / "new.log", "--kb", 140, "--user", "A",
               "--all")  # fmt: skip
    assert "Traceback" not in done.output
    total = next(x for x in done.output.splitlines() if x.strip().startswith("Total CPU/KB"))
    shown = {0: "< 0.072", 1: "0.07 +/- 0.07", 3: "0.21 +/- 0.07"}[ticks]
    assert total.count(shown) == 2 and "0.000" not in total
    assert "no interval" in done.output and "~" not in done.output
    assert done.exit_code == 0
    screen = run(compare, tmp_path / "old.log", tmp_path / "new.log", "--kb", 140, "--user", "A")
    shown = {0: "< 72", 1: "71 +/- 71", 3: "214 +/- 71"}[ticks]
    assert screen.output.count(shown) == 2, screen.output
    assert "0.0 %" not in screen.output, "a change has no digit that the step does not leave"


def test_a_rate_is_as_fine_as_its_line_says(tmp_path: Path) -> None:
    """Row 3: 24 KB in '0.02 seconds' at 1166 to 1307 Kbytes/sec."""
    late = START + timedelta(seconds=20)
    rates = (1166, 1307, 1220, 1200, 1250)
    for k, rate in enumerate(rates):
        text = query_time(START, 0, 0, 0) + (
            f"24576 bytes transferred in 0.02 seconds. Transfer rate {rate} Kbytes/sec.\n"
        ) + query_time(late, 20, 1e6, 2e6)  # fmt: skip
        (tmp_path / f"{k}.log").write_text(text)
        done = run(compare, tmp_path / f"{k}.log", "--user", "A", "--to", "json")
        tables = json.loads(done.stdout)["tables"]
        rows = [r for t in tables for section in t["sections"] for r in section["rows"]]
        cell = next(r for r in rows if r["label"].startswith("Rate"))["cells"][0]
        assert cell["lo"] <= rate <= cell["hi"] <= rate + 1.01, cell
        assert abs(float(cell["text"]) - rate) <= 1


@pytest.mark.parametrize(
    "text, words",
    [
        ("run_id,release,tcpip_ms_kb\nA,1,-0.2\n", "which nothing can be"),
        ("run_id,release,tcpip_ms_kb\nA,1,inf\n", "which nothing can be"),
        ("run_id,release,tcpip_ms_kb\nA,1,nan\n", "which nothing can be"),
        ("run_id,release,tcpip_ms_kb\nA,1,x\n", "which is no number"),
        ("run_id,release,rate_kb_s\nA,1,100\n", "has no CPU per KB"),
        ("run_id,tcpip_ms_kb\nA,0.2\n", "there is no column tcpip_release or release"),
        ("release,tcpip_ms_kb\n1,0.2\n", "there is no column run_id"),
        ("run_id,release,tcpip_ms_kb\n", "no row below the head"),
        ("run_id,release,tcpip_ms_kb\nA,1,0.2,7\n", "more fields than the head"),
        ("run_id,release,tcpip_ms_kb\nA,1,0.2\nB,1,0.3\n", "runs A and B are both release 1"),
    ],
)
def test_a_csv_that_is_no_table_of_figures_is_refused_in_a_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    """Row 8."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    done = run(compare, path)
    assert done.exit_code == 2 and words in done.output, done.output
    assert "Traceback" not in done.output


def test_a_csv_without_a_rate_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("run_id,release,tcpip_ms_kb\nA,1,0.20\nB,2,0.25\n")
    done = run(compare, path)
    assert done.exit_code == 0 and "Rate" not in done.output
    assert done.output.startswith("As printed, Total CPU per KB of 2 is 1.250 times that of 1;")
    assert "0.25" in run(compare, path, "--all").output
