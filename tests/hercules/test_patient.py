# SPDX-License-Identifier: MIT
"""What a busy computer does has more time."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from vmkb.hercules.clock.guest import WorldClock
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import HOST, MOST_PATIENT, Deadline, on, patient
from vmkb.hercules.scratch import Scratch
from vmkb.hercules.wire import process
from vmkb.hercules.wire.client import WireError

LATE = """#!/bin/sh
sleep 1
echo ready
cat >/dev/null
"""


def load(monkeypatch: pytest.MonkeyPatch, work: float) -> None:
    """So much WORK for each core."""
    monkeypatch.setattr(os, "getloadavg", lambda: (work * (os.cpu_count() or 1), 0.0, 0.0))


@pytest.mark.parametrize(("work", "times"), [(0.0, 1), (1.0, 1), (4.0, 4), (500.0, MOST_PATIENT)])
def test_it_takes_as_many_times_longer(
    monkeypatch: pytest.MonkeyPatch, work: float, times: float
) -> None:
    load(monkeypatch, work)
    assert patient(5.0) == pytest.approx(5.0 * times)


def test_a_deadline_is_later_and_in_a_world_that_of_a_process_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a guest does by the world's clock takes as long as ever; its process does not."""
    load(monkeypatch, 4.0)
    assert 15.0 < Deadline(5.0).left <= 20.0
    assert 15.0 < Deadline(Deadline(5.0).quiet).left <= 20.0
    with on(WorldClock(World(0))):
        assert Deadline(5.0).left == 5.0
        assert 15.0 < Deadline(5.0, HOST).left <= 20.0
    load(monkeypatch, 0.5)
    assert Deadline(5.0).left <= 5.0


@pytest.mark.parametrize("busy", [False, True])
def test_a_wire_that_starts_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, busy: bool
) -> None:
    program = tmp_path / "late"
    program.write_text(LATE)
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(process, "START_SECONDS", 0.3)
    load(monkeypatch, 500.0 if busy else 0.0)
    with Scratch(tmp_path) as sockets:
        if not busy:
            with pytest.raises(WireError, match="was not ready in 0.3 s"):
                process.RunningWire(sockets, tmp_path / "log", ())
            return
        wire = process.RunningWire(sockets, tmp_path / "log", ())
        wire.end()
