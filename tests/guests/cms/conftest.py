# SPDX-License-Identifier: MIT
"""Builds CMS's pure parts for the host, with address and undefined-behaviour sanitizers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
SOURCES = ["cms/arg.c", "cms/listing.c", "cms/stack.c", "lib/ctype.c"]

Ask = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    flags = rooms("include", "lib", "cms", "fs")
    parts = [VMKB / source for source in SOURCES]
    return compiled(tmp_path_factory.mktemp("cms"), flags, HERE / "harness.c", *parts)


@pytest.fixture
def start(program: Path) -> Iterator[Callable[[], Ask]]:
    """Starts a fresh harness; what it returns sends a request and gives the answer's lines."""
    running = []

    def begin() -> Ask:
        process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        running.append(process)

        def ask(request: str) -> list[str]:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(request + "\n")
            process.stdin.flush()
            lines = []
            while (line := process.stdout.readline()) != ".\n":
                assert line, "the harness ended; the sanitizer's report is on standard error"
                lines.append(line.rstrip("\n"))
            return lines

        return ask

    yield begin
    for process in running:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        assert process.wait(timeout=10) == 0
        process.stdout.close()
