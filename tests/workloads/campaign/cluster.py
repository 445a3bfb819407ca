# SPDX-License-Identifier: MIT
"""Dask's own scheduler and workers as processes, which tests may kill."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from vmkb.hercules.deadline import wait_until

QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
"""Dask's look at its own Python, a hundred times a second, is left out."""
WITHIN = 600.0
"""Seconds for what a busy computer does in ten."""


class Cluster:
    """A scheduler and workers by Dask's own commands, on the loopback address. FOLDER has what they
    keep; `scheduler` is the process, `address` where it listens."""

    def __init__(self, project: Path, folder: Path, stack: ExitStack) -> None:
        self._project, self._folder, self._stack = project, folder, stack
        self.address = ""
        folder.mkdir()
        self._schedule("0")

    def _schedule(self, port: str) -> None:
        file = self._folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self.scheduler = self._dask(
            "scheduler", "--port", port, "--scheduler-file", str(file), cwd=self._project,
            log="scheduler",
        )  # fmt: skip

        def address() -> str:
            with suppress(OSError, ValueError, KeyError):
                return str(json.loads(file.read_text())["address"])
            return ""

        wait_until(lambda: address() != "", WITHIN, "the scheduler's address", poll=0.1)
        self.address = address()

    def restart(self) -> None:
        """Kill the scheduler and start another one at its address."""
        self.scheduler.kill()
        self.scheduler.wait()
        self._schedule(self.address.rpartition(":")[2])

    def worker(
        self, name: str, before: tuple[str, ...] = (), tree: Path | None = None
    ) -> tuple[subprocess.Popen[bytes], str]:
        """A worker, and the number of its port. Its command stands behind the words BEFORE; TREE
        has its vmkb, if that is another."""
        temporary = self._folder / name
        temporary.mkdir()
        process = self._dask(
            "worker", self.address, "--nthreads", "1", "--local-directory", str(self._folder),
            before=before, cwd=tree or self._project, log=name, TMPDIR=str(temporary),
            PYTHONPATH=str(tree or self._project),
        )  # fmt: skip
        log = self._log(name)

        def port() -> str:
            assert process.poll() is None, log.read_text()
            at = re.search(r"Start worker at: +tcp://127\.0\.0\.1:(\d+)\n", log.read_text())
            return at[1] if at else ""

        return process, wait_until(
            port, WITHIN, f"the port of worker {name}", log=lambda: [log.read_text()], poll=0.1
        )

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def _dask(
        self, command: str, *words: str, before: tuple[str, ...] = (), cwd: Path, log: str,
        **more: str,
    ) -> subprocess.Popen[bytes]:  # fmt: skip
        with self._log(log).open("wb") as out:
            process = subprocess.Popen(
                [*before, sys.executable, "-m", "distributed.cli.dask_" + command, *words,
                 "--host", "127.0.0.1", "--no-dashboard"],
                cwd=cwd, stdout=out, stderr=out, env={**os.environ, **QUIET, **more},
            )  # fmt: skip
        self._stack.callback(ended, process)
        return process


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a process and all below it."""
    found = []
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _, left = psutil.wait_procs(found, timeout=20)
    for each in left:
        with suppress(psutil.NoSuchProcess):
            each.kill()
