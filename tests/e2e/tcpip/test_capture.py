# SPDX-License-Identifier: MIT
"""What vmkb capture says of real TCPs, lwIP and the host's kernel, beside tshark."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from random import Random

import pytest

from tests.e2e.net_guest import NetGuest, get, net_guest, put
from tests.e2e.system import NET, tap_needed
from tests.peers.tshark import AGAIN, frames
from vmkb.accounting.input.capture.conversation import conversations
from vmkb.accounting.input.capture.files import packets
from vmkb.accounting.input.capture.segments import SYN, Segment, segments

pytestmark = pytest.mark.e2e
DATA = Random(1).randbytes(400_000)
SMALL, MSS, FIRST_WINDOW, FTP_DATA, FTP = 24_576, 1460, 14_600, 20, 21
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
        [sys.executable, "-m", "vmkb.workloads.cli", "capture", str(file)], capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = [sender for talk in talks for sender in talk.senders if sender.sizes]
    assert len(re.findall(rf"^ {re.escape(NET)}\.", done.stdout, re.M)) >= len(data)


def captured(net: NetGuest, file: Path, passive: bool) -> list[list[Segment]]:
    """A get of 24 KB: its segments, those that came with one block of the guest's together."""
    net.wire.start_capture(file)
    try:
        with net.ftp() as ftp:
            ftp.set_pasv(passive)
            assert get(ftp, "S.DATA") == DATA[:SMALL]
    finally:
        net.wire.stop_capture()
    return [list(block) for _, block in groupby(segments(packets(file)), lambda s: s.at)]


def test_a_small_file_goes_in_two_flights_and_its_syn_with_the_reply(
    net: NetGuest, tmp_path: Path
) -> None:
    with net.ftp() as ftp:
        put(ftp, "S.DATA", DATA[:SMALL])
    blocks = captured(net, tmp_path / "passive.pcapng", passive=True)
    first = next(block for block in blocks if any(s.size == MSS for s in block))
    assert [s.size for s in first if s.source[1] != FTP] == [MSS] * (FIRST_WINDOW // MSS)
    for _ in range(5):  # a timer may come between FTPSERVE's two calls
        blocks = captured(net, tmp_path / "active.pcapng", passive=False)
        syn = next(b for b in blocks for s in b if s.flags == SYN and s.source[1] == FTP_DATA)
        if [bool(s.size) for s in syn] == [False, True]:
            return
    raise AssertionError("the reply and the SYN were never in one block")


def test_the_first_data_opens_the_connection_and_the_last_reply_goes_with_it(
    net: NetGuest, tmp_path: Path
) -> None:
    with net.ftp() as ftp:
        put(ftp, "S.DATA", DATA[:SMALL])
    for _ in range(5):  # a timer or an ACK for the reply may come before FTPSERVE's call
        blocks = captured(net, tmp_path / "active.pcapng", passive=False)
        first = next(b for b in blocks for s in b if s.flags != SYN and s.source[1] == FTP_DATA)
        sizes = [s.size for s in first if s.source[1] == FTP_DATA]
        assert sizes == [MSS] * (FIRST_WINDOW // MSS)
        if [s.source[1] for s in first][-1] == FTP:
            return
    raise AssertionError("the reply was never in one block with the data")
