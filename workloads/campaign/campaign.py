# SPDX-License-Identifier: MIT
"""Who of Dask's workers gets which worlds of a job, and what becomes of them.

A worker that has another version gets none, and it is said why. Worlds of one that goes or fails,
and all that a scheduler had that has gone, are run elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from vmkb.hercules.deadline import EmulatorError, pause
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.campaign.job import Job
from vmkb.workloads.campaign.worker import Ran, work
from vmkb.workloads.command.shut_off import EXPOSED

LOOK_S = 0.2
"""Between two looks at the workers."""
ANSWER_S = 10.0
"""Seconds that a scheduler may take to answer."""
GONE_S = 15.0
"""One that has not answered for so long has gone."""
NOBODY_S = 120.0
"""How long a run waits for a worker."""
BATCH_S = 30.0
"""Seconds that the worlds which a worker gets at once are to take: what it has run is kept when all
of them have ended."""
FAILURES = 3
"""Times that workers fail, whichever, before the run ends."""


@dataclass
class _Batch:
    """Worlds that a worker has, by their numbers, since when, and Dask's future of them."""

    worlds: list[int]
    began: float
    future: Any


class Campaign:
    """The worlds of JOB on the workers of the SCHEDULER at that address."""

    def __init__(self, scheduler: str, job: Job, progress: Progress) -> None:
        self._scheduler, self._job, self._progress = scheduler, job, progress
        self._client: Any = None
        self._which = ""  # the id of its scheduler
        self._left = list(range(len(job.worlds)))
        self._done: dict[int, tuple[bytes, float]] = {}
        self._out: dict[str, _Batch] = {}
        self._taken: set[str] = set()
        self._refused: dict[str, str] = {}
        self._woken: queue.Queue[object] = queue.Queue()
        self._each = BATCH_S  # seconds of a world: the first ones are given one by one
        self._failures = 0
        self._heard = self._busy = time.monotonic()

    def results(self) -> Generator[tuple[bytes, float], None, None]:
        """The results of each world, pickled, in their order, and the seconds that it held up the
        others. EmulatorError when nobody can go on."""
        try:
            self._connect()
            for number in range(len(self._job.worlds)):
                while number not in self._done:
                    self._look()
                yield self._done.pop(number)
        finally:
            self._leave()

    def _look(self) -> None:
        """At the scheduler, its workers, and what they have done; what is left is given out."""
        there = self._there()
        for address, batch in list(self._out.items()):
            if batch.future.done():
                del self._out[address]
                self._ended(address, batch)
            elif address not in there:
                del self._out[address]
                batch.future.cancel()
                self._again(batch.worlds, f"Worker {_name(address)} has gone")
        self._assign(sorted(there - set(self._refused) - set(self._out)))
        now = time.monotonic()
        if self._out or self._client is None:
            self._busy = now
        elif there and there <= set(self._refused):
            whys = dict.fromkeys(why.rstrip(".") for why in self._refused.values())
            raise EmulatorError(f"No worker runs trials: {'; '.join(whys)}.")
        elif now - self._busy > NOBODY_S:
            raise EmulatorError(f"No worker runs trials: none has come in {NOBODY_S:g} s.")
        with suppress(queue.Empty):
            self._woken.get(timeout=LOOK_S)

    def _connect(self) -> None:
        """EmulatorError if the scheduler cannot be reached."""
        from distributed import Client

        for name in ("distributed", "distributed.client"):  # what is wrong is said here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            asyncio.run(_asked(self._scheduler))
            self._client = Client(self._scheduler, timeout=ANSWER_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            said = str(error) or "no answer"
            raise EmulatorError(
                f"The scheduler {self._scheduler} cannot be reached: {said}."
            ) from None
        self._heard = time.monotonic()
        self._progress.say(f"Dask's page: {self._client.dashboard_link}")

    def _there(self) -> set[str]:
        """The addresses of the workers. Of a scheduler that does not answer or was restarted there
        are none any more: then a new client is made. EmulatorError when it has gone."""
        from distributed.client import ClosedClientError

        if self._client is not None and self._client.status == "running":
            with suppress(OSError, TimeoutError, RuntimeError, ClosedClientError):
                ask = self._client.scheduler.identity
                said = self._client.sync(ask, callback_timeout=ANSWER_S)
                self._heard = time.monotonic()
                if self._which in ("", said["id"]):
                    self._which = said["id"]
                    return set(said["workers"])
        if self._client is not None:
            self._which = ""
            self._leave()
            worlds = [n for batch in self._out.values() for n in batch.worlds]
            self._out.clear()
            self._again(worlds, "The scheduler has gone or was restarted")
        try:
            self._connect()
        except EmulatorError:
            if time.monotonic() - self._heard > GONE_S:
                raise EmulatorError("The scheduler has gone, and its workers with it.") from None
            pause(LOOK_S)
        return set()

    def _leave(self) -> None:
        """Dask's workers end what nobody wants any more."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, TimeoutError, RuntimeError, AssertionError):
                client.close(timeout=ANSWER_S)

    def _ended(self, address: str, batch: _Batch) -> None:
        """Take in what a worker has done. What it has not is left again."""
        from concurrent.futures import CancelledError

        try:
            ran: Ran = batch.future.result(timeout=ANSWER_S)
        except (CancelledError, OSError, TimeoutError):  # it went away meanwhile
            ran = Ran()
        except Exception as error:  # whatever has happened in a worker
            ran = Ran(failed=str(error) or type(error).__name__)
        took = time.monotonic() - batch.began
        if ran.worlds:
            self._each = took / len(ran.worlds)
            if address not in self._taken:
                self._taken.add(address)
                exposed = ran.exposed and f"; {EXPOSED}: {ran.exposed}"
                self._progress.say(f"Worker {_name(address)} runs trials{exposed}.")
        for number, left in zip(batch.worlds, ran.worlds, strict=False):
            self._done[number] = left, self._each / (len(self._out) + 1)
        self._left = sorted([*self._left, *batch.worlds[len(ran.worlds) :]])
        if why := ran.other or ran.failed:
            self._refused[address] = why
            self._progress.say(f"Worker {_name(address)} gets no more trials: {why.rstrip('.')}.")
        if ran.failed:
            self._failures += 1
            if self._failures >= FAILURES:
                raise EmulatorError(f"Workers failed {FAILURES} times, the last so: {ran.failed}")

    def _again(self, worlds: list[int], why: str) -> None:
        self._left = sorted([*self._left, *worlds])
        self._progress.say(f"{why}; {len(worlds)} trials run elsewhere.")

    def _assign(self, free: list[str]) -> None:
        """Each FREE worker gets its share of what is left, or as many worlds as take BATCH_S."""
        share = -(-len(self._left) // max(1, len(free) + len(self._out)))
        many = max(1, min(share, int(BATCH_S / self._each)))
        for address in free if self._client is not None else ():
            worlds, self._left = self._left[:many], self._left[many:]
            if not worlds:
                return
            job = replace(self._job, worlds=tuple(self._job.worlds[n] for n in worlds))
            future = self._client.submit(
                work, job.line(), workers=[address], allow_other_workers=False, pure=False,
                retries=0,
            )  # fmt: skip
            future.add_done_callback(self._woken.put)
            self._out[address] = _Batch(worlds, time.monotonic(), future)


async def _asked(scheduler: str) -> None:
    """Wait for any answer of a SCHEDULER. OSError, TimeoutError: a client waits longer for one that
    takes its connection and says nothing."""
    from distributed import rpc

    async with asyncio.timeout(ANSWER_S), rpc(scheduler) as there:
        await there.identity()


def _name(address: str) -> str:
    return address.removeprefix("tcp://")
