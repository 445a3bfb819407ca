# SPDX-License-Identifier: MIT
"""Limits of memory, storage and time end a command with a sentence."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.accounting.texts import make_results


def vmkb(*words: object, address_space: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *map(str, words)],
        capture_output=True, text=True, timeout=100, check=False, preexec_fn=limit,
        env={**os.environ, **env},
    )  # fmt: skip


def test_little_memory_leaves_out_parquet_and_says_so(tmp_path: Path) -> None:
    folder = make_results(tmp_path / "r", trials=6)
    done = vmkb("report", folder, address_space=600_000 << 10)
    assert done.returncode in (0, 1), done.stderr
    assert "report.parquet was not written" in done.stderr
    assert (folder / "report.html").exists() and not (folder / "report.parquet").exists()
    done = vmkb("query", folder, "SELECT 1", address_space=600_000 << 10)
    assert done.returncode == 3 and "address space" in done.stderr, done.stderr


#: Nobody can interrupt this function.
DEAF = "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000) || i) FROM range(1) t(i)"
QUESTION = """
import vmkb.accounting.store.bounded as bounded, sys
bounded.SECONDS = 1.0
from vmkb.workloads.cli.query import command
command([sys.argv[1], sys.argv[2]])
"""


def test_a_question_that_cannot_be_interrupted_ends_all_the_same(tmp_path: Path) -> None:
    folder = make_results(tmp_path / "r", trials=1)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", QUESTION, str(folder), DEAF + ", trials LIMIT 1"],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "TMPDIR": str(scratch)},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "takes more than 1 s" in done.stderr
    assert time.monotonic() - began < 9
    assert not list(scratch.iterdir())


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_a_bomb_is_read_piece_by_piece(tmp_path: Path) -> None:
    """A packed file that becomes 200 MB needs no storage for it."""
    bomb = tmp_path / "bomb.log.zst"
    with bomb.open("wb") as out, subprocess.Popen(
        ["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=out
    ) as program:  # fmt: skip
        assert program.stdin is not None
        for _ in range(200):
            program.stdin.write(b"nothing\n" * (1 << 17))
        program.stdin.write(b"\nReady;\n")
    assert bomb.stat().st_size < 100_000

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50 << 20, 50 << 20))

    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "parse", str(bomb)],
        capture_output=True, text=True, timeout=100, check=False, preexec_fn=limit,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ready" in done.stdout


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_a_damaged_file_is_called_damaged(tmp_path: Path) -> None:
    whole = subprocess.run(
        ["zstd", "-q", "-c"], input=b"Ready;\n" * 9, capture_output=True, check=True
    )
    torn = tmp_path / "torn.log.zst"
    torn.write_bytes(whole.stdout[:-6])
    done = vmkb("parse", torn)
    assert done.returncode == 2 and "damaged" in done.stderr, done.stderr
