# SPDX-License-Identifier: MIT

import gzip
import json
import lzma
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from vmkb.accounting.input.archive import write_csv
from vmkb.accounting.store import FILE_NAME, Store, Trial, read
from vmkb.accounting.store.bounded import QueryError
from vmkb.accounting.store.dataset.write import add
from vmkb.accounting.store.query import aligned, log_rows, query, query_records
from vmkb.workloads.cli.query import command


def test_questions_get_answers(results: Path) -> None:
    found = read(results)
    names, rows = query(
        found,
        "SELECT label, release, count(*) n, median(us_per_kb) cost FROM costs"
        " GROUP BY ALL ORDER BY label, release",
    )
    assert names == ["label", "release", "n", "cost"]
    assert [r[:3] for r in rows] == [
        ("TCPIP", "2.1.3", 5), ("TCPIP", "2.2.1", 5),
        ("VM Client", "2.1.3", 5), ("VM Client", "2.2.1", 5),
    ]  # fmt: skip
    # Row 7: the counts', not QUERY TIME's hundredths, which stand beside them by name.
    assert rows[0][3] == pytest.approx(33.79, abs=0.05)
    _, rows = query(
        found,
        "SELECT method, count(*), median(us_per_kb), max(step) FROM costs_by_source"
        " WHERE label = 'TCPIP' GROUP BY 1 ORDER BY 1",
    )
    assert [r[:2] for r in rows] == [("IC", 10), ("QT", 10)]
    assert rows[0][3] < 1e-6 and rows[1][3] == pytest.approx(10_000 / 102_400)
    _, rows = query(found, "SELECT DISTINCT unit, source FROM \"values\" WHERE field = 'totcpu'")
    assert sorted(rows) == [("us", "QT"), ("us", "RM")]  # QUERY TIME's and the Ready message's
    _, rows = query(found, "SELECT raw FROM \"values\" WHERE field = 'totcpu' LIMIT 1")
    assert rows[0][0].startswith("CONNECT=")
    assert query(found, "SELECT value FROM runs WHERE key = 'wire'")[1] == [("token-ring-16",)]


def test_unfinished_trials_are_there_and_marked(results: Path) -> None:
    Store(results).begin_trial(Trial(id="late", run="r1", case="c", release="x"))
    _, rows = query(read(results), "SELECT trial, status FROM trials WHERE status <> 'good'")
    assert rows == [("late", "unfinished")]


def test_an_empty_result_answers_too(tmp_path: Path) -> None:
    Store(tmp_path).begin_run("r", {})
    assert query(read(tmp_path), "SELECT count(*) FROM costs")[1] == [(0,)]


def test_questions_change_nothing_and_read_nothing_else(results: Path) -> None:
    before = (results / FILE_NAME).read_bytes()
    found = read(results)
    for sql in (
        "DELETE FROM costs",
        f"COPY costs TO '{results}/x.csv'",
        f"SELECT * FROM read_text('{results / FILE_NAME}')",
        "SELEC 1",
        ";",
        "",
        "-- nothing",
    ):
        with pytest.raises(QueryError) as refused:
            query(found, sql)
        assert "NoneType" not in str(refused.value), sql
    assert (results / FILE_NAME).read_bytes() == before
    assert [p.name for p in results.iterdir()] == [FILE_NAME]


def test_a_question_writes_nothing_wherever_it_is_asked(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB writes to its temporary folder, .tmp, even with access from outside forbidden."""
    there = tmp_path / "there"
    (there / ".tmp").mkdir(parents=True)
    monkeypatch.chdir(there)
    archive = tmp_path / "archive"
    list(add(results, archive))
    log = tmp_path / "a.log"
    log.write_bytes(LOG)
    rows = tmp_path / "a.csv"
    write_csv(log, rows)
    before = sorted(p for p in tmp_path.rglob("*"))
    for where, target in (
        (results, ".tmp/x.csv"), (log, ".tmp/x.csv"), (rows, rows), (archive, archive / "x.csv"),
    ):  # fmt: skip
        copy = f"COPY (SELECT 1) TO '{target}'"
        for sql in (copy, f"EXPLAIN ANALYZE {copy}", f"SELECT 1; {copy}"):
            done = CliRunner().invoke(command, [str(where), sql])
            assert done.exit_code == 2, (where, sql, done.output)
            assert "may only read" in done.stderr, (where, sql, done.output)
    assert sorted(p for p in tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "sql", ["SELECT repeat('x', 4000000000)", "SELECT list(range) FROM range(1000000000)"]
)
def test_a_question_holds_no_more_than_it_may(results: Path, sql: str) -> None:
    """Neither DuckDB nor what carries its answer."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with pytest.raises(QueryError, match="more than 1024 MB of storage"):
        query(read(results), sql)
    held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of the largest child, in KB
    assert held == began or held < 1600 << 10


def test_a_long_answer_is_refused_before_it_is_held(results: Path) -> None:
    with pytest.raises(QueryError, match="longer than 256 MB"):
        query(read(results), "SELECT repeat('x', 300000) FROM range(2000)")


def test_answers_are_aligned() -> None:
    assert aligned(["a", "bb"], [(1, None), ("long", 2)]) == (
        "a     bb\n----  --\n1     -\nlong  2\n"
    )


LOG = b"LOGON VMUSER1\nCONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24\nCONNECT= rubbish\n"


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_logs_answer_plain_packed_and_in_folders(tmp_path: Path) -> None:
    archive = tmp_path / "old"
    (archive / "1987").mkdir(parents=True)
    (archive / ".hidden").write_bytes(LOG)
    (archive / "a.log").write_bytes(LOG)
    (archive / "1987" / "b.log.gz").write_bytes(gzip.compress(LOG))
    (archive / "1987" / "c.log.xz").write_bytes(lzma.compress(LOG))
    plain, whole = tmp_path / "zstd", archive / "d.log.zst"
    plain.write_bytes(LOG)
    subprocess.run(["zstd", "-q", str(plain), "-o", str(whole)], check=True)
    (archive / "e.log").write_bytes(b"\xff\xfe" + "CONNECT".encode("utf-16-le") * 20)
    sql = "SELECT count(*), sum(CAST(value AS INT)) FROM records WHERE field = 'totcpu'"
    with log_rows(archive) as (records, notes):
        _, rows = query_records(records, sql)
    assert rows == [(4, 960_000)]
    assert len(notes) == 2 and "UTF-16" in notes[0] and notes[1].startswith("4 malformed")
    with log_rows(whole) as (records, _):
        assert query_records(records, sql)[1] == [(1, 240_000)]
    done = CliRunner().invoke(command, [str(archive), sql, "--to", "json"])
    assert json.loads(done.stdout) == [{"count_star()": 4, 'sum(CAST("value" AS INTEGER))': 960000}]
    assert "4 malformed records" in done.stderr


def test_a_folder_without_logs_is_said(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="neither results nor logs"), log_rows(tmp_path):
        pass
