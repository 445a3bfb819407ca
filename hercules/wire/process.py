# SPDX-License-Identifier: MIT
"""Starts the wire: a LAN in user space, in a process of its own. See docs/reference/wire.md.

with WireProcess(profile="token-ring-16", seed=1) as wire:
    machine = machine.with_ctce(wire.add_guest("vm1"))
    ...
    wire.counters()
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import weakref
from collections.abc import Sequence
from pathlib import Path

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline
from vmkb.hercules.scratch import Scratch
from vmkb.hercules.sockets import socket_folder
from vmkb.hercules.wire.client import CONTROL_NAME, WireClient, WireError

START_SECONDS = 10.0
READY = "ready"
"""The line that a wire says when it can be used."""


class RunningWire:
    """A wire's process. It lives as long as somebody holds `held`, its standard input, open.

    `lines` is what it said before it was ready: the configuration of the guests it was started
    with. The process holds the file descriptors `holds` open. WireError when it ends or takes too
    long, with the end of its log."""

    def __init__(
        self, sockets: Scratch, log: Path, options: Sequence[str], holds: Sequence[int] = ()
    ) -> None:
        self._log = log
        with log.open("ab") as log_file:
            # a session of its own: Ctrl-C in the window is not for it
            self.process = subprocess.Popen(
                [sys.executable, "-m", "vmkb.hercules.wire", "--folder", str(sockets.path),
                 *options,
                 "--until-eof"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log_file,
                start_new_session=True, pass_fds=(sockets.lease, *holds),
            )  # fmt: skip
        assert self.process.stdin is not None
        self.held = self.process.stdin.fileno()
        try:
            self.lines = self._await_ready()
        except BaseException:
            self.end()
            raise

    def _await_ready(self) -> list[str]:
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        deadline = Deadline(START_SECONDS)
        said = b""
        while not said.endswith(f"{READY}\n".encode()):
            if not poll.poll(deadline.left * 1000):
                raise WireError(
                    f"the wire was not ready in {deadline.elapsed:.1f} s; see {self._log}"
                )
            piece = os.read(fd, 4096)
            if not piece:
                code = self.process.wait(START_SECONDS)
                why = self._log.read_text(errors="replace").strip()
                raise WireError(f"the wire ended at its start with code {code}: {why}")
            said += piece
        return said.decode().splitlines()[:-1]

    def release(self) -> None:
        """Hold it no longer."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def end(self) -> None:
        """Hold it no longer, and see it end."""
        self.release()
        try:
            self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class WireProcess(WireClient, Closing):
    """A wire in a process of its own, which ends with this object or with this process."""

    def __init__(self, profile: str = "fast", seed: int = 0, log: Path | None = None) -> None:
        sockets = socket_folder()
        self._remove = weakref.finalize(self, sockets.close)
        self.log = log or sockets.path / "wire.log"
        options = ["--profile", profile, "--seed", str(seed)]
        self._running = RunningWire(sockets, self.log, options)
        try:
            super().__init__(sockets.path / CONTROL_NAME)
        except WireError:
            self._running.end()
            raise

    @property
    def pid(self) -> int:
        """The process, for whoever measures its CPU."""
        return self._running.process.pid

    def close(self) -> None:
        """Ends the wire."""
        super().close()
        self._running.end()
        self._remove()
