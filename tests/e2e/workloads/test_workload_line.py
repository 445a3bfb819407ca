# SPDX-License-Identifier: MIT
"""vmkb run line on real guests: what a behaviour claims is in its capture, and tshark agrees."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.peers.tshark import AGAIN, frames
from vmkb.accounting.input.capture.conversation import conversations
from vmkb.accounting.input.capture.files import packets
from vmkb.accounting.input.capture.segments import segments
from vmkb.accounting.store import Trial, read
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.guest import load_guest
from vmkb.workloads.line.measures import seen_rate

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]
RELEASES = ("RFC", "CSM", "CRS", "CLA")
BEST = 96


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A run of four far hosts over 1200 bit/s, and what it printed."""
    folder = tmp_path_factory.mktemp("line")
    ran = subprocess.run(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", "line", "--quick", "--trials", "1",
         "--releases", ",".join(RELEASES), "--case", "12Q", "--out", "r", "--all"],
        cwd=folder, capture_output=True, text=True, timeout=240,
        env={**os.environ, "PYTHONPATH": str(load_guest("vmkb").folder.parents[1])},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder / "r", ran.stdout


def told(done: tuple[Path, str]) -> dict[str, tuple[Trial, dict[str, float]]]:
    found = {}
    for trial in read(done[0]).trials:
        assert (trial.status, trial.why) == ("good", "")
        (seen,) = (r for r in trial.records if r.kind == "tcp_sender")
        found[trial.release] = (trial, {name: seen.value(name).value for name in seen.fields})
    assert set(found) == set(RELEASES)
    return found


def test_the_tables_are_there_and_nothing_is_left(done: tuple[Path, str]) -> None:
    folder, printed = done
    for title in ("Bytes a second", "FTP over the line", "What each complaint", "What each TCP did",
                  "CPU at 1200 bit/s, quiet"):  # fmt: skip
        assert (title in printed) == (title != "FTP over the line")  # no printed host's is in it
    page = (folder / "report.html").read_text("utf-8")
    assert page.count("acknowledged") >= len(RELEASES)
    assert all(Hercules.attach(p) is None for p in (folder / "guests").glob("*/*"))


def test_a_good_tcp_fills_the_line(done: tuple[Path, str]) -> None:
    trial, seen = told(done)["RFC"]
    rate = seen_rate(trial)
    assert rate is not None and 0.9 * BEST < rate <= BEST
    assert seen["largest"] == 192 and seen["sent"] / seen["segments"] > 0.9 * 192
    # The line's clock is faster than the host's: a pause of a busy one is a long silence there.
    assert seen["again"] <= 0.1 * seen["segments"] and seen["lone"] <= seen["segments"]


def test_each_complaint_is_in_its_capture(done: tuple[Path, str]) -> None:
    found = told(done)
    trial, small = found["CSM"]
    assert small["largest"] == 80 and small["sent"] / small["segments"] > 75
    rate = seen_rate(trial)
    assert rate is not None and rate <= 120 * 80 / 128 * 1.001  # 80 of 128 characters
    again = found["CRS"][1]
    assert again["resent"] > 0.5 * again["bytes"]
    assert again["wait"] < again["trip"] or again["wait"] < 4e6  # below the queue's time
    lone, usual = found["CLA"][1], found["RFC"][1]
    assert lone["answered"] >= lone["commanded"] > usual["answered"]


def test_tshark_finds_the_same_retransmissions(done: tuple[Path, str]) -> None:
    counted = 0
    for release in RELEASES:
        file = done[0] / "transcripts" / f"12Q{release}-1.pcapng"
        talks = conversations(segments(packets(file)))
        again = sorted(n for talk in talks for sender in talk.senders for n in sender.again)
        assert again == frames(file, AGAIN)
        counted += len(again)
    assert counted > 20


def test_captures_are_in_the_order_of_time(done: tuple[Path, str]) -> None:
    for file in (done[0] / "transcripts").glob("*.pcapng"):
        times = [p.time for p in packets(file)]
        assert times == sorted(times) and len(times) > 100
