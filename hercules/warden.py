# SPDX-License-Identifier: MIT
"""Ends what a process has started when that process is no more, even if it was killed: a process of
its own (hercules/leftover.py) that waits for the end of a pipe, and then kills whoever holds
another one. Of an orderly end, too, something may be left over: a Ctrl-C while a program is started
leaves it to nobody."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from vmkb.hercules import leftover
from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import EmulatorError

END_SECONDS = 5.0


class Warden(Closing):
    """Within a `with` block: behind it, and if this process dies, who holds `held` open is killed;
    if it dies, the files that it was told of are removed. EmulatorError when it cannot be started.
    """

    def __init__(self) -> None:
        ours, self._lease = os.pipe()
        try:
            # a session of its own: Ctrl-C and the end of the window are not for it
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", leftover.__file__, str(ours)],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=[ours],
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            os.close(self._lease)
            raise EmulatorError(
                f"The process that ends guests if this one is killed cannot start: {error.strerror}"
            ) from None
        finally:
            os.close(ours)
        assert self._process.stdin is not None
        self.held = self._process.stdin.fileno()

    @property
    def pid(self) -> int:
        """The warden's process."""
        return self._process.pid

    def remove(self, path: Path) -> None:
        """This file, or this folder with all that is in it, goes too. EmulatorError if the warden
        has been killed."""
        self._say(f"{leftover.REMOVE}{path.absolute()}")

    def _say(self, line: str) -> None:
        try:
            os.write(self._lease, os.fsencode(line) + b"\0")
        except OSError:
            raise EmulatorError(
                f"The process that ends guests if this one is killed (pid {self.pid}) has ended."
            ) from None

    def close(self) -> None:
        """Nothing is to be left."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(EmulatorError):
            self._say(leftover.DONE)
        os.close(self._lease)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
