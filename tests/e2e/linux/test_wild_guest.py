# SPDX-License-Identifier: MIT
"""A system that means no good in a machine under SIE (wild.c): CP lives, and others do not pay."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e import system
from vmkb.guests.linux.make.image import COMPILER
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import on
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.virtual import pace

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
TRIES = 20_000
TOD = 3192422400 * 16_000_000
WITHIN = 30.0
DIRECTORY = (
    system.HEAD
    + system.OPERATORS
    + """\
USER WILD WILD 32M 32M G
 MACHINE Z
 CONSOLE 0009 3215
USER SMALL SMALL 64K 64K G
 MACHINE Z
USER GREEDY GREEDY 999M 999M G
 MACHINE Z
"""
)


def wild(folder: Path, tries: int) -> Guest:
    """The system as a guest that VM/KB can have."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    made = folder / "wild.elf"
    subprocess.run(
        [COMPILER, "-m64", "-march=z10", "-O2", "-ffreestanding", "-fno-pic", "-nostdlib",
         "-static", "-no-pie", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
         "-msoft-float", f"-DTRIES={tries}",
         "-Wl,-Ttext=0x10100,--section-start=.head=0x10000,--build-id=none",
         "-Wl,-e,0x10000", "-o", made, Path(__file__).with_name("wild.c")],
        check=True, timeout=WITHIN,
    )  # fmt: skip
    sections = [word for each in (".head", ".text", ".rodata", ".data") for word in ("-j", each)]
    objcopy = COMPILER.replace("gcc", "objcopy")
    subprocess.run([objcopy, "-O", "binary", *sections, made, folder / "wild.bin"], check=True,
                   timeout=WITHIN)  # fmt: skip
    (folder / "wild.ins").write_text("wild.bin 0x10000\n", "ascii")
    linux = load_guest("linux")
    ipl = linux.ipl.model_copy(update={"image": "wild.ins", "parameter_address": None})
    return linux.model_copy(update={"folder": folder, "ipl": ipl})


def executed(machine: Hercules, user: str) -> int:
    """Instructions of an account."""
    mark = machine.log.mark()
    machine.operator("QUERY ACNT", "^SUM ", WITHIN)
    found = re.findall(rf"^{re.escape(user)} +\d+ +\d+ +(\d+) ", "\n".join(machine.log.since(mark)),
                       re.M)  # fmt: skip
    return int(found[-1])


def test_cp_lives_and_others_do_not_pay(tmp_path: Path) -> None:
    if not choose().exact:
        pytest.skip("the counting emulator is not built")
    guest = hosting(system.delivered(), {"WILD": wild(tmp_path, TRIES)}, tmp_path / "made", 32)
    run = tmp_path / "run"
    system.image(system.source(tmp_path, system.VOLUME.format(8192), DIRECTORY), run)
    world = World(TOD, 1)
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        machine = boot(guest, run, keep=True, virtual=clock)
        try:
            before = executed(machine, "OPERATOR")
            machine.operator("XAUTOLOG WILD IPL WILD")
            machine.wait_log("WILD +DMKDSP450W CP ENTERED; DISABLED WAIT PSW .*D1AB10'", WITHIN)
            asked = executed(machine, "OPERATOR") - before
            assert executed(machine, "WILD") > 50 * TRIES
            # what the operator has to pay is XAUTOLOG, which makes the machine, and not the tries
            assert asked < 10 * TRIES
            machine.operator(
                "XAUTOLOG SMALL IPL WILD", "DMKALG435E WILD NEEDS MORE STORAGE", WITHIN
            )
            machine.operator("XAUTOLOG GREEDY IPL WILD", "DMKALG436E NO REAL STORAGE", WITHIN)
            machine.operator("QUERY NAMES", "^OPERATOR - 0009", WITHIN)
        finally:
            machine.stop()
