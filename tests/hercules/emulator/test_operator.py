# SPDX-License-Identifier: MIT
"""A line typed on the console, on the host's clock, as the console ends a write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hercules.clock.alone import CONFIG, assemble
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.emulator.machine import Hercules

pytestmark = pytest.mark.e2e
WITHIN = 30.0


def test_a_line_waits_for_the_interrupt_of_the_write_before(
    tmp_path: Path, counting: Emulator
) -> None:
    with Hercules.start(CONFIG, tmp_path / "run", assemble("late", tmp_path)) as machine:
        machine.wait_shown("ENDED", WITHIN, 0, "the program's line")
        machine.command("r 500=01")  # 0.2 s from here to the interrupt
        machine.operator("LINE")
        machine.wait_log("000A0000 80000000", WITHIN)
