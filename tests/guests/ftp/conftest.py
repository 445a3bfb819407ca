# SPDX-License-Identifier: MIT
"""FTP's pure parts, compiled for the host with sanitizers and run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
VMKB = PROJECT / "guests" / "vmkb"
FLAGS = [
    "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
]  # fmt: skip
ROOMS = ("include", "lib", "fs", "protocol/ftp", "service/ftp", "cms/ftp")
SOURCES = (
    "protocol/ftp/text.c", "protocol/ftp/null_file.c", "service/ftp/paths.c",
    "service/ftp/passive.c",
    "cms/ftp/replies.c", "cms/ftp/names.c", "lib/ctype.c", "lib/fmt.c",
)  # fmt: skip


class FtpDrive:
    """The C program: one line in, one line out."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def ask(self, kind: str, *numbers: int, data: str = "") -> str:
        """What the program answers; its own words if a sanitizer ended it."""
        p = self._process
        assert p.stdin and p.stdout and p.stderr
        p.stdin.write(f"{kind}{' '.join(str(int(n)) for n in numbers)};{data}\n".encode())
        p.stdin.flush()
        line = p.stdout.readline().decode("latin-1")
        if not line:
            raise AssertionError(p.stderr.read().decode())
        return line.rstrip("\n")

    def end(self) -> None:
        """End it; fails if memory was lost."""
        _, err = self._process.communicate(timeout=20)
        assert self._process.returncode == 0, err.decode()


@pytest.fixture(scope="session")
def ftp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FtpDrive]:
    """The program, running."""
    folder = tmp_path_factory.mktemp("ftp")

    def run(*words: object) -> None:
        done = subprocess.run(
            [str(w) for w in words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": str(PROJECT)},
        )
        assert done.returncode == 0, done.stderr

    run(sys.executable, VMKB / "tools" / "ebcdic.py", folder / "ebcdic_table.c")
    sources = [VMKB / s for s in SOURCES]
    include = [f"-I{VMKB / room}" for room in ROOMS]
    program = folder / "ftpdrive"
    run("gcc", *FLAGS, *include, HERE / "ftpdrive.c", *sources, folder / "ebcdic_table.c",
        "-o", program)  # fmt: skip
    drive = FtpDrive(program)
    yield drive
    drive.end()
