# SPDX-License-Identifier: MIT
"""Virtual channel-to-channel adapters between Linux machines of one VM/KB, and between Linux and
its TCPIP."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e import system
from vmkb.guests.base import driver
from vmkb.guests.contents import Text
from vmkb.guests.linuxkb.driver import SYSTEM
from vmkb.guests.vmkb.driver import LEVEL, VmkbDriver, make_volume
from vmkb.guests.vmkb.hosted import hosting
from vmkb.hercules.clock.guest import GuestClock, WorldClock
from vmkb.hercules.clock.lan import READ_DEVICE, WRITE_DEVICE, WorldLan
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import on
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.emulator.config import LAN_CTC
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest
from vmkb.workloads.base.guest import procedure
from vmkb.workloads.base.virtual import pace
from vmkb.workloads.serve import Workload, execs
from vmkb.workloads.serve.plan import Case, content

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
TOD = 3192422400 * 16_000_000
WITHIN = 60.0
PAIR = """\
USER LEFT LEFT 256M 256M G
 MACHINE Z
 CONSOLE 0009 3215 T OPERATOR
 SPECIAL 0E20 CTCA RIGHT 0E21
 SPECIAL 0E21 CTCA RIGHT 0E20
USER RIGHT RIGHT 256M 256M G
 MACHINE Z
 CONSOLE 0009 3215 T OPERATOR
 SPECIAL 0E20 CTCA
 SPECIAL 0E21 CTCA
"""
LINUX = """\
USER LINUX2 LINUX2 256M 256M G
 MACHINE Z
 CONSOLE 0009 3215 T OPERATOR
 SPECIAL 0E20 CTCA TCPIP 0503
 SPECIAL 0E21 CTCA TCPIP 0502
"""
TCPIP = """\
USER TCPIP TCPIP 16M 32M ABCDG 10
 INCLUDE SERVICE
 IPL TCPIP
 OPTION MAXCONN 256 ACCT
 DEDICATE 0500 0500
 DEDICATE 0501 0501
 SPECIAL 0502 CTCA
 SPECIAL 0503 CTCA
 LINK MAINT 019E 019E RR
 MDISK 0191 3370 AUTO 2048 VMKB01 MR RTCPIP WTCPIP
"""
FILE = Case(id="P96_B", title="", direction="put", mode="Binary", bytes=98304, files=1, usual=False)


@pytest.fixture(autouse=True)
def _exact(emulator_needed: None) -> None:
    """Skip without the emulator that has virtual time."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")


def says(machine: Hercules, user: str, line: str, last: str = "^DONE$") -> list[str]:
    """What a Linux of that user answers to LINE."""
    mark, name = machine.log.mark(), f"{user:<8}: "
    machine.operator(f"SEND {user} {line}; echo DONE")
    machine.wait_log(last.replace("^", f"^{name}", 1), WITHIN, mark)
    said = [each.removeprefix(name) for each in machine.log.since(mark) if each.startswith(name)]
    return said[:-1]


def up(machine: Hercules, users: tuple[str, ...], hosts: tuple[int, ...], words: str = "") -> None:
    """Linux in these machines with WORDS as its parameter, and its network."""
    mark = machine.log.mark()
    for user, host in zip(users, hosts, strict=True):
        machine.operator(f"XAUTOLOG {user} IPL {SYSTEM} PARM IP=10.18.0.{host}/24 {words}".rstrip())
    for user in users:
        machine.wait_log(f"^{user:<8}: VMKB: Linux .* is up", WITHIN, mark)
    for user in users:
        machine.operator(f"SEND {user} netup")
    for user in users:
        machine.wait_log(f"^{user:<8}: VMKB: TELNET serves", WITHIN, mark)


@contextmanager
def pair(kernel: Guest, folder: Path, words: str = "") -> Iterator[Hercules]:
    """Two machines, each with Linux, coupled by the directory entry of one."""
    guest = hosting(system.delivered(), {SYSTEM: kernel}, folder / "made", 2 * 258)
    directory = system.HEAD + system.OPERATORS + PAIR
    run = folder / "run"
    system.image(system.source(folder, system.VOLUME.format(8192), directory), run)
    world = World(TOD, 1)
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        machine = boot(guest, run, keep=True, virtual=clock)
        try:
            up(machine, ("LEFT", "RIGHT"), (1, 2), words)
            yield machine
        finally:
            machine.stop()


REACHED = "-u anonymous -p none 10.18.0.2"


def test_two_linux_machines_by_ftp(kernel: Guest, tmp_path: Path) -> None:
    with pair(kernel, tmp_path) as machine:
        says(machine, "LEFT", "head -c 300000 /dev/urandom >/tmp/there")
        says(machine, "LEFT", f"ftpput {REACHED} pub/there /tmp/there")
        says(machine, "LEFT", f"ftpget {REACHED} /tmp/back pub/there")
        here = says(machine, "LEFT", "md5sum </tmp/there; md5sum </tmp/back")
        there = says(machine, "RIGHT", "md5sum </srv/ftp/pub/there")
        assert len(here) == 2 and here[0] == here[1] == there[0]
        # FORCE while a file goes: the other lives, and so does the next who logs on
        machine.operator(f"SEND LEFT ftpput {REACHED} pub/zero /dev/zero &")
        says(machine, "RIGHT", "until [ -s /srv/ftp/pub/zero ]; do usleep 10000; done")
        mark = machine.log.mark()
        machine.operator("FORCE LEFT")
        machine.wait_log("LOGOFF AS LEFT", WITHIN, mark)
        assert says(machine, "RIGHT", "echo $((6 * 7)); rm /srv/ftp/pub/zero") == ["42"]
        up(machine, ("LEFT",), (1,))
        says(machine, "LEFT", f"ftpget {REACHED} /tmp/again pub/there")
        assert says(machine, "LEFT", "md5sum </tmp/again") == there
        # IPL over a running system, which the same adapters then serve
        machine.operator("FORCE RIGHT")
        machine.wait_log("LOGOFF AS RIGHT", WITHIN, mark)
        up(machine, ("RIGHT",), (2,))
        says(machine, "RIGHT", "echo new >/srv/ftp/pub/new")
        says(machine, "LEFT", f"ftpget {REACHED} /tmp/new pub/new")
        assert says(machine, "LEFT", "cat /tmp/new") == ["new"]


def test_a_cms_user_of_the_same_system(kernel: Guest, tmp_path: Path) -> None:
    """Its TCPIP has the machine behind a virtual CTC, and itself an address on it."""
    guest = hosting(system.delivered(), {SYSTEM: kernel}, tmp_path / "made", 258)
    hands = driver(guest)
    assert isinstance(hands, VmkbDriver)
    run = tmp_path / "run"
    run.mkdir()
    image = run / "volume"
    entries = {"TCPIP": TCPIP, "VMUSER1": Workload().definition.entry}
    make_volume(hands.guest.folder / "volume", entries, image, LINUX)
    file = content(FILE)
    files = {(name, "EXEC"): Text(text) for name, text in execs.texts().items()}
    hands.put(image, "VMUSER1", {**files, (FILE.source, "SOURCE"): file})
    world = World(TOD, 1)
    lan = WorldLan(world, "lan", "fast", 1)
    lines = [f"{number:04X} {LAN_CTC} lan" for number in (WRITE_DEVICE, READ_DEVICE)]
    words = f"{LEVEL} IP=10.18.0.102 MTU=1500 PEER=10.18.0.2"
    with on(WorldClock(world)):
        clock = GuestClock(world, "vmkb", pace("2064-109"))
        lan.join("vmkb", clock, "lan")
        running = hands.start("vmkb", run, image, lines, words, choose(), (), clock)
        try:
            running.machine.operator("XAUTOLOG TCPIP")
            running.machine.wait_log("^TCPIP +: DTCIPI009I", WITHIN)
            up(running.machine, ("LINUX2",), (2,))
            reached = "10.18.0.2 anonymous none PUB"
            for line in (
                f"{execs.SEED_NAME} {reached} I {FILE.source}",
                f"{execs.NAME} {reached} GET I 1 {FILE.source} 0",
            ):
                said = list(procedure(running, "VMUSER1", "VMUSER1", line, execs.DONE, WITHIN, ""))
                assert f"{execs.DONE}0" in said[-1], said
            there = says(running.machine, "LINUX2", f"md5sum </srv/ftp/pub/{FILE.source}.SOURCE")
            assert there[0].split()[0] == hashlib.md5(hands.stored(file)).hexdigest()
            back = hands.digests(running.image, "VMUSER1", [("F001", "OUT")])["F001", "OUT"]
            assert back is not None
            assert back[0] == hashlib.sha256(hands.stored(file)).hexdigest()
        finally:
            running.close()
