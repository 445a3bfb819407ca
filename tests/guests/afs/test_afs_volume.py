# SPDX-License-Identifier: MIT
"""A volume on its minidisk: whole after power is lost in any of its writes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.guests.harness import WITHIN


def test_power_is_lost_in_each_write_of_each_change(built: Callable[[str], Path]) -> None:
    done = subprocess.run([built("crash")], capture_output=True, text=True, timeout=WITHIN)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) > 300
