# SPDX-License-Identifier: MIT
"""What counting every instruction, and virtual time, cost the host:

    python tests/bench/bench_counter.py [--rounds N]

One REXX loop by turns on the counting build by virtual time and by the host's clock, and on the
stock emulator, by the host's CPU time of the emulated CPU's thread; ratios of neighbours. Beside it
what each of them counted.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from vmkb.hercules.emulator.boot import boot, open_session  # noqa: E402
from vmkb.hercules.emulator.choice import Emulator, choose  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402
from vmkb.workloads.base.virtual import alone  # noqa: E402

LOOP = "EXEC SUMS 150000"
COUNT = re.compile(r"^VIRT +\d+ US +(\d+) INSTR", re.M)


def once(emulator: Emulator, virtual: bool = False) -> tuple[float, int]:
    """CPU seconds of the host, and instructions as the guest counts them, of one loop."""
    guest = load_guest("vmkb")
    with (
        tempfile.TemporaryDirectory() as folder,
        alone(guest.name) if virtual else nullcontext() as clock,
        boot(guest, Path(folder), emulator=emulator, virtual=clock) as machine,
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
    counting, timing = [], []
    for k in range(1, rounds + 1):
        (timed, same), (mine, true), (theirs, other) = once(exact, True), once(exact), once(stock)
        counting.append(mine / theirs)
        timing.append(timed / mine)
        print(
            f"round {k}: {timed:.2f} s and {same} instructions by virtual time; {mine:.2f} s and"
            f" {true} by the host's clock; {theirs:.2f} s and {other}"
            f" ({100 * (other / true - 1):+.2f} %) on {stock.name}", flush=True,
        )  # fmt: skip
    for what, ratios in (
        ("virtual time / host's clock", timing), ("counting build / stock", counting)
    ):  # fmt: skip
        print(f"host CPU, {what}: {statistics.median(ratios):.3f}"
              f" ({min(ratios):.3f} to {max(ratios):.3f})")  # fmt: skip


if __name__ == "__main__":
    main()
