# SPDX-License-Identifier: MIT
"""The process of a worker that runs worlds: `python -m vmkb.workloads.campaign.child`.

It reads a job from standard input and ends in order when that is closed, so it does not outlive the
worker that started it. Its guests are in a network of its own, where it may have one. It writes
pairs, pickled: `exposed` and why others reach its guests, or nothing; `world` and what one left,
pickled; `other` or `failed` and why it cannot go on.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import select
import signal
import sys
import tempfile
from contextlib import closing

from vmkb.errors import VmkbError
from vmkb.guests.base import driver
from vmkb.hercules.emulator.boot import find_guest
from vmkb.hercules.own_network import own_network
from vmkb.hercules.scratch import Scratch
from vmkb.workloads.base.found import workload as find
from vmkb.workloads.base.here import Here
from vmkb.workloads.base.progress import Progress
from vmkb.workloads.base.results import TRANSCRIPTS
from vmkb.workloads.base.run import Run
from vmkb.workloads.base.settings import Settings
from vmkb.workloads.campaign.identity import identity, source_digest
from vmkb.workloads.campaign.job import Job, OtherVersion, check
from vmkb.workloads.command.failures import sentence
from vmkb.workloads.command.stopping import STOPPED, stop_in_order


def say(what: str, message: str | bytes) -> None:
    """A pair for the worker."""
    pickle.dump((what, message), sys.stdout.buffer)
    sys.stdout.buffer.flush()


def serve(job: Job) -> None:
    """Do JOB. OtherVersion if that would give other results; EmulatorError, UsageError, StoreError,
    ContentsError, OSError."""
    guest = find_guest(job.guest)
    driver(guest).build()
    with Scratch(tempfile.gettempdir(), "vmkb-part-", guarded=True) as folder:
        transcripts = folder.path / job.run / TRANSCRIPTS
        transcripts.mkdir(parents=True)
        settings = Settings.model_validate(job.settings)
        run = Run(find(job.workload), settings, guest, transcripts.parent)
        check(job.identity, identity(run.guest, run.emulator))
        say("exposed", own_network())
        worlds = [world for world in run.worlds() if world[0].id in job.worlds]
        run.left = [planned for world in worlds for planned in world]  # whose builds are made
        with closing(Here(1).worlds(run, worlds, Progress())) as ended:
            for _, left, _ in ended:
                files = {path.name: path.read_bytes() for path in transcripts.iterdir()}
                say("world", pickle.dumps((files, left)))
                for name in files:
                    (transcripts / name).unlink()


def main() -> int:
    """One job; the exit code."""
    stop_in_order()
    line = sys.stdin.readline()
    _end_with_parent(sys.stdin.fileno())
    try:
        serve(Job.parse(line, source_digest()))
    except OtherVersion as error:
        say("other", str(error))
        return 3
    except VmkbError as error:
        say("failed", str(error))
        return 3
    except (OSError, MemoryError) as error:
        say("failed", sentence(error))
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
