# SPDX-License-Identifier: MIT
"""What a killed process has started does not outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import EmulatorError, wait_until
from vmkb.hercules.warden import Warden

STARTER = """
import subprocess, sys, time
from pathlib import Path
from vmkb.hercules.warden import Warden
with Warden() as warden:
    warden.remove(Path(sys.argv[1]))
    child = subprocess.Popen(["sleep", "60"], pass_fds=[warden.held], stdout=subprocess.DEVNULL)
    print(child.pid, warden.pid, flush=True)
    if sys.argv[2] == "stays":
        time.sleep(60)
"""


def started(file: Path, what: str) -> tuple[subprocess.Popen[bytes], int, int]:
    process = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(file), what], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    child, warden = map(int, process.stdout.readline().split())
    return process, child, warden


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
def test_it_ends_with_who_started_it(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "a name\nwith a line's end"
    file.touch()
    process, child, warden = started(file, "stays")
    process.send_signal(number)
    process.communicate()
    wait_until(lambda: gone(child) and gone(warden), 10, "both to end")
    assert not file.exists()


def test_in_order_what_is_left_over_is_killed_and_files_stay(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.touch()
    process, child, warden = started(file, "ends")
    process.communicate(timeout=10)
    assert process.returncode == 0
    wait_until(lambda: gone(child) and gone(warden), 10, "both to end")
    assert file.exists()


def test_a_warden_that_was_killed_is_said(tmp_path: Path) -> None:
    with Warden() as warden:
        os.kill(warden.pid, signal.SIGKILL)
        wait_until(lambda: gone(warden.pid), 10, "its end")
        with pytest.raises(EmulatorError, match=f"pid {warden.pid}"):
            warden.remove(tmp_path)
