# SPDX-License-Identifier: MIT
"""Builds the interpreter for the host with sanitizers, and for s390x where it can be run."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.rexx.rexx import GUEST, Rexx, includes, sources

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    program = tmp_path_factory.mktemp("rexx") / "harness"
    subprocess.run(
        [
            "gcc",
            "-std=gnu11",
            "-g1",
            "-O0",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
            *includes(),
            str(HERE / "harness.c"),
            *sources(),
            "-o",
            str(program),
        ],
        check=True,
        timeout=120,
    )
    return program


@pytest.fixture(scope="session")
def rexx(harness: Path) -> Iterator[Rexx]:
    rexx = Rexx([str(harness)])
    yield rexx
    rexx.close()


@pytest.fixture(scope="session")
def rexx390(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rexx]:
    """The interpreter as the guest has it: s390x, EBCDIC, with the guest's own string.c."""
    compiler, emulator = shutil.which("s390x-linux-gnu-gcc"), None
    for name in ("qemu-s390x-static", "qemu-s390x"):
        emulator = emulator or shutil.which(name)
    if compiler is None or emulator is None:
        pytest.skip("needs s390x-linux-gnu-gcc and qemu-s390x (user mode)")
    program = tmp_path_factory.mktemp("rexx390") / "harness"
    built = subprocess.run(
        [
            compiler,
            "-std=gnu11",
            "-O2",
            "-march=z10",
            "-static",
            "-DLIB_TEST_NAMES",
            "-fno-builtin",
            "-fexec-charset=IBM1047",
            *includes(),
            str(HERE / "harness.c"),
            *sources(),
            str(GUEST / "lib" / "string.c"),
            "-o",
            str(program),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    lacks = "cannot find -lc", "bits/libc-header-start.h: No such file"
    if built.returncode and any(what in built.stderr for what in lacks):
        pytest.skip("needs the s390x C library")
    assert built.returncode == 0, built.stderr
    rexx = Rexx([emulator, str(program)], charset="cp037")
    yield rexx
    rexx.close()
