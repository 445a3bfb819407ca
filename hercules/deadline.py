# SPDX-License-Identifier: MIT
"""Waiting with an end: the one place that sleeps, and the one exception that a wait ends in.

What is waited for happens on a clock: this computer's, or that of a world on virtual time
(hercules/clock) while `on` says so. A process of this computer is waited for on HOST in any case.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from vmkb.errors import VmkbError

T = TypeVar("T")

LOG_TAIL = 20
"""How many of the last log lines a Timeout carries."""

MOST_PATIENT = 10.0

_POLL_S = 0.002


class EmulatorError(VmkbError):
    """A guest or its emulator failed; the text is a sentence for the user (exit code 3)."""


def shown(screen: Sequence[str]) -> list[str]:
    """The lines of a message that show a terminal's SCREEN; none where there was none."""
    rows = [row.rstrip() for row in screen]
    while rows and not rows[-1]:
        rows.pop()
    if rows:
        return ["Last screen:", *(f"  |{row}" for row in rows)]
    return ["Last screen: blank"] if screen else []


class Timeout(EmulatorError):
    """A wait reached its deadline.

    Attributes: `expected` (what was waited for), `elapsed` (seconds), `screen` (the last
    terminal screen, rows, or empty) and `log` (the last log lines of the emulator).
    """

    def __init__(
        self,
        expected: str,
        elapsed: float,
        screen: Sequence[str] = (),
        log: Sequence[str] = (),
    ) -> None:
        self.expected = expected
        self.elapsed = elapsed
        self.screen = tuple(screen)
        self.log = tuple(log)[-LOG_TAIL:]
        super().__init__(self._text())

    def _text(self) -> str:
        parts = [f"Waited {self.elapsed:.2f} s for {self.expected}; it did not come."]
        parts.extend(shown(self.screen))
        if self.log:
            parts.append("End of the log:")
            parts.extend(f"  {line}" for line in self.log)
        return "\n".join(parts)


class Clock(Protocol):
    """The clock that measures waits."""

    def now(self) -> float:
        """Seconds; only differences mean something."""

    def date(self) -> float:
        """The date, seconds since 1970 in UTC, as guests have it."""

    def wait(self, seconds: float, poll: float) -> None:
        """Let time pass until something may have changed, `seconds` at most. Where nothing tells
        of changes, `poll` seconds pass."""

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass."""


class _HostClock:
    """This computer's clock that never steps."""

    def now(self) -> float:
        return time.monotonic()

    def date(self) -> float:
        return time.time()

    def wait(self, seconds: float, poll: float) -> None:
        time.sleep(min(poll, max(seconds, 0.0001)))

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


HOST: Clock = _HostClock()
_present = HOST


def present() -> Clock:
    """The clock that waits are measured by now."""
    return _present


@contextmanager
def on(clock: Clock) -> Iterator[None]:
    """Within, waits are measured by CLOCK."""
    global _present
    before, _present = _present, clock
    try:
        yield
    finally:
        _present = before


class Deadline:
    """A point in time, `seconds` from now, on a clock (None: the present one)."""

    def __init__(self, seconds: float, clock: Clock | None = None) -> None:
        self.clock = clock or _present
        self.started = self.clock.now()
        self.seconds = seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the wait began."""
        return self.clock.now() - self.started

    @property
    def left(self) -> float:
        """Seconds that remain, never below zero; on a busy computer there are more (`patient`)."""
        return max(0.0, patient(self.seconds, self.clock) - self.elapsed)

    @property
    def quiet(self) -> float:
        """The same in seconds of a quiet computer: what another wait may be given of it."""
        return self.left / patient(1.0, self.clock)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0.0


def patient(seconds: float, clock: Clock = HOST) -> float:
    """SECONDS of a quiet computer. One with more work than cores takes as many times longer, and so
    is this: MOST_PATIENT times at most. On virtual time these are SECONDS."""
    if clock is not HOST:
        return seconds
    work = os.getloadavg()[0] / (os.cpu_count() or 1)
    return seconds * min(max(work, 1.0), MOST_PATIENT)


def pause(seconds: float) -> None:
    """Let `seconds` pass; only for a partner that needs the time by the clock."""
    _present.sleep(seconds)


def wait_until(
    probe: Callable[[], T | None],
    within: float,
    expected: str,
    screen: Callable[[], Sequence[str]] = tuple,
    log: Callable[[], Sequence[str]] = tuple,
    poll: float = _POLL_S,
    clock: Clock | None = None,
) -> T:
    """Call `probe` until it answers something true, and return that answer.

    `poll` is the pause between two calls in seconds, on a clock that does not tell of changes; the
    CLOCK is the present one, if none is given. When `within` seconds have passed,
    Timeout is raised with what `screen` and `log` say at that moment.
    """
    deadline = Deadline(within, clock)
    while True:
        answer = probe()
        if answer:
            return answer
        if deadline.over:
            raise Timeout(expected, deadline.elapsed, screen(), log())
        deadline.clock.wait(deadline.left, poll)
