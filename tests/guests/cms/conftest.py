# SPDX-License-Identifier: MIT
"""Builds CMS's pure parts for the host, with address and undefined-behaviour sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GUEST = HERE.parents[2] / "guests" / "vmkb"
SOURCES = ["cms/arg.c", "cms/listing.c", "cms/stack.c", "lib/ctype.c"]

Ask = Callable[[str], list[str]]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    target = tmp_path_factory.mktemp("cms") / "harness"
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command += [f"-I{GUEST / folder}" for folder in ("include", "lib", "cms", "fs")]
    command += [str(HERE / "harness.c"), *(str(GUEST / source) for source in SOURCES)]
    subprocess.run([*command, "-o", str(target)], check=True, timeout=60)
    return target


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
