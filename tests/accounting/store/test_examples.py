# SPDX-License-Identifier: MIT
"""vmkb query for people: ten questions with answers, and why an answer is empty."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.accounting.input.test_commands import STEADY, console
from tests.accounting.texts import make_results, transfer_text
from vmkb.accounting.store.dataset.write import add
from vmkb.workloads.cli.query import command as query


def run(*words: object) -> str:
    done = CliRunner().invoke(query, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "console.log"
    path.write_text(console(STEADY) + transfer_text(1024, 4))
    return path


@pytest.mark.parametrize("what", ["log", "folder", "csv", "results", "archive"])
def test_ten_questions_are_answered(what: str, tmp_path: Path, log: Path) -> None:
    where = {"log": log, "folder": tmp_path / "logs", "csv": tmp_path / "a.csv",
             "results": tmp_path / "r", "archive": tmp_path / "archive"}[what]  # fmt: skip
    if what == "folder":
        where.mkdir()
        log.rename(where / "console.log")
    elif what == "csv":
        from vmkb.accounting.input.archive import write_csv

        write_csv(log, where)
    elif what in ("results", "archive"):
        make_results(tmp_path / "r")
        assert what == "results" or list(add(tmp_path / "r", where))
    text = run("--examples", where)
    answers = re.split(r"(?m)^.*\?\n  SELECT ", text)[1:]
    assert len(answers) == 10
    if where.suffix in (".log", ".csv") or what == "folder":
        assert re.search(r"(?m)^ready +5$", answers[0])  # records, not their fields
        assert re.search(r"(?m)^ftp_transfer +1$", answers[0])
        assert "0.84" in answers[4] and "nothing" in answers[6]
        assert "1024.0" in answers[7]
    else:
        assert re.search(r"(?m)^workload +ftp$", answers[0])
        assert re.search(r"(?m)^G2M_B +2\.1\.3 +good +5$", answers[1])
        assert len(re.findall(r"(?m)^G2M_B .* VM Client +1[23]\.", answers[2])) == 2
        assert re.search(r"(?m)^G2M_B +2\.1\.3 +47\.", answers[3])
        assert re.search(r"(?m)^G2M_B +2\.2\.1 +2\.1\.3 +1\.05", answers[4])


def test_an_empty_answer_says_which_value_there_is_not(tmp_path: Path, log: Path) -> None:
    results = make_results(tmp_path / "r")
    text = run(results, "SELECT * FROM costs WHERE label = 'Total'")
    assert "no label in costs is 'Total'; there are 'TCPIP', 'VM Client'" in text
    assert "sum(us_per_kb)" in text
    text = run(log, "SELECT * FROM records WHERE kind='conect' AND field = 'totcpu'")
    assert "no kind in records is 'conect'; there are 'ftp_transfer', 'ready'" in text
    assert "field in" not in text
    text = run(log, "SELECT * FROM records WHERE line > 1000000", "--to", "csv")
    assert "no row fits the question" in text
    text = run(log, "SELECT count(*) FROM records WHERE kind = 'conect'")
    assert "Note" not in text  # an answer it has


def test_a_question_is_wanted() -> None:
    done = CliRunner().invoke(query, [])
    assert done.exit_code == 2 and "--examples" in done.output
