# SPDX-License-Identifier: MIT
"""vmkb run ftp with a user's FreeRTOS-Plus-TCP: files arrive whole both ways, and a wrong byte is a
failure; vmkb trail over its commits. VMKB_FREERTOS_PLUS_TCP names a tree of it; without one these
tests are skipped."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed
from vmkb.accounting.store import Trial, read
from vmkb.hercules.guest import load_guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
ROOT = load_guest("vmkb").folder.parents[1]
TREE = os.environ.get("VMKB_FREERTOS_PLUS_TCP", "")
FIRST = "int32_t xResult = 0;\n"
WRONG = FIRST + "if( ulByteCount > 400U ) { ( ( uint8_t * ) pcData )[ 300 ] ^= 1U; }\n"


@pytest.fixture
def freertos(tmp_path: Path) -> Path:
    if not TREE:
        pytest.skip("VMKB_FREERTOS_PLUS_TCP names no tree of FreeRTOS-Plus-TCP")
    shutil.copytree(Path(TREE, "source"), tmp_path / "own" / "source")
    return tmp_path / "own"


def run(
    tree: Path, folder: Path, *cases: str, checksum: str = "cksm"
) -> subprocess.CompletedProcess[str]:
    """One trial of each of CASES with 2.2.1 and the stack of TREE, kept in FOLDER/r."""
    chosen = [word for case in cases for word in ("--case", case)]
    return subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", "ftp", "--releases", f"221,FT={tree}",
         *chosen, "--checksum", checksum, "--trials", "1", "--builds", "1", "--out", "r"],
        cwd=folder, text=True, capture_output=True, timeout=400,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def bytes_sent(trial: Trial) -> float:
    (wire,) = (r for r in trial.records if r.kind == "wire")
    return wire.value("bytes_in").value


def test_files_go_both_ways(freertos: Path, tmp_path: Path) -> None:
    done = run(freertos, tmp_path, "G24KB", "P24KB", "G2M_B", "P2M_B")
    assert done.returncode == 0, done.stdout + done.stderr
    trials = read(tmp_path / "r").trials
    assert sorted(t.id for t in trials if t.release == "FT") == [
        "G24KBFT-1", "G2M_BFT-1", "P24KBFT-1", "P2M_BFT-1",
    ]  # fmt: skip


def test_a_client_that_waits_for_more_than_the_window_lets_in_gets_what_there_is(
    freertos: Path, tmp_path: Path
) -> None:
    """It cannot keep up with the wire: the window shuts, and opens when it has read."""
    done = run(freertos, tmp_path, "G2M_B")
    assert done.returncode == 0, done.stdout + done.stderr
    moved = (r for t in read(tmp_path / "r").trials for r in t.records if r.kind == "ftp_transfer")
    rates = [r.value("rate").value for r in moved]
    assert min(rates) > 0.85 * max(rates)


def test_its_own_checksums_are_right(freertos: Path, tmp_path: Path) -> None:
    done = run(freertos, tmp_path, "G24KB", "P24KB", checksum="own")
    assert done.returncode == 0, done.stdout + done.stderr
    sent = {t.run_id: bytes_sent(t) for t in read(tmp_path / "r").trials}
    for case in ("G24KB", "P24KB"):
        assert sent[f"{case}FT"] == pytest.approx(sent[f"{case}221"], rel=0.1)


def test_a_wrong_byte_is_a_failure(freertos: Path, tmp_path: Path) -> None:
    path = freertos / "source" / "FreeRTOS_Sockets.c"
    before, name, behind = path.read_text("utf-8").partition("int32_t lTCPAddRxdata(")
    assert FIRST in behind
    path.write_text(before + name + behind.replace(FIRST, WRONG, 1), "utf-8")
    done = run(freertos, tmp_path, "G24KB")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "24KB" in done.stderr


LOOP = """    { uint32_t ulTurns;
    __asm__ volatile("lghi %0,10000\\n0:\\tbrctg %0,0b" : "=d"(ulTurns)); }
"""


def test_a_trail_finds_the_commit_that_made_it_dearer(freertos: Path, tmp_path: Path) -> None:
    """A comment gives the same program without a build."""
    committed(freertos, "one")
    path = freertos / "source" / "FreeRTOS_Sockets.c"
    before, name, behind = path.read_text("utf-8").partition("int32_t lTCPAddRxdata(")
    for code in ("/* only a comment */", LOOP):
        changed = behind.replace(FIRST, FIRST + code, 1)
        path.write_text(before + name + changed, "utf-8")
        committed(freertos, code[:10])
    done = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "trail", "freertos", str(freertos),
         "HEAD~2..HEAD", "--case", "G24KB", "--out", "t"], cwd=tmp_path, text=True,
        capture_output=True, timeout=400, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with (tmp_path / "t" / "trail.csv").open(encoding="utf-8", newline="") as file:
        first, comment, loop = csv.DictReader(file)
    assert float(first["cpu_us_per_kb"]) > 0 and int(first["text_bytes"]) > 0
    assert comment["change_percent"] == "=" and float(loop["change_percent"]) > 0
    feed = (tmp_path / "t" / "site" / "feed.xml").read_text("utf-8")
    assert "lTCPAddRxdata +" in feed
