# SPDX-License-Identifier: MIT
"""What a service machine says: the whole line, or as much of it as fits, and nothing behind it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
VMKB = HERE.parents[2] / "guests" / "vmkb"
LINE = 320  # SAY_MAX of say.h, with the zero
FLAGS = [
    "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all", f"-I{VMKB}/include", f"-I{VMKB}/lib", f"-I{VMKB}/service/lib",
]  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    program = tmp_path_factory.mktemp("say") / "harness"
    sources = [HERE / "harness.c", VMKB / "service/lib/say.c", VMKB / "lib/fmt.c"]
    done = subprocess.run(
        ["gcc", *FLAGS, *sources, VMKB / "lib/ctype.c", "-o", program],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.parametrize("length", [0, 1, 130, LINE - 4, LINE - 3, LINE - 2, LINE - 1, LINE, 5000])
def test_a_line_is_said_as_far_as_it_fits(program: Path, length: int) -> None:
    done = subprocess.run(
        [program, str(length)], capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    said = ("A" + "x" * length + "B")[: LINE - 1]
    assert done.stdout == f"0 {len(said)} {said}\n"
