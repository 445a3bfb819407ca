# SPDX-License-Identifier: MIT
"""Builds the display module for the host, with address and undefined-behaviour sanitizers."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.display.console import Console, Harness

HERE = Path(__file__).parent
GUEST = HERE.parents[2] / "guests" / "vmkb"
PARTS = [
    "display",
    "display_queue",
    "display_build",
    "display_next",
    "display_page",
    "display_input",
    "display_pf",
    "display_fs",
    "display_rest",
    "display_size",
]


def build(where: Path, *options: str) -> Path:
    """Compiles the harness; the module's own literals are EBCDIC as in the guest."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    common = [
        "gcc",
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g",
        *options,
        f"-I{GUEST / 'include'}",
        f"-I{GUEST / 'cp/include'}",
        f"-I{GUEST / 'lib'}",
    ]
    objects = []
    for part in PARTS:
        target = where / f"{part}.o"
        source = GUEST / "cp" / "display" / f"{part}.c"
        subprocess.run(
            [*common, "-fexec-charset=IBM1047", "-c", source, "-o", target], check=True, timeout=60
        )
        objects.append(target)
    program = where / "harness"
    subprocess.run([*common, HERE / "harness.c", *objects, "-o", program], check=True, timeout=60)
    return program


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(
        tmp_path_factory.mktemp("display"),
        "-O1",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    )


@pytest.fixture(scope="session")
def harness(program: Path) -> Iterator[Harness]:
    harness = Harness(program)
    yield harness
    harness.close()


@pytest.fixture
def console(harness: Harness) -> Console:
    return Console(harness).start()
