# SPDX-License-Identifier: MIT
"""A program check of CP itself: whoever waits for it is told at once, with the line of its source.

CP has no such error that is known, so one of its commands is overwritten in real storage."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.cp_console import WITHIN, Console, booted
from tests.e2e.system import needed
from vmkb.hercules.deadline import EmulatorError, patient
from vmkb.hercules.guest import load_guest

pytestmark = pytest.mark.e2e


def address(function: str) -> int:
    """Where a function of CP is."""
    program = load_guest("vmkb").folder / "build" / "cp.elf"
    names = subprocess.run(
        ["s390x-linux-gnu-nm", str(program)], capture_output=True, text=True, check=True, timeout=30
    ).stdout
    match = re.search(rf"^([0-9a-f]+) T {function}$", names, re.M)
    assert match is not None
    return int(match[1], 16)


@pytest.mark.parametrize("who", ["terminal", "operator"])
def test_an_abend_is_told_at_once_with_its_line(tmp_path: Path, who: str) -> None:
    needed("s390x-linux-gnu-nm", "s390x-linux-gnu-addr2line")
    with booted(tmp_path) as (guest, machine):
        user = Console(guest, machine, 0x0700)
        user.logon("GENERAL")
        begin = address("cmd_begin")
        machine.command(f"r {begin:X}=00000000")
        machine.command(f"r {begin:X}.4")
        machine.wait_log(rf"^R:0*{begin:X}:.*=00000000", WITHIN)
        begun = time.monotonic()
        with pytest.raises(EmulatorError) as told:
            if who == "terminal":
                user.type("BEGIN")
                user.expect("an answer")
            else:
                user.session.terminal.type("BEGIN")
                machine.operator("QUERY TIME")  # nothing yet
                mark = machine.log.mark()
                try:
                    user.session.terminal.enter()
                finally:
                    machine.wait_log("TIME IS", 30, mark)
        assert time.monotonic() - begun < patient(5)
        said = str(told.value)
        assert re.search(r"has failed: .*DMKDMP908I SYSTEM FAILURE CODE PRG001 AT", said), said
        assert re.search(r"It was in cmd_begin\(\) \(cp/commands/begin\.c:\d+\), called from", said)
