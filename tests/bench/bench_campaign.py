# SPDX-License-Identifier: MIT
"""Prints what workers do to a run: `bench_campaign.py FOLDER [WORKLOAD OPTIONS...]`.

The run alone, on 4 workers, and on 8 of which 3 are killed: seconds, how many trials are there
once, and how far the figures by counts are from those of the run alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

from accounting.query import query
from accounting.store import read

OPTIONS = ("echo", "--case", "1B", "--case", "64B")
INSTRUCTIONS = """
SELECT case_id, release, label, median(instructions) FROM costs GROUP BY ALL
UNION ALL
SELECT case_id, release, 'Total', median(total) FROM (
    SELECT case_id, release, trial, sum(instructions) AS total FROM costs GROUP BY ALL
) GROUP BY ALL
"""


def run(folder: Path, options: tuple[str, ...], *words: str, kill: int = 0) -> float:
    """One run; KILL of its workers are killed once they have ended a trial. Seconds."""
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "workloads.cli", "run", *options, "--out", str(folder), *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    for line in child.stderr:
        if kill and (": good" in line or "NOT TRUSTED" in line):
            kill -= killed(child.pid)
        if "has gone" in line or "no part" in line:
            print("   ", line.strip())
    child.wait()
    return time.monotonic() - began


def killed(campaign: int) -> int:
    """Kill a worker that runs a part; how many that were."""
    for each in psutil.Process(campaign).children(recursive=True):
        if "workloads.campaign.child" in " ".join(each.cmdline()):
            each.parent().kill()  # type: ignore[union-attr]
            return 1
    return 0


def main() -> None:
    out, options = Path(sys.argv[1]), tuple(sys.argv[2:]) or OPTIONS
    took, figures = {}, {}
    for name, words, kill in (
        ("alone", (), 0), ("4 workers", ("--workers", "4"), 0), ("8, 3 killed",
                                                               ("--workers", "8"), 3),
    ):  # fmt: skip
        folder = out / name.replace(" ", "-").replace(",", "")
        print(f"{name}: load average {os.getloadavg()[0]:.1f}")
        took[name] = run(folder, options, *words, kill=kill)
        found = read(folder)
        figures[name] = {r[:3]: r[3] for r in query(found, INSTRUCTIONS)[1]}
        apart = {
            k: 100 * abs(v / figures["alone"][k] - 1)
            for k, v in figures[name].items()
            if figures["alone"].get(k)
        }
        print(
            f"    {took[name]:.1f} s, {took[name] / took['alone']:.2f} of the run alone;"
            f" {len(found.trials)} trials, {len({t.id for t in found.trials})} ids,"
            f" {len(found.unfinished)} unfinished"
        )
        for label in sorted({k[2] for k in apart}):
            worst = max(v for k, v in apart.items() if k[2] == label)
            print(f"    {label}: counts {worst:.3f} % from the run alone at most")


if __name__ == "__main__":
    main()
