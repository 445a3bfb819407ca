# SPDX-License-Identifier: MIT
"""Worlds that begin alike begin once: a lab in which everything is up, from which each goes on in a
process of its own. The emulators go on as forks of the lab's, and so does what drives them, so a
world knows nothing of the others."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import HOST, EmulatorError, Timeout, wait_until
from vmkb.workloads.base.lanes import end_with_parent
from vmkb.workloads.base.virtual import VirtualLab

B = TypeVar("B")
T = TypeVar("T")


class Start(Closing, Generic[B]):
    """What the worlds with this KEY begin with: a LAB, which MAKE brings up. EmulatorError if it
    cannot be."""

    def __init__(self, key: Hashable, lab: VirtualLab, make: Callable[[VirtualLab], B]) -> None:
        self.key = key
        with ExitStack() as until_up:
            until_up.enter_context(_adopting())
            self._lab = until_up.enter_context(lab)
            self._bench = make(lab)
            gc.freeze()  # a fork that looks through all there is gets a copy of it
            self._stack = until_up.pop_all()

    def world(self, work: Callable[[VirtualLab, B], T], seed: int, trace: Path) -> T:
        """The result of WORK, which goes on from the start with a SEED, in a process of its own;
        what happens in its world, from the beginning on, is in the file TRACE. EmulatorError as it
        has it."""
        forks = self._lab.world.forks()

        def go_on() -> T:
            with self._lab.become(forks, seed, trace):
                return work(self._lab, self._bench)

        try:
            return in_fork(go_on)
        finally:
            for fork in forks:
                fork.close()
                _end_of(fork.pid)

    def close(self) -> None:
        """No more worlds."""
        self._stack.close()


@contextmanager
def _adopting() -> Iterator[None]:
    """Within, forks of this process' emulators are its children, so that their CPU time is among
    its own. So is whatever else has lost its parent, which nobody would wait for afterwards."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SUBREAPER, 0, 0, 0, 0)


def _end_of(pid: int) -> None:
    """An emulator whose clock is gone ends: here is its CPU time then."""

    def ended() -> bool:
        try:
            return os.waitpid(pid, os.WNOHANG) != (0, 0)
        except ChildProcessError:
            return True

    with suppress(Timeout):
        wait_until(ended, ENDS_WITHIN, "a fork to end", poll=0.0005, clock=HOST)


def in_fork(work: Callable[[], T]) -> T:
    """The result of WORK in a fork of this process, which ends with this one. EmulatorError as it
    has it, or when the fork is killed."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(ours)
        _work(work, theirs)
    os.close(theirs)
    try:
        with open(ours, "rb") as pipe:
            said = pipe.read()
    except BaseException:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        raise
    finally:
        _, status = os.waitpid(pid, 0)
    if not said:
        code = os.waitstatus_to_exitcode(status)
        if code == KEYBOARD:
            raise KeyboardInterrupt
        raise EmulatorError(f"A process that ran trials has ended with {code}.")
    well, result = pickle.loads(said)
    if not well:
        raise EmulatorError(result)
    made: T = result
    return made


ENDS_WITHIN = 5.0
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of Linux' sys/prctl.h."""
KEYBOARD = 130
"""The exit code of a fork that was interrupted."""


def _work(work: Callable[[], T], pipe: int) -> NoReturn:
    """In the fork: WORK, and its result through PIPE."""
    end_with_parent()
    code = 2
    try:
        try:
            result: tuple[bool, object] = (True, work())
        except EmulatorError as error:
            result = (False, str(error))
        with open(pipe, "wb") as out:
            out.write(pickle.dumps(result))
        code = 0
    except KeyboardInterrupt:
        code = KEYBOARD
    except BaseException:
        traceback.print_exc()
    os._exit(code)
