# SPDX-License-Identifier: MIT
"""The function that Dask runs on a worker: a child process for each job."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from dataclasses import dataclass, field

LOOK_S = 1.0
"""Between two looks whether anybody still wants a job."""


@dataclass
class Ran:
    """The result of a job: what worlds have left, pickled, in their order; why others can reach
    this worker's guests; and if it has not run all: why it is not to run any (`other`), or why it
    failed."""

    worlds: list[bytes] = field(default_factory=list)
    exposed: str = ""
    other: str = ""
    failed: str = ""


def work(line: str) -> Ran:
    """Run the job LINE here, as long as its campaign wants it."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        """Dask forgets a task whose client has gone or does not want it, and lets it run on."""
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.campaign.child"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    ran, stdin, over, last = Ran(), child.stdin, threading.Event(), [b"it ended without a word"]

    def watch() -> None:
        while not over.wait(LOOK_S):
            if not wanted():
                stdin.close()  # the child ends in order
                return

    try:
        stdin.write(f"{line}\n".encode())
        stdin.flush()
        threading.Thread(target=watch, daemon=True).start()
        while True:
            try:
                what, said = pickle.load(child.stdout)
            except (EOFError, pickle.UnpicklingError):  # the latter of one that was killed
                break
            if what == "world":
                ran.worlds.append(said)
            else:
                setattr(ran, what, said)
        last = child.stderr.read().strip().splitlines()[-1:] or last
    finally:
        over.set()
        stdin.close()
        child.wait()
    if child.returncode and not (ran.other or ran.failed):
        ran.failed = last[0].decode("utf-8", "replace")
    return ran
