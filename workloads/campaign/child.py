# SPDX-License-Identifier: MIT
"""The process of a worker that runs a part of a run: `python -m vmkb.workloads.campaign.child`.

It reads a job from standard input and ends in order when that is closed, so it does not outlive the
worker that started it. Its guests are in a network of its own, where it may have one. It writes a
line of JSON for who it is, each trial that has ended, and a failure.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from vmkb.accounting.store import FILE_NAME
from vmkb.errors import VmkbError
from vmkb.guests.base import driver
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.own_network import own_network
from vmkb.hercules.scratch import Scratch
from vmkb.workloads.base.found import workload as find
from vmkb.workloads.base.progress import Silent
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.campaign.identity import host, identity, source_digest
from vmkb.workloads.campaign.job import Finished, Job
from vmkb.workloads.failures import sentence
from vmkb.workloads.stopping import STOPPED, stop_in_order


def say(what: str, message: Mapping[str, Any]) -> None:
    """A line for the worker."""
    print(json.dumps({what: message}), flush=True)


class Sends(Silent):
    """A progress that sends each trial that has ended, with what it left in FOLDER."""

    def __init__(self, run: Run[Any, Any]) -> None:
        self._folder = run.folder
        self._trial = ""
        self._read = 0
        self._sizes: dict[str, int] = {}

    def trial(self, name: str, files: int, began: float | None = None) -> None:
        """Notes its name."""
        self._trial = name

    def done(self, said: str) -> None:
        """Sends the trial whose turn it was."""
        say("trial", Finished(self._trial, self._rows(), self._files()).message())

    def _rows(self) -> tuple[dict[str, Any], ...]:
        with (self._folder / FILE_NAME).open("rb") as file:
            file.seek(self._read)
            text = file.read()
        self._read += len(text)
        rows = map(json.loads, text.splitlines())
        return tuple(row for row in rows if row["row"] != "run")

    def _files(self) -> dict[str, bytes]:
        found = {}
        for path in sorted((self._folder / "transcripts").glob("*")):
            size = path.stat().st_size
            if self._sizes.get(path.name) != size:
                self._sizes[path.name] = size
                found[path.name] = path.read_bytes()
        return found


def serve(job: Job) -> None:
    """Do JOB. EmulatorError, UsageError, StoreError, ContentsError, OSError."""
    guest = find_guest(job.guest)
    hands = driver(guest)
    hands.build()
    settings = Settings.model_validate(job.settings)
    with Scratch(tempfile.gettempdir(), "vmkb-part-", guarded=True) as folder:
        here = folder.path / job.run
        here.mkdir()
        run = Run(find(job.workload), settings, guest, here)
        exposed = own_network()
        if not job.trials:
            say("hello", {**identity(guest, run.emulator), "host": host(), "exposed": exposed})
            return
        run.left = [p for p in run.left if p.id in set(job.trials)]
        run.run(Sends(run), lanes=1)


def main() -> int:
    """One job; the exit code."""
    stop_in_order()
    line = sys.stdin.readline()
    _end_with_parent(sys.stdin.fileno())
    try:
        serve(Job.parse(line, source_digest()))
    except VmkbError as error:
        say("failed", {"why": str(error)})
        return 3
    except (OSError, MemoryError) as error:
        say("failed", {"why": sentence(error)})
        return 3
    except KeyboardInterrupt:
        return STOPPED
    return 0


def _end_with_parent(pipe: int) -> None:
    """SIGTERM when the worker closes its end of the PIPE. By fcntl(2): with a thread that reads,
    this process could not change its network any more."""
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGTERM)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    poll = select.poll()
    poll.register(pipe, select.POLLHUP)
    if poll.poll(0):  # it was closed before
        os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the end of our output closes our input: that shall interrupt nothing
