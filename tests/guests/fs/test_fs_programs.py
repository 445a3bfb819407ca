# SPDX-License-Identifier: MIT
"""Power loss, damage and shared readers, each a C program run under sanitizers."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

VMKB = Path(__file__).parents[3] / "guests" / "vmkb"
Programs = Callable[[str], Path]


def _run(*words: object) -> str:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_power_loss_in_any_write_leaves_whole_files(fs_program: Programs) -> None:
    crashes = int(_run(fs_program("crash")).split()[0])
    assert crashes > 200


def test_readers_keep_their_snapshot(fs_program: Programs) -> None:
    assert _run(fs_program("snapshot")) == "all held\n"


def test_lines_are_the_same_one_by_one_and_together(fs_program: Programs) -> None:
    together, lines = map(int, _run(fs_program("lines")).split(" of "))
    assert lines > 10_000
    assert together > lines // 2


@pytest.mark.parametrize("seed", [1, 88172645463325252])
def test_damaged_disk_gives_errors_only(fs_program: Programs, seed: int) -> None:
    counts = {
        text: int(n) for n, text in re.findall(r"(\d+) (.+)", _run(fs_program("fuzz"), 300, seed))
    }
    assert counts["the disk's directory is damaged"] > 20
    assert counts["no error"] > 20


def test_compiles_for_the_guest(tmp_path: Path) -> None:
    compiler = shutil.which("s390x-linux-gnu-gcc")
    if compiler is None:
        pytest.skip("s390x-linux-gnu-gcc is not installed; scripts/setup installs it")
    flags = shlex.split(
        "-std=gnu11 -m64 -march=z10 -O2 -ffreestanding -fno-pic -fno-pie -fno-stack-protector "
        "-fno-asynchronous-unwind-tables -msoft-float -fexec-charset=IBM1047 -Wall -Wextra -Werror"
    )
    include = [f"-I{VMKB}/{d}" for d in ("include", "lib", "fs")]
    joined = tmp_path / "all.c"
    sources = sorted((VMKB / "fs").glob("*.c"))
    joined.write_text("".join(f'#include "{s}"\n' for s in sources))
    _run(compiler, *flags, *include, "-c", joined, "-o", tmp_path / "all.o")
