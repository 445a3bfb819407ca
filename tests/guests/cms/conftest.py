# SPDX-License-Identifier: MIT
"""Builds CMS's pure parts for the host, with address and undefined-behaviour sanitizers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

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
    running: list[Harness] = []

    def begin() -> Ask:
        running.append(Harness(program))
        return running[-1].lines

    yield begin
    for harness in running:
        harness.end()
