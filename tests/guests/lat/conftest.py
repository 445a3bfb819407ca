# SPDX-License-Identifier: MIT
"""Builds the LAT host for this machine, with address and undefined-behaviour sanitizers."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.lat.host import Host

HERE = Path(__file__).parent
GUEST = HERE.parents[2] / "guests" / "vmkb"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    target = tmp_path_factory.mktemp("lat") / "harness"
    parts = [
        GUEST / "cp" / "comm" / "lat" / name for name in ("lat.c", "lat_slots.c", "lat_announce.c")
    ]
    subprocess.run(
        ["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
         "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{GUEST / 'include'}",
         f"-I{GUEST / 'cp/include'}",
         f"-I{GUEST / 'lib'}", HERE / "harness.c", *parts, "-o", target],
        check=True, timeout=60,
    )  # fmt: skip
    return target


@pytest.fixture(scope="session")
def process(program: Path) -> Iterator[Host]:
    host = Host(program)
    yield host
    host.close()


@pytest.fixture
def host(process: Host) -> Host:
    process.init()
    return process
