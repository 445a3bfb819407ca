# SPDX-License-Identifier: MIT
"""Builds RTMSF's pure part for the host, with address and undefined-behaviour sanitizers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
PURE = ("rate text view_system view_user view_io view_help record brief command screen").split()


class Monitor:
    """The harness process; see harness.c for its lines."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, line: str) -> None:
        """A line without an answer."""
        assert self._process.stdin
        self._process.stdin.write(line + "\n")

    def ask(self, line: str) -> str:
        """A line with an answer of one line."""
        assert self._process.stdin and self._process.stdout
        self.send(line)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"'{line}' ended the program"
        return answer.rstrip("\n")

    def lines(self, line: str) -> list[str]:
        """A line with an answer that ends with a point alone."""
        assert self._process.stdout
        found = [self.ask(line)]
        while found[-1] != ".":
            found.append(self._process.stdout.readline().rstrip("\n"))
        return found[:-1]

    def close(self) -> None:
        """End it; the sanitizers must have had nothing to say."""
        self._process.communicate(timeout=20)
        assert self._process.returncode == 0


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [VMKB / "service" / "rtm" / f"{name}.c" for name in PURE]
    sources += [VMKB / "lib" / "fmt.c", VMKB / "lib" / "ctype.c", HERE / "harness.c"]
    flags = rooms("include", "lib", "service/rtm")
    return compiled(tmp_path_factory.mktemp("rtm"), flags, *sources)


@pytest.fixture
def monitor(program: Path) -> Iterator[Monitor]:
    started = Monitor(program)
    yield started
    started.close()
