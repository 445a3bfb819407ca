# SPDX-License-Identifier: MIT
"""Builds AFSSERVE's pure part for this machine, with sanitizers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.afs.host import AfsHost
from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
FLAGS = [*rooms("lib", "fs", "include", "service/rx", "service/afs"), "-Werror"]


def sources() -> list[Path]:
    """What all programs here are made of."""
    found = [p for room in ("service/afs", "fs") for p in sorted((VMKB / room).glob("*.c"))]
    return found + sorted((VMKB / "service/rx").glob("rx_*.c"))


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("afs"), FLAGS, HERE / "harness.c", *sources())


@pytest.fixture(scope="session")
def host(program: Path) -> Iterator[AfsHost]:
    made = AfsHost(program)
    yield made
    made.close()


@pytest.fixture
def server(host: AfsHost) -> AfsHost:
    """A server on two new volumes."""
    host.format()
    return host
