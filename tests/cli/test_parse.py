# SPDX-License-Identifier: MIT
"""vmkb parse as a command: formats, strictness, pipes, what it may import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vmkb.accounting.input.ebcdic import encode
from vmkb.workloads.cli import parse

ROOT = Path(__file__).parents[2]
LOG = """\
#CP QUERY TIME
15:29:50 TIME IS 16:45:28 EDT  FRIDAY 2025-05-30
15:29:50 CONNECT= 00:31:03 VIRTCPU= 000:59.44 TOTCPU= 003:05.67
Ready; T=0.01/0.01 bad
a line
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "console.log"
    path.write_text(LOG)
    return path


def run(*arguments: object, **options: Any) -> Result:
    return CliRunner().invoke(parse.command, [str(one) for one in arguments], **options)


def test_the_listing_and_the_report_of_errors(log: Path) -> None:
    result = run(log)
    assert result.exit_code == 0
    assert "virtcpu=59.44s" in result.stdout and "time_is" in result.stdout
    assert (
        f"{log}:4:20: ready record: expected the end of the record or hh:mm:ss, found 'bad'"
        in result.stderr
    )
    assert result.stderr.endswith("1 connect, 1 time_is; 1 malformed\n")


def test_strict_stops_at_the_first_error_with_code_1(log: Path) -> None:
    log.write_text(LOG + "Ready;\n")
    result = run(log, "--strict")
    assert result.exit_code == 1
    assert "connect" in result.stdout and "  ready" not in result.stdout


def test_json_from_a_pipe() -> None:
    result = run("--to", "json", input=LOG)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("kind") for line in lines] == ["time_is", "connect", None]
    assert lines[1]["fields"]["totcpu"]["value"] == 185_670_000
    assert lines[1]["file"] == "-" and lines[1]["line"] == 3 and lines[1]["stamp"] == "15:29:50"
    assert lines[2]["error"]["column"] == 20 and lines[2]["raw"].endswith("bad")


def test_csv_and_a_choice_of_families(log: Path) -> None:
    result = run(log, "--to", "csv", "--format", "connect")
    head, *rows = result.stdout.splitlines()
    assert head.startswith("file,line,column,kind")
    assert [row.split(",")[6] for row in rows] == ["connect", "virtcpu", "totcpu"]
    assert not result.stderr


def test_rest_holds_everything_else(log: Path, tmp_path: Path) -> None:
    rest = tmp_path / "rest"
    assert run(log, "--rest", rest).exit_code == 0
    assert rest.read_text() == "#CP QUERY TIME\nReady; T=0.01/0.01 bad\na line\n"


def test_an_ebcdic_file(tmp_path: Path) -> None:
    path = tmp_path / "ebcdic"
    path.write_bytes(encode(LOG))
    assert "1 connect, 1 time_is" in run(path).stderr


def test_no_such_file_is_a_usage_error(tmp_path: Path) -> None:
    result = run(tmp_path / "none.log")
    assert result.exit_code == 2 and "there is no file" in result.stderr


def test_a_large_file_is_read_by_several_processes(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_text(LOG * 200)
    alone = run(log, "--to", "csv", "--jobs", "1")
    monkeypatch.setattr(parse, "LARGE", 1000)
    monkeypatch.setattr("vmkb.accounting.input.parallel.PIECE", 5000)
    many = run(log, "--to", "csv", "--jobs", "2", "--progress")
    assert many.stdout == alone.stdout
    assert all(line in many.stderr for line in alone.stderr.splitlines())


def test_a_closed_pipe_is_no_error(log: Path) -> None:
    log.write_text(LOG * 5000)
    command = f"{sys.executable} -m vmkb.workloads.cli.parse {log} 2>/dev/null | head -1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("    line") and "Traceback" not in done.stderr


def test_a_small_file_needs_no_heavy_import(log: Path) -> None:
    code = (
        "import sys; from vmkb.workloads.cli.parse import command;"
        f"command([{str(log)!r}], standalone_mode=False);"
        "heavy = {'numpy', 'pydantic', 'scipy', 'duckdb', 'matplotlib', 'rich', 'multiprocessing'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
