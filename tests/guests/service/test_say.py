# SPDX-License-Identifier: MIT
"""What a service machine says: the whole line, or as much of it as fits, and nothing behind it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
LINE = 320  # SAY_MAX of say.h, with the zero
FLAGS = rooms("include", "lib", "service/lib")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = ("service/lib/say.c", "lib/fmt.c", "lib/ctype.c")
    return compiled(
        tmp_path_factory.mktemp("say"), FLAGS, HERE / "harness.c", *(VMKB / s for s in sources)
    )


@pytest.mark.parametrize("length", [0, 1, 130, LINE - 4, LINE - 3, LINE - 2, LINE - 1, LINE, 5000])
def test_a_line_is_said_as_far_as_it_fits(program: Path, length: int) -> None:
    done = subprocess.run(
        [program, str(length)], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    said = ("A" + "x" * length + "B")[: LINE - 1]
    assert done.stdout == f"0 {len(said)} {said}\n"
