# SPDX-License-Identifier: MIT
"""The emulator counts each byte that an instruction moves or sums (programs/bytes.s)."""

from __future__ import annotations

import pytest

from tests.hercules.clock.alone import KMIPS, alone, assemble
from tests.hercules.clock.test_emulator import WITHIN, doubles
from vmkb.hercules.clock.messages import Pace
from vmkb.hercules.deadline import HOST, on
from vmkb.hercules.emulator.choice import Emulator

pytestmark = pytest.mark.e2e
WANTED = {
    "STMG, LMG": (0, 0),
    "MVC of 8": (0, 0),
    "MVC of 9": (9, 0),
    "MVC of 256": (256, 0),
    "XC, OC, NC and CLC of 64": (4 * 64, 0),
    "TR of 100, TRT of 50, MVCIN of 20": (170, 0),
    "MVC of 21 by EXRL": (21, 0),
    "MVCL of 1000 to 2000": (2000, 0),
    "MVCLE of 4500 to 5000": (5000, 0),
    "CLCL of 300": (300, 0),
    "CLCLE of 200 with 300": (300, 0),
    "MVST of 50 and the end": (51, 0),
    "CLST of 50 and the end": (51, 0),
    "SRST of 50 and the end": (51, 0),
    "CKSM of 5001": (0, 5001),
    "MVCK of 100": (100, 0),
    "MVCDK and MVCSK of 100": (200, 0),
    "MVPG": (4096, 0),
    "TRE of 60": (60, 0),
}
"""Bytes moved and summed of each case, in the program's order."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, counting: Emulator) -> list[tuple[int, int]]:
    """What the emulator said: of each case what was moved and what was summed."""
    folder = tmp_path_factory.mktemp("bytes")
    pace = Pace(KMIPS, move_rate=10**6, sum_rate=10**6)
    with alone(assemble("bytes", folder), folder / "run", pace=pace) as one, on(HOST):
        one.machine.wait_log(r"PSW=00020001 80000000 0{16}$", WITHIN)
        words = doubles(one.machine, 2 * len(WANTED))
    pairs = zip(words[::2], words[1::2], strict=True)
    return [
        ((b >> 32) - (a >> 32), (b & 0xFFFFFFFF) - (a & 0xFFFFFFFF)) for a, b in pairs
    ]  # fmt: skip


@pytest.mark.parametrize("case", WANTED)
def test_bytes_of_one_instruction(said: list[tuple[int, int]], case: str) -> None:
    assert said[list(WANTED).index(case)] == WANTED[case]
