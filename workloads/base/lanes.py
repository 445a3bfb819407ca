# SPDX-License-Identifier: MIT
"""Trials side by side on this computer's processors, each in a process of its own: for those that
follow from nothing but themselves, as on virtual time. Results come in the order of the jobs."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, NoReturn, TypeVar

from vmkb.hercules.deadline import EmulatorError

ENDS_WITHIN = 10.0
"""Seconds that a lane has to end its guests when it is told to."""
_PR_SET_PDEATHSIG = 1
_lane: Connection | None = None
"""Where this process answers, if it is a lane's."""
J = TypeVar("J")


def count(jobs: int, wanted: int = 0) -> int:
    """How many lanes JOBS are run in: as many as are WANTED, or one for each processor that this
    process may use."""
    return max(1, min(jobs, wanted or len(os.sched_getaffinity(0))))


def _processors(lanes: int) -> list[int]:
    """One for each of LANES. The processes of a lane take turns, and one processor passes on a turn
    sooner than two."""
    all_of_them = sorted(os.sched_getaffinity(0))
    return [all_of_them[n % len(all_of_them)] for n in range(lanes)]


def end_with_parent() -> None:
    """SIGTERM for this process when the one that forked it is no more."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def tell(state: str) -> None:
    """In a lane: how its job stands, for who looks on."""
    if _lane is not None:
        _lane.send((None, state))


class _Lane:
    def __init__(
        self,
        number: int,
        work: Callable[[Any, int], Any],
        end: Callable[[], object],
        others: Sequence[_Lane],
        processor: int,
    ) -> None:
        context = multiprocessing.get_context("fork")
        self.ours, theirs = context.Pipe()
        parents = [self.ours, *(lane.ours for lane in others)]
        self.process = context.Process(
            target=_serve, args=(theirs, parents, work, end, number, processor), daemon=True
        )
        self.process.start()
        theirs.close()
        self.number = number
        self.at = -1
        self.began = 0.0

    def give(self, at: int, job: Any) -> None:
        self.at, self.began = at, time.monotonic()
        self.ours.send(job)

    def end(self) -> None:
        if self.process.is_alive() and self.at >= 0:
            self.process.terminate()
        self.process.join(ENDS_WITHIN)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(
    pipe: Connection,
    parents: Sequence[Connection],
    work: Callable[[Any, int], Any],
    end: Callable[[], object],
    number: int,
    processor: int,
) -> NoReturn:
    """In the lane's process: do what comes, until nothing more does. PARENTS: the ends of all pipes
    that only the parent is to have, or no lane would see that the parent closed its own. PROCESSOR:
    where it and its emulators run."""
    global _lane
    _lane = pipe
    end_with_parent()
    for other in parents:
        other.close()
    gc.freeze()  # what there is stays: it need not be looked through again and again
    os.sched_setaffinity(0, {processor})
    code = 0
    try:
        while True:
            try:
                job = pipe.recv()
            except EOFError:
                end()
                break
            try:
                result = (True, work(job, number))
            except EmulatorError as error:
                result = (False, str(error))
            pipe.send(result)
    except (KeyboardInterrupt, BrokenPipeError):
        code = 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 2
    os._exit(code)


class _Left(Generic[J]):
    """Jobs that no lane has been given, by what they are like."""

    def __init__(self, jobs: Sequence[J], alike: Callable[[J], Hashable]) -> None:
        self._groups: dict[Hashable, deque[int]] = {}
        for number, job in enumerate(jobs):
            self._groups.setdefault(alike(job), deque()).append(number)
        self._of: dict[int, Hashable] = {}  # what each lane does

    def take(self, lane: int) -> int | None:
        """The next for LANE: one like its last, else the first of those that no lane does, else of
        the most; None if there is none."""
        groups = {key: jobs for key, jobs in self._groups.items() if jobs}
        if not groups:
            return None
        key = self._of.get(lane)
        if key not in groups:
            free = [key for key in groups if key not in self._of.values()]
            key = free[0] if free else max(groups, key=lambda k: len(groups[k]))
            self._of[lane] = key
        return groups[key].popleft()


def in_lanes(
    jobs: Sequence[J],
    work: Callable[[J, int], Any],
    lanes_wanted: int = 0,
    look: Callable[[str], None] | None = None,
    alike: Callable[[J], Hashable] = id,
    end: Callable[[], object] = bool,
) -> Generator[tuple[J, Any, float], None, None]:
    """WORK of each job, given the lane's number, and the seconds that it held up the others; in
    the order of JOBS. LANES_WANTED: how many; 0: as many as there are processors. EmulatorError as
    soon as one has raised it, or a lane has died. LOOK is told how the next of them stands. Jobs
    that are ALIKE are done by one lane behind each other, if no other lane has nothing to do; END
    is called in a lane to which nothing more comes."""
    lanes: list[_Lane] = []
    for number, processor in enumerate(_processors(count(len(jobs), lanes_wanted))):
        lanes.append(_Lane(number, work, end, lanes, processor))
    done: dict[int, tuple[Any, float]] = {}
    left = _Left(jobs, alike)
    told = 0
    try:
        while told < len(jobs):
            for lane in lanes:
                if lane.at < 0 and (chosen := left.take(lane.number)) is not None:
                    lane.give(chosen, jobs[chosen])
            busy = {lane.ours: lane for lane in lanes if lane.at >= 0}
            for pipe in wait(list(busy)):
                lane = busy[pipe]  # type: ignore[index]
                try:
                    well, result = lane.ours.recv()
                except EOFError:
                    lane.process.join(ENDS_WITHIN)
                    raise EmulatorError(
                        f"A process that ran trials has ended with {lane.process.exitcode}."
                    ) from None
                if well is None:
                    if look and lane.at == told:
                        look(result)
                    continue
                if not well:
                    raise EmulatorError(result)
                done[lane.at] = result, (time.monotonic() - lane.began) / len(lanes)
                lane.at = -1
            while told in done:
                result, seconds = done.pop(told)
                yield jobs[told], result, seconds
                told += 1
    finally:
        for lane in lanes:
            lane.ours.close()
        for lane in lanes:
            lane.end()
