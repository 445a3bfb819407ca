# SPDX-License-Identifier: MIT
"""scripts/mutate names the changes that a test does not notice, in C and in Python."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

C = "/* a < b */\nint less(int a, int b)\n{\n    return a < b;\n}\n"
PYTHON = '"""a < b"""\n\n\ndef less(a, b):\n    return a < b\n'
MAIN = "int less(int, int); int main(void) {{ return less(1, 2) != 1 || {more}; }}"


def mutate(project: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, project / "scripts/mutate", *map(str, words)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("enough", [True, False])
def test_python(project: Path, tmp_path: Path, enough: bool) -> None:
    file = tmp_path / "less.py"
    file.write_text(PYTHON)
    claim = "assert less(1, 2)" + (" and not less(2, 2)" if enough else "")
    program = f"exec(open({str(file)!r}).read()); {claim}"
    done = mutate(project, file, "--", sys.executable, "-c", program)
    assert done.returncode == (0 if enough else 1), done.stderr
    assert (f"{file}:5: return a <= b" in done.stdout) is not enough
    assert file.read_text() == PYTHON


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler is installed")
@pytest.mark.parametrize("enough", [True, False])
def test_c(project: Path, tmp_path: Path, enough: bool) -> None:
    file, main = tmp_path / "less.c", tmp_path / "main.c"
    file.write_text(C)
    main.write_text(MAIN.format(more="less(2, 2) != 0" if enough else "0"))
    command = f"cc -o {tmp_path}/a {file} {main} && {tmp_path}/a"
    done = mutate(project, file, "--", "sh", "-c", command)
    assert done.returncode == (0 if enough else 1), done.stderr
    assert (f"{file}:4: return a <= b;" in done.stdout) is not enough
    assert file.read_text() == C


def test_a_test_that_fails_already_is_refused(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "less.py"
    file.write_text(PYTHON)
    done = mutate(project, file, "--", "false")
    assert done.returncode == 1 and "fails already" in done.stderr
