# SPDX-License-Identifier: MIT
"""A guest's devices and its start, on the real emulator: a disk that is read only, an IPL from a
device, and what the guest asks its operator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.boot import boot, open_session
from vmkb.hercules.guest import Guest, parse_guest

pytestmark = [pytest.mark.both, pytest.mark.usefixtures("emulator_needed")]

DESCRIPTION = """
name = "disks"
title = "Nothing but devices"
[ipl]
device = "000C"
%s
[files]
"deck" = "deck"
"work" = "sysres"
[read_only]
"sysres" = "sysres"
[machine]
architecture = "ESA/390"
[[machine.devices]]
number = "0009"
kind = "3215-C"
[[machine.devices]]
number = "000C"
kind = "3505"
file = "deck"
options = ["ebcdic"]
[[machine.devices]]
number = "000E"
kind = "1403"
file = "print"
[[machine.devices]]
number = "0190"
kind = "3350"
file = "sysres"
read_only = true
[[machine.devices]]
number = "0191"
kind = "3350"
file = "work"
"""


def card(text: bytes) -> bytes:
    return text.ljust(80, b"\0")


@pytest.fixture
def disks(tmp_path: Path) -> Path:
    """A guest folder: a deck that ends in a disabled wait, and a 3350 of a cylinder."""
    if shutil.which("dasdinit") is None:
        pytest.skip("dasdinit is not installed")
    folder = tmp_path / "disks"
    folder.mkdir()
    ran = subprocess.run(
        ["dasdinit", folder / "sysres", "3350", "SYSRES", "1"], capture_output=True, text=True
    )
    assert (folder / "sysres").is_file(), ran.stdout + ran.stderr
    # The IPL reads 24 bytes: a PSW and two CCWs; the first of these reads the rest at 18.
    psw = bytes.fromhex("000C0000 80000018")
    read = bytes.fromhex("02000018 20000050")
    (folder / "deck").write_bytes(
        card(psw + read + bytes(8)) + card(bytes.fromhex("0DC0 8200 C006 0000 000A0000 80000ABC"))
    )
    return folder


def described(folder: Path, more: str = "") -> Guest:
    return parse_guest(DESCRIPTION % more, folder)


def access(pid: int, name: str) -> set[int]:
    """How a process has opened a file: O_RDONLY, O_RDWR."""
    found = set()
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        if fd.readlink().name == name:
            flags = re.search(r"flags:\s+(\d+)", Path(f"/proc/{pid}/fdinfo/{fd.name}").read_text())
            assert flags is not None
            found.add(int(flags[1], 8) & os.O_ACCMODE)
    return found


def test_an_ipl_from_a_card_reader_reaches_the_deck(disks: Path, tmp_path: Path) -> None:
    with boot(described(disks), tmp_path / "run") as machine:
        machine.wait_log(machine.dialect.messages.disabled_wait, 5)
        mark = machine.log.mark()
        machine.command("r 18.10")
        machine.wait_log("0DC08200", 5, mark)


def test_what_is_read_only_is_not_copied_and_the_rest_is(disks: Path, tmp_path: Path) -> None:
    before = (disks / "sysres").read_bytes()
    with boot(described(disks), tmp_path / "run") as machine:
        assert (tmp_path / "run" / "sysres").is_symlink()
        assert not (tmp_path / "run" / "work").is_symlink()
        assert access(machine.pid, "sysres") == {os.O_RDONLY}
        assert access(machine.pid, "work") == {os.O_RDWR}
    assert (disks / "sysres").read_bytes() == before


def test_a_question_that_cannot_come_any_more_ends_the_start(disks: Path, tmp_path: Path) -> None:
    asks = '[[ipl.dialogue]]\nexpect = "WHEN, PLEASE"\nanswer = "NOW"\nwithin = 60'
    with pytest.raises(EmulatorError, match="(?i)has failed: .*disabled wait"):
        boot(described(disks, asks), tmp_path / "run")


def test_a_guest_without_a_logo_has_no_sessions(disks: Path, tmp_path: Path) -> None:
    guest = described(disks)
    with boot(guest, tmp_path / "run") as machine, pytest.raises(EmulatorError, match="no logo"):
        open_session(guest, machine)
