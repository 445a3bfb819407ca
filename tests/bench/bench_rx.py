# SPDX-License-Identifier: MIT
"""What Rx costs and how fast it is, guest to guest, beside FTP on the same wire:
python tests/bench/bench_rx.py [--mtu N] [--layers].

Instructions are both guests', CP's work for their machines included; other work on this computer
does not change them, but it makes the rates worse. It takes two minutes. --layers tells too where
they go (docs/guide/profile.md).
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e.rx_guests import SERVER, RxGuests, rx_guests  # noqa: E402
from vmkb.accounting.profile import counts  # noqa: E402
from vmkb.accounting.profile.summary import Profile  # noqa: E402
from vmkb.hercules.emulator.choice import choose, profiling  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402
from vmkb.workloads.base.profile import kept as profiles  # noqa: E402
from vmkb.workloads.base.profile.report import layers as layers_of  # noqa: E402

MACHINES = (("client", ("MAINT", "TCPIP")), ("server", ("TCPIP", "RXPERFD", "FTPSERVE")))
KB = 2048
GETS = 4
USER = "VMUSER1"
"""At FTPSERVE: nobody is logged on as that user, so the minidisk can be written on."""


STATIONS = ("a", "b")
"""The folders of the guests, in the order of MACHINES."""


class Layers:
    """Where instructions go between two readings of all accounts; the guests run in FOLDER."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._rows = 0
        profiles.keep_programs(load_guest("vmkb"), folder, 1)

    def begin(self) -> None:
        """What follows is of the next row."""
        self._since = {name: profiles.mark(self._folder / name) for name in STATIONS}

    def end(self, units: int, unit: str) -> None:
        """Prints the layers of both guests together, instructions of a unit."""
        self._rows += 1
        trial = f"row{self._rows}"
        for name, since in self._since.items():
            profiles.keep(self._folder / name, since, self._folder, trial, name)
        samples = profiles.kept(self._folder, trial)
        names = profiles.places(self._folder, 1, {a for s in samples for a in s.counts})
        found: Counter[str] = Counter()
        for machine in dict.fromkeys(s.userid for s in samples):
            mine = [s for s in samples if s.userid == machine]
            profile = Profile(machine, machine, trial, "")
            profile.add(counts.merged(mine), names, units, 0)
            found += profile.layers(layers_of(self._folder))
        said = (f"{layer} {count / units:.0f}" for layer, count in found.most_common())
        print(f"| by layer, of a {unit} | {', '.join(said)} | | | |", flush=True)


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
    guests: RxGuests, what: str, units: int, unit: str, target: str, run: Callable[[], str],
    layers: Layers | None = None,
) -> float:  # fmt: skip
    """Prints a row; the instructions of a unit."""
    if layers:
        layers.begin()
    before = accounts(guests)
    said = run()
    after = accounts(guests)
    cost = {name: (after[name] - before[name]) / units for name in after}
    total = sum(cost.values())
    parts = ", ".join(f"{name} {value:.0f}" for name, value in cost.items() if value >= 1)
    print(f"| {what} | {total:.0f} instructions/{unit} | {target} | {parts} | {said} |", flush=True)
    if layers:
        layers.end(units, unit)
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
    parser.add_argument("--layers", action="store_true")
    asked = parser.parse_args()
    mtu: int = asked.mtu
    emulator = profiling(choose()) if asked.layers else choose()
    load = os.getloadavg()[0]
    print(f"{emulator.name}, wire fast, MTU {mtu}; load of this computer {load:.1f}\n")
    print("| what | cost, both guests | target | by machine | rate |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, rx_guests(
        Path(folder), mtu, emulator=emulator
    ) as guests:  # fmt: skip
        layers = Layers(Path(folder)) if asked.layers else None

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
            measure(guests, f"RXPERF {text}", units, unit, target, rxperf(text), layers)
        ftp(guests, "PUT DOC2M.TEXT.Y DOC2M.BIN")

        def gets() -> str:
            said = ftp(guests, *["GET DOC2M.BIN DOC2M.BIN.A (REPLACE"] * GETS)
            return next(line for line in reversed(said) if "transferred" in line)

        measure(guests, f"FTP, GET of 2 MB, {GETS} times", GETS * KB, "KB", "-", gets, layers)


if __name__ == "__main__":
    main()
