# SPDX-License-Identifier: MIT
"""Nothing is called trusted that failed, or that its run, its source or its log puts in doubt."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.accounting.texts import query_time, transfer_text
from vmkb.workloads.cli.compare import command as compare

KEPT = Path(__file__).parents[1] / "workloads"
AT = datetime(2026, 11, 21, 10, 0, 0)


def run(command: Any, *args: object) -> Any:
    return CliRunner().invoke(command, [str(a) for a in args])


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
    assert done.exit_code == 3, done.output
    assert "NOT TRUSTED" in done.output and "Ready(00028)" in done.output
    good = [log(tmp_path / f"{name}.log", "Ready;") for name in ("good", "better")]
    done = run(compare, *good)
    assert "Ready(" not in done.output and done.exit_code == 0, done.output


def test_a_log_that_does_not_say_how_much_was_moved(tmp_path: Path) -> None:
    files = [
        log(tmp_path / f"{name}.log", "Ready;", transfer=False) for name in ("before", "after")
    ]
    done = run(compare, *files, "--source", "QT")
    assert done.exit_code == 2, done.output
    assert "does not say" in done.output and "--kb" in done.output
    done = run(compare, *files)  # what it can say of commands, by their Ready messages
    assert done.exit_code == 0 and "Ready's T=" in done.output and "--kb" in done.output
    done = run(compare, *files, "--kb", "1024")
    assert "does not say" not in done.output and done.exit_code == 0, done.output


def test_a_number_of_kb_is_one_that_can_have_been_moved(tmp_path: Path) -> None:
    file = log(tmp_path / "console.log", "Ready;")
    for number in ("0", "-5", "nan", "inf", "1e99"):
        done = run(compare, file, "--kb", number)
        assert done.exit_code == 2 and "Invalid value for '--kb'" in done.output, done.output
