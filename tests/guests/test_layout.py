# SPDX-License-Identifier: MIT
"""A program with a layout: linked twice, optimised once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.guests.harness import VMKB

CROSS = "s390x-linux-gnu-"


@pytest.mark.slow
def test_a_layout_takes_one_optimisation(tmp_path: Path) -> None:
    if shutil.which(f"{CROSS}gcc") is None:
        pytest.skip(f"{CROSS}gcc is not installed")
    where = [f"{CROSS}gcc", "-print-prog-name=lto-wrapper"]
    real = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
    calls, counting = tmp_path / "calls", tmp_path / "counting"
    counting.write_text(f'#!/bin/sh\necho called >>{calls}\nexec {real} "$@"\n')
    counting.chmod(0o755)
    made = tmp_path / "made"
    subprocess.run(
        ["make", "-s", "-C", VMKB, f"B={made}", "O=build", "ORDER=2", "LAYOUT=2",
         f"LTO_WRAPPER={counting}", made / "rtmsf.bin"],
        check=True, timeout=300, capture_output=True,
    )  # fmt: skip
    assert calls.read_text() == "called\n"
    assert sorted(path.name for path in made.glob("*.lto")) == []
    names = [
        subprocess.run([f"{CROSS}nm", "-n", program], capture_output=True, text=True, check=True)
        for program in (made / "rtmsf.elf", VMKB / "build" / "rtmsf.elf")
    ]
    laid, usual = ([line.split()[-1] for line in n.stdout.splitlines()] for n in names)
    assert laid != usual
