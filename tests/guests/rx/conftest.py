# SPDX-License-Identifier: MIT
"""Builds the guest's Rx core for this machine, with address and undefined-behaviour sanitizers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms
from tests.guests.rx.host import CoreHost

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = VMKB / "protocol" / "rx"
    parts = [*sorted(folder.glob("rx_*.c")), folder / "perf_bytes.c", folder / "perf_server.c"]
    flags = rooms("lib", "protocol/rx")
    return compiled(tmp_path_factory.mktemp("rx"), flags, HERE / "harness.c", *parts)


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
