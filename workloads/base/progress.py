# SPDX-License-Identifier: MIT
"""How far a run is: bars with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Self, TextIO

from vmkb.accounting.shown import plain
from vmkb.workloads.base.lanes import tell

PLAIN_EVERY_S = 5.0
"""A plain line is written at most this often, and for the last trial."""


class Forecast:
    """Time left, from how long trials of the same kind took. Pure: the caller has the clock.

    `kinds` are the kinds of all trials still to come, in order.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._left = list(kinds)
        self._took: dict[str, list[float]] = defaultdict(list)

    def finished(self, seconds: float) -> None:
        """The next trial has ended and took SECONDS."""
        self._took[self._left.pop(0)].append(seconds)

    def left(self, running: float = 0.0) -> float | None:
        """Seconds left when the next trial has been RUNNING so long; None before the first end."""
        known = [x for found in self._took.values() for x in found]
        if not known:
            return None
        usual = sum(known) / len(known)

        def expect(kind: str) -> float:
            found = self._took.get(kind)
            return sum(found) / len(found) if found else usual

        return max(0.0, sum(expect(k) for k in self._left) - running)


def clock(seconds: float | None) -> str:
    """m:ss, or a question mark."""
    if seconds is None:
        return "-:--"
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


class Progress:
    """The advance of a runner, which nobody is told; others tell it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        return None

    def say(self, text: str) -> None:
        """A line that stays."""

    def trial(self, name: str, files: int, began: float | None = None) -> None:
        """A trial of FILES transfers begins, or BEGAN earlier (seconds of time.monotonic)."""

    def transferred(self) -> None:
        """One more file."""

    def now(self, state: str) -> None:
        """How the trial that runs stands, for who looks on; the next word of it takes its place."""

    def done(self, said: str) -> None:
        """The trial has ended."""


class InLane(Progress):
    """A trial's advance in a lane, whose state goes to the process that shows it."""

    def now(self, state: str) -> None:
        """To that process."""
        tell(state)


class Plain(Progress):
    """Lines of text, for logs and pipes. They are for trials: none tells of a file or a state."""

    def __init__(self, kinds: Sequence[str], out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._forecast = Forecast(kinds)
        self._total = len(kinds)
        self._count = 0
        self._began = self._last = time.monotonic()
        self._name = ""

    def say(self, text: str) -> None:
        """A line at once."""
        print(plain(text), file=self._out, flush=True)

    def trial(self, name: str, files: int, began: float | None = None) -> None:
        """Notes when it began."""
        self._name, self._began = name, time.monotonic() if began is None else began

    def done(self, said: str) -> None:
        """A line with trials done and time left, not more often than PLAIN_EVERY_S."""
        now = time.monotonic()
        self._forecast.finished(now - self._began)
        self._count += 1
        if now - self._last >= PLAIN_EVERY_S or self._count == self._total:
            self._last = now
            left = clock(self._forecast.left())
            self.say(f"{self._count}/{self._total} {self._name}: {said}; {left} left")


class Bars(Progress):
    """Two bars: all trials with the time left, and the files of the one that runs."""

    def __init__(self, kinds: Sequence[str]) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._forecast = Forecast(kinds)
        self._bars = RichProgress(
            TextColumn("{task.description:<12}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[said]}"),
            console=Console(stderr=True),
            refresh_per_second=4,
        )
        self._all = self._bars.add_task("trials", total=len(kinds), said="")
        self._one = self._bars.add_task("files", total=1, said="")
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *ended: object) -> None:
        self._bars.stop()

    def say(self, text: str) -> None:
        """A line above the bars."""
        self._bars.console.print(plain(text), highlight=False, markup=False)

    def trial(self, name: str, files: int, began: float | None = None) -> None:
        """Begins the lower bar anew."""
        self._began = time.monotonic() if began is None else began
        self._bars.reset(self._one, total=files, description=name, said="")

    def transferred(self) -> None:
        """One step of the lower bar; the time left is told again."""
        self._bars.advance(self._one)
        left = self._forecast.left(time.monotonic() - self._began)
        self._bars.update(self._all, said=f"{clock(left)} left")

    def now(self, state: str) -> None:
        """Behind the lower bar."""
        self._bars.update(self._one, said=state)

    def done(self, said: str) -> None:
        """One step of the upper bar."""
        self._forecast.finished(time.monotonic() - self._began)
        self._bars.advance(self._all)
        self._bars.update(self._one, said=said)
        self._bars.update(self._all, said=f"{clock(self._forecast.left())} left")


def progress(kinds: Sequence[str]) -> Progress:
    """Bars on a terminal, else plain lines; on standard error, so that tables can be piped."""
    return Bars(kinds) if sys.stderr.isatty() else Plain(kinds)
