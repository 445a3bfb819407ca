# SPDX-License-Identifier: MIT
"""What counting every instruction costs the host: python tests/bench/bench_counter.py [--rounds N].

One REXX loop on the counting build and on the stock emulator by turns, by the host's CPU time of
the emulated CPU's thread; ratios of neighbours. Beside it what each of them counted.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from vmkb.hercules.emulator.boot import boot, open_session  # noqa: E402
from vmkb.hercules.emulator.choice import Emulator, choose  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402

LOOP = "EXEC SUMS 150000"
COUNT = re.compile(r"^VIRT +\d+ US +(\d+) INSTR", re.M)


def once(emulator: Emulator) -> tuple[float, int]:
    """CPU seconds of the host, and instructions as the guest counts them, of one loop."""
    guest = load_guest("vmkb")
    with (
        tempfile.TemporaryDirectory() as folder,
        boot(guest, Path(folder), emulator=emulator) as machine,
    ):
        session = open_session(guest, machine)
        session.logon("VMUSER1", "VMUSER1")

        def counted() -> int:
            found = COUNT.search(session.command("QUERY TIME (FULL").text())
            assert found is not None
            return int(found[1])

        count, seconds = counted(), machine.cpu_seconds()
        session.command(LOOP, within=120)
        took = machine.cpu_seconds() - seconds
        instructions = counted() - count
        session.close()
        return took, instructions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    exact, stock = choose("exact"), choose("stock")
    ratios = []
    for k in range(1, rounds + 1):
        (mine, true), (theirs, other) = once(exact), once(stock)
        ratios.append(mine / theirs)
        print(
            f"round {k}: {mine:.2f} s and {true} instructions on {exact.name}; {theirs:.2f} s and"
            f" {other} ({100 * (other / true - 1):+.2f} %) on {stock.name}", flush=True,
        )  # fmt: skip
    print(f"host CPU, counting build / stock: {statistics.median(ratios):.3f}"
          f" ({min(ratios):.3f} to {max(ratios):.3f})")  # fmt: skip


if __name__ == "__main__":
    main()
