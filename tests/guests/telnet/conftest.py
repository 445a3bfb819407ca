# SPDX-License-Identifier: MIT
"""TELNET's pure parts, compiled for the host with sanitizers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
SOURCES = ("protocol/telnet/protocol.c", "cms/telnet/lines.c")


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled harness."""
    flags = ["-DLIB_NO_INLINE", *rooms("include", "lib", "protocol/telnet", "cms/telnet")]
    parts = [VMKB / source for source in SOURCES]
    return compiled(tmp_path_factory.mktemp("telnet"), flags, HERE / "harness.c", *parts)


def _mode(program: Path, mode: str) -> Iterator[Harness]:
    harness = Harness(program, mode)
    yield harness
    harness.end()


@pytest.fixture(scope="session")
def talk(program: Path) -> Iterator[Harness]:
    """Bytes of the other side to data, answers and events."""
    yield from _mode(program, "talk")


@pytest.fixture(scope="session")
def lines_by_run(program: Path) -> Iterator[Harness]:
    """The same, as many characters at a time as can be."""
    yield from _mode(program, "lines-by-run")


@pytest.fixture(scope="session")
def lines(program: Path) -> Iterator[Harness]:
    """Characters of a host to console lines."""
    yield from _mode(program, "lines")


@pytest.fixture(scope="session")
def escape(program: Path) -> Iterator[Harness]:
    """Bytes to bytes with 255 doubled."""
    yield from _mode(program, "escape")
