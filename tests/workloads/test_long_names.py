# SPDX-License-Identifier: MIT
"""Long names of runs are cut on the first screen; the verdict never is."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.analysis.first import LINES, WIDTH

RECORDED = Path(__file__).parent / "ftp" / "small-run.jsonl.gz"
VERDICT = re.compile(r"  (dearer|cheaper|same|undecided|depends on (price|options))$")
LONG = "a run whose name somebody made as long as names of folders may well be"


@pytest.mark.parametrize("names", [(LONG, f"{LONG}, again"), ("b", LONG), ("naïve é", "ü" * 60)])
def test_a_long_name_of_a_run_keeps_the_verdicts(tmp_path: Path, names: tuple[str, str]) -> None:
    for name in names:
        (tmp_path / name).mkdir()
        content = gzip.decompress(RECORDED.read_bytes())
        (tmp_path / name / "results.jsonl").write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "compare", *names], cwd=tmp_path, text=True,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= LINES and max(map(len, lines)) <= WIDTH
    head = next(n for n, line in enumerate(lines) if "95 % interval" in line)
    rows = [line for line in lines[head + 1 :] if line and "more lines" not in line]
    rows = rows[: next((n for n, line in enumerate(rows) if line.endswith(".")), len(rows))]
    assert rows and all(VERDICT.search(line) for line in rows[:4]), done.stdout
