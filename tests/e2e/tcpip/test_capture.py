# SPDX-License-Identifier: MIT
"""What vmkb capture says of real TCPs, lwIP and the host's kernel, beside tshark."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from accounting.capture.conversation import conversations
from accounting.capture.files import packets
from accounting.capture.segments import segments
from tests.e2e.net_guest import NetGuest, get, net_guest, put
from tests.e2e.system import NET, tap_needed
from tests.peers.tshark import AGAIN, frames

pytestmark = pytest.mark.e2e
DATA = Random(1).randbytes(400_000)
LOSS = {"quiet": 0.0, "noisy": 0.02}


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    with net_guest(tmp_path_factory.mktemp("net")) as net:
        yield net


@pytest.mark.parametrize("line", LOSS)
def test_retransmissions_are_those_that_tshark_finds(
    net: NetGuest, tmp_path: Path, line: str
) -> None:
    if LOSS[line]:
        tap_needed("passt takes a second to repeat what was lost")
    file = tmp_path / "wire.pcapng"
    net.wire.set_profile("host", loss=LOSS[line])
    net.wire.start_capture(file)
    try:
        with net.ftp() as ftp:
            put(ftp, "A.DATA", DATA)
            assert get(ftp, "A.DATA") == DATA
    finally:
        net.wire.stop_capture()
        net.wire.set_profile("host", loss=0.0)
    talks = conversations(segments(packets(file)))
    again = sorted(n for talk in talks for sender in talk.senders for n in sender.again)
    assert again == frames(file, AGAIN)
    assert again or line == "quiet"  # on a busy computer the kernel sends again what was not lost
    moved = [s.new for talk in talks for s in talk.senders if s.new >= len(DATA)]
    assert moved == [len(DATA)] * 2
    zero = frames(file, "tcp.analysis.zero_window_probe || tcp.analysis.keep_alive")
    assert sum(s.probes for talk in talks for s in talk.senders) == len(zero)
    done = subprocess.run(
        [sys.executable, "-m", "workloads.cli", "capture", str(file)], capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = [sender for talk in talks for sender in talk.senders if sender.sizes]
    assert len(re.findall(rf"^ {re.escape(NET)}\.", done.stdout, re.M)) >= len(data)
