# SPDX-License-Identifier: MIT
"""CP waits for a disk and a punch that take time: it does not ask them again and again, and goes
down only when each accounting card is punched. On virtual time, where devices have theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import system
from tests.e2e.cp_console import VOLUME
from vmkb.hercules.emulator.boot import boot
from vmkb.workloads.base.virtual import alone, volumes_dated

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed", "counting")]
USERS = 20
"""Their cards take 4 s of the punch's."""
DIRECTORY = "".join(
    [system.HEAD, system.OPERATORS, *(f"USER U{n} U{n} 1M 1M G\n IPL CMS\n" for n in range(USERS))]
)
MOST = 200_000
"""Instructions of the system's up to the last logon: 125,000. To ask the disk again and again took
11 million, to look at all of storage for each run of free pages 180,000."""
WITHIN = 30.0


def test_it_waits_for_its_disk_and_for_each_card(tmp_path: Path) -> None:
    guest = system.delivered()
    run = tmp_path / "run"
    with volumes_dated(), alone("VMKB") as clock:
        system.image(system.source(tmp_path, VOLUME, DIRECTORY), run)
        with boot(guest, run, keep=True, virtual=clock) as machine:
            for n in range(USERS):
                machine.operator(f"AUTOLOG U{n}", rf"AUTO LOGON .* U{n} ", WITHIN)
            machine.operator("QUERY ACNT", r"^TOTAL ", WITHIN)
            line = machine.wait_log(r"^\*SYSTEM ", WITHIN)
            machine.operator("SHUTDOWN", r"DMKCKP961W SYSTEM SHUTDOWN COMPLETE", WITHIN)
            cards = (run / "punch.cards").stat().st_size / 80
    assert int(line.split()[3]) < MOST
    assert cards == USERS + 1  # the operator's
