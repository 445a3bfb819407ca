# SPDX-License-Identifier: MIT
"""What signals do to a command that runs guests."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

WAITS = """
import sys
from workloads.stopping import STOPPED, stop_in_order
stop_in_order()
try:
    print("waits", flush=True)
    sys.stdin.read()
    print("went on")
except KeyboardInterrupt:
    sys.exit(STOPPED)
"""


@pytest.mark.parametrize(("before", "ends"), [([], True), (["nohup"], False)])
def test_the_end_of_the_window_stops_it_unless_under_nohup(
    before: list[str], ends: bool, project: Path
) -> None:
    with subprocess.Popen(
        [*before, sys.executable, "-c", WAITS], cwd=project, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as child:  # fmt: skip
        assert child.stdout is not None and child.stdout.readline() == "waits\n"
        child.send_signal(signal.SIGHUP)
        if ends:
            assert child.wait(20) == 130
        else:
            assert child.communicate(timeout=20)[0] == "went on\n"
    assert child.returncode == (130 if ends else 0)
