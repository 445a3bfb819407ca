# SPDX-License-Identifier: MIT
"""What the wire costs and reaches: frames from one CTC test guest to another, each on a Hercules.

    python tests/bench/bench_wire.py [--profile NAME] [--seconds S]

Prints MB/s (10**6 bytes) by the receiver's own clock, the wire's CPU for each MB, and for a paced
profile the deviation from its rate. Needs Hercules and the s390x cross compiler.
"""

from __future__ import annotations

import argparse
import asyncio
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from vmkb.hercules.emulator.config import Device, MachineConfig
from vmkb.hercules.emulator.machine import Hercules
from vmkb.hercules.wire.ports.endpoint import Endpoint, EndpointTimeout
from vmkb.hercules.wire.process import WireProcess
from vmkb.hercules.wire.profile import Profile, profile

GUEST = Path(__file__).parents[1] / "hercules" / "wire" / "guest"
ECHO, ECHOED, QUERY, COUNTS, START = 1, 2, 3, 4, 5
ME = 9
CASES = ((4096, 1), (4096, 0), (1514, 0), (4014, 0), (32781, 0), (60, 0))
# bytes of a frame; frames in a block, 0 for as many as fit


def station(number: int) -> bytes:
    return bytes((2, 0, 0, 0, 0, number))


def request(to: int, op: int, number: int = 0, size: int = 0, per_block: int = 0) -> bytes:
    return struct.pack(
        ">6s6s2sBxII6sH", station(to), station(ME), b"\x88\xb5", op, number, size, station(2),
        per_block,
    )  # fmt: skip


async def ask(endpoint: Endpoint, op: int, frame: bytes) -> bytes:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        endpoint.send(frame)
        try:
            while (answer := await endpoint.receive(0.25))[14] != op:
                continue
            return answer
        except EndpointTimeout:
            continue
    raise SystemExit(3)


async def received(endpoint: Endpoint) -> tuple[int, int, int, int]:
    """Of the stream that guest 2 receives: frames, bytes, TOD clock at its first and last frame."""
    counts = struct.unpack_from(">16Q", await ask(endpoint, COUNTS, request(2, QUERY)), 32)
    return counts[11], counts[12], counts[14], counts[15]


async def stream(
    endpoint: Endpoint, wire: WireProcess, model: Profile, case: tuple[int, int], goal: float
) -> str:
    size, per_block = case
    rate = model.rate
    # without a rate: 40 MB/s, and few enough small frames for the run to end
    number = int(goal * (rate / 8 if rate else 40e6) / size)
    number = min(max(number, 100), int(goal * 40_000))
    cpu = sum(psutil.Process(wire.pid).cpu_times()[:2])
    deadline = time.monotonic() + goal * 20 + 5
    _, _, stale, _ = frames, taken, first, last = await received(endpoint)
    endpoint.send(request(1, START, number, size, per_block))
    unchanged = 0
    while (first == stale or frames < number) and unchanged < 20 and time.monotonic() < deadline:
        before = taken
        await asyncio.sleep(0.02)
        frames, taken, first, last = await received(endpoint)
        unchanged = unchanged + 1 if first != stale and taken == before else 0
    seconds = (last - first) / 4096e6
    cpu = sum(psutil.Process(wire.pid).cpu_times()[:2]) - cpu
    line = (
        f"{size:6} {'1' if per_block else 'as fits':>8} {frames / seconds:9.0f}"
        f" {taken / seconds / 1e6:8.1f} {cpu * 1e3 / (taken / 1e6):9.2f} {number - frames:7}"
    )
    if rate:
        on_medium = (frames - 1) * model.seconds(size)
        line += f" {100 * (on_medium / seconds - 1):+7.2f} %"
    return line


async def measure(wire: WireProcess, model: Profile, path: str, seconds: float) -> None:
    endpoint = await Endpoint.connect(path)
    trips = []
    for _ in range(300):
        start = time.perf_counter()
        await ask(endpoint, ECHOED, request(1, ECHO))
        trips.append(time.perf_counter() - start)
    trips.sort()
    print(f"round trip endpoint - guest 1: median {trips[150] * 1e6:.0f} us,"
          f" 95 % {trips[285] * 1e6:.0f} us")  # fmt: skip
    print("  size  a block  frames/s     MB/s wire ms/MB dropped  off the rate")
    for case in CASES:
        if case[0] - 14 <= model.mtu:
            print(await stream(endpoint, wire, model, case, seconds))
    await endpoint.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default="fast")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    running: list[Hercules] = []
    with (
        tempfile.TemporaryDirectory(prefix="vmkb-bench-") as name,
        WireProcess(profile=options.profile) as wire,
    ):
        folder = Path(name)
        subprocess.run(["make", "-s", "-C", GUEST, f"OUT={folder}"], check=True)
        (folder / "guest.ins").write_text("ctcguest.img 0x0\n", encoding="ascii")
        devices = tuple(Device(number=n, kind="ctce") for n in (0x500, 0x501))
        machine = MachineConfig(memory_mb=16, devices=(*devices, Device(number=0x700, kind="3270")))
        try:
            for number in (1, 2):
                lines = wire.add_guest(f"vm{number}")
                running.append(
                    Hercules.start(
                        machine.with_ctce(lines), folder / f"vm{number}",
                        folder / "guest.ins", (0x8000, str(number)),
                    )
                )  # fmt: skip
                wire.wait_connected(f"vm{number}", 10)
            model = profile(options.profile)
            asyncio.run(measure(wire, model, wire.add_stream("bench"), options.seconds))
        finally:
            for hercules in running:
                hercules.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
