# SPDX-License-Identifier: MIT
"""The commands in README and docs/ run as they stand: two strangers' logs, a table, stored results.

Commands that start guests are only checked for existing with the options that are shown.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.accounting.capture.test_capture import Talk
from tests.accounting.grammar.printed.cards import punch_card
from tests.accounting.test_logs import plain_log
from tests.accounting.texts import make_results
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store.dataset.write import add
from vmkb.workloads.cli.main import group

ROOT = Path(__file__).resolve().parent.parent
#: The tutorial has a test of its own, which replays it.
DOCUMENTS = sorted(
    path for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if path.stem != "tutorial"
)
#: These need guests or other systems, what they left in a run with --profile, or a terminal.
STARTS = {
    "boot",
    "check",
    "console",
    "lat",
    "measure",
    "monitor",
    "profile",
    "published",
    "replay",
    "run",
    "script",
    "status",
    "stop",
    "stacks",
    "sweep",
    "trail",
}


def documented() -> list[str]:
    """Every vmkb command in a block of commands or in backquotes."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        found += re.findall(r"^\$ (?:scripts/)?(vmkb [a-z].*?)(?: +#.*)?$", text, re.MULTILINE)
        found += re.findall(r"`(?:scripts/)?(vmkb [a-z][^`]*)`", text)
    return sorted(set(found))


@pytest.mark.parametrize("text", [x for x in documented() if "median(us_per_kb)" in x])
def test_a_median_is_of_one_case_and_one_release(text: str) -> None:
    """Over all cases it says nothing."""
    assert "case_id" in text and "release" in text


def card() -> bytes:
    fields: dict[str, object] = {
        "userid": "TCPIP", "account": "1", "date": "2026-11-21", "code": "01",
        "clock": Value(36_000, Unit.DAY_S, Source.AC, 1),
    }  # fmt: skip
    for name, unit, scale in (("connect", Unit.US, 1_000_000), ("totcpu", Unit.US, 1000),
                              ("virtcpu", Unit.US, 1000)):  # fmt: skip
        fields[name] = Value(5 * scale, unit, Source.AC, scale)
    for name in ("page_reads", "page_writes", "sio", "punch", "printer", "reader"):
        fields[name] = Value(1, Unit.COUNT, Source.AC, 1)
    return punch_card(Record("card_01", fields, "", Where()))  # type: ignore[arg-type]


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the documents name, and one stands in it."""
    us = [2.01e6, 1.99e6, 2.00e6, 2.02e6, 1.98e6, 2.00e6]
    (tmp_path / "before.log").write_text(plain_log(us))
    (tmp_path / "after.log").write_text(plain_log(us, share=1.1))
    (tmp_path / "console.log").write_text(plain_log(us))
    (tmp_path / "cards.ebcdic").write_bytes(card() * 3)
    (tmp_path / ".run" / "vm370").mkdir(parents=True)
    (tmp_path / ".run" / "vm370" / "punch.cards").write_bytes(card())
    talk = Talk(tmp_path / "lan.pcapng")
    talk.near(1, bytes(100))
    talk.read()
    (tmp_path / "ftp.csv").write_text("host,size,cpu_s\nalpha,2.00,1.25\nbeta,4.00,2.50\n")
    make_results(tmp_path / "results" / "ftp-1")
    assert list(add(tmp_path / "results", tmp_path / "archive"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(words: list[str]) -> list[str]:
    """Words as a person would give them: the places of arguments filled in."""
    places = {"DIR": "results/ftp-1", "RUN": "results/ftp-1", "ID": "zvm310_ftp",
              "FILE": "console.log", "SQL": "SELECT count(*) FROM costs"}  # fmt: skip
    return [places.get(w, w) for w in words]


def test_there_are_commands_to_try() -> None:
    names = {shlex.split(c)[1] for c in documented()}
    assert {"parse", "compare", "query", "table", "show", "list", "report", "run"} <= names


@pytest.mark.parametrize("line", documented())
def test_it_runs_as_it_stands(line: str, request: pytest.FixtureRequest) -> None:
    _, name, *words = shlex.split(line)
    command = group.get_command(click.Context(group), name)
    assert command is not None, f"there is no vmkb {name}"
    if any(w.startswith("[") for w in words):
        return  # a synopsis
    if name in STARTS:
        known = {o for p in command.params for o in p.opts}
        assert {w for w in words if w.startswith("--")} <= known, line
        return
    arguments = shown(words)
    alone = ("archive", "capture", "compare", "history", "query", "report", "show", "table")
    if not arguments and name in alone:
        return  # the name of a command in a sentence
    if name == "parse" and not arguments:
        return
    request.getfixturevalue("stranger")
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code in (0, 1), f"{line}: {done.output}"
    assert done.exception is None or isinstance(done.exception, SystemExit), line
    assert done.exit_code == 0 or "NOT TRUSTED" in done.output or "wider" in done.output, line


def test_no_document_tells_to_install_with_a_systems_own_pip() -> None:
    """Debian's refuses that (externally-managed-environment); a virtual environment's does not."""
    found = [
        f"{document.name}: {line}"
        for document in DOCUMENTS
        for line in document.read_text("utf-8").splitlines()
        if re.search(r"(^\$ |`)(sudo )?pip3? install", line)
    ]
    assert not found
