# SPDX-License-Identifier: MIT
"""An event loop in a world: stations' coroutines go on at times of the world's clock, in the one
thread that there is, and in the same order each time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import random
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar, TypeVarTuple

from vmkb.hercules.clock.messages import picoseconds, seconds
from vmkb.hercules.clock.world import World

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
log = logging.getLogger("world")


class WorldLoop(asyncio.AbstractEventLoop):
    """The part of an event loop that coroutines need, without anything of this computer's."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[int, int, asyncio.TimerHandle]] = []
        self._order = itertools.count()
        world.follow(self._due, lambda time: self.turn())

    def time(self) -> float:
        """Seconds since the world began."""
        return seconds(self.world.now)

    def get_debug(self) -> bool:
        """It has no such mode."""
        return False

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """CALLBACK is called at this time of the world's."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[[*Ts], object], *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:  # fmt: skip
        """CALLBACK is called in DELAY seconds."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:  # fmt: skip
        """CALLBACK is called at the time WHEN."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        due = max(picoseconds(when), self.world.now)
        heapq.heappush(self._timers, (due, next(self._order), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """A timer knows itself that it was cancelled."""

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self, coro: Any, *, name: str | None = None, context: Context | None = None
    ) -> asyncio.Task[Any]:
        """CORO as a task, which begins when the world goes on."""
        return asyncio.Task(coro, loop=self, name=name, context=context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Note that something failed which nobody waits for."""
        log.error(context["message"], exc_info=context.get("exception"))

    def _due(self) -> int | None:
        if self._ready:
            return self.world.now
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    def turn(self) -> None:
        """All that is ready now, and what that makes ready, is run."""
        while self._timers and self._timers[0][0] <= self.world.now:
            self._ready.append(heapq.heappop(self._timers)[2])
        asyncio._set_running_loop(self)
        try:
            while self._ready:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            asyncio._set_running_loop(None)
        self.world.shown += 1  # perhaps: who waits looks


class InWorld:
    """A station's coroutines in a world's loop (hercules.beside.Beside)."""

    def __init__(self, loop: WorldLoop, draws: random.Random) -> None:
        self._loop = loop
        self.draws = draws

    def run(self, work: Coroutine[Any, Any, T], within: float) -> T:
        """The result of WORK, when the world has gone on so far. TimeoutError when it takes too
        long."""
        world = self._loop.world
        task: asyncio.Task[T] = self._loop.create_task(work)
        self._loop.turn()
        if not task.done():
            world.run(world.now + picoseconds(within), task.done)
        if not task.done():
            task.cancel()
            self._loop.turn()
            raise TimeoutError
        return task.result()

    def call(self, act: Callable[[], T]) -> T:
        """The result of ACT."""

        async def called() -> T:
            return act()

        return self.run(called(), 0.0)

    def close(self) -> None:
        """The loop is the world's."""
