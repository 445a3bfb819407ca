# SPDX-License-Identifier: MIT
"""Systems of our own in a machine under SIE: one that means no good (wild.c) and does no harm to CP
and others, one that gives CP commands (asks.c), and one that uses its minidisks (disks.c)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e import system
from vmkb.guests.release.making import COMPILER
from vmkb.guests.vmkb.disk.build import opened
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import on
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest, load_guest
from vmkb.hercules.tn3270.screen import Status
from vmkb.hercules.tn3270.session import UserSession
from vmkb.workloads.base.virtual import pace

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
TRIES = 20_000
TOD = 3192422400 * 16_000_000
WITHIN = 30.0
CROWD = "USER CROWD CROWD 32M 32M G\n MACHINE Z\n CONSOLE 0009 3215 T OPERATOR\n" + "".join(
    f" LINK BESIDE 0191 {vaddr:04X} RR\n" for vaddr in range(0x300, 0x308)
)
"""One device more than there is room for."""
DIRECTORY = (
    system.HEAD
    + system.OPERATORS
    + CROWD
    + """\
USER WILD WILD 32M 32M G
 MACHINE Z
 CONSOLE 0009 3215
 SPECIAL 0E20 CTCA WILD 0E21
 SPECIAL 0E21 CTCA
 MDISK 0200 3370 AUTO 64 TESTVL MW
USER ASKS ASKS 32M 32M G
 MACHINE Z
 CONSOLE 0009 3215
USER DISKS DISKS 32M 32M G
 MACHINE Z
 MDISK 0200 3370 AUTO 64 TESTVL MW
 LINK DISKS 0200 0201 RR
USER BESIDE BESIDE 1M 1M G
 MDISK 0191 3370 AUTO 64 TESTVL MW
USER SMALL SMALL 64K 64K G
 MACHINE Z
USER GREEDY GREEDY 999M 999M G
 MACHINE Z
"""
)


def made(folder: Path, name: str, *flags: str) -> Guest:
    """The system NAME.c as a guest that VM/KB can have."""
    if shutil.which(COMPILER) is None:
        pytest.skip(f"{COMPILER} is not installed")
    program = folder / f"{name}.elf"
    subprocess.run(
        [COMPILER, "-m64", "-march=z10", "-O2", "-ffreestanding", "-fno-pic", "-nostdlib",
         "-static", "-no-pie", "-fno-stack-protector", "-fno-asynchronous-unwind-tables",
         "-msoft-float", *flags,
         "-Wl,-Ttext=0x10100,--section-start=.head=0x10000,--build-id=none",
         "-Wl,-e,0x10000", "-o", program, Path(__file__).with_name(f"{name}.c")],
        check=True, timeout=WITHIN,
    )  # fmt: skip
    sections = [word for each in (".head", ".text", ".rodata", ".data") for word in ("-j", each)]
    objcopy = COMPILER.replace("gcc", "objcopy")
    copied = [objcopy, "-O", "binary", *sections, str(program), str(folder / f"{name}.bin")]
    subprocess.run(copied, check=True, timeout=WITHIN)
    (folder / f"{name}.ins").write_text(f"{name}.bin 0x10000\n", "ascii")
    linux = load_guest("linux")
    ipl = linux.ipl.model_copy(update={"image": f"{name}.ins", "parameter_address": None})
    return linux.model_copy(update={"folder": folder, "ipl": ipl})


@contextmanager
def running(guest: Guest, run: Path) -> Iterator[Hercules]:
    """VM/KB with that system, on virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")
    world = World(TOD, 1)
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        machine = boot(guest, run, keep=True, virtual=clock)
        try:
            yield machine
        finally:
            machine.stop()


def executed(machine: Hercules, user: str) -> int:
    """Instructions of an account."""
    mark = machine.log.mark()
    machine.operator("QUERY ACNT", "^SUM ", WITHIN)
    found = re.findall(rf"^{re.escape(user)} +\d+ +\d+ +(\d+) ", "\n".join(machine.log.since(mark)),
                       re.M)  # fmt: skip
    return int(found[-1])


def test_cp_lives_and_others_do_not_pay(tmp_path: Path) -> None:
    guest = hosting(
        system.delivered(),
        {"WILD": made(tmp_path, "wild", f"-DTRIES={TRIES}")},
        tmp_path / "made",
        32,
    )
    run = tmp_path / "run"
    system.image(system.source(tmp_path, system.VOLUME.format(8192), DIRECTORY), run)
    with running(guest, run) as machine:
        before = executed(machine, "OPERATOR")
        machine.operator("XAUTOLOG WILD IPL WILD")
        machine.wait_log("WILD +DMKDSP450W CP ENTERED; DISABLED WAIT PSW .*D1AB10'", WITHIN)
        asked = executed(machine, "OPERATOR") - before
        assert executed(machine, "WILD") > 50 * TRIES
        # what the operator has to pay is XAUTOLOG, which makes the machine, and not the tries
        assert asked < 10 * TRIES
        machine.operator("XAUTOLOG SMALL IPL WILD", "DMKALG435E WILD NEEDS MORE STORAGE", WITHIN)
        machine.operator("XAUTOLOG GREEDY IPL WILD", "DMKALG436E NO REAL STORAGE", WITHIN)
        machine.operator("QUERY NAMES", "^OPERATOR - 0009", WITHIN)


def pa1_goes_to_cp(session: UserSession) -> None:
    """The machine stops, as it is, until BEGIN."""
    terminal = session.terminal
    terminal.pa(1)
    terminal.wait(lambda screen: screen.status is Status.CP_READ, WITHIN, "CP READ after PA1")
    for line, answer in (("DISPLAY G5", "GPR  5 = 000000000000002A"), ("BEGIN", "")):
        since = len(session.lines)
        terminal.read()
        terminal.type(line)
        terminal.enter()
        if answer:
            session.expect(answer, WITHIN, since)
    terminal.wait(lambda screen: screen.status is Status.RUNNING, WITHIN, "RUNNING after BEGIN")


def test_commands_of_a_system_and_of_its_user(tmp_path: Path) -> None:
    """DIAGNOSE X'08'; DISPLAY, STORE and BEGIN at its terminal; SYSTEM RESET by its own command."""
    asks = made(tmp_path, "asks", "-fexec-charset=IBM1047")
    guest = hosting(system.delivered(), {"ASKS": asks}, tmp_path / "made", 32)
    run = tmp_path / "run"
    system.image(system.source(tmp_path, system.VOLUME.format(8192), DIRECTORY), run)
    with running(guest, run) as machine:
        machine.operator("XAUTOLOG ASKS IPL ASKS", r"FROM ASKS *: VM/KB VERSION", WITHIN)
        session = open_session(guest, machine)
        try:
            for line, answer in (
                ("LOGON ASKS", "ENTER PASSWORD"),
                ("ASKS", "RECONNECTED AT"),
                ("DISPLAY G5", "GPR  5 = 000000000000002A"),
                ("STORE G5 1234", "STORE COMPLETE"),
                ("DISPLAY G5", "GPR  5 = 0000000000001234"),
                ("STORE 200000 1 C1C2C3C4", "STORE COMPLETE"),
                ("DISPLAY 200000", "00200000  00000001 C1C2C3C4"),
                ("STORE 2000000 1", "DMKCDS160E HEXLOC 2000000 NOT IN THE MACHINE'S OWN STORAGE"),
                ("STORE G5 X", "DMKCDS005E INVALID HEXDATA - X"),
                ("STORE PSW 0000000180000000 0", "STORE COMPLETE"),
                ("BEGIN 10000", "SYSTEM RESET"),
                ("DISPLAY PSW", "PSW ="),
                ("IPL ASKS", ""),
                ("#CP QUERY VIRTUAL", "CONS 009 ON GRAF 0700"),
            ):
                since = len(session.lines)
                session.terminal.read()
                session.terminal.type(line)
                session.terminal.enter()
                if answer:
                    session.expect(answer, WITHIN, since)
            pa1_goes_to_cp(session)
        finally:
            session.close()


def test_minidisks_of_a_system(tmp_path: Path) -> None:
    """Each answer is right, and nothing on the volume changes but what it wrote."""
    guest = hosting(system.delivered(), {"DISKS": made(tmp_path, "disks")}, tmp_path / "made", 32)
    run = tmp_path / "run"
    image = system.image(system.source(tmp_path, system.VOLUME.format(8192), DIRECTORY), run)
    before = bytearray(image.read_bytes())
    with opened(image) as (_, _, extents):
        start = next(each.start for each in extents if each.owner == "DISKS")
    with running(guest, run) as machine:
        machine.operator("XAUTOLOG DISKS IPL DISKS")
        said = machine.wait_log("DISKS +DMKDSP450W CP ENTERED; DISABLED WAIT PSW", WITHIN)
        assert said.endswith("D15C000'"), said
        machine.operator("XAUTOLOG CROWD IPL DISKS")
        machine.wait_log("^CROWD +: DMKDED148E NO ROOM FOR DEV 0307; .* HAS 8$", WITHIN)
    for block in (40, 41, 63):
        before[(start + block) * 512 : (start + block + 1) * 512] = b"\xa5" * 512
    assert image.read_bytes() == bytes(before)


def test_drawn_writes_stay_on_its_own_minidisk(tmp_path: Path) -> None:
    """Thousands of channel programs that write, to one it may write and to one it may not: nothing
    of the volume changes but its own 64 blocks."""
    program = made(tmp_path, "disks", f"-DTRIES={TRIES // 4}")
    guest = hosting(system.delivered(), {"DISKS": program}, tmp_path / "made", 32)
    run = tmp_path / "run"
    image = system.image(system.source(tmp_path, system.VOLUME.format(8192), DIRECTORY), run)
    before = image.read_bytes()
    with opened(image) as (_, _, extents):
        start = next(each.start for each in extents if each.owner == "DISKS")
    with running(guest, run) as machine:
        machine.operator("XAUTOLOG DISKS IPL DISKS")
        said = machine.wait_log("DISKS +DMKDSP450W CP ENTERED; DISABLED WAIT PSW", WITHIN)
        assert said.endswith("D15C000'"), said
    after = image.read_bytes()
    own = slice(start * 512, (start + 64) * 512)
    assert after[own].count(b"\x5a") > 512, "none of them wrote anything"
    assert after[: own.start] + after[own.stop :] == before[: own.start] + before[own.stop :]
