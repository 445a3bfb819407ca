# SPDX-License-Identifier: MIT
"""What others wrote reaches no terminal, page or file with anything that these obey."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.accounting.texts import make_results
from vmkb.accounting.analysis.analyse import of_tables
from vmkb.accounting.report.formats import FORMATS, render
from vmkb.accounting.report.github import comment, log_lines
from vmkb.accounting.shown import csv_cell, plain
from vmkb.accounting.tables.table import Cell, Plot, Row, Section, Table, header, word
from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.cli import main
from vmkb.workloads.cli.query import command as query
from vmkb.workloads.cli.report import command as report
from vmkb.workloads.command.failures import Refused
from vmkb.workloads.command.output import say

#: Clears the screen, sets a title, turns the direction, joins and hides; C1; markup.
EVIL = "e\x1b[2J\x1b]0;t\x07\u202ev\u2066i\u200b\x9bl\u2028\x00<b>[red]"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def table() -> Table:
    body = Section("body", (Row(EVIL, (word(EVIL), Cell("1", 1.0, EVIL, "(IC)"))),))
    return Table(
        EVIL, EVIL, (header(EVIL, (EVIL, "x")), body), (EVIL,),
        (Plot("bars", EVIL, EVIL, ((EVIL, ((EVIL, 1.0, 1.0, 1.0),)),)),),
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_is_harmless_in_every_format(form: str) -> None:
    found = of_tables([table()], EVIL, [EVIL])
    text = render(found, form, title=EVIL)
    assert not OBEYED.search(text), form
    if form == "html":
        assert "<b>[red]" not in text
    elif form != "benchfmt":
        assert "x1b" in text and "[red]" in text.replace("\\[", "[").replace("\\]", "]")
    if form == "json":
        assert json.loads(text)["answer"] == plain(EVIL)


def test_a_comment_and_a_job_s_log_are_harmless() -> None:
    found = of_tables([table()], EVIL, [f"{EVIL}\n::error::forged"])
    assert not OBEYED.search(comment(found, 1.0))
    lines = log_lines(found, 1.0)
    assert not any(OBEYED.search(line) or "\n" in line for line in lines)


@pytest.mark.parametrize("error", [EmulatorError(EVIL), Refused(EVIL), click.UsageError(EVIL),
                                   OSError(13, EVIL, EVIL), MemoryError(EVIL)])  # fmt: skip
def test_an_error_is_harmless(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A compiler's message, a subject of a commit, a console's text or a 3270 screen in one."""

    def fails(**given: object) -> None:
        raise error

    monkeypatch.setattr(main.group, "main", fails)
    with pytest.raises(SystemExit):
        main.main()
    said = capsys.readouterr().err
    assert "x1b" in said and not OBEYED.search(said.replace("\n", ""))


def test_all_that_commands_print_goes_one_way() -> None:
    """Nobody forgets it: only `say` prints."""
    rooms = Path(main.__file__).parents[1]
    wrong = [
        f"{path.relative_to(rooms)}:{number}"
        for path in rooms.rglob("*.py")
        if path.name != "output.py"
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if re.search(r"\bclick\.(echo|secho)\(", line)
    ]
    assert wrong == []


def test_what_is_said_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    say(EVIL)
    say(EVIL, err=True)
    told = capsys.readouterr()
    for text in (told.out, told.err):
        assert "x1b" in text and not OBEYED.search(text.replace("\n", ""))


def test_cases_releases_and_answers_of_sql_are_harmless(tmp_path: Path) -> None:
    folder = make_results(tmp_path / "r", trials=2)
    file = folder / "results.jsonl"
    kept = file.read_text("utf-8")
    file.write_text(kept.replace("G2M", json.dumps("\u202eG2M")[1:-1]), "utf-8")
    for words in ([str(folder)], [str(folder), "--all"]):
        done = CliRunner().invoke(report, words)
        assert done.exit_code == 2 and "without control characters" in done.output
        assert not OBEYED.search(done.output.replace("\n", ""))
    file.write_text(kept, "utf-8")
    sql = "SELECT chr(8238) || case_id AS \"a\u202e\", chr(27) || '[2J' AS b FROM trials"
    for form in ("table", "csv", "json"):
        done = CliRunner().invoke(query, [str(folder), sql, "--to", form])
        assert done.exit_code == 0 and "202e" in done.output
        assert not OBEYED.search(done.output.replace("\n", ""))
        if form == "json":
            assert json.loads(done.stdout)[0]["a\u202e"].startswith("\u202eG2M")
        elif form == "csv":
            assert len(list(csv.reader(io.StringIO(done.stdout)))) > 2


def test_a_log_s_words_and_name_are_harmless(tmp_path: Path) -> None:
    log = tmp_path / "a\u202e\x1b[2J.log"
    evil = b"\x1b[2J\x9b"
    log.write_bytes(
        b"LOGON A" + evil + b"\nCONNECT= rubbish " + evil + b"\n"
        b"A" + evil + b": CONNECT= 00:00:02 VIRTCPU= 000:00.10 TOTCPU= 000:00.24\n"
    )
    for words in (("parse", log), ("parse", "--to", "csv", log), ("parse", "--to", "json", log),
                  ("compare", log), ("query", log, "SELECT * FROM records")):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "vmkb.workloads.cli", *map(str, words)],
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        for text in (done.stdout.decode("utf-8"), done.stderr.decode("utf-8")):
            assert not OBEYED.search(text), (words, text)


def test_a_cell_of_csv_is_harmless() -> None:
    assert csv_cell("\x1b=1") == "\\x1b=1" and csv_cell("=\u202e1") == "'=\\u202e1"
