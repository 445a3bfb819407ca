# SPDX-License-Identifier: MIT
"""A trial on virtual time leaves the same bytes whenever it runs: beside other work, on workers,
and in a run that was killed in between."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.busy import busy
from vmkb.accounting.store import FILE_NAME, read
from vmkb.hercules.deadline import wait_until
from vmkb.workloads.base.results import TRANSCRIPTS

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("emulator_needed")]
SMALL = {  # echo is below
    "rpc": ("--case", "3-WAY_CONT_0_ALONE"),
    "pages": ("--case", "GMS2"),
    "line": ("--case", "96N", "--releases", "FAL"),
}
SHORT = """
import sys
from vmkb.hercules.clock.world import World
from vmkb.workloads.cli.main import main

made = World.__init__

def shorter(self, *given, **named):
    made(self, *given, **named)
    self._state.longest = 3_000_000

World.__init__ = shorter
sys.exit(main())
"""
"""vmkb in worlds that give no emulator more than 3 us at once."""
TINY = """
question = "What does loss do?"
releases = ["221"]
files = ["G24KB"]
mtu = [1500]
buffers = [8192]
loss = [0.0, 0.01]
wire = "ethernet-10"
trials = 1
"""


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "vmkb.workloads.cli", *words]


def run(project: Path, *words: str) -> str:
    done = subprocess.run(command(*words), cwd=project, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kept(folder: Path) -> dict[str, bytes]:
    """Every file of every trial."""
    return {path.name: path.read_bytes() for path in (folder / TRANSCRIPTS).iterdir()}


def rows(folder: Path) -> list[dict[str, Any]]:
    """What the results say, but for what they are called, when they were begun and in which order
    trials came back."""
    found = []
    for line in (folder / FILE_NAME).read_text("utf-8").splitlines():
        row = json.loads(line)
        row.pop("at", None)
        row.pop("run", None)
        row.get("meta", {}).pop("begun", None)
        found.append(row)
    return sorted(found, key=json.dumps)


@pytest.mark.parametrize("workload", SMALL)
def test_a_trial_leaves_the_same_bytes_beside_other_work(
    project: Path, tmp_path: Path, workload: str
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    words = ("run", workload, *SMALL[workload], "--trials", "1", "--out")
    run(project, *words, str(first))
    with busy(2):
        run(project, *words, str(second))
    assert kept(first) == kept(second)
    assert rows(first) == rows(second)


@pytest.mark.parametrize(
    ("workload", "words"),
    [("ftp", ("--case", "P24KB", "--releases", "221", "--builds", "1")),
     ("telnet", ("--case", "FAST")), ("rpc", SMALL["rpc"])],
)  # fmt: skip
def test_no_byte_depends_on_how_much_time_is_given_at_once(
    project: Path, tmp_path: Path, workload: str, words: tuple[str, ...]
) -> None:
    """Nor on what a guest was told ahead."""
    asked = ("run", workload, *words, "--trials", "1", "--out")
    run(project, *asked, str(tmp_path / "much"))
    done = subprocess.run(
        [sys.executable, "-c", SHORT, *asked, str(tmp_path / "little")], cwd=project,
        capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert kept(tmp_path / "much") == kept(tmp_path / "little")


def test_a_killed_run_goes_on_to_what_it_would_have_left(project: Path, tmp_path: Path) -> None:
    """On one worker, then on two; beside it a run that nothing befell."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    words = ("run", "echo", "--case", "1B", "--builds", "1", "--trials", "2", "--out")
    run(project, *words, str(whole))
    child = subprocess.Popen(
        command(*words, str(killed), "--workers", "1"), cwd=project,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def ended() -> int:
        file = killed / FILE_NAME
        return file.read_text("utf-8").count('"row": "end"') if file.exists() else 0

    wait_until(lambda: ended() or child.poll() is not None, 120, "the first trial", poll=0.02)
    child.kill()
    child.wait()
    assert 1 <= ended() < 4, "it was killed in between"
    run(project, "run", "echo", "--resume", str(killed), "--workers", "2")
    assert kept(whole) == kept(killed)
    ends = [row for row in rows(killed) if row["row"] in ("end", "record")]
    assert ends == [row for row in rows(whole) if row["row"] in ("end", "record")]


def test_measure_tells_the_same_twice(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VMKB_PASSWORD", "MAINT")
    words = ("measure", "--user", "MAINT", "--trials", "2", "--repeat", "3", "QUERY DISK", "--out")
    said = [run(project, *words, str(tmp_path / name)) for name in ("first", "again")]
    assert "Instructions" in said[0]
    assert kept(tmp_path / "first") == kept(tmp_path / "again")
    (clock,) = {trial.meta["clock"] for trial in read(tmp_path / "first").trials}
    assert clock == "virtual"


def test_a_sweep_is_the_same_on_workers(project: Path, tmp_path: Path) -> None:
    design = tmp_path / "tiny.toml"
    design.write_text(TINY, "utf-8")
    said = []
    for name, more in (("first", ()), ("other", ("--workers", "2"))):
        words = ("sweep", "--design", str(design), "--out", str(tmp_path / name), *more)
        said.append(run(project, *words).replace(name, "-"))  # as long, so wrapped alike
    assert said[0] == said[1]
    for loss in ("0", "0.01"):
        places = [
            tmp_path / name / f"{name}-mtu1500-buffers8192-loss{loss}"
            for name in ("first", "other")
        ]
        assert kept(places[0]) == kept(places[1])
        assert rows(places[0]) == rows(places[1])
