# SPDX-License-Identifier: MIT
"""CP's spool files with power that fails in the middle of a write, at every kind of write: data,
extents and directory. What CLOSE has told is there and whole, what PURGE has told is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "cp/include", "cp/spool")
IPLS = 100


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parts = ("spool_space", "spool_queue", "spool_out", "spool_in")
    return compiled(
        tmp_path_factory.mktemp("spool"), FLAGS, HERE / "harness.c",
        *(VMKB / f"cp/spool/{part}.c" for part in parts), VMKB / "lib/fmt.c", VMKB / "lib/ctype.c",
    )  # fmt: skip


# A large space, and one that is full and in pieces for most of the time.
@pytest.mark.parametrize("blocks", [32768, 1024])
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_that_was_closed_is_lost(program: Path, seed: int, blocks: int) -> None:
    words = [str(program), str(seed), str(IPLS), str(blocks)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    verified, kept = map(int, done.stdout.split())
    assert verified >= kept > IPLS
