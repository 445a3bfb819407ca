# SPDX-License-Identifier: MIT
"""Ends what a process has started when that process is no more, even if it was killed: a process of
its own that waits for the end of a pipe, and then kills whoever holds another one. Of an orderly
end, too, something may be left over: a Ctrl-C while a program is started leaves it to nobody."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.holders import kill_holders

END_SECONDS = 5.0
_REMOVE, _DONE = "remove ", "done"
_CHUNK = 4096


class Warden(Closing):
    """Within a `with` block: behind it, and if this process dies, who holds `held` open is killed;
    if it dies, the files that it was told of are removed. EmulatorError when it cannot be started.
    """

    def __init__(self) -> None:
        ours, self._lease = os.pipe()
        try:
            # a session of its own: Ctrl-C and the end of the window are not for it
            self._process = subprocess.Popen(
                [sys.executable, "-m", "vmkb.hercules.warden", "--lease", str(ours)],
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
        self._say(f"{_REMOVE}{path.absolute()}")

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
            self._say(_DONE)
        os.close(self._lease)
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(arguments: list[str] | None = None) -> int:
    """`python -m vmkb.hercules.warden --lease FD`; standard input is a pipe that others hold."""
    parser = argparse.ArgumentParser(
        prog="vmkb.hercules.warden", description="Ends what is left over."
    )
    parser.add_argument("--lease", type=int, required=True, help="ends with who started this")
    options = parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    said = b""
    while data := os.read(options.lease, _CHUNK):
        said += data
    lines = [os.fsdecode(line) for line in said.split(b"\0")]
    if _held(sys.stdin.fileno()):
        kill_holders(sys.stdin.fileno())
    if _DONE in lines:
        return 0
    for line in lines:
        if line.startswith(_REMOVE):
            _remove(Path(line.removeprefix(_REMOVE)))
    return 0


def _held(pipe: int) -> bool:
    """Whether somebody has the other end of a PIPE in which nothing is."""
    poll = select.poll()
    poll.register(pipe, select.POLLHUP)
    return not poll.poll(0)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main())
