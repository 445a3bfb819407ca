# SPDX-License-Identifier: MIT
"""What CP says of a system at work: smoothed load, queues, accounts that add up, and the hand
count of the dispatch path."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.cp_console import WITHIN, Console, booted, check
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.guest import load_guest

LOAD = re.compile(r"CPU-(\d{3})% Q1-(\d\d) Q2-(\d\d) STORAGE-(\d{3})% RATIO-01\.0")
FASTER = 0.02
"""Hercules' toddrag: the guest's clock runs 50 times as fast, its 30 s samples come each 0.6 s."""


@pytest.mark.e2e
@pytest.mark.slow
def test_load_is_smoothed_as_documented(tmp_path: Path) -> None:
    with booted(tmp_path) as (guest, machine):
        console = Console(guest, machine, 0x0700)
        console.logon("WHEEL")
        check(console.ask("XAUTOLOG SERVER IPL EXERCISE PARM LOOP"), r"AUTO LOGON .*")
        check(console.ask("INDICATE QUEUES"), r"SERVER   Q[12] [R ]  \d{4}/\d{4}")
        machine.command(f"toddrag {FASTER}")
        seen: list[int] = []

        def probe() -> bool:
            match = LOAD.fullmatch(console.ask("INDICATE LOAD")[0])
            assert match is not None
            cpu = int(match[1])
            if not seen or seen[-1] != cpu:
                seen.append(cpu)
            return len(seen) > 4

        wait_until(probe, 20, "four samples of the load")
        console.close()
    # new = (3 old + interval) / 4 from 0, the machine computing all the time; the first interval
    # began before it did, and may be over before the first answer is there.
    assert seen[0] <= 25
    for old, new in zip(seen[1:], seen[2:], strict=False):
        assert new == pytest.approx((3 * old + 100) / 4, abs=2), seen


def _accounts(answer: list[str]) -> dict[str, list[int]]:
    """Virtual and CP microseconds, instructions and corrections by user, from QUERY ACNT."""
    return {line.split()[0]: [int(x) for x in line.split()[1:]] for line in answer[1:-1]}


@pytest.mark.e2e
def test_accounts_add_up_over_sessions_and_a_loop(tmp_path: Path) -> None:
    with booted(tmp_path) as (guest, machine):
        console = Console(guest, machine, 0x0700)
        console.logon("WHEEL")
        check(console.ask("XAUTOLOG SERVER IPL EXERCISE PARM LOOP"), r"AUTO LOGON .*")
        for _ in range(5):
            check(console.ask("XAUTOLOG GUARDED"), r"AUTO LOGON .*")
            wait_until(  # beside the loop its turn may come later
                lambda: sum(_accounts(console.ask("QUERY ACNT"))["GUARDED"][:2]) > 0,
                WITHIN,
                "GUARDED to compute",
            )
            assert console.ask("FORCE GUARDED") == []
        answer = console.ask("QUERY ACNT")
        rows = _accounts(answer)
        assert rows["SERVER"][0] > 0
        assert rows["*RETIRED"][0] + rows["*RETIRED"][1] > 0
        last = re.fullmatch(
            r"SUM (\d+) US, ELAPSED (\d+) US, DIFFERENCE -?\d+ US, (\d+\.\d\d)%", answer[-1]
        )
        assert last is not None
        assert abs(int(last[1]) - int(last[2])) < int(last[2]) / 100, answer[-1]
        assert float(last[3]) < 1
        console.close()


def test_calibrate_counts_the_dispatch_path_by_hand() -> None:
    """CALIBRATE's true number of instructions is what the image has."""
    objdump = shutil.which("s390x-linux-gnu-objdump")
    image = load_guest("vmkb").folder / "build" / "cp.elf"
    if objdump is None or not image.is_file():
        pytest.skip("the guest is not built here, or there is no cross objdump")
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", image], check=True, capture_output=True, text=True
    ).stdout
    source = (image.parent.parent / "cp" / "core" / "calibrate.c").read_text(encoding="ascii")
    number = {n: int(v) for n, v in re.findall(r"#define (\w+)\s+(\d+)\s", source)}

    def count(name: str, last: str) -> int:
        body = text.split(f"<{name}>:\n")[1].split("\n\n")[0].splitlines()
        words = [line.split(":\t")[1].split()[0] for line in body if ":\t" in line]
        return words.index(last) + 1

    assert count("into_context", "lpswe") == number["RUN_PATH"]
    assert count("svc_entry", "br") == number["ENTRY_PATH"]
    # An exception's entry has a test and a branch more: whether it was CP's own.
    assert count("pgm_entry", "br") == number["ENTRY_PATH"] + number["EXCEPTION"]
