# SPDX-License-Identifier: MIT
"""Archives: what was put in comes out, run by run, whatever happens while it is written."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.accounting.texts import make_results
from vmkb.accounting.store import FILE_NAME, Store, read
from vmkb.accounting.store.bounded import QueryError
from vmkb.accounting.store.dataset.read import query_archive
from vmkb.accounting.store.dataset.write import ArchiveError, add
from vmkb.accounting.store.query import query
from vmkb.workloads.cli.main import group


def renamed(folder: Path, run: str) -> Path:
    """The results in FOLDER as those of another run."""
    path = folder / FILE_NAME
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if "run" in row and row["row"] in ("run", "trial"):
            row["run"] = run
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs below one folder, the second 5 % dearer."""
    for k, per_kb in enumerate((3000.0, 3150.0), start=1):
        folder = make_results(tmp_path / "results" / f"ftp-{k}", releases={"2.1.3": per_kb})
        renamed(folder, f"run-{k}")
    return tmp_path / "results"


def test_a_question_has_one_answer_from_folders_and_from_their_archive(
    runs: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    assert [s.split(":")[0] for s in add(runs, archive)] == ["run-1", "run-2"]
    for sql in (
        "SELECT label, count(*), median(us_per_kb) FROM costs GROUP BY label ORDER BY label",
        "SELECT value FROM runs WHERE key = 'at' ORDER BY run",
        "SELECT count(*), count(DISTINCT run) FROM trials WHERE status = 'good'",
        'SELECT unit, count(*), sum(value) FROM "values" GROUP BY unit ORDER BY unit',
    ):
        whole = query((read(runs / f"ftp-{k}") for k in (1, 2)), sql)
        assert query_archive(archive, sql) == whole, sql
    names, rows = query_archive(
        archive, "SELECT run, median(us_per_kb) FROM costs WHERE label = 'TCPIP' GROUP BY 1"
        " ORDER BY 1",
    )  # fmt: skip
    assert [r[0] for r in rows] == ["run-1", "run-2"]
    assert rows[1][1] / rows[0][1] == pytest.approx(1.05, abs=0.001)


def test_what_is_there_is_left_and_what_has_grown_is_taken_again(
    runs: Path, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    list(add(runs, archive))
    assert list(add(runs, archive)) == []
    Store(runs / "ftp-2").begin_run("run-3", {}, at="2026-11-22T10:00:00")
    assert len(list(add(runs, archive))) == 2
    assert query_archive(archive, "SELECT count(*) FROM trials")[1] == [(10,)]


def test_another_run_of_the_same_name_is_refused(runs: Path, tmp_path: Path) -> None:
    list(add(runs / "ftp-1", tmp_path / "archive"))
    renamed(runs / "ftp-2", "run-1")
    with pytest.raises(ArchiveError, match="run-1 is in .* already, from .*ftp-1"):
        list(add(runs / "ftp-2", tmp_path / "archive"))
    with pytest.raises(ArchiveError, match="is no archive"):
        list(add(runs / "ftp-2", runs / "ftp-1"))


def test_a_write_that_was_broken_off_is_not_seen(runs: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    list(add(runs, archive))
    part = archive / "costs" / "run=run-2" / "part.parquet"
    part.rename(part.with_name("part.parquet.partial"))
    (archive / "taken" / "run-2.json").unlink()
    assert query_archive(archive, "SELECT DISTINCT run FROM costs")[1] == [("run-1",)]
    assert len(list(add(runs, archive))) == 1
    assert len(query_archive(archive, "SELECT DISTINCT run FROM costs")[1]) == 2


def test_an_archive_answers_and_nothing_else(runs: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    list(add(runs / "ftp-1", archive))
    assert query_archive(archive, "SELECT count(*) FROM records")[1] == [(0,)]
    for sql in (f"SELECT * FROM read_text('{runs}/ftp-1/{FILE_NAME}')", "SELEC"):
        with pytest.raises(QueryError):
            query_archive(archive, sql)
    (archive / "vmkb-archive.json").write_text('{"schema": 2}')
    with pytest.raises(ArchiveError, match="has schema 2"):
        query_archive(archive, "SELECT 1")


def test_logs_are_archived_too(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_text("CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24\n")
    list(add(log, tmp_path / "archive"))
    _, rows = query_archive(
        tmp_path / "archive", "SELECT run, value FROM records WHERE field = 'totcpu'"
    )
    assert rows == [("console.log", "240000")]


@pytest.mark.parametrize("rows", [1, 2, 7, 200_001])
def test_medians_are_sqls_own(rows: int, tmp_path: Path) -> None:
    """Of so few rows all are kept; of more, only those that the sample says may be the median."""
    import duckdb

    archive = tmp_path / "archive"
    list(add(make_results(tmp_path / "r"), archive))
    folder = archive / "costs" / "run=made"
    folder.mkdir()
    seed = random.Random(rows).random()
    columns = "'' AS trial, 'C' || (i % 3) AS case_id, 'R' || (i // 3 % 2) AS release"
    duckdb.sql(
        f"COPY (SELECT {columns}, sin(i * {seed}) AS us_per_kb FROM range({rows}) t(i))"
        f" TO '{folder}/part.parquet' (FORMAT parquet)"
    )
    (archive / "costs" / "run=r1" / "part.parquet").unlink()
    got = query_archive(archive, "SELECT * FROM medians(us_per_kb) ORDER BY ALL")[1]
    wanted = query_archive(
        archive, "SELECT case_id, release, count(*), median(us_per_kb) FROM costs GROUP BY ALL"
        " ORDER BY ALL",
    )[1]  # fmt: skip
    assert got == wanted


def test_the_commands(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    done = run(group, ["archive", "results", "--to", "all"])
    assert done.exit_code == 0 and "run-2: 5 trials of results/ftp-2" in done.output
    for where in ("results", "all"):
        asked = run(group, ["query", where, "SELECT count(*) AS n FROM costs"])
        assert asked.output.split() == ["n", "--", "20"], asked.output
    with (runs / "ftp-1" / FILE_NAME).open("a") as damaged:
        damaged.write('{"schema": 1, "row": "nonsense"}\n')
    make_results(runs / "ftp-3")
    renamed(runs / "ftp-3", "run-2")
    renamed(make_results(runs / "ftp-4"), "run-4")
    done = run(group, ["archive", "results", "--to", "all"])
    assert done.exit_code == 2 and "run-4: 10 trials of results/ftp-4" in done.output
    assert "ftp-1/results.jsonl" in done.output and "run run-2 is in all already" in done.output
    refused = run(group, ["archive", "results/ftp-1", "--to", "results"])
    assert refused.exit_code == 2 and "is no archive" in refused.output
