# SPDX-License-Identifier: MIT
"""Builds AFSSERVE's pure part for this machine, with sanitizers, once for all programs here."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.afs.host import AfsHost
from tests.guests.harness import VMKB, compiled, rooms

HERE = Path(__file__).parent
FLAGS = rooms("lib", "fs", "include", "protocol/rx", "protocol/afs", "service/afs")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """From the name of a C file in this folder to the program made of it."""
    sources = [p for room in ("service/afs", "fs") for p in sorted((VMKB / room).glob("*.c"))]
    sources += sorted((VMKB / "protocol/rx").glob("rx_*.c"))
    made: dict[str, Path] = {}

    def program(name: str) -> Path:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            made[name] = compiled(folder, FLAGS, HERE / f"{name}.c", *sources)
        return made[name]

    return program


@pytest.fixture(scope="session")
def program(built: Callable[[str], Path]) -> Path:
    return built("harness")


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
