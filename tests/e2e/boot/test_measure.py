# SPDX-License-Identifier: MIT
"""vmkb measure on a running VM/KB that it did not boot: by its emulator's 3270 port and by TN3270
through its own TCP/IP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.boot_guest import boots, uses
from vmkb.accounting.intervals import between, samples
from vmkb.accounting.store import read

pytestmark = [pytest.mark.e2e]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The command lines that `vmkb boot` printed for a guest that runs."""
    with boots(tmp_path_factory.mktemp("boot")) as both:
        done = both.run("boot")
        assert done.returncode == 0, done.stderr
        yield uses(done.stdout)


@pytest.mark.parametrize("use", ["3270 c3270", "TELNET c3270"])
def test_commands_of_a_running_guest(printed: dict[str, str], use: str, tmp_path: Path) -> None:
    port = re.search(r"127\.0\.0\.1[: ](\d+)", printed[use])
    assert port, printed
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "measure", "--connect", f"127.0.0.1:{port[1]}",
         "--user", "VMUSER1", "--out", str(tmp_path), "LISTFILE * * A", "QUERY DISK"],
        env={**os.environ, "VMKB_PASSWORD": "VMUSER1"}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.match(r"'QUERY DISK' costs \S+ % more CPU than 'LISTFILE \* \* A'", done.stdout)
    trials = read(tmp_path).trials
    assert len(trials) == 12
    for trial in trials:
        (interval,) = between(samples(trial.records))
        for name, exact in (("virtcpu", "virt_time"), ("totcpu", "total_time")):
            printed_us, timer_us = interval.used[name], interval.used[exact]
            assert abs(printed_us.value - timer_us.value) <= printed_us.tick
    counts = [t for t in trials if t.release == "QUERY DISK"]
    each = [
        between(samples(t.records))[0].used["virt_instr"].value / int(t.params["repeat"])
        for t in counts
    ]
    assert max(each) - min(each) <= 0.001 * min(each)
