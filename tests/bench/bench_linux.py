# SPDX-License-Identifier: MIT
"""How fast Linux on the wire serves files to this computer, and who waits for whom meanwhile:
python tests/bench/bench_linux.py [--kernel 6.1] [--mtu 4000] [--files 40].

The client is Python's, through a TAP device: it needs root. MB/s (10**6 bytes) are from the
server's 150 to the end of the data, and of a put to its 226. `runs` is the share of that time in
which the emulated CPU and the wire's process had a core of this computer, `queues` in which they
wanted one and others had it, which is 0 on idle cores; else they wait for each other.
"""

from __future__ import annotations

import argparse
import ftplib
import os
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e.linux.linux_guest import running  # noqa: E402
from vmkb.guests.base import Wishes, driver  # noqa: E402
from vmkb.hercules.guest import load_guest  # noqa: E402
from vmkb.hercules.wire.process import WireProcess  # noqa: E402

NET = f"10.{20 + os.getpid() % 60}.{os.getpid() // 60 % 250}"
SERVER, HERE = f"{NET}.2", f"{NET}.254"
SIZE, WITHIN = 2 << 20, 60.0
DATA = os.urandom(SIZE)


class Ran(NamedTuple):
    """Nanoseconds that a thread ran, and that it wanted to and did not."""

    runs: int
    queues: int

    @classmethod
    def of(cls, thread: Path) -> Ran:
        runs, queues, _ = (thread / "schedstat").read_text().split()
        return cls(int(runs), int(queues))


def busiest(pid: int) -> Path:
    """The thread of a process that has had most CPU: of an emulator, its CPU's."""
    return max(Path(f"/proc/{pid}/task").iterdir(), key=lambda thread: Ran.of(thread).runs)


def moved(ftp: ftplib.FTP, direction: str, threads: list[Path]) -> tuple[float, list[float]]:
    """Seconds that a file took, from the server's 150, and the percentages of them in which each of
    the THREADS ran and queued."""
    with ftp.transfercmd(f"{'RETR' if direction == 'get' else 'STOR'} moved") as data:
        was, began = [Ran.of(thread) for thread in threads], time.monotonic()
        if direction == "put":
            data.sendall(DATA)
            data.shutdown(socket.SHUT_WR)
            ftp.voidresp()
        else:
            left = SIZE
            while got := len(data.recv(1 << 20)):
                left -= got
            assert left == 0, f"{left} bytes have not come"
        took, now = time.monotonic() - began, [Ran.of(thread) for thread in threads]
    if direction == "get":
        ftp.voidresp()
    both = [pair for x, y in zip(was, now, strict=True) for pair in zip(x, y, strict=True)]
    return took, [(after - before) / took / 1e7 for before, after in both]


def told(direction: str, files: int, ftp: ftplib.FTP, wire: WireProcess, pids: list[int]) -> str:
    """The line of FILES that go in one direction."""
    threads = [busiest(pid) for pid in pids]
    before = wire.counters()["ports"]["linux"]["blocks"]
    taken, shares = zip(*(moved(ftp, direction, threads) for _ in range(files)), strict=True)
    after = wire.counters()["ports"]["linux"]["blocks"]
    rates = sorted(SIZE / each / 1e6 for each in taken)
    of = [statistics.median(column) for column in zip(*shares, strict=True)]
    blocks = [(after[way] - before[way]) / files for way in ("blocks_in", "blocks_out")]
    return (
        f"{direction}: {statistics.median(rates):5.1f} MB/s ({rates[0]:.1f} to {rates[-1]:.1f});"
        f" CPU runs {of[0]:.0f} %, queues {of[1]:.0f}; wire runs {of[2]:.0f} %, queues {of[3]:.0f};"
        f" blocks a file from Linux {blocks[0]:.0f}, to it {blocks[1]:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Linux on the wire, from this computer.")
    parser.add_argument("--kernel", default="6.1")
    parser.add_argument("--mtu", type=int, default=4000)
    parser.add_argument("--files", type=int, default=40, help="in each direction")
    options = parser.parse_args()
    (choice,) = driver(load_guest("linux")).choices([options.kernel])
    wishes = Wishes(address=SERVER, mtu=options.mtu)
    with tempfile.TemporaryDirectory() as folder, WireProcess(profile="fast", seed=1) as wire:
        wire.add_tap("host", f"{HERE}/24", mtu=options.mtu)
        lines = tuple(wire.add_ctcm("linux"))
        with running(choice.guest, Path(folder) / "linux", lines, wishes) as linux:
            driver(choice.guest).bring_up(linux.machine)
            wire.wait_connected("linux", WITHIN)
            with ftplib.FTP(SERVER, "anonymous", "none", timeout=WITHIN) as ftp:
                ftp.cwd("pub")
                ftp.voidcmd("TYPE I")
                moved(ftp, "put", [])
                print(f"{choice.title}, MTU {options.mtu}, load {os.getloadavg()[0]:.1f}")
                for direction in ("get", "put"):
                    print(told(direction, options.files, ftp, wire, [linux.machine.pid, wire.pid]))


if __name__ == "__main__":
    main()
