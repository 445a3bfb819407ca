# SPDX-License-Identifier: MIT
"""CPU seconds (user and system) of commands that do little: what they import, mostly.

Run by hand: `python tests/bench/bench_start.py [RUN]`. RUN: a folder of results, which is copied;
without it one is made.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.accounting.texts import make_results, trial_text

TIMES = 5


def cpu(words: tuple[str, ...]) -> float:
    """The least CPU that the vmkb command WORDS took, of TIMES."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    least = float("inf")
    for _ in range(TIMES):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "vmkb.workloads.cli", *words],
            check=True, capture_output=True, env=environment,
        )  # fmt: skip
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime)
    return least


def main(given: list[str]) -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as folder:
        run, log = Path(folder) / "run", Path(folder) / "console.log"
        if given:
            shutil.copytree(given[0], run)
        else:
            make_results(run, cases=tuple(f"CASE{k}" for k in range(6)), trials=4)
        log.write_text(trial_text(24576, 3000.0, 20.0))
        commands = {
            "--help": ("--help",),
            "run --help": ("run", "--help"),
            "parse LOG": ("parse", str(log)),
            "compare RUN": ("compare", str(run)),
            "report RUN --to csv": ("report", str(run), "--to", "csv"),
            "report RUN": ("report", str(run)),
        }
        for name, words in commands.items():
            print(f"{name:24} {cpu(words):6.2f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
