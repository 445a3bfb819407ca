# SPDX-License-Identifier: MIT
"""A booted VM/KB whose users have readers, punches and printers, and a spool space."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e import system
from tests.e2e.cms_guest import Cms
from vmkb.hercules.emulator.boot import boot
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import Guest

USERS = ("SENDER", "GETTER", "THIRD")

VOLUME = """\
[areas]
DIRECTRY = 32
SPOOL = {spool}
TDISK = 4096

[[minidisk]]
owner = "MAINT"
vaddr = "190"
label = "CMS190"
file = [{{ from = "system/*", mode = 2 }}]

[[minidisk]]
owner = "SENDER"
vaddr = "191"
label = "SND191"
file = [{{ from = "sender/*" }}, {{ from = "fixed/*", recfm = "F", lrecl = 80 }}]
"""

DIRECTORY = (
    system.HEAD
    + system.OPERATORS
    + system.CMSUSER
    + """\
 SPOOL 000C 2540R *
 SPOOL 000D 2540P A
 SPOOL 000E 1403 A
USER MAINT MAINT 2M 4M ABCDEFG
 MDISK 0190 3370 AUTO 1024 TESTVL MR ALL
"""
    + "".join(
        f"""\
USER {name} {name} 2M 4M G
 INCLUDE CMSUSER
 MDISK 0191 3370 AUTO {{}} TESTVL MR
"""
        for name in USERS
    )
)


def built(folder: Path, files: dict[str, str], spool: int = 4096, disk: int = 4096) -> Path:
    """The folder of a machine with such a volume; SPOOL and minidisks have so many blocks."""
    made = system.source(
        folder,
        system.VOLUME.format(1 << 20) + VOLUME.format(spool=spool),
        DIRECTORY.format(*[disk] * len(USERS)),
        {"system/sysexec.exec": "exit 0\n", "fixed/cards.data": "CARD ONE\nCARD TWO\n", **files},
    )
    system.image(made, folder / "run")
    return folder / "run"


@contextmanager
def running(
    run: Path, kill: bool = False, parameter: str = "MAXSPOOL=100"
) -> Iterator[tuple[Guest, Hercules]]:
    """VM/KB on the volume of that folder, as it is; in the end its emulator is killed."""
    guest = system.delivered()
    machine = boot(guest, run, keep=True, parameter=parameter)
    try:
        yield guest, machine
    finally:
        machine.kill() if kill else machine.stop()


@contextmanager
def logged_on(pair: tuple[Guest, Hercules], *users: str) -> Iterator[list[Cms]]:
    """Each at a terminal of its own; they leave without LOGOFF."""
    found: list[Cms] = []
    try:
        for user in users or USERS[:2]:
            found.append(Cms(pair, 0x0700 + len(found), user))
        yield found
    finally:
        for each in found:
            each.session.close()
