# SPDX-License-Identifier: MIT
"""Who of Dask's workers gets which part of a run, and what becomes of it.

A worker is asked first who it is and to count a command; one that is another version, or counts
otherwise, gets no part and it is said why. One that goes loses the trials that it had not ended:
they are run elsewhere.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hercules.deadline import EmulatorError
from workloads.base.progress import Progress
from workloads.base.results import TRANSCRIPTS
from workloads.base.run import Run
from workloads.campaign.cluster import opened
from workloads.campaign.identity import differs, identity
from workloads.campaign.job import Finished, Job
from workloads.campaign.merge import Merge
from workloads.campaign.parts import next_part, pairs
from workloads.campaign.probe import disagrees, probe
from workloads.campaign.worker import hello, part

LOOK_S = 0.2
"""Between two looks at the workers."""
GONE_S = 15.0
"""A scheduler that has not answered for so long has gone."""
NOBODY_S = 120.0
"""How long a run waits for a worker that takes a part."""
LATE_S = 5.0
"""What a part sent may arrive so much later than its end."""
FAILURES = 3
"""Parts that fail, wherever, before the run ends."""


@dataclass
class _Part:
    """Pairs that a worker has, and what stands behind them."""

    name: str
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


def run_on_workers(
    run: Run[Any, Any], guest: str, workers: int, scheduler: str, progress: Progress
) -> None:
    """Run what is left of RUN on WORKERS of our own, or on those of SCHEDULER; GUEST is how they
    find the guest. EmulatorError when it cannot be ended; what has ended is kept."""
    if not run.left:
        return
    progress.say("Counting the probe here")
    count = probe(run.guest, run.emulator)
    with opened(workers, scheduler) as client:
        progress.say(f"Dask's page: {client.dashboard_link}")
        Campaign(run, guest, client, count, progress).run()


class Campaign:
    """One run on the workers of one Dask CLIENT; COUNT is what the probe takes here."""

    def __init__(
        self, run: Run[Any, Any], guest: str, client: Any, count: float, progress: Progress
    ) -> None:
        self._run, self._client, self._progress = run, client, progress
        self._ours = {**identity(run.guest, run.emulator)}
        self._count = count
        self._name = run.folder.resolve().name
        self._job = Job(run.workload.name, guest, run.settings.model_dump(mode="json"), self._name)
        wanted = {p.id for p in run.left}
        # Of a pair of which one has ended both are run: they are to be neighbours on one machine.
        self._left = [ids for ids in pairs(run.plan) if wanted & set(ids)]
        self._every = {i for ids in self._left for i in ids}
        begun = datetime.now(UTC).isoformat("T", "seconds")
        self._merge = Merge(run.folder, self._name, run.meta, begun)
        self._topic = f"vmkb-{uuid.uuid4().hex}"
        self._events: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self._seen = _Seen()
        self._told: set[str] = set()
        self._about: dict[str, Mapping[str, str]] = {}
        earlier = (run.folder / TRANSCRIPTS).glob("part-*")
        self._parts = max((int(p.name[5:]) for p in earlier if p.name[5:].isdigit()), default=0)
        self._failures = 0
        self._alive = time.monotonic()

    def run(self) -> None:
        """All that is left. EmulatorError when nobody can go on."""
        self._client.subscribe_topic(self._topic, lambda event: self._events.put(event[1]))
        try:
            since = time.monotonic()
            while self._every - self._merge.done:
                self._look()
                self._hear(LOOK_S)
                self._ended()
                self._assign()
                if self._seen.asked or self._seen.parts:
                    since = time.monotonic()
                elif time.monotonic() - since > NOBODY_S or self._nobody():
                    raise EmulatorError(f"No worker takes a part: {self._why_nobody()}.")
        finally:
            for each in (*self._seen.parts.values(),):
                each.future.cancel()

    def _look(self) -> None:
        """At the workers that there are: new ones are asked, parts of lost ones are taken back."""
        there = self._workers()
        seen = self._seen
        for address in there - set(seen.asked) - set(seen.taken) - set(seen.refused):
            seen.asked[address] = self._submit(hello, address, self._job.line())
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
                there = set(self._client.nthreads())
                self._alive = time.monotonic()
                return there
        except (OSError, TimeoutError, RuntimeError):
            pass
        if time.monotonic() - self._alive > GONE_S or self._client.status == "closed":
            raise EmulatorError("The scheduler has gone, and its workers with it.")
        return set(self._seen.taken) | set(self._seen.asked)

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
        about = self._about.get(event["from"])
        if about is None:
            return
        finished = Finished.of(event)
        said = self._merge.add(finished, event["from"], about)
        if said and finished.trial not in self._told:  # one that is run again was told of
            self._told.add(finished.trial)
            self._progress.trial(f"{finished.trial} on {about['worker']}", 1)
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
                while not self._whole(mine) and time.monotonic() < ends:
                    self._hear(LOOK_S)
                self._take_back(mine)
            elif mine.future.status == "error":
                self._failed(address, mine)
            else:
                self._take_back(mine)

    def _met(self, address: str, future: Any) -> None:
        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            self._refuse(address, address, str(error or "it went away"))
            return
        said = future.result()
        name = f"{said['host']} {address.rpartition(':')[2]}"
        why = differs(said, self._ours) or disagrees(said["probe"], self._count)
        if why:
            self._refuse(address, name, why)
            return
        self._seen.taken[address] = {
            "worker": name, "worker_host_model": said["host_model"],
            "worker_emulator": said["emulator"],
        }  # fmt: skip

    def _refuse(self, address: str, name: str, why: str) -> None:
        self._seen.taken.pop(address, None)
        self._seen.refused[address] = why
        self._progress.say(f"Worker {name} gets no part: {why}.")

    def _failed(self, address: str, mine: _Part) -> None:
        why = str(mine.future.exception())
        self._failures += 1
        left = self._take_back(mine)
        if self._failures >= FAILURES:
            raise EmulatorError(f"{FAILURES} parts have failed, the last so: {why}")
        self._refuse(address, mine.about["worker"], f"{why} ({left} trials run elsewhere)")

    def _whole(self, mine: _Part) -> bool:
        return all(i in self._merge.done for ids in mine.pairs for i in ids)

    def _take_back(self, mine: _Part) -> int:
        """Put back the pairs of a part that have not ended; how many trials these are. A pair of
        which one has ended is run again as a whole, elsewhere; what still comes of it is late."""
        self._about.pop(mine.name, None)
        left = [ids for ids in mine.pairs if set(ids) - self._merge.done]
        self._merge.done.difference_update(*left)
        self._left = left + self._left
        return sum(map(len, left))

    def _assign(self) -> None:
        """A part for each worker that has none."""
        seen = self._seen
        for address, about in seen.taken.items():
            if address in seen.parts or not self._left:
                continue
            mine = next_part(self._left, len(seen.taken))
            del self._left[: len(mine)]
            self._parts += 1
            name = f"part-{self._parts:03d}"
            self._about[name] = about
            ids = tuple(i for pair in mine for i in pair)
            job = Job(self._job.workload, self._job.guest, self._job.settings, self._name, ids)
            future = self._submit(part, address, job.line(), self._topic, name)
            seen.parts[address] = _Part(name, mine, future, about)

    def _nobody(self) -> bool:
        """Whether all workers that there are have been refused."""
        return bool(self._seen.refused) and not self._seen.taken

    def _why_nobody(self) -> str:
        said = list(dict.fromkeys(self._seen.refused.values()))
        return "; ".join(said) or f"none has come in {NOBODY_S:g} s"
