# SPDX-License-Identifier: MIT
"""EXECs as a user writes them, with what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.guests.rexx.rexx import Rexx

EXECS = Path(__file__).parent / "execs"
RUNS = {
    "cputime": ("4000 FTP SOMEWHERE", "", 0),
    "table": ("", "", 0),
    "menu": ("", "12\nabc\n\n2.5 extra\nquit\n", 16),
}


@pytest.mark.parametrize("name", RUNS)
def test_exec(rexx: Rexx, name: str) -> None:
    args, terminal, rc = RUNS[name]
    result = rexx.run((EXECS / f"{name}.exec").read_text(), args, terminal)
    assert result.out == (EXECS / f"{name}.out").read_text()
    assert (result.error, result.rc) == (0, rc)


def test_every_exec_is_run() -> None:
    assert {p.stem for p in EXECS.glob("*.exec")} == set(RUNS)


def test_fixed_records_padded_with_blanks(rexx: Rexx) -> None:
    """A file of fixed 80-byte records reads like one of variable records."""
    text = (EXECS / "table.exec").read_text()
    fixed = "".join(line.ljust(80) + "\n" for line in text.splitlines())
    assert rexx.run(fixed).out == (EXECS / "table.out").read_text()


def test_usage(rexx: Rexx) -> None:
    result = rexx.run((EXECS / "cputime.exec").read_text())
    assert (result.rc, result.out) == (24, "DMSCPU001E Usage: CPUTIME kilobytes command\n")
