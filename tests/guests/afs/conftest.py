# SPDX-License-Identifier: MIT
"""Builds AFSSERVE's pure part for this machine, with sanitizers, once for all programs here."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.guests.afs.host import AfsHost
from tests.guests.harness import SANITIZED, VMKB, rooms

HERE = Path(__file__).parent
FLAGS = (
    *SANITIZED,
    *rooms("lib", "fs", "include", "protocol/rx", "protocol/afs", "service/afs"),
)  # fmt: skip
BUILD_S = 180
AT_ONCE = 2


def _run(*words: object) -> None:
    done = subprocess.run(
        [str(w) for w in words], capture_output=True, text=True, timeout=BUILD_S, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """From the name of a C file in this folder to the program made of it."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("afs")
    sources = [p for room in ("service/afs", "fs") for p in sorted((VMKB / room).glob("*.c"))]
    sources += sorted((VMKB / "protocol/rx").glob("rx_*.c"))

    def compiled(source: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.stem}.o"
        _run("gcc", *FLAGS, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(AT_ONCE) as pool:
        objects = list(pool.map(compiled, sources))

    def program(name: str) -> Path:
        target = folder / name
        if not target.exists():
            _run("gcc", *FLAGS, HERE / f"{name}.c", *objects, "-o", target)
        return target

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
