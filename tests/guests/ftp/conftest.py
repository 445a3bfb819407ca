# SPDX-License-Identifier: MIT
"""FTP's pure parts, compiled for the host with sanitizers and run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import SANITIZED, VMKB, Harness, rooms

HERE = Path(__file__).parent
FLAGS = rooms("include", "lib", "fs", "protocol/ftp", "service/ftp", "cms/ftp")
SOURCES = (
    "protocol/ftp/text.c", "protocol/ftp/null_file.c", "service/ftp/paths.c",
    "service/ftp/passive.c", "service/ftp/address.c",
    "cms/ftp/replies.c", "cms/ftp/names.c", "lib/ctype.c", "lib/fmt.c",
)  # fmt: skip


class FtpDrive(Harness):
    """The C program: one line in, one line out."""

    def ask(self, kind: str, *numbers: int, data: str = "") -> str:
        """What the program answers."""
        return self.line(f"{kind}{' '.join(str(int(n)) for n in numbers)};{data}")


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
            env={**os.environ, "PYTHONPATH": str(VMKB.parents[1])},
        )
        assert done.returncode == 0, done.stderr

    run(sys.executable, VMKB / "tools" / "ebcdic.py", folder / "ebcdic_table.c")
    sources = [VMKB / s for s in SOURCES]
    program = folder / "ftpdrive"
    run("gcc", *SANITIZED, *FLAGS, HERE / "ftpdrive.c", *sources, folder / "ebcdic_table.c",
        "-o", program)  # fmt: skip
    drive = FtpDrive(program)
    yield drive
    drive.end()
