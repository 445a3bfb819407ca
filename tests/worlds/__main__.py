# SPDX-License-Identifier: MIT
"""python -m tests.worlds SEED [--keep DIR]: play the world of a seed again.
python -m tests.worlds SEED --seconds N: play worlds from that seed on for N seconds.

Exit codes: 0 nothing is wrong, 1 something is, 3 there is no emulator for it."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.builds import no_emulator
from tests.worlds.many import one, volume, worlds
from tests.worlds.plan import draw
from tests.worlds.world import Verdict

MOST = 1_000_000


def _say(verdict: Verdict) -> None:
    for each in verdict.wrong:
        print(f"seed {verdict.seed}: {each}", flush=True)


def _replay(seed: int, keep: Path | None) -> int:
    plan = draw(seed)
    print(f"{plan.level}, {plan.wire}, full: {plan.full or 'none'}, exits: {plan.exits}")
    for line in (*plan.sessions, *plan.faults):
        print(f"  {line}")
    with volume() as image:
        verdict = one(seed, image, keep)
    _say(verdict)
    print(f"{verdict.seconds:.3f} s, {verdict.rounds} rounds, digest {verdict.digest}")
    return 1 if verdict.wrong else 0


def _many(first: int, seconds: float) -> int:
    began, count, bad = time.monotonic(), 0, 0
    for verdict in worlds(range(first, first + MOST), seconds):
        count += 1
        bad += bool(verdict.wrong)
        _say(verdict)
    minutes = (time.monotonic() - began) / 60
    print(f"{count} worlds, {count / minutes:.0f} a minute, {bad} in which something is wrong")
    return 1 if bad else 0


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.worlds")
    parser.add_argument("seed", type=int)
    parser.add_argument("--keep", type=Path, help="a folder for logs, volumes and the trace")
    parser.add_argument("--seconds", type=float, help="play the worlds from SEED on, so long")
    args = parser.parse_args()
    if why := no_emulator():
        parser.exit(3, f"{why}\n")
    if args.seconds is not None:
        return _many(args.seed, args.seconds)
    return _replay(args.seed, args.keep)


sys.exit(main())
