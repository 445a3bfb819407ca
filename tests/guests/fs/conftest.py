# SPDX-License-Identifier: MIT
"""Compiles the minidisk file system for the host, with sanitizers, once per session."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.guests.harness import SANITIZED, VMKB, rooms

HERE = Path(__file__).parent
FLAGS = [*SANITIZED, *rooms("include", "lib", "fs")]


@pytest.fixture(scope="session")
def fs_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function from the name of a C file in this folder to the program made from it."""
    folder = tmp_path_factory.mktemp("fs")
    sources = sorted((VMKB / "fs").glob("*.c"))
    objects: list[Path] = []

    def run(*words: object) -> None:
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    def program(name: str) -> Path:
        for source in sources if not objects else []:
            objects.append(folder / (source.stem + ".o"))
            run("gcc", *FLAGS, "-c", source, "-o", objects[-1])
        path = folder / name
        if not path.exists():
            run("gcc", *FLAGS, HERE / f"{name}.c", *objects, "-o", path)
        return path

    return program
