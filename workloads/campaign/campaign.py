# SPDX-License-Identifier: MIT
"""Who of Dask's workers gets which part of runs, and what becomes of it.

A worker is asked first who it is; one that is another version gets no part and it is said why. One
that goes loses the trials that it had not ended: they are run elsewhere.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from vmkb.hercules.deadline import EmulatorError
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.run import Run
from vmkb.workloads.campaign.cluster import opened
from vmkb.workloads.campaign.identity import differs, identity
from vmkb.workloads.campaign.job import Finished
from vmkb.workloads.campaign.parts import next_part
from vmkb.workloads.campaign.share import Share
from vmkb.workloads.campaign.worker import hello, part
from vmkb.workloads.shut_off import EXPOSED

LOOK_S = 0.2
"""Between two looks at the workers."""
GONE_S = 15.0
"""A scheduler that has not answered for so long has gone."""
NOBODY_S = 120.0
"""How long a run waits for a worker that takes a part."""
ASKED_S = 600.0
"""The same while workers have been asked who they are: one builds its guest first, or ends another
campaign's part."""
LATE_S = 5.0
"""What a part sent may arrive so much later than its end."""
FAILURES = 3
"""Parts that fail, wherever, before the run ends."""
GONE = "The scheduler has gone, and its workers with it."


@dataclass
class _Part:
    """Pairs of a run that a worker has, and what stands behind them."""

    name: str
    share: Share
    pairs: list[tuple[str, ...]]
    future: Any
    about: Mapping[str, str]


@dataclass
class _Seen:
    """What is known of the workers, by their addresses."""

    asked: dict[str, Any] = field(default_factory=dict)
    taken: dict[str, Mapping[str, str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    parts: dict[str, _Part] = field(default_factory=dict)


def run_on_workers(run: Run[Any, Any], guest: str, scheduler: str, progress: Progress) -> None:
    """Run what is left of RUN on the workers of SCHEDULER; GUEST is how they find the guest.
    EmulatorError when it cannot be ended; what has ended is kept."""
    if not run.left:
        return
    share = Share(run, guest)
    with opened(scheduler) as client:
        progress.say(f"Dask's page: {client.dashboard_link}")
        Campaign([share], client, identity(run.guest, run.emulator), progress).run()


class Campaign:
    """SHARES, each of one run, on the workers of one Dask CLIENT; OURS is what this computer says
    of itself."""

    def __init__(
        self, shares: Sequence[Share], client: Any, ours: Mapping[str, str], progress: Progress
    ) -> None:
        self._shares, self._client, self._progress = shares, client, progress
        self._ours = ours
        self._topic = f"vmkb-{uuid.uuid4().hex}"
        self._events: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self._seen = _Seen()
        self._told = {(share.job.run, trial) for share in shares for trial in share.again}
        self._running: dict[str, _Part] = {}
        self._parts = max(share.parts() for share in shares)
        self._failures = 0
        self._alive = self._last = time.monotonic()
        self._line: Any = None

    def run(self) -> None:
        """All that is left. EmulatorError when nobody can go on."""
        from distributed.client import ClosedClientError

        try:
            since = time.monotonic()
            while not all(share.ended for share in self._shares):
                self._look()
                self._hear(LOOK_S)
                self._ended()
                self._assign()
                if self._seen.parts:
                    since = time.monotonic()
                elif time.monotonic() - since > self._patience or self._nobody():
                    raise EmulatorError(f"No worker takes a part: {self._why_nobody()}.")
        except ClosedClientError:
            raise EmulatorError(GONE) from None
        finally:
            with suppress(OSError, TimeoutError, RuntimeError, ClosedClientError):
                parts = (each.future for each in self._seen.parts.values())
                for future in (*parts, *self._seen.asked.values()):
                    future.cancel()

    def _look(self) -> None:
        """At the workers that there are: new ones are asked, parts of lost ones are taken back."""
        there = self._workers()
        seen = self._seen
        for address in there - set(seen.asked) - set(seen.taken) - set(seen.refused):
            seen.asked[address] = self._submit(hello, address, self._shares[0].job.line())
        for address in (set(seen.asked) | set(seen.taken)) - there:
            seen.asked.pop(address, None)
            about = seen.taken.pop(address, {"worker": address})
            lost = seen.parts.pop(address, None)
            self._hear(0.0)
            what = f"; {self._take_back(lost)} trials run elsewhere" if lost else ""
            self._progress.say(f"Worker {about['worker']} has gone{what}.")

    def _workers(self) -> set[str]:
        """The addresses of the workers. EmulatorError when the scheduler has gone."""
        try:
            if self._client.status == "running":
                self._listen()
                there = set(self._client.nthreads())
                self._alive = time.monotonic()
                return there
        except (OSError, TimeoutError, RuntimeError):
            pass
        if time.monotonic() - self._alive > GONE_S or self._client.status == "closed":
            raise EmulatorError(GONE)
        return set(self._seen.taken) | set(self._seen.asked)

    def _listen(self) -> None:
        """Ask for what workers send: once, and again of a scheduler that was restarted, which knows
        nothing of it. The client has cancelled all that it asked the one before for."""
        line = self._client.scheduler_comm
        if line is not None and line is not self._line:
            if self._line is not None:
                self._progress.say("The scheduler was restarted.")
            self._client.subscribe_topic(self._topic, lambda event: self._events.put(event[1]))
            self._line = line

    def _submit(self, function: Any, address: str, *words: Any) -> Any:
        return self._client.submit(
            function, *words, workers=[address], allow_other_workers=False, pure=False, retries=0
        )

    def _hear(self, within: float) -> None:
        """Take in what workers have sent, for WITHIN seconds at most if there is nothing."""
        try:
            event = self._events.get(timeout=within) if within else self._events.get_nowait()
            while True:
                self._stored(event)
                event = self._events.get_nowait()
        except queue.Empty:
            return

    def _stored(self, event: Mapping[str, Any]) -> None:
        mine = self._running.get(event["from"])
        if mine is None:
            return
        finished = Finished.of(event)
        said = mine.share.merge.add(finished)
        which = (mine.share.job.run, finished.trial)
        if said and which not in self._told:  # one that is run again was told of
            self._told.add(which)
            # From one end to the next: so fast are all workers together.
            self._progress.trial(f"{finished.trial} on {mine.about['worker']}", 1, self._last)
            self._last = time.monotonic()
            self._progress.done(said)

    def _ended(self) -> None:
        """Workers that have said who they are, and parts that have ended."""
        seen = self._seen
        for address, future in list(seen.asked.items()):
            if future.done():
                del seen.asked[address]
                self._met(address, future)
        for address, mine in list(seen.parts.items()):
            if not mine.future.done():
                continue
            del seen.parts[address]
            if mine.future.status == "finished":
                ends = time.monotonic() + LATE_S
                while not mine.share.whole(mine.pairs) and time.monotonic() < ends:
                    self._hear(LOOK_S)
                self._take_back(mine)
            elif mine.future.status == "error":
                self._failed(address, mine)
            else:
                self._take_back(mine)

    def _met(self, address: str, future: Any) -> None:
        if future.status == "error":
            self._refuse(address, address, str(future.exception()))
            return
        if future.status != "finished":
            return  # its scheduler went away, or it did: it is asked again if it is still there
        said = future.result()
        why = differs(said, self._ours)
        if why:
            self._refuse(address, _name(address, said), why)
        else:
            self._take(address, said)
            exposed = said["exposed"] and f"; {EXPOSED}: {said['exposed']}"
            self._progress.say(f"Worker {_name(address, said)} takes parts{exposed}.")

    def _take(self, address: str, said: Mapping[str, Any]) -> None:
        self._seen.taken[address] = {"worker": _name(address, said)}

    def _refuse(self, address: str, name: str, why: str) -> None:
        self._seen.taken.pop(address, None)
        self._seen.refused[address] = why
        self._progress.say(f"Worker {name} gets no part: {why.rstrip('.')}.")

    def _failed(self, address: str, mine: _Part) -> None:
        why = str(mine.future.exception())
        self._failures += 1
        left = self._take_back(mine)
        if self._failures >= FAILURES:
            raise EmulatorError(f"{FAILURES} parts have failed, the last so: {why}")
        self._refuse(address, mine.about["worker"], f"{why} ({left} trials run elsewhere)")

    def _take_back(self, mine: _Part) -> int:
        """What of a part has not ended is left again; how many trials these are. What still comes
        of it is late."""
        self._running.pop(mine.name, None)
        return mine.share.take_back(mine.pairs)

    def _assign(self) -> None:
        """A part for each worker that has none."""
        seen = self._seen
        for address, about in seen.taken.items():
            share = next((s for s in self._shares if s.left), None)
            if share is None:
                return
            if address in seen.parts:
                continue
            every = sum(len(s.left) for s in self._shares)
            pairs = next_part(share.left, len(seen.taken), every)
            del share.left[: len(pairs)]
            self._parts += 1
            name = f"part-{self._parts:03d}"
            job = replace(share.job, trials=tuple(i for pair in pairs for i in pair))
            future = self._submit(part, address, job.line(), self._topic, name)
            self._running[name] = seen.parts[address] = _Part(name, share, pairs, future, about)

    @property
    def _patience(self) -> float:
        """Seconds that nobody may have a part."""
        return ASKED_S if self._seen.asked else NOBODY_S

    def _nobody(self) -> bool:
        """Whether all workers that there are have been refused."""
        seen = self._seen
        return bool(seen.refused) and not seen.taken and not seen.asked

    def _why_nobody(self) -> str:
        silent = [
            f"{address} has not said who it is in {ASKED_S:g} s" for address in self._seen.asked
        ]
        said = list(dict.fromkeys(why.rstrip(".") for why in self._seen.refused.values()))
        return "; ".join(silent + said) or f"none has come in {NOBODY_S:g} s"


def _name(address: str, said: Mapping[str, Any]) -> str:
    return f"{said['host']} {address.rpartition(':')[2]}"
