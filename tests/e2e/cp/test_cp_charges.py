# SPDX-License-Identifier: MIT
"""What a machine's work costs it does not depend on how busy the others are."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from tests.e2e import cms_guest
from tests.e2e.cms_guest import Cms, booted
from tests.e2e.cp_console import Console, check
from vmkb.hercules.emulator.choice import choose

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

NEIGHBOURS = (0, 1, 4, 15)
TIMES = 5
AGREE = 0.1
"""Percent of TOTAL alone. A page of the screen that fills costs about 1200 instructions."""
WORK = """\
/* about four million instructions */
total = 0
do i = 1 to 10000
  total = total + i
end
"""
TOTAL = re.compile(r"TOTAL +\d+ US (\d+) INSTR")
VIRT = re.compile(r"VIRT +\d+ US (\d+) INSTR")


def test_total_repeats_beside_busy_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not choose().exact:
        pytest.skip("this emulator counts in batches, differently at each interruption")
    users = "".join(f"USER BUSY{n:02} BUSY 1M 1M G\n IPL CMS\n" for n in range(NEIGHBOURS[-1]))
    wheel = "USER WHEEL WHEEL 1M 4M ABCDEFG\n CONSOLE 0009 3215\n"
    monkeypatch.setattr(cms_guest, "DIRECTORY", cms_guest.DIRECTORY + wheel + users)
    monkeypatch.setattr(cms_guest, "WITHIN", 60.0)
    virt: list[int] = []
    total: dict[int, float] = {}
    with booted(tmp_path, {"user1/work.exec": WORK}, parameter="MODEL=2064-109") as system:
        user, wheel_console = Cms(system, 0x0701, "USER1"), Console(*system, 0x0700)
        wheel_console.logon("WHEEL")

        def counts() -> tuple[int, int]:
            lines = wheel_console.ask("QUERY TIME USER1 (FULL")
            (own,), (both,) = ([m for m in map(p.match, lines) if m] for p in (VIRT, TOTAL))
            return int(own[1]), int(both[1])

        user.run("exec work")
        busy = 0
        for wanted in NEIGHBOURS:
            for n in range(busy, wanted):
                answer = wheel_console.ask(f"XAUTOLOG BUSY{n:02} IPL EXERCISE PARM LOOP")
                check(answer, r"AUTO LOGON .*")
            busy = wanted
            grown = []
            for _ in range(TIMES):
                before = counts()
                user.run("exec work")
                after = counts()
                virt.append(after[0] - before[0])
                grown.append(after[1] - before[1])
            total[wanted] = statistics.median(grown)
        user.close()
        wheel_console.close()
    print(f"VIRT {min(virt)} to {max(virt)}; TOTAL by neighbours: {total}")
    assert max(virt) - min(virt) <= min(virt) * AGREE / 100
    for wanted in NEIGHBOURS:
        assert total[wanted] == pytest.approx(total[0], rel=AGREE / 100), total
