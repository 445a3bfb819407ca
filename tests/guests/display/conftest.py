# SPDX-License-Identifier: MIT
"""Builds the display module for the host, with address and undefined-behaviour sanitizers."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.display.console import Console, Harness
from tests.guests.harness import SANITIZED, VMKB, rooms

HERE = Path(__file__).parent
FLAGS = [*SANITIZED, *rooms("include", "cp/include", "lib")]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harness; the module's own literals are EBCDIC as in the guest."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("display")
    module, program = str(folder / "display.o"), folder / "harness"
    parts = set((VMKB / "cp/display").glob("display*.c")) - {VMKB / "cp/display/display3270.c"}
    of_module = ["-fexec-charset=IBM1047", "-r", *map(str, sorted(parts)), "-o", module]
    for words in (of_module, [str(HERE / "harness.c"), module, "-o", str(program)]):
        subprocess.run(["gcc", *FLAGS, *words], check=True, timeout=60)
    return program


@pytest.fixture(scope="session")
def harness(program: Path) -> Iterator[Harness]:
    harness = Harness(program)
    yield harness
    harness.close()


@pytest.fixture
def console(harness: Harness) -> Console:
    return Console(harness).start()
