# SPDX-License-Identifier: MIT
"""What tests/bench prints when it is asked for something that there is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--case", "NOPE"), "There is no case NOPE; there are "),
        (("--release", "999"), "There is no release 999; there are "),
    ],
)
def test_what_there_is_not_is_a_sentence(
    project: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "tests/bench/bench_files.py", str(tmp_path / "new"), *words],
        cwd=project, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()
