# SPDX-License-Identifier: MIT
"""vmkb sweep on real guests: its wire loses as many frames as the design says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.store import Trial, read
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
ROOT = load_guest("vmkb").folder.parents[1]
DESIGN = """\
question = "What does a loss cost?"
releases = ["221"]
files = ["P2M_B"]
mtu = [1500]
buffers = [32768]
loss = [0.0, 0.01]
wire = "ethernet-10"
trials = 1
"""


def frames(trial: Trial, what: str) -> float:
    (wire,) = (r for r in trial.records if r.kind == "wire")
    return wire.value(what).value


def test_frames_are_lost_in_trials(tmp_path: Path) -> None:
    (tmp_path / "lossy.toml").write_text(DESIGN)
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "sweep", "--design", "lossy.toml", "--out",
         "s"], cwd=tmp_path, text=True, capture_output=True, timeout=180,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    whole, lossy = (
        read(tmp_path / "s" / f"s-mtu1500-buffers32768-loss{loss}").trials[0] for loss in (0, 0.01)
    )
    assert frames(whole, "dropped") == 0
    crossed = frames(lossy, "frames_in") + frames(lossy, "frames_out")
    assert frames(lossy, "dropped") == pytest.approx(0.01 * crossed, rel=0.5)
    assert frames(lossy, "frames_in") > frames(whole, "frames_in")
