# SPDX-License-Identifier: MIT
"""Guest code compiled for this computer, with sanitizers, behind a program that answers lines."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

VMKB = Path(__file__).resolve().parents[2] / "guests" / "vmkb"
KEPT = VMKB.parents[1] / ".setup" / "harness"
KEPT_S = 7 * 86400
WITHIN = 180
SANITIZED = (
    "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
)  # fmt: skip


def rooms(*names: str) -> list[str]:
    """What lets the compiler see the headers in these folders of the guest."""
    return [f"-I{VMKB}/{name}" for name in names]


def compiled(folder: Path, flags: Sequence[str], *sources: Path) -> Path:
    """The program made of SOURCES, C all of them, in FOLDER; skips where no compiler is installed.
    One that was made of the same before is not made again."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    words = [*SANITIZED, *flags, *map(str, sources)]
    kept = KEPT / _digest(words)
    program = folder / "harness"
    if kept.exists():
        shutil.copy(kept, program)
        kept.touch()
        return program
    done = _gcc([*words, "-o", str(program)])
    assert done.returncode == 0, done.stderr.decode()
    _keep(program, kept)
    return program


def _gcc(words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["gcc", *words], capture_output=True, timeout=WITHIN, check=False)


def _digest(words: Sequence[str]) -> str:
    """Of all that makes a program: the compiler, its words, each line of sources and headers."""
    version = _gcc(["-v"]).stderr
    source = _gcc(["-E", *words]).stdout
    return hashlib.sha256(b"\0".join([version, *map(str.encode, words), source])).hexdigest()


def _keep(program: Path, kept: Path) -> None:
    """For the next run of the tests; what none has used for a week goes."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for old in KEPT.iterdir():
        with suppress(FileNotFoundError):  # another process' part of the tests has done it
            if time.time() - old.stat().st_mtime > KEPT_S:
                old.unlink()
    new = kept.with_name(f"{kept.name}.{os.getpid()}")
    shutil.copy(program, new)
    new.replace(kept)


class Harness:
    """The program while it runs: lines to it, lines from it."""

    def __init__(self, program: Path, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip

    def tell(self, *words: object) -> None:
        """A line of WORDS, which goes out when an answer is asked for."""
        assert self._process.stdin
        self._process.stdin.write(" ".join(map(str, words)).encode("latin-1") + b"\n")

    def answer(self) -> str:
        """Its next line."""
        p = self._process
        assert p.stdin and p.stdout and p.stderr
        p.stdin.flush()
        line = p.stdout.readline().decode("latin-1")
        assert line, p.stderr.read().decode()
        return line.rstrip("\n")

    def line(self, *words: object) -> str:
        """What it answers to WORDS."""
        self.tell(*words)
        return self.answer()

    def lines(self, *words: object) -> list[str]:
        """What it answers, up to a point alone."""
        self.tell(*words)
        return list(iter(self.answer, "."))

    def end(self) -> None:
        """It ends by itself when nothing more comes, and no sanitizer has found anything."""
        _, err = self._process.communicate(timeout=20)
        assert self._process.returncode == 0, err.decode()


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
