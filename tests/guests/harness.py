# SPDX-License-Identifier: MIT
"""Guest code compiled for this computer, with sanitizers, behind a program that answers lines."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

VMKB = Path(__file__).resolve().parents[2] / "guests" / "vmkb"
WITHIN = 180
SANITIZED = (
    "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)  # fmt: skip


def rooms(*names: str) -> list[str]:
    """What lets the compiler see the headers in these folders of the guest."""
    return [f"-I{VMKB}/{name}" for name in names]


def compiled(folder: Path, flags: Sequence[str], *sources: Path) -> Path:
    """The program made of SOURCES in FOLDER; skips where no compiler is installed."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    program = folder / "harness"
    done = subprocess.run(
        ["gcc", *SANITIZED, *flags, *sources, "-o", program],
        capture_output=True, text=True, timeout=WITHIN, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return program


class Harness:
    """The program while it runs: a line to it, a line from it."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def line(self, *words: object) -> str:
        """What it answers to WORDS."""
        p = self._process
        assert p.stdin and p.stdout and p.stderr
        p.stdin.write(" ".join(map(str, words)) + "\n")
        p.stdin.flush()
        line = p.stdout.readline()
        assert line, p.stderr.read()
        return line.rstrip("\n")

    def end(self) -> None:
        """It ends by itself when nothing more comes, and no sanitizer has found anything."""
        _, err = self._process.communicate(timeout=20)
        assert self._process.returncode == 0, err


class Piped:
    """A harness process that is told and answers by records (pipe.h)."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        """Ends the process; it must have been well."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        assert self._process.wait(10) == 0
        self._process.stdout.close()

    def _told(self, request: bytes) -> bytes:
        """The answer to REQUEST."""
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in and pipe_out
        pipe_in.write(struct.pack(">H", len(request)) + request)
        pipe_in.flush()
        head = pipe_out.read(4)
        assert len(head) == 4, "the harness died: a sanitizer's report is above"
        return pipe_out.read(int.from_bytes(head, "big"))
