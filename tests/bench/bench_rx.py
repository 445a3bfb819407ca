# SPDX-License-Identifier: MIT
"""What Rx costs and how fast it is, guest to guest, beside FTP on the same wire:
python tests/bench/bench_rx.py [--mtu N].

Instructions are both guests', CP's work for their machines included; other work on this computer
does not change them, but it makes the rates worse. It takes two minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from hercules.emulator.choice import choose  # noqa: E402
from tests.e2e.rx_guests import SERVER, RxGuests, rx_guests  # noqa: E402

MACHINES = (("client", ("MAINT", "TCPIP")), ("server", ("TCPIP", "RXPERFD", "FTPSERVE")))
KB = 2048
GETS = 4
USER = "VMUSER1"
"""At FTPSERVE: nobody is logged on as that user, so the minidisk can be written on."""


def accounts(guests: RxGuests) -> dict[str, int]:
    """Instructions so far of each machine that takes part."""
    used = {}
    for (side, names), session in zip(MACHINES, (guests.user, guests.at_server), strict=True):
        for name in names:
            said = session.cp(f"QUERY TIME {name} (FULL").text()
            match = re.search(r"TOTAL +\d+ US +(\d+) INSTR", said)
            assert match is not None, said
            used[f"{side} {name}"] = int(match[1])
    return used


def measure(
    guests: RxGuests, what: str, units: int, unit: str, target: str, run: Callable[[], str]
) -> float:
    """Prints a row; the instructions of a unit."""
    before = accounts(guests)
    said = run()
    after = accounts(guests)
    cost = {name: (after[name] - before[name]) / units for name in after}
    total = sum(cost.values())
    parts = ", ".join(f"{name} {value:.0f}" for name, value in cost.items() if value >= 1)
    print(f"| {what} | {total:.0f} instructions/{unit} | {target} | {parts} | {said} |", flush=True)
    return total


def rates(said: str) -> str:
    """Of what RXPERF says."""
    match = re.search(r"(\d+) calls/second, (\d+) KB/second", said)
    assert match is not None, said
    return f"{match[1]} calls/s, {int(match[2]) / 1024:.1f} MB/s"


def ftp(guests: RxGuests, *subcommands: str) -> list[str]:
    """A session of CMS's FTP with the server; what it says."""
    user = guests.user
    begun = len(user.lines)
    steps = [(f"FTP {SERVER}", "USER"), (USER, "assword"), (USER, "ommand:")]
    steps += [("TYPE I", "ommand:"), *((text, "bytes transferred") for text in subcommands)]
    for text, expected in steps:
        user.terminal.clear()
        user.expect(expected, 60, user._enter(text))
    user.command("QUIT")
    return user.lines[begun:]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mtu", type=int, default=4000)
    mtu = parser.parse_args().mtu
    emulator = choose()
    load = os.getloadavg()[0]
    print(f"{emulator.name}, wire fast, MTU {mtu}; load of this computer {load:.1f}\n")
    print("| what | cost, both guests | target | by machine | rate |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, rx_guests(
        Path(folder), mtu, emulator=emulator
    ) as guests:  # fmt: skip

        def rxperf(text: str) -> Callable[[], str]:
            guests.rxperf(text)  # the window is open, caches are warm

            def run() -> str:
                rc, said = guests.rxperf(text, 300)
                assert rc == 0, said
                return rates(said)

            return run

        for text, units, unit, target in (
            ("NULL (COUNT 5000", 5000, "call", "12000; 3000 calls/s"),
            ("NULL (COUNT 5000 ATONCE 4", 5000, "call", "-"),
            ("WRITE (COUNT 500 SIZE 1536", 500, "call", "-"),
            ("WRITE (COUNT 500 SIZE 49152", 500 * 48, "KB", "1.3 x FTP; 20 MB/s"),
            ("WRITE (COUNT 500 SIZE 49152 ATONCE 4", 500 * 48, "KB", "-"),
            ("READ (COUNT 500 SIZE 49152", 500 * 48, "KB", "-"),
            ("WRITE (COUNT 20 SIZE 1048576", 20 * 1024, "KB", "-"),
        ):
            measure(guests, f"RXPERF {text}", units, unit, target, rxperf(text))
        ftp(guests, "PUT DOC2M.TEXT.Y DOC2M.BIN")

        def gets() -> str:
            said = ftp(guests, *["GET DOC2M.BIN DOC2M.BIN.A (REPLACE"] * GETS)
            return next(line for line in reversed(said) if "transferred" in line)

        measure(guests, f"FTP, GET of 2 MB, {GETS} times", GETS * KB, "KB", "-", gets)


if __name__ == "__main__":
    main()
