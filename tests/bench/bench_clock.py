# SPDX-License-Identifier: MIT
"""What a world's clock costs: two emulators that are busy all the time, and two that wait.

    python tests/bench/bench_clock.py [--profile]

Prints this computer's CPU time for each round, the least of several runs, for other work on it only
adds: the coordinator's, the kernel's part of that, and what the emulators need beyond the same
program alone in a world. --profile also prints where the coordinator's time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
from pathlib import Path

import psutil

from tests.hercules.clock.alone import LIMIT, assemble, together

RUNS = 7
PROGRAMS = {"busy": "both guests busy", "waits": "both guests waiting"}


def ran(load: Path, folders: list[Path]) -> tuple[int, float, float, float]:
    """Rounds; CPU seconds of this process, its own and the kernel's; those of the emulators."""
    with together(load, folders) as (world, machines):
        began = os.times()
        processes = [psutil.Process(machine.pid) for machine in machines]
        before = sum(sum(p.cpu_times()[:2]) for p in processes)
        world.run(LIMIT)
        if not all(node.stopped for node in world.nodes):
            raise SystemExit("a program has not stopped")
        emulators = sum(sum(p.cpu_times()[:2]) for p in processes) - before
        spent = os.times()
        own = spent.user - began.user, spent.system - began.system
        return world.rounds, *own, emulators


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        for program, title in PROGRAMS.items():
            load = assemble(program, top)
            *_, alone = ran(load, [top / f"{program}-alone"])
            folders = [top / f"{program}-{n}" for n in (1, 2)]
            if asked.profile:
                profile = cProfile.Profile()
                profile.runcall(ran, load, folders)
                pstats.Stats(profile).sort_stats("tottime").print_stats(14)
            found = []
            for again in range(RUNS):
                rounds, user, system, emulators = ran(
                    load, [f.with_suffix(f".{again}") for f in folders]
                )
                each = user + system, system, emulators - 2 * alone
                found.append([t / rounds * 1e6 for t in each])
            least = [min(times) for times in zip(*found, strict=True)]
            print(
                f"{title}: {rounds} rounds, coordinator {least[0]:.1f} us a round"
                f" ({least[1]:.1f} of them the kernel's), emulators {least[2]:.1f} us"
            )


if __name__ == "__main__":
    main()
