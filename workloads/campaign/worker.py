# SPDX-License-Identifier: MIT
"""What Dask runs on a worker: a child process for each job, whose lines are passed on."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

LOOK_S = 1.0
"""Between two looks whether anybody still wants a part."""


def hello(line: str) -> dict[str, Any]:
    """Who this worker is, and its probe; the job is LINE. RuntimeError says what it lacks."""
    said: list[dict[str, Any]] = []
    _child(line, lambda what, message: said.append(message) if what == "hello" else None)
    return said[0]


def part(line: str, topic: str, name: str) -> str:
    """Run the job LINE here and send each trial that ends to TOPIC, as of the part NAME, as long as
    its campaign is there. RuntimeError says why not all have ended."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def send(what: str, message: dict[str, Any]) -> None:
        if what == "trial":
            worker.log_event(topic, {"from": name, **message})

    def wanted() -> bool:
        """Dask forgets a task whose client has gone or does not want it, and lets it run on."""
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    _child(line, send, wanted)
    return name


def _child(
    line: str,
    told: Callable[[str, dict[str, Any]], object],
    wanted: Callable[[], bool] = lambda: True,
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.campaign.child"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    why, stdin, over = "", child.stdin, threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_S):
            if not wanted():
                stdin.close()  # the child ends in order
                return

    try:
        stdin.write(line + "\n")
        stdin.flush()
        threading.Thread(target=watch, daemon=True).start()
        for text in child.stdout:
            ((what, message),) = json.loads(text).items()
            if what == "failed":
                why = message["why"]
            told(what, message)
        last = child.stderr.read().strip().splitlines()[-1:]
    finally:
        over.set()
        stdin.close()
        child.wait()
    if why or child.returncode:
        raise RuntimeError(why or (last[0] if last else f"it ended with {child.returncode}"))
