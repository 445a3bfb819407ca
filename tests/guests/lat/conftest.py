# SPDX-License-Identifier: MIT
"""Builds the LAT host for this machine, with address and undefined-behaviour sanitizers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guests.harness import VMKB, compiled, rooms
from tests.guests.lat.host import Host

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = VMKB / "cp" / "comm" / "lat"
    parts = [folder / name for name in ("lat.c", "lat_slots.c", "lat_announce.c")]
    flags = rooms("include", "cp/include", "lib")
    return compiled(tmp_path_factory.mktemp("lat"), flags, HERE / "harness.c", *parts)


@pytest.fixture(scope="session")
def process(program: Path) -> Iterator[Host]:
    host = Host(program)
    yield host
    host.close()


@pytest.fixture
def host(process: Host) -> Host:
    process.init()
    return process
