# SPDX-License-Identifier: MIT
"""A pytest that is ended leaves no emulator."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import wait_until

TEST = """\
import time

def test_that_takes_its_time(bare_machine, tmp_path_factory):
    (tmp_path_factory.getbasetemp().parent / "pid").write_text(str(bare_machine.pid) + "\\n")
    for _ in range(6000):
        time.sleep(0.01)
"""


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("several", [(), ("-n1",)], ids=["one process", "xdist"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_its_emulators_end_with_it(
    emulator_needed: None, tmp_path: Path, project: Path, number: signal.Signals,
    several: tuple[str, ...],
) -> None:  # fmt: skip
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(TEST)
    for name in ("conftest.py", "builds.py"):
        shutil.copy(project / "tests" / name, tmp_path / "tests" / name)
    shutil.copy(project / "pyproject.toml", tmp_path)
    for name in ("hercules", "scripts", ".setup"):
        (tmp_path / name).symlink_to(project / name)
    base = tmp_path / "base" / "in"
    base.parent.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={base}",
         *several],
        cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as child:  # fmt: skip
        try:
            found = wait_until(lambda: list(base.parent.rglob("pid")), 60, "the test to begin")
            pid = int(wait_until(found[0].read_text, 10, "the pid"))
            child.send_signal(number)
            child.communicate(timeout=40)
            assert child.returncode != 0
            wait_until(lambda: gone(pid), 20, "the emulator to end")
        finally:
            for left in (pid, child.pid):
                if not gone(left):
                    psutil.Process(left).kill()
