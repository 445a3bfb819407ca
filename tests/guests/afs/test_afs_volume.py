# SPDX-License-Identifier: MIT
"""A volume on its minidisk: whole after power is lost in any of its writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.guests.afs.conftest import FLAGS, HERE, sources
from tests.guests.harness import WITHIN, compiled


def test_power_is_lost_in_each_write_of_each_change(tmp_path: Path) -> None:
    program = compiled(tmp_path, FLAGS, HERE / "crash.c", *sources())
    done = subprocess.run([program], capture_output=True, text=True, timeout=WITHIN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 300
