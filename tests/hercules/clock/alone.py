# SPDX-License-Identifier: MIT
"""A stand-alone program on an emulator in a world of its own.

python -m tests.hercules.clock.alone IMAGE FOLDER: run one until it stops, say the emulator's pid,
and do nothing more."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hercules.clock.guest import GuestClock
from hercules.clock.messages import Pace
from hercules.clock.world import World
from hercules.emulator.config import Device, MachineConfig
from hercules.emulator.machine import Hercules

KMIPS = 100_000
"""Instructions a millisecond."""
LIMIT = 10**12
"""Picoseconds in which a program must have stopped."""
CONFIG = MachineConfig(memory_mb=16, devices=(Device(number=0x9, kind="3215-C"),))
_PROGRAMS = Path(__file__).with_name("programs")
_CROSS = "s390x-linux-gnu-"


class Alone(NamedTuple):
    """A program that has stopped its CPU."""

    machine: Hercules
    world: World


def assemble(name: str, folder: Path) -> Path:
    """The program NAME as an .ins file in FOLDER."""
    image = folder / f"{name}.img"
    for words in (
        ["as", "-m64", "-march=z10", "-o", folder / f"{name}.o", _PROGRAMS / f"{name}.s"],
        ["ld", "-melf64_s390", "-Ttext=0", "-e0", "--oformat=binary", "-o", image,
         folder / f"{name}.o"],
    ):  # fmt: skip
        subprocess.run([f"{_CROSS}{words[0]}", *words[1:]], check=True, timeout=30)
    load = folder / f"{name}.ins"
    load.write_text(f"{image.name} 0x0\n", encoding="ascii")
    return load


@contextmanager
def alone(program: Path, folder: Path) -> Iterator[Alone]:
    """PROGRAM, an .ins file, run in FOLDER until it has stopped its CPU."""
    world = World(0)
    clock = GuestClock(world, "alone", Pace(KMIPS))
    try:
        machine = Hercules.start(CONFIG, folder, program, virtual=clock)
    except BaseException:
        clock.close()
        raise
    try:
        world.run(LIMIT)
        assert clock.node.stopped, "it has not stopped"
        yield Alone(machine, world)
    finally:
        machine.stop()


if __name__ == "__main__":
    with alone(Path(sys.argv[1]), Path(sys.argv[2])) as one:
        print(one.machine.pid, flush=True)
        signal.pause()
