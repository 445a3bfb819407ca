# SPDX-License-Identifier: MIT
"""Prints what a clause costs on the host: python -m tests.guests.rexx.bench_rexx

Each program runs its loop body many times; a loop of the same length with NOP as its body is
taken off, so a row is the body alone. Nanoseconds belong to this host, not to the guest.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from pathlib import Path

from tests.guests.rexx.rexx import Rexx, includes, sources

ROUNDS = 200_000
REPEATS = 5
BODIES = {
    "nop (and its loop)": "nop",
    "x = i + 1": "x = i + 1",
    "x = i * 3 // 7": "x = i * 3 // 7",
    "x = i / 7 (decimal)": "x = i / 7",
    "if i = 5 then x = 1": "if i = 5 then x = 1",
    "a.k = i": "a.k = i",
    "x = 'abc' || i": "x = 'abc' || i",
    "x = substr(s, 3, 4)": "x = substr(s, 3, 4)",
    "x = word(s, 3)": "x = word(s, 3)",
    "parse var s a b c": "parse var s a b c",
    "call r": "call r",
    "x = f(i) (procedure)": "x = f(i)",
}


def seconds(rexx: Rexx, body: str) -> float:
    program = (
        f"s = 'the quick brown fox'; k = 7\ndo i = 1 to {ROUNDS}; {body}; end\nexit\n"
        "r: return\nf: procedure; arg n; return n"
    )
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = rexx.run(program)
        best = min(best, time.perf_counter() - start)
        assert result.error == 0, result.out
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as where:
        program = Path(where) / "harness"
        subprocess.run(
            [
                "gcc",
                "-std=gnu11",
                "-O2",
                *includes(),
                str(Path(__file__).parent / "harness.c"),
                *sources(),
                "-o",
                str(program),
            ],
            check=True,
            timeout=120,
        )
        rexx = Rexx([str(program)])
        base = seconds(rexx, "nop")
        for name, body in BODIES.items():
            took = seconds(rexx, body) - (0 if body == "nop" else base)
            print(f"{name:24} {took / ROUNDS * 1e9:8.1f} ns")
        rexx.close()


if __name__ == "__main__":
    main()
