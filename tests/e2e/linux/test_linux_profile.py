# SPDX-License-Identifier: MIT
"""vmkb run ftp --guest linux --profile: which functions of two kernels the instructions go to, to
the instruction."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from vmkb.accounting.costs import trial_cost
from vmkb.accounting.profile.tables import apart_from_counts
from vmkb.accounting.store import read
from vmkb.guests.base import driver
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.choice import choose
from vmkb.hercules.guest import Guest, load_guest
from vmkb.workloads.base.profile.report import profiles

pytestmark = [
    pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(960),
    pytest.mark.usefixtures("emulator_needed"),
]  # fmt: skip
WITHIN = 900
"""Most of it once: each kernel is made, booted, and says its functions over its console, which is a
minute alone, and some on a busy computer."""
RELEASES = ("6.1", "6.12")


def profiled(folder: Path, project: Path, *words: str) -> tuple[str, str]:
    """A run with --profile into FOLDER/r: what it printed, and all that it said."""
    if not choose().exact:
        pytest.skip("the counting emulator is not built")
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", *words, "--profile", "--case", "P24KB",
         "--trials", "1", "--out", "r"],
        cwd=folder, text=True, capture_output=True, timeout=WITHIN,
        env={**os.environ, "PYTHONPATH": str(project)},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return done.stdout, said


def test_a_kernel_in_a_machine_has_its_functions_and_cps(
    kernel: Guest, project: Path, tmp_path: Path
) -> None:
    guests = ("--guest", "linux,linuxkb", "--releases", "6.1,6.1KB")
    printed, said = profiled(tmp_path, project, "serve", *guests)
    for table in ("of Server's guest go", "of CP for Server's guest go"):
        assert f"Where the instructions {table}" in printed, said
    native, virtual, cp = profiles(
        tmp_path / "r", [trial_cost(t) for t in read(tmp_path / "r").trials]
    )
    assert apart_from_counts([native, virtual, cp]) == []
    assert virtual.counted == pytest.approx(native.counted, rel=0.02)
    both = ({f.name for f in p.functions()} for p in (native, virtual))
    assert {"tcp_v4_rcv", "ctcm_tx", "do_IRQ", "__alloc_skb"} <= set.intersection(*both)
    assert all(image != "?" for image, _ in virtual.lines)
    assert {f.program for f in cp.functions()} == {"cp"}


def test_two_kernels_tell_what_grew(kernel: Guest, project: Path, tmp_path: Path) -> None:
    try:
        driver(load_guest("linux")).choices(RELEASES)
    except EmulatorError as error:
        pytest.skip(f"Linux cannot be made here: {error}")
    printed, said = profiled(
        tmp_path, project, "ftp", "--guest", "linux", "--releases", ",".join(RELEASES)
    )
    assert "Where the instructions of Server's guest go" in printed, said
    assert "What grew and what shrank from 6.1 to 6.12" in printed
    assert "what the guest counted, to the instruction" in said
    found = profiles(tmp_path / "r", [trial_cost(t) for t in read(tmp_path / "r").trials])
    assert [p.release for p in found] == list(RELEASES)
    assert apart_from_counts(found) == []
    for profile in found:
        assert profile.total == profile.counted > 1_000_000
        assert profile.programs == profile.in_programs > 10_000
        images: Counter[str] = Counter()
        for (image, _), count in profile.lines.items():
            images[image] += count
        assert images["ctcm"] > 10_000 and images["vmlinux"] > images["ctcm"]
        assert images["?"] == 0  # each address is a function's, a module's or the lowcore's
        names = {frame.function for _, frame in profile.lines}
        assert {"tcp_v4_rcv", "ctcm_tx", "do_IRQ", "__alloc_skb"} <= names
