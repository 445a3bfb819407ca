# SPDX-License-Identifier: MIT
"""Where the coroutines of a station run, beside the script that uses it: in a thread on this
computer's clock, or in a world on virtual time (hercules.clock.loop)."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from vmkb.hercules.deadline import patient

T = TypeVar("T")
END_S = 60.0
"""Seconds that a thread may take to end."""


class Beside(Protocol):
    """Coroutines of one event loop. `draws` draws what is random in them."""

    draws: random.Random

    def run(self, work: Coroutine[Any, Any, T], within: float) -> T:
        """The result of WORK. TimeoutError, and it is cancelled, when that takes longer than WITHIN
        seconds."""

    def call(self, act: Callable[[], T]) -> T:
        """The result of ACT, in the loop's thread."""

    def close(self) -> None:
        """No coroutine goes on."""


class Thread:
    """A thread for coroutines."""

    def __init__(self, name: str) -> None:
        self.draws: random.Random = random.SystemRandom()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._main, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], within: float) -> T:
        """The result of WORK. TimeoutError when it takes too long, which is longer on a busy
        computer."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(patient(within))
        except TimeoutError:
            future.cancel()
            raise

    def call(self, act: Callable[[], T]) -> T:
        """The result of ACT."""

        async def called() -> T:
            return act()

        return self.run(called(), END_S)

    def close(self) -> None:
        """The thread ends."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(END_S)

    def _main(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # ends what goes on
            runner.get_loop().run_forever()
