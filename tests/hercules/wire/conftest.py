# SPDX-License-Identifier: MIT
"""What the wire's tests share: the CTC test guest, and the frames that it understands."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from vmkb.hercules.emulator.config import Device, MachineConfig
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.wire.client import WireClient
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout

GUEST_FOLDER = Path(__file__).with_name("guest")
ETHERTYPE = b"\x88\xb5"
ECHO, ECHOED, QUERY, COUNTS, START, DATA = range(1, 7)
_HEAD = struct.Struct(">6s6s2sBxII6sH")
_NUMBER, _TYPE_TO_NUMBER = slice(16, 20), slice(12, 20)
_numbers = itertools.count(1)
_COUNTS = (
    "blocks_out frames_out bytes_out blocks_in frames_in bytes_in attentions retries malformed"
    " full last_error data_frames data_bytes out_of_order first_tod last_tod"
).split()


class Tools(NamedTuple):
    """Helpers, as one fixture: tests cannot import from each other."""

    start: Callable[[WireClient, str, int], Hercules]
    station: Callable[[int], bytes]
    frame: Callable[..., bytes]
    ask: Callable[[Endpoint, int, bytes], object]
    counts: Callable[[Endpoint, int], object]


def station(number: int) -> bytes:
    """The address of the guest with this number, or of an endpoint that takes it."""
    return bytes((2, 0, 0, 0, 0, number))


def frame(
    to: int, sender: int, op: int, number: int | None = None, size: int = 0, target: int = 0,
    per_block: int = 0, rest: bytes = b"",
) -> bytes:  # fmt: skip
    """A test frame (guest/main.c); its number, where none is given, is no other's."""
    number = next(_numbers) if number is None else number
    return (
        _HEAD.pack(
            station(to), station(sender), ETHERTYPE, op, number, size, station(target), per_block
        )
        + rest
    )


async def ask(endpoint: Endpoint, op: int, request: bytes, tries: int = 40) -> bytes:
    """Sends until the answer with this op and the request's number comes: frames can be lost on an
    impaired wire, and what was sent twice may be answered twice."""
    wanted = ETHERTYPE + bytes((op, 0)) + request[_NUMBER]
    for _ in range(tries):
        endpoint.send(request)
        try:
            while True:
                answer = await endpoint.receive(0.25)
                if answer[_TYPE_TO_NUMBER] == wanted:
                    return answer
        except EndpointTimeout:
            continue
    raise AssertionError(f"no answer {op} in {tries} tries")


async def counts(endpoint: Endpoint, guest: int, me: int = 9) -> dict[str, int]:
    """A guest's counts."""
    answer = await ask(endpoint, COUNTS, frame(guest, me, QUERY))
    return dict(zip(_COUNTS, struct.unpack_from(">16Q", answer, _HEAD.size), strict=True))


@pytest.fixture(scope="session")
def guest_image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test guest, built here."""
    for program in ("s390x-linux-gnu-gcc", "make", "hercules"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed; scripts/setup installs it")
    folder = tmp_path_factory.mktemp("ctcguest")
    subprocess.run(["make", "-s", "-C", GUEST_FOLDER, f"OUT={folder}"], check=True, timeout=60)
    image = folder / "guest.ins"
    image.write_text("ctcguest.img 0x0\n", encoding="ascii")
    return image


@pytest.fixture
def tools(guest_image: Path, tmp_path: Path) -> Iterator[Tools]:
    """Starts guests, and ends them after the test."""
    started: list[Hercules] = []

    def start(wire: WireClient, name: str, number: int) -> Hercules:
        devices = (
            Device(number=0x500, kind="ctce"),
            Device(number=0x501, kind="ctce"),
            Device(number=0x700, kind="3270"),
        )
        machine = MachineConfig(memory_mb=16, devices=devices).with_ctce(wire.config(name))
        run = tmp_path / f"{name}-{len(started)}"
        hercules = Hercules.start(machine, run, guest_image, (0x8000, str(number)))
        started.append(hercules)
        return hercules

    yield Tools(start, station, frame, ask, counts)
    for hercules in started:
        if hercules.running:
            hercules.kill()


@pytest.fixture
def run() -> Callable[..., object]:
    """Runs a coroutine with a deadline."""

    def run_it(coroutine: object, seconds: float = 30.0) -> object:
        async def bounded() -> object:
            async with asyncio.timeout(seconds):
                return await coroutine  # type: ignore[misc]

        return asyncio.run(bounded())

    return run_it
