# SPDX-License-Identifier: MIT
"""Stand-alone programs on emulators of a world, without a control program.

python -m tests.hercules.clock.alone IMAGE FOLDER: run one until it stops, say the emulator's pid,
and do nothing more."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.messages import Pace
from vmkb.hercules.clock.world import World
from vmkb.hercules.emulator.config import Device, MachineConfig
from vmkb.hercules.emulator.machine import Hercules

KMIPS = 100_000
"""Instructions a millisecond."""
PACE = Pace(KMIPS)
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
        subprocess.run([f"{_CROSS}{words[0]}", *map(str, words[1:])], check=True, timeout=30)
    load = folder / f"{name}.ins"
    load.write_text(f"{image.name} 0x0\n", encoding="ascii")
    return load


@contextmanager
def together(
    program: Path, folders: Sequence[Path], config: MachineConfig = CONFIG, pace: Pace = PACE
) -> Iterator[tuple[World, list[Hercules]]]:
    """PROGRAM, an .ins file, on as many emulators of one world as there are FOLDERS; none has
    been granted time yet."""
    world = World(0)
    machines: list[Hercules] = []
    with ExitStack() as stack:
        for number, folder in enumerate(folders):
            clock = GuestClock(world, f"guest{number}", pace)
            stack.callback(clock.close)
            machine = Hercules.start(config, folder, program, virtual=clock)
            stack.callback(machine.stop)
            machines.append(machine)
        yield world, machines


@contextmanager
def alone(
    program: Path, folder: Path, config: MachineConfig = CONFIG, pace: Pace = PACE
) -> Iterator[Alone]:
    """PROGRAM, an .ins file, run in FOLDER until it has stopped its CPU."""
    with together(program, [folder], config, pace) as (world, (machine,)):
        world.run(LIMIT)
        assert world.nodes[0].stopped, "it has not stopped"
        yield Alone(machine, world)


if __name__ == "__main__":
    with alone(Path(sys.argv[1]), Path(sys.argv[2])) as one:
        print(one.machine.pid, flush=True)
        signal.pause()
