# SPDX-License-Identifier: MIT
"""Who holds a pipe is ended, what he starts in that moment, too."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from vmkb.hercules import leftover

SLEEPS = ["sleep", "60"]


def test_what_is_started_while_the_others_are_killed_is_killed_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, held = os.pipe()
    kill = os.kill
    started = [subprocess.Popen(SLEEPS, pass_fds=[held])]

    def and_another(pid: int, number: int) -> None:
        if len(started) == 1:
            started.append(subprocess.Popen(SLEEPS, pass_fds=[held]))
        kill(pid, number)

    monkeypatch.setattr(os, "kill", and_another)
    try:
        assert sorted(leftover.kill_holders(ours)) == sorted(p.pid for p in started)
        assert [p.wait(10) for p in started] == [-signal.SIGKILL] * 2
    finally:
        monkeypatch.undo()
        for process in started:
            process.kill()
            process.wait()
        os.close(ours)
        os.close(held)
