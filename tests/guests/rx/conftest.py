# SPDX-License-Identifier: MIT
"""Builds the guest's Rx core for this machine, with address and undefined-behaviour sanitizers."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.rx.host import CoreHost

HERE = Path(__file__).parent
GUEST = HERE.parents[2] / "guests" / "vmkb"


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    target = tmp_path_factory.mktemp("rx") / "harness"
    parts = sorted((GUEST / "protocol" / "rx").glob("rx_*.c"))
    parts += [GUEST / "protocol" / "rx" / name for name in ("perf_bytes.c", "perf_server.c")]
    subprocess.run(
        ["gcc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
         "-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{GUEST / 'lib'}",
         f"-I{GUEST / 'protocol' / 'rx'}", HERE / "harness.c", *parts, "-o", target],
        check=True, timeout=120,
    )  # fmt: skip
    return target


@pytest.fixture(scope="session")
def pool(program: Path) -> Iterator[list[CoreHost]]:
    hosts: list[CoreHost] = []
    yield hosts
    for host in hosts:
        host.close()


@pytest.fixture(scope="session")
def core(program: Path, pool: list[CoreHost]) -> Callable[..., CoreHost]:
    """Makes the guest's core with a fresh life, number `which` of those of a test."""

    def make(which: int = 0, **config: int) -> CoreHost:
        while len(pool) <= which:
            pool.append(CoreHost(program))
        pool[which].init(**config)
        return pool[which]

    return make
