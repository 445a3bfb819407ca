# SPDX-License-Identifier: MIT
"""A guest that a command boots for itself ends with it, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import psutil
import pytest

from tests.e2e.boot_guest import WITHIN, Boots
from vmkb.hercules.deadline import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]
MARK = "VMKB_TEST_OWN"


def left(mark: str) -> list[psutil.Process]:
    """The processes that have MARK in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("command", ["script", "measure"])
def test_it_ends_with_its_command(
    tmp_path: Path, project: Path, command: str, number: signal.Signals
) -> None:
    both = Boots(tmp_path / "runs")
    both.runs.mkdir()
    words = {
        "script": ["script", "--private", str(project / "scripts/examples/first-session.vmkb")],
        "measure": [
            "measure",
            "--guest",
            "vmkb",
            "--user",
            "VMUSER1",
            "--trials",
            "99",
            "IDENTIFY",
        ],
    }[command]
    mark = str(tmp_path)
    with subprocess.Popen(
        both.words(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True,
        stderr=subprocess.PIPE,
        env={**os.environ, MARK: mark, "VMKB_PASSWORD": "VMUSER1"},
    ) as child:  # fmt: skip
        try:
            wait_until(lambda: list(both.runs.glob("*/state.json")), WITHIN, "the emulator")
            child.send_signal(number)
            errors = child.communicate(timeout=WITHIN)[1]
            assert child.returncode == (-9 if number == signal.SIGKILL else 130), errors
            wait_until(lambda: not left(mark), 20, f"the end of {left(mark)}")
            assert list(both.runs.iterdir()) == []
        finally:
            for process in left(mark):
                process.kill()
