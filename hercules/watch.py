# SPDX-License-Identifier: MIT
"""Sees at once when a process ends that others need, when the host's clock is set, or what else is
looked at."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

LOOK_SECONDS = 0.2
"""Between two looks at the host's clock."""
STEP_SECONDS = 1.0
"""A clock that is so far from where it should be was set, not slewed."""
ENDS_WITHIN = 0.2
"""A process' connections close this long before it has ended, at most."""
AGAIN_SECONDS = 0.02
_SIGNAL = signal.SIGUSR1


class Disturbed(KeyboardInterrupt):
    """The watched process has ended, or the clock was set: the text says which. It comes as Ctrl-C
    does, whatever the main thread is doing, and nobody takes it for a failure of his own."""


def clock_offset() -> float:
    """Seconds of the host's clock ahead of the clock that never steps."""
    return time.time() - time.monotonic()


def full(folder: Path) -> str | None:
    """A sentence where nothing more can be written in FOLDER; None while something can."""
    try:
        found = os.statvfs(folder)
    except OSError:  # it has been removed: who writes there says so
        return None
    left = found.f_bavail if os.geteuid() else found.f_bfree  # some is kept for root
    if left or not found.f_blocks:  # a kind of disk that does not tell
        return None
    return f"No space left on device: the disk of {folder} is full."


class Watch:
    """Raises Disturbed in the main thread when something that was added has ended.

    From `start` to `stop`, both in the main thread; in another one it only answers `disturbance`.
    `offset` is how the clock is looked at; `also` says what else is wrong, if anything is."""

    def __init__(
        self,
        offset: Callable[[], float] = clock_offset,
        also: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._offset, self._also = offset, also
        self._reference = offset()
        self._ends: dict[int, tuple[int, Callable[[], str]]] = {}
        self._lock = threading.Lock()
        self._bell, self._ring = os.pipe()
        self._thread: threading.Thread | None = None
        self._before: object = None
        self._said: str | None = None
        self._told = False
        self._stopped = False

    def add(self, pid: int, said: Callable[[], str]) -> None:
        """Watches a process; `said` is the sentence for its end."""
        fd = os.pidfd_open(pid)
        with self._lock:
            self._ends[pid] = (fd, said)
        os.write(self._ring, b"+")

    def forget(self, pid: int) -> None:
        """It may end now."""
        with self._lock:
            fd, _ = self._ends.pop(pid, (-1, None))
        if fd >= 0:
            os.close(fd)

    def start(self) -> None:
        """From now on it is told at once."""
        if threading.current_thread() is not threading.main_thread():
            return
        self._before = signal.signal(_SIGNAL, self._raise)
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Nothing is told any more, and nothing watched."""
        self._stopped = True
        os.write(self._ring, b".")
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            signal.signal(_SIGNAL, self._before)  # type: ignore[arg-type]
        for pid in list(self._ends):
            self.forget(pid)

    def close(self) -> None:
        """Stops, for good."""
        self.stop()
        os.close(self._bell)
        os.close(self._ring)

    def disturbance(self, within: float = ENDS_WITHIN) -> str | None:
        """A sentence on the process that has ended; None if nothing has, nor does `within` seconds.
        Who asks is not interrupted for it any more."""
        self._told = True
        return self._said or self._also() or self._ended(within)

    def _ended(self, within: float) -> str | None:
        with self._lock:
            ends = dict(self._ends)
        poll = select.poll()
        for fd, _ in ends.values():
            poll.register(fd, select.POLLIN)
        poll.register(self._bell, select.POLLIN)
        for fd, _ in poll.poll(within * 1000):
            if fd == self._bell:
                os.read(self._bell, 64)
            for pid, (pid_fd, said) in ends.items():
                if fd == pid_fd and self._watched(pid, pid_fd):
                    return said()
        return None

    def _watched(self, pid: int, fd: int) -> bool:
        """Whether a process is still watched: one that was forgotten while it was waited for may
        have ended since."""
        with self._lock:
            return self._ends.get(pid, (-1, None))[0] == fd

    def _stepped(self) -> str | None:
        step = self._offset() - self._reference
        if abs(step) < STEP_SECONDS:
            return None
        way = "forward" if step > 0 else "back"
        return (
            f"The host's clock was set {way} by {abs(step):.1f} s: the guests' clocks follow it,"
            " and what was timed meanwhile is worth nothing."
        )

    def _look(self) -> None:
        while not self._stopped:
            said = self._ended(LOOK_SECONDS) or self._stepped() or self._also()
            if said is not None and not self._stopped:
                self._said = said
                self._tell()
                return

    def _tell(self) -> None:
        # a signal that comes just before a system call does not end that: so until it is heard
        main = threading.main_thread().ident
        assert main is not None
        while not (self._stopped or self._told):
            signal.pthread_kill(main, _SIGNAL)
            time.sleep(AGAIN_SECONDS)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        if not (self._stopped or self._told or self._said is None):
            self._told = True
            raise Disturbed(self._said)
