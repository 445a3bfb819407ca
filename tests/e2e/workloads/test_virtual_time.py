# SPDX-License-Identifier: MIT
"""A trial on virtual time is the same whenever and beside whatever it is run; a world that loses a
member says so."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.busy import busy
from vmkb.hercules.clock.node import SILENT_S
from vmkb.hercules.deadline import wait_until
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
ROOT = str(load_guest("vmkb").folder.parents[1])
FTP = ["run", "ftp", "--case", "G24KB", "--builds", "1"]
NAMED_WITHIN = SILENT_S - 20
"""Seconds to the sentence: before the others have waited in vain. On a computer that has nothing
else to do it comes in one."""


@pytest.fixture(autouse=True)
def _emulator(emulator_needed: None) -> None:
    """Skip without Hercules."""


def vmkb(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """One command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", *words], cwd=cwd, capture_output=True,
        text=True, timeout=120, env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip


def kept(folder: Path) -> dict[str, bytes]:
    """What a run has kept of its trials, but for the name of the run and the computer's date."""
    files = {p.name: p.read_bytes() for p in (folder / "transcripts").iterdir()}
    rows = (folder / "results.jsonl").read_bytes().splitlines()
    files["results"] = b"\n".join(
        row.replace(f'"{folder.name}"'.encode(), b'"-"')
        for row in rows
        if b'"row": "run"' not in row
    )
    return files


def test_the_same_run_under_load_is_the_same_to_the_byte(tmp_path: Path) -> None:
    two = [*FTP, "--releases", "221", "--trials", "2"]
    assert vmkb(*two, "--out", "a", cwd=tmp_path).returncode == 0
    with busy(3):
        done = vmkb(*two, "--out", "b", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    once, again = kept(tmp_path / "a"), kept(tmp_path / "b")
    assert {n for n in once.keys() | again.keys() if once.get(n) != again.get(n)} == set()
    # seeds differ: the trials of one release are not copies of each other
    traces = [once[f"G24KB221-{n}.trace.gz"] for n in (1, 2)]
    assert gzip.decompress(traces[0]) != gzip.decompress(traces[1])


def test_replay_tells_the_first_event_that_differs(tmp_path: Path) -> None:
    one = [*FTP, "--releases", "213", "--trials", "1"]
    assert vmkb(*one, "--out", "a", cwd=tmp_path).returncode == 0
    done = vmkb("replay", "a", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "G24KB213-1: equal\n"), done.stderr
    trace = tmp_path / "a" / "transcripts" / "G24KB213-1.trace.gz"
    events = gzip.decompress(trace.read_bytes()).splitlines(keepends=True)
    events[100] = b"1" + events[100]
    trace.write_bytes(gzip.compress(b"".join(events)))
    done = vmkb("replay", "a", cwd=tmp_path)
    assert done.returncode == 1
    assert f"event 101 was {events[100].decode().strip()}, now it is" in done.stdout


@pytest.mark.parametrize(
    ("number", "said"), [(signal.SIGKILL, "has ended"), (signal.SIGSTOP, "is stopped")]
)
@pytest.mark.parametrize("guest", ["server", "213"])
def test_a_member_that_is_lost_is_named(
    tmp_path: Path, guest: str, number: signal.Signals, said: str
) -> None:
    folder = tmp_path / "r"
    run = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.cli", *FTP, "--releases", "213", "--trials", "300",
         "--out", str(folder)],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": ROOT},
    )  # fmt: skip
    try:

        def emulator() -> Hercules | None:
            found = map(Hercules.attach, sorted(folder.glob(f"guests/*/{guest}")))
            return next(filter(None, found), None)

        lost = wait_until(emulator, 60, "an emulator")
        lost.log.close()
        os.kill(lost.pid, number)
        _, told = run.communicate(timeout=NAMED_WITHIN)
    finally:
        run.kill()
    assert run.returncode == 3, told
    assert f"(pid {lost.pid}) {said}" in told
    assert "Traceback" not in told


def test_a_stock_emulator_has_the_hosts_clock_and_its_runs_are_not_repeated(
    tmp_path: Path,
) -> None:
    stock = [*FTP, "--emulator", "stock", "--trials", "1", "--releases", "213", "--out", "a"]
    done = vmkb(*stock, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Stock 3.13 counter, host's clock" in done.stdout
    assert not list((tmp_path / "a").glob("transcripts/*.trace.gz"))
    refused = vmkb("replay", "a", cwd=tmp_path)
    assert refused.returncode == 2 and "no trial on virtual time" in refused.stderr
    refused = vmkb(*stock[:-1], "b", "--workers", "2", cwd=tmp_path)
    assert refused.returncode == 2 and "need virtual time" in refused.stderr
