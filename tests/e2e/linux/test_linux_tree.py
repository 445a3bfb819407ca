# SPDX-License-Identifier: MIT
"""A kernel that is built from its source serves files. VMKB_LINUX names the git repository of one;
the first time it takes minutes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read

TREE = os.environ.get("VMKB_LINUX", "")
pytestmark = [
    pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed"),
    pytest.mark.skipif(not TREE, reason="VMKB_LINUX names no kernel's repository"),
]  # fmt: skip


@pytest.mark.timeout(3600)
def test_a_commit_is_built_and_serves(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", "ftp", "--guest", "linux",
         "--releases", f"one={TREE}@HEAD,two={TREE}@HEAD", "--case", "G24KB", "--trials", "1",
         "--out", "r"],
        cwd=tmp_path, text=True, capture_output=True, timeout=3500,
        env={**os.environ, "PYTHONPATH": str(project)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "boots as it was shipped" not in done.stderr
    found = costs(read(tmp_path / "r").trials, Source.IC, model("2064-109"))
    one, two = sorted(c.total.value for c in found if c.total is not None)
    assert one == two > 1
