# SPDX-License-Identifier: MIT
"""Talks to harness.c: one process runs one EXEC after the other."""

from __future__ import annotations

import os
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vmkb.hercules.deadline import Deadline

GUEST = Path(__file__).parents[3] / "guests" / "vmkb"
ARENA = 256 * 1024
DEADLINE = 10.0  # seconds one EXEC may take


@dataclass(frozen=True)
class Result:
    """What an EXEC did: REXX error (0: none), return code, lines said and commands given."""

    error: int
    rc: int
    out: str

    @property
    def lines(self) -> list[str]:
        return self.out.split("\n")[:-1]


class Crash(Exception):
    """The interpreter died or did not answer; says which program and what the sanitizer wrote."""


class Rexx:
    """A harness process. charset is the execution character set of its literals and texts."""

    def __init__(self, command: list[str], charset: str = "latin-1") -> None:
        self.command = command
        self.charset = charset
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
            )
        return self.process

    def run(
        self,
        program: str,
        args: str = "",
        terminal: str = "",
        arena: int = ARENA,
        halt_after: int = 0,
    ) -> Result:
        """Runs a program whose records are separated by newlines."""
        p, t, a = (self.encode(x) for x in (program, terminal, args))
        head = f"{len(p)} {len(t)} {len(a)} {arena} {halt_after}"
        process = self.start()
        assert process.stdin is not None
        try:
            process.stdin.write(self.encode(head + "\n") + p + t + a)
            process.stdin.flush()
            line = self.read_until(self.encode("\n"))
            error, rc, size = (int(x) for x in line.decode(self.charset).split())
            out = self.read(size)
        except (OSError, EOFError, TimeoutError) as e:
            process.kill()
            _, err = process.communicate()
            self.process = None
            raise Crash(f"{e!r} running\n{program}\n{err.decode(errors='replace')[:4000]}") from e
        return Result(error, rc, self.decode(out))

    def say(self, expression: str, **more: Any) -> str:
        """The value of an expression, between marks so that blanks count."""
        result = self.run(f"say '<'||({expression})||'>'", **more)
        if result.error:
            return f"error {result.error}"
        return result.out[1:-2]

    def encode(self, text: str) -> bytes:
        return text.encode(self.charset)

    def decode(self, data: bytes) -> str:
        return data.decode(self.charset)

    def read(self, size: int) -> bytes:
        process = self.start()
        assert process.stdout is not None
        deadline = Deadline(DEADLINE)
        data = b""
        while len(data) < size:
            ready, _, _ = select.select([process.stdout], [], [], deadline.left)
            if not ready:
                raise TimeoutError(f"no answer within {DEADLINE} seconds")
            piece = os.read(process.stdout.fileno(), size - len(data))
            if not piece:
                raise EOFError("the interpreter died")
            data += piece
        return data

    def read_until(self, end: bytes) -> bytes:
        data = b""
        while not data.endswith(end):
            data += self.read(1)
        return data

    def close(self) -> None:
        if self.process is not None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait(timeout=5)
            for pipe in (self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()


def sources() -> list[str]:
    """The interpreter and what it needs of lib."""
    lib = [GUEST / "lib" / "ctype.c", GUEST / "lib" / "fmt.c"]
    return [str(p) for p in sorted((GUEST / "cms" / "rexx").rglob("*.c")) + lib]


def includes() -> list[str]:
    return [f"-I{GUEST / 'lib'}", f"-I{GUEST / 'cms' / 'rexx'}"]


def quote(text: str) -> str:
    """A REXX string literal of text."""
    return "'" + text.replace("'", "''") + "'"
