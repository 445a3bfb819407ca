# SPDX-License-Identifier: MIT
"""`vmkb boot` as it is installed, but for where it keeps what runs."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from vmkb.hercules.deadline import wait_until

WITHIN = 60.0
COMMAND = """\
import sys
from pathlib import Path
import vmkb.hercules.emulator.boot
runs = Path(sys.argv.pop(1))
vmkb.hercules.emulator.boot.RUNS = runs
vmkb.hercules.emulator.boot.run_dir = lambda guest: runs / guest
from vmkb.workloads.cli.main import main
main()
"""


class Boots:
    """A folder for what `vmkb boot` starts, and the commands that look there."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self.folder = runs / "vmkb"

    def words(self, *args: str) -> list[str]:
        """The command line."""
        return [sys.executable, "-c", COMMAND, str(self.runs), *args]

    def run(self, *args: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command from its start to its end."""
        env = os.environ if path is None else {**os.environ, "PATH": path}
        return subprocess.run(self.words(*args), capture_output=True, text=True, timeout=WITHIN,
                              stdin=subprocess.DEVNULL, check=False, env=env)  # fmt: skip

    def started(self, *args: str) -> subprocess.Popen[str]:
        """A `vmkb boot` whose terminals have just answered, and which is not done yet."""
        child = subprocess.Popen(self.words("boot", *args), stdout=subprocess.PIPE, text=True,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
        assert child.stdout is not None
        assert " is up after " in child.stdout.readline()
        return child

    def nothing_left(self) -> bool:
        """Whether the emulator, its wire and its terminal port have all ended."""
        with (self.folder / "lock").open("r+b") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def holders(self) -> list[psutil.Process]:
        """The processes that have the lock open: the emulator, its wire, its terminal port."""
        lock, found = str(self.folder / "lock"), []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if lock in {file.path for file in process.open_files()}:
                    found.append(process)
        return found

    def wait_nothing_left(self) -> None:
        """Waits for that."""
        wait_until(self.nothing_left, 20, "all that serves the guest to end")


def uses(printed: str) -> dict[str, str]:
    """The command lines that `vmkb boot` printed, by the program; those of c3270 by their port's
    name."""
    found, what = {}, ""
    for row in printed.splitlines():
        match = re.match(r"  (.{9})  (\S.*)", row)
        if match is None:
            continue
        what = match[1].strip() or what
        program = match[2].split()[0]
        found[f"{what} {program}"] = match[2].split(",")[0]
    return found


@contextlib.contextmanager
def boots(folder: Path) -> Iterator[Boots]:
    """A folder of its own; what still runs there in the end is stopped."""
    for program in ("hercules", "passt"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed; scripts/setup installs it")
    both = Boots(folder / "runs")
    both.runs.mkdir()
    try:
        yield both
    finally:
        both.run("stop")
        if both.folder.exists():
            both.wait_nothing_left()
