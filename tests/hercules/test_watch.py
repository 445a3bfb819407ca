# SPDX-License-Identifier: MIT
"""A process that ends, or a clock that is set, is told in the main thread at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from vmkb.hercules.deadline import pause
from vmkb.hercules.watch import Disturbed, Watch, full

FOR_LONG = 30.0


@contextmanager
def sleeping() -> Iterator[subprocess.Popen[bytes]]:
    """A process that sleeps."""
    process = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOR_LONG})"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with sleeping() as process:
        yield process


def told_after(child: subprocess.Popen[bytes]) -> float:
    """Seconds from the end of CHILD until the main thread is told."""
    with closing(Watch()) as watch:
        watch.add(child.pid, lambda: "the child has ended")
        watch.start()
        killed = time.monotonic()
        with pytest.raises(Disturbed, match="the child has ended"):
            child.kill()  # it may be told before the next line
            pause(FOR_LONG)
        return time.monotonic() - killed


def test_the_end_of_a_process_interrupts_a_wait_within_a_second() -> None:
    """The shortest of five: what a busy computer adds is not this program's."""
    took = []
    for _ in range(5):
        with sleeping() as child:
            took.append(told_after(child))
    assert min(took) < 1, took
    assert max(took) < FOR_LONG, "each is told before the wait is over"


def test_one_that_was_added_later_and_one_that_was_forgotten(
    child: subprocess.Popen[bytes],
) -> None:
    with closing(Watch()) as watch:
        watch.start()
        watch.add(child.pid, lambda: "the child has ended")
        watch.forget(child.pid)
        child.kill()
        child.wait()
        pause(0.3)
        assert watch.disturbance() is None
    other = subprocess.Popen([sys.executable, "-c", "pass"])
    with closing(Watch()) as watch, pytest.raises(Disturbed, match="the other"):
        watch.start()
        watch.add(other.pid, lambda: "the other has ended")
        pause(FOR_LONG)
    other.wait()


def test_who_asks_hears_it_though_nothing_is_told_there(child: subprocess.Popen[bytes]) -> None:
    """Outside the main thread, where nothing can be raised."""
    said: list[str | None] = []

    def ask() -> None:
        with closing(Watch()) as watch:
            watch.start()
            watch.add(child.pid, lambda: "the child has ended")
            said.append(watch.disturbance(0.01))
            child.kill()
            said.append(watch.disturbance(FOR_LONG))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(FOR_LONG)
    assert said == [None, "the child has ended"]


@pytest.mark.parametrize(("step", "way"), [(-3600.0, "back by 3600.0 s"), (5.0, "forward by 5.0")])
def test_a_step_of_the_clock_is_named(step: float, way: str) -> None:
    offset = [1e9]
    with closing(Watch(lambda: offset[0])) as watch:
        watch.start()
        offset[0] += 0.5  # slewed
        pause(0.5)
        with pytest.raises(Disturbed, match=f"clock was set {way[:4]}"):
            offset[0] += step
            pause(FOR_LONG)


def test_the_signals_old_handler_is_back_afterwards() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with closing(Watch()) as watch:
        watch.start()
        assert signal.getsignal(signal.SIGUSR1) != before
    assert signal.getsignal(signal.SIGUSR1) == before


FULL = """
import os, pathlib, sys
from vmkb.hercules.watch import full
folder = pathlib.Path(sys.argv[1])
print(full(folder))
try:
    with (folder / "fill").open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
except OSError:
    print(full(folder))
"""


def test_a_full_disk_is_named_and_one_with_room_is_not(tmp_path: Path, project: Path) -> None:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
         'mount -t tmpfs -o size=1m tmpfs "$1" || exit 9; exec "$2" -c "$3" "$1"', "sh",
         str(tmp_path), sys.executable, FULL],
        cwd=project, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if done.returncode == 9 or "unshare" in done.stderr:
        pytest.skip(f"no disk of one's own can be mounted here: {done.stderr.strip()}")
    assert done.stdout.splitlines() == [
        "None",
        f"No space left on device: the disk of {tmp_path} is full.",
    ]
    assert full(tmp_path / "nothing") is None


def test_what_else_is_looked_at_is_told(tmp_path: Path) -> None:
    said: list[str] = []
    with closing(Watch(also=lambda: said[0] if said else None)) as watch:
        watch.start()
        pause(0.3)
        with pytest.raises(Disturbed, match="the disk is full"):
            said.append("the disk is full")
            pause(FOR_LONG)
