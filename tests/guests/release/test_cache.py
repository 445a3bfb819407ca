# SPDX-License-Identifier: MIT
"""Whoever builds is alone, in the order of those who came."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from vmkb.guests.release import cache
from vmkb.hercules.deadline import Timeout, wait_until


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place for builds that nobody else has."""
    monkeypatch.setattr(cache, "KEPT", tmp_path / "own")


def waiting() -> int:
    """How many of this process wait for the lock, as the kernel lists them."""
    lines = Path("/proc/locks").read_text().splitlines()
    return sum("->" in line and f" {os.getpid()} " in line for line in lines)


def test_who_waits_too_long_says_for_what() -> None:
    late = pytest.raises(Timeout, match="another vmkb's builds to end")
    with cache.alone(), late, cache.alone(within=0.05):
        pass


def test_turns_come_in_order() -> None:
    came: list[int] = []

    def come(number: int) -> None:
        with cache.alone(within=30):
            came.append(number)

    threads = [threading.Thread(target=come, args=(n,)) for n in range(4)]
    with cache.alone():
        for ahead, thread in enumerate(threads, start=1):
            thread.start()
            wait_until(lambda n=ahead: waiting() == n, 30, "it to wait")  # type: ignore[misc]
    for thread in threads:
        thread.join(30)
    assert came == [0, 1, 2, 3]


def test_a_process_that_was_forked_meanwhile_does_not_keep_others_out() -> None:
    ends, told = os.pipe()
    with cache.alone():
        child = os.fork()
        if not child:
            os.close(told)
            os.read(ends, 1)
            os._exit(0)
    try:
        with cache.alone(within=5):
            pass
    finally:
        os.close(told)
        os.waitpid(child, 0)
        os.close(ends)
