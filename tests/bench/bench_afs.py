# SPDX-License-Identifier: MIT
"""What AFS costs the server's guest and how fast it is, beside FTPSERVE's get of the same file:
python tests/bench/bench_afs.py [--mtu N].

Instructions are those of the server guest's machines, and of CP for them; the client is a
workstation on the wire, for both. Other work on this computer does not change them, but it makes
the rates worse. FTP's client needs a TAP device: without root there are no rows of FTP. It takes
a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import ftplib
import io
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.e2e.afs_guest import SERVER, AfsGuest, afs_guest  # noqa: E402
from tests.peers.afs import calls, paths  # noqa: E402
from vmkb.hercules.afs import protocol  # noqa: E402
from vmkb.hercules.afs.client import Client, workstation  # noqa: E402
from vmkb.hercules.emulator.choice import choose  # noqa: E402

MB = 1 << 20
SIZE = 10 * MB
HOST = "10.17.0.254"


class Meter:
    """Rows of a table: what a unit of something cost, by machine."""

    def __init__(self, guest: AfsGuest) -> None:
        self._guest = guest
        self._before = guest.instructions()
        self._began = 0.0

    def begin(self) -> None:
        """What follows is measured."""
        self._before = self._guest.instructions()
        self._began = time.monotonic()

    def end(self, what: str, units: float, unit: str, megabytes: float) -> float:
        """Prints a row; instructions of a unit."""
        seconds = time.monotonic() - self._began
        after = self._guest.instructions()
        cost = {name: (after[name] - self._before[name]) / units for name in after}
        total = sum(cost.values())
        parts = ", ".join(f"{name} {value:.0f}" for name, value in cost.items() if value >= 1)
        rate = f"{megabytes / seconds:.1f} MB/s" if megabytes else f"{units / seconds:.0f}/s"
        print(f"| {what} | {total:.0f} instructions/{unit} | {parts} | {rate} |", flush=True)
        return total


async def afs_rows(guest: AfsGuest, meter: Meter, mtu: int, data: bytes) -> float:
    """AFS's rows; what a KB of a fetch in chunks costs."""
    async with workstation(guest.port(), "10.17.0.66", SERVER, mtu) as ws:
        root = await paths.root(ws, "user")
        fid = await ws.create(root, "ten.bin")
        kb = len(data) / 1024

        async def whole(client: Client) -> None:
            await paths.fetch(client, fid, 0, len(data))

        async def chunks(client: Client) -> None:
            client.flush()
            assert await client.read(fid) == data

        async def row(
            what: str, run: Callable[[Client], Awaitable[object]], units: float, unit: str,
            megabytes: float,
        ) -> float:  # fmt: skip
            await asyncio.to_thread(meter.begin)
            await run(ws)
            return await asyncio.to_thread(meter.end, what, units, unit, megabytes)

        async def times(ws: Client) -> None:
            for _ in range(500):
                await ws.call(calls.get_time())

        async def statuses(ws: Client) -> None:
            for _ in range(500):
                await ws.call(protocol.fetch_status(fid))

        async def creations(ws: Client) -> None:
            for i in range(50):
                await ws.create(root, f"f{i}")

        size = len(data) / MB
        await row("AFS StoreData, 10 MB", lambda c: c.write(fid, data), kb, "KB", size)
        await chunks(ws)
        cost = await row("AFS FetchData, 10 MB in 64 KB chunks", chunks, kb, "KB", size)
        await row("AFS FetchData, 10 MB in one call", whole, kb, "KB", size)
        await row("AFS GetTime", times, 500, "call", 0)
        await row("AFS FetchStatus", statuses, 500, "call", 0)
        await row("AFS CreateFile", creations, 50, "call", 0)
        return cost


def ftp_row(meter: Meter, data: bytes) -> float:
    """FTPSERVE's get of the same bytes, twice warm."""
    with ftplib.FTP(timeout=60) as ftp:
        ftp.connect(SERVER)
        ftp.login("VMUSER1", "VMUSER1")

        ftp.storbinary("STOR ten.bin", io.BytesIO(data), 32768)
        got = bytearray()
        ftp.retrbinary("RETR ten.bin", got.extend, 65536)
        assert bytes(got[: len(data)]) == data
        meter.begin()
        got.clear()
        ftp.retrbinary("RETR ten.bin", got.extend, 65536)
        return meter.end("FTPSERVE RETR, 10 MB, binary", len(data) / 1024, "KB", len(data) / MB)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mtu", type=int, default=4000)
    mtu = parser.parse_args().mtu
    emulator = choose()
    print(
        f"{emulator.name}, wire fast, MTU {mtu}; load of this computer {os.getloadavg()[0]:.1f}\n"
    )
    print("| what | cost, the server's guest | by machine | rate |\n|---|---|---|---|")
    data = random.Random(10).randbytes(SIZE)
    with tempfile.TemporaryDirectory() as folder, afs_guest(
        Path(folder), mtu, emulator
    ) as guest:  # fmt: skip
        if os.geteuid() == 0:
            guest.wire.add_tap("host", f"{HOST}/24", mtu=mtu)
        meter = Meter(guest)
        afs = asyncio.run(afs_rows(guest, meter, mtu, data))
        if os.geteuid() == 0:
            ftp = ftp_row(meter, data)
            print(f"\nAFS in chunks is {afs / ftp:.2f} times FTP; reach 1.5")


if __name__ == "__main__":
    main()
