# SPDX-License-Identifier: MIT
"""Prints what workers do to a run: `bench_campaign.py FOLDER [WORKLOAD OPTIONS...]`.

The run without workers, on 1, on 4, and on 8 of which 3 are killed: seconds, those until the first
trial had ended, those of CPU that all its processes took, how many trials are there once, and how
far the counts are from those of the run without, as `vmkb compare` puts them beside each other.
Times say something on an idle computer only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from vmkb.accounting.costs import TrialCost, costs
from vmkb.accounting.models import chosen_model
from vmkb.accounting.records import Source
from vmkb.accounting.store import FILE_NAME, Trial, read

OPTIONS = ("echo", "--case", "1B", "--case", "64B", "--trials", "24")
ONE = ("--workers", "1")
RUNS = (
    ("without", (), 0),
    ("1 worker", ONE, 0),
    ("4 workers", ("--workers", "4"), 0),
    ("8, 3 killed", ("--workers", "8"), 3),
)


class Took(NamedTuple):
    """Seconds of a run, those until its first trial had ended, and those of CPU of its processes
    but for what was killed with a worker."""

    all: float
    first: float
    cpu: float


def run(folder: Path, options: tuple[str, ...], *words: str, kill: int) -> Took:
    """One run; KILL of its workers are killed once they have ended a trial."""
    began, first, cpu = time.monotonic(), [0.0], _cpu()
    child = subprocess.Popen(
        [sys.executable, "-m", "vmkb.workloads.cli", "run", *options, "--out", str(folder), *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def look() -> None:
        while not ((folder / FILE_NAME).exists() and read(folder).trials):
            if child.poll() is not None:
                return
            time.sleep(0.1)
        first[0] = time.monotonic() - began

    looks = threading.Thread(target=look)
    looks.start()
    assert child.stderr is not None
    for line in child.stderr:
        if kill and (": good" in line or "NOT TRUSTED" in line):
            kill -= killed(child.pid)
        if "has gone" in line or "no part" in line:
            print("   ", line.strip())
    child.wait()
    looks.join()
    return Took(time.monotonic() - began, first[0], _cpu() - cpu)


def _cpu() -> float:
    """Seconds that the processes took that have ended and were waited for."""
    times = os.times()
    return times.children_user + times.children_system


def killed(campaign: int) -> int:
    """Kill a worker that runs a part; how many that were."""
    for each in psutil.Process(campaign).children(recursive=True):
        try:
            if "vmkb.workloads.campaign.child" in " ".join(each.cmdline()):
                each.parent().kill()  # type: ignore[union-attr]
                return 1
        except psutil.NoSuchProcess:
            continue
    return 0


def apart(base: list[Trial], new: list[Trial]) -> dict[str, float]:
    """By how many percent the medians of NEW are off those of BASE, by label: the case and release
    where they are most."""
    found = costs([*base, *new], Source.IC, chosen_model(base, ""))
    sides = found[: len(base)], found[len(base) :]

    def middle(mine: list[TrialCost], label: str, column: str) -> float:
        return median(
            c.total_us_kb if label == "Total" else c.part(label).per_kb.value  # type: ignore[union-attr]
            for c in mine
            if c.trial.run_id == column
        )

    columns = sorted({t.run_id for t in base})
    labels = ["Total", *(p.label for p in found[0].parts)]
    return {
        label: max(
            (100 * (middle(sides[1], label, c) / middle(sides[0], label, c) - 1) for c in columns),
            key=abs,
        )
        for label in labels
    }


def main() -> None:
    out, options = Path(sys.argv[1]), tuple(sys.argv[2:]) or OPTIONS
    alone = 0.0
    base: list[Trial] = []
    for name, words, kill in RUNS:
        folder = out / name.replace(" ", "-").replace(",", "")
        print(f"{name}: load average {os.getloadavg()[0]:.1f}", flush=True)
        took = run(folder, options, *words, kill=kill)
        found = read(folder)
        beside = f" ({took.all / alone:.2f} of 1 worker's)" if alone else ""
        if words == ONE:
            alone = took.all
        print(
            f"    {took.all:.1f} s{beside}, the first trial after {took.first:.1f} s,"
            f" {took.cpu:.1f} s of CPU; {len(found.trials)} trials,"
            f" {len({t.id for t in found.trials})} ids, {len(found.unfinished)} unfinished",
            flush=True,
        )
        if not base:
            base = list(found.trials)
            continue
        for label, most in apart(base, list(found.trials)).items():
            print(f"    {label}: counts {most:+.3f} % from the run without at most")


if __name__ == "__main__":
    main()
