# SPDX-License-Identifier: MIT
"""Results files that are old, damaged or made on purpose: one error with the line, no traceback,
and nothing of theirs is obeyed by a terminal or a spreadsheet."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.accounting.texts import make_results
from vmkb.accounting.shown import csv_cell, plain
from vmkb.accounting.store import StoreError, read
from vmkb.accounting.store.bounded import QueryError, ask
from vmkb.workloads.cli.many.archive import command as archive
from vmkb.workloads.cli.query import command as query
from vmkb.workloads.cli.report import command as report

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.sampled_from(["", "\x1b[2J", "=1+1", "us", "IC", "\ud800", "x" * 300, "0", "ftp"]),
    st.just([]),
    st.just({}),
    st.just([[[[]]]]),
    st.just({"v": [1, "us", "IC", 0]}),
)


class Lines(list[str]):
    """Told in a word by a test that fails: hypothesis refuses to tell of all of them."""

    def __repr__(self) -> str:
        return f"<{len(self)} lines>"


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """A whole, small results file."""
    made = make_results(tmp_path_factory.mktemp("whole") / "r", trials=2)
    return Lines((made / "results.jsonl").read_text("utf-8").splitlines())


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from places(part, (*path, index))


def change(row: Any, path: Sequence[Any], new: Any) -> Any:
    """The value with something else at a place; Ellipsis takes it away."""
    if not path:
        return new if new is not ... else {}
    part = row
    for step in path[:-1]:
        part = part[step]
    if new is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = new
    return row


def run(command: click.Command, *args: object) -> Result:
    return CliRunner().invoke(command, [str(a) for a in args])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.one_of(st.just(...), odd))
def test_one_changed_value_is_a_sentence_or_an_answer(
    lines: Lines, tmp_path_factory: pytest.TempPathFactory, line: int, place: int, new: Any
) -> None:
    number = line % len(lines)
    row = json.loads(lines[number])
    every = list(places(row))
    row = change(row, every[place % len(every)], new)
    folder = tmp_path_factory.mktemp("crafted")
    text = "\n".join([*lines[:number], json.dumps(row), *lines[number + 1 :]]) + "\n"
    (folder / "results.jsonl").write_text(text, "utf-8")
    try:
        read(folder)
    except StoreError as error:
        assert f"results.jsonl:{number + 1}: " in str(error)
    for done in (
        run(report, folder, "--to", "terminal"),
        run(report, folder, "--to", "csv"),
        run(query, folder, "SELECT * FROM costs_by_source"),
    ):
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
        assert done.exit_code in (0, 2, 3)
        assert not CONTROLS.search(done.output), done.output


def test_a_folder_is_not_asked_for_where_one_format_is_printed(tmp_path: Path) -> None:
    done = run(report, tmp_path, "--to", "html", "--out", tmp_path / "page")
    assert done.exit_code == 2 and "--to prints, and --out is for files" in done.output


def test_a_run_that_does_not_say_its_model_is_reported(lines: Lines, tmp_path: Path) -> None:
    row = json.loads(lines[0])
    del row["meta"]["model"]
    (tmp_path / "results.jsonl").write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n")
    done = run(report, tmp_path, "--to", "terminal")
    assert done.exit_code == 0 and "CPU/KB" in done.stdout, done.output


def test_a_run_of_another_workload_that_says_too_little_is_told_of(
    lines: Lines, tmp_path: Path
) -> None:
    """Its own tables need what these trials do not have."""
    for ran in ("terminal", "rpc"):
        text = lines[0].replace('"workload": "ftp"', f'"workload": "{ran}"')
        (tmp_path / "results.jsonl").write_text("\n".join([text, *lines[1:]]) + "\n")
        done = run(report, tmp_path, "--to", "terminal")
        assert isinstance(done.exception, SystemExit), (ran, done.exc_info)
        assert f"not what a run of {ran} writes" in done.output


def test_a_model_that_nobody_knows_is_told_by_every_command(lines: Lines, tmp_path: Path) -> None:
    text = lines[0].replace("2064-109", "9999-1")
    (tmp_path / "results.jsonl").write_text("\n".join([text, *lines[1:]]) + "\n")
    for done in (
        run(report, tmp_path, "--to", "terminal"),
        run(query, tmp_path, "SELECT * FROM costs_by_source"),
        run(archive, tmp_path, "--to", tmp_path / "archive"),
    ):
        assert isinstance(done.exception, SystemExit) and done.exit_code in (0, 2, 3)
        assert not done.exit_code or "no model '9999-1'" in done.output


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"schema": 1, "row": "end", "trial": "a", "status": "fine", "why": ""}', "status must"),
        ('{"schema": 1, "row": 7}', "row must be one of"),
        ('{"schema": 1, "row": "run", "run": "a\\u001b[2J", "meta": {}}', "run must be text"),
        ('{"schema": 1, "row": "run", "run": "a", "meta": {"x": NaN}}', "NaN is no number"),
        ('{"schema": 1, "row": "run", "run": "\\ud800", "meta": {}}', "half of a character"),
        ('{"schema": true}', "no schema number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_row_that_is_none_is_told_with_its_line(tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "results.jsonl").write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(StoreError, match=rf"results\.jsonl:2: .*{why}"):
        read(tmp_path)


def test_what_is_shown_is_obeyed_by_no_terminal() -> None:
    assert plain("a\x1b[2J\x07\x9bm\tb\n") == "a\\x1b[2J\\x07\\x9bm\tb\n"


def test_what_a_spreadsheet_would_work_out_is_quoted() -> None:
    cells = ["=1+1", "+A1", "-A1", "@SUM(A1)", "-1.5", "+3", "plain", -1.5, None, "- a list"]
    assert [csv_cell(c) for c in cells] == [
        "'=1+1", "'+A1", "'-A1", "'@SUM(A1)", "-1.5", "+3", "plain", -1.5, None, "'- a list",
    ]  # fmt: skip


def test_a_query_prints_no_control_character_and_quotes_formulas(
    lines: Lines, tmp_path: Path
) -> None:
    (tmp_path / "results.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    sql = "SELECT chr(27) || '[2J' AS a, '=1+1' AS b, -2 AS c"
    shown = run(query, tmp_path, sql)
    assert shown.exit_code == 0 and "\\x1b[2J" in shown.stdout and "\x1b" not in shown.stdout
    rows = list(csv.reader(io.StringIO(run(query, tmp_path, sql, "--to", "csv").stdout)))
    assert rows[1][1:] == ["'=1+1", "-2"]


@pytest.mark.parametrize("sql", [";", "", " ", "--", "SELECT", "SET memory_limit = '1TB'"])
def test_a_question_that_is_none_is_refused_in_words(
    lines: Lines, tmp_path: Path, sql: str
) -> None:
    (tmp_path / "results.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    done = run(query, tmp_path, sql)
    assert done.exit_code in (0, 2)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info


def test_a_question_that_takes_too_long_or_too_much_ends() -> None:
    endless = "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range < 0"
    with pytest.raises(QueryError, match=r"more than 0\.2 s"):
        ask([], endless, seconds=0.2)
    with pytest.raises(QueryError, match="more than 100 rows"):
        ask([], "SELECT * FROM range(100000000)", rows=100)
