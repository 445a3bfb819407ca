# SPDX-License-Identifier: MIT
"""Builds RTMSF's pure part for the host, with address and undefined-behaviour sanitizers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, Harness, compiled, rooms

HERE = Path(__file__).parent
PURE = ("rate text view_system view_user view_io view_help record brief command screen").split()


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [VMKB / "service" / "rtm" / f"{name}.c" for name in PURE]
    sources += [VMKB / "lib" / "fmt.c", VMKB / "lib" / "ctype.c", HERE / "harness.c"]
    flags = rooms("include", "lib", "service/rtm")
    return compiled(tmp_path_factory.mktemp("rtm"), flags, *sources)


@pytest.fixture
def monitor(program: Path) -> Iterator[Harness]:
    started = Harness(program)
    yield started
    started.end()
