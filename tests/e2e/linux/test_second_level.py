# SPDX-License-Identifier: MIT
"""VM/KB in a machine of VM/KB: its operator at a virtual 3215, its volume a minidisk, its TCPIP on
a CTC pair of the machine's own; and what the two levels' accounts say of the same work."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import system
from vmkb.guests.base import Running, driver
from vmkb.guests.contents import Text
from vmkb.guests.vmkb.disk.build import opened
from vmkb.guests.vmkb.driver import LEVEL, VmkbDriver, digests, make_volume, records_of
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import READ_DEVICE, WRITE_DEVICE, WorldLan
from vmkb.hercules.clock.messages import PS
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import on, wait_until
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.guest import FTP_READY, procedure
from vmkb.workloads.base.virtual import pace
from vmkb.workloads.serve import Workload, execs
from vmkb.workloads.serve.plan import Case, content

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOD = 3192422400 * 16_000_000
WITHIN = 60.0
FIRST_WRITE, FIRST_READ = 0x0502, 0x0503
"""The pair on the real machine: VM/KB takes 500 and 501 for itself."""
SECOND = """\
USER SECOND SECOND 64M 64M G
 MACHINE Z
 CONSOLE 0009 3215 T OPERATOR
 MDISK 0100 3370 AUTO {} TESTVL MW
 DEDICATE 0500 0502
 DEDICATE 0501 0503
"""
USER = """\
USER VMUSER1 VMUSER1 1M 1M G
 MDISK 0191 3370 AUTO 16384 TESTVL MR
USER THIRD THIRD 64M 64M G
 MACHINE Z
"""
WORDS = f"{LEVEL} IP=10.17.0.2 MTU=1500"
REACHED = "10.17.0.2 VMUSER1 VMUSER1 VMUSER1.191"
FILE = Case(id="P96_B", title="", direction="put", mode="Binary", bytes=98304, files=1, usual=False)
SEED = f"{execs.SEED_NAME} {REACHED} I {FILE.source}"
MIDDLE = 120_000
"""Instructions behind which the second level has some of the file and not all."""
REST_S = 3
"""Until what was typed and sent is dealt with."""


@pytest.fixture(autouse=True)
def _exact(emulator_needed: None) -> None:
    """Skip without the emulator that has virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")


class Levels(NamedTuple):
    """Both, from the first one's console."""

    world: World
    machine: Hercules
    image: Path
    start: int
    """Byte of the first volume where the second is."""

    def first(self, command: str, last: str) -> str:
        """What the first level answers, up to a line that LAST matches."""
        mark = self.machine.log.mark()
        self.machine.operator(command)
        self.machine.wait_log(last, WITHIN, mark)
        return "\n".join(self.machine.log.since(mark))

    def second(self, command: str, last: str) -> str:
        """The same of the second level's operator."""
        return self.first(f"SEND SECOND {command}", f"^SECOND  : {last}")

    def counts(self) -> tuple[int, int]:
        """`virt` and `total` when the second level has nothing to do any more."""
        self.world.run(self.world.now + REST_S * PS)
        return self.virt(), self.total()

    def virt(self) -> int:
        """Instructions that the second level has executed, as the first counts them."""
        said = self.first("QUERY TIME SECOND (FULL", "^MODEL ")
        return int(re.findall(r"^VIRT +\d+ US (\d+) INSTR", said, re.M)[0])

    def total(self) -> int:
        """The same as the second itself counts them."""
        said = self.second("QUERY ACNT", "SUM ")
        return int(re.findall(r"^SECOND  : TOTAL +\d+ +\d+ +(\d+) ", said, re.M)[0])


def own_pair(guest: Guest) -> Guest:
    """The same with the CTC pair where SECOND has it from."""
    moved = {WRITE_DEVICE: FIRST_WRITE, READ_DEVICE: FIRST_READ}
    devices = tuple(
        each.model_copy(update={"number": moved.get(each.number, each.number)})
        for each in guest.machine.devices
    )
    machine = guest.machine.model_copy(update={"devices": devices})
    return guest.model_copy(update={"machine": machine})


def volume(folder: Path) -> Path:
    """Of a VM/KB that serves FTP; VMUSER1 may log in."""
    made = system.source(
        folder,
        system.VOLUME.format(32768) + system.TCPIP_DISK,
        system.HEAD + system.OPERATORS + system.TCPIP + system.FTPSERVE + USER,
        folders=("tcpip",),
    )
    return system.image(made, folder / "run")


@contextmanager
def levels(folder: Path, world: World, lan: WorldLan | None = None) -> Iterator[Levels]:
    """VM/KB up in a machine of VM/KB, on a LAN or without one."""
    kb = system.delivered()
    inner = volume(folder / "second").read_bytes()
    directory = system.HEAD + system.OPERATORS + SECOND.format(len(inner) // 512)
    run = folder / "run"
    image = system.image(system.source(folder, system.VOLUME.format(65536), directory), run)
    with opened(image) as (_, _, (extent,)):
        start = extent.start * 512
    with image.open("r+b") as disk:
        disk.seek(start)
        disk.write(inner)
    guest = own_pair(hosting(kb, {"VMKB": kb}, folder / "made", 66))
    clock = GuestClock(world, "vmkb", pace("2064-109"))
    lines: list[str] = []
    if lan is not None:
        lan.join("vmkb", clock, "lan", (FIRST_WRITE, FIRST_READ))  # the machine's own pair
        lines = [f"{number:04X} {LAN_CTC} lan" for number in (FIRST_WRITE, FIRST_READ)]
    machine = boot(guest, run, keep=True, ctce=lines, virtual=clock)
    try:
        machine.operator(f"XAUTOLOG SECOND IPL VMKB PARM {WORDS}")
        machine.wait_log("^SECOND  : .*DMKCPI966I", WITHIN)
        yield Levels(world, machine, image, start)
    finally:
        machine.stop()


def test_operator_and_users_of_the_second_level(tmp_path: Path) -> None:
    world = World(TOD, 1)
    with on(WorldClock(world)), levels(tmp_path, world) as both:
        assert "OPERATOR - 0009" in both.second("QUERY NAMES", "OPERATOR")
        assert "DASD 0100 CP SYSTEM TESTVL" in both.second("QUERY DASD", "DASD")
        assert "COUNTER EXACT" in both.second("QUERY TIME (FULL", "MODEL")
        # paths whose instructions are known, while the first level's interruptions come
        said = both.second("CALIBRATE", "LAYOUT ERROR")
        exact = re.findall(r"^SECOND  : \S.* +([+-]\d+\.\d\d) +(\S+) +(\S+) +0$", said, re.M)
        assert len(exact) > 15 and set(exact) == {("+0.00", "+0.00", "+0.00")}
        both.second("XAUTOLOG THIRD IPL VMKB", "DMKALG044E VMKB NOT FOUND")
        both.second("XAUTOLOG WHEEL IPL CMS", "AUTO LOGON .* WHEEL")
        assert "WHEEL    - DSC" in both.second("QUERY NAMES", "OPERATOR")


@contextmanager
def peer(folder: Path, world: World, lan: WorldLan, file: Case) -> Iterator[Running]:
    """A VM/KB of its own, whose VMUSER1 has FTP's procedures and a file."""
    hands = driver(system.delivered())
    assert isinstance(hands, VmkbDriver)
    folder.mkdir()
    image = folder / "volume"
    make_volume(hands.guest.folder / "volume", {"VMUSER1": Workload().definition.entry}, image)
    files = {(name, "EXEC"): Text(text) for name, text in execs.texts().items()}
    hands.put(image, "VMUSER1", {**files, (file.source, "SOURCE"): content(file)})
    lines = [f"{number:04X} {LAN_CTC} lan" for number in (WRITE_DEVICE, READ_DEVICE)]
    clock = GuestClock(world, "peer", pace("2064-109"))
    lan.join("peer", clock, "lan")
    words = f"{LEVEL} IP=10.17.0.3 MTU=1500"
    running = hands.start("peer", folder, image, lines, words, choose(), (), clock)
    try:
        running.machine.operator("XAUTOLOG TCPIP")
        running.machine.wait_log("^TCPIP +: DTCIPI009I", WITHIN)
        yield running
    finally:
        running.close()


def play(client: Running, line: str) -> None:
    """VMUSER1 of the peer gives a procedure of execs.py, which ends well."""
    said = list(procedure(client, "VMUSER1", "VMUSER1", line, execs.DONE, WITHIN, ""))
    assert f"{execs.DONE}0" in said[-1], said


def test_ftp_both_ways_and_both_levels_accounts(tmp_path: Path) -> None:
    world = World(TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    sent = records_of(content(FILE)).data
    with on(WorldClock(world)):
        with (
            levels(tmp_path, world, lan) as both,
            peer(tmp_path / "peer", world, lan, FILE) as client,
        ):
            both.second("XAUTOLOG TCPIP", f".*{FTP_READY}")
            before = both.counts()
            play(client, SEED)
            play(client, f"{execs.NAME} {REACHED} GET I 1 {FILE.source} 0")
            virt, total = (b - a for a, b in zip(before, both.counts(), strict=True))
            assert total == virt > 100_000
            back = digests(client.image, "VMUSER1", 0x191, [("F001", "OUT")])["F001", "OUT"]
            assert back == (hashlib.sha256(sent).hexdigest(), len(sent))
            # gone in the middle of another, it comes up on the volume as it was left
            begun = both.virt()
            client.logon("VMUSER1", "VMUSER1").terminal.type(SEED)
            assert client.session is not None
            client.session.terminal.enter()
            wait_until(lambda: both.virt() > begun + MIDDLE, WITHIN, "a file on its way")
            both.first("FORCE SECOND", "LOGOFF AS SECOND")
            both.first(f"XAUTOLOG SECOND IPL VMKB PARM {WORDS}", "^SECOND  : .*DMKCPI966I")
        inner = tmp_path / "inner"
        inner.write_bytes(both.image.read_bytes()[both.start :])
        there = digests(inner, "VMUSER1", 0x191, [(FILE.source, "SOURCE")])
        assert there[FILE.source, "SOURCE"] == back
