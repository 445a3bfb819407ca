# SPDX-License-Identifier: MIT
"""What a wire that loses frames leaves of FTP's rate: files to a booted VM/KB and back, each once
with no loss and once with it, in turn.

    python tests/bench/bench_loss.py [--pairs N] [--loss P] [--delay SECONDS] [--get]
        [--congestion NAME] [--capture FOLDER]

Prints medians of seconds for 2 MB, their quartiles, the part of the rate that is kept, the same
from each pair's own two (which a host's load moves less), and what the sender's kernel says of a
put: segments sent again, smoothed round trip, window. `--congestion` is the sender's algorithm
(cubic, reno, bbr; this computer's own without it). Needs root (a TAP device).
"""

from __future__ import annotations

import argparse
import ftplib
import os
import random
import socket
import statistics
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.e2e.net_guest import NetGuest, net_guest

SIZE = 2 << 20
TCP_CONGESTION = 13  # linux/tcp.h
RTT, CWND, RETRANS = 68, 80, 100  # offsets in struct tcp_info, linux/tcp.h: us, segments, segments
DATA = random.Random(7).randbytes(SIZE)
Told = tuple[float, tuple[int, int, int]]


def info(sock: socket.socket) -> tuple[int, int, int]:
    """Segments sent again, us of the smoothed round trip, segments of the congestion window."""
    said = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192)
    again, rtt, cwnd = (struct.unpack_from("=I", said, at)[0] for at in (RETRANS, RTT, CWND))
    return again, rtt, cwnd


def put(ftp: ftplib.FTP, congestion: str) -> Told:
    """Seconds from STOR to its last reply, and what the kernel says of the data's connection."""
    begun = time.monotonic()
    with ftp.transfercmd("STOR LOSS.BIN") as data:
        if congestion:
            data.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, congestion.encode())
        data.sendall(DATA)
        data.shutdown(socket.SHUT_WR)
        assert data.recv(1) == b""
        said = info(data)
    ftp.voidresp()
    return time.monotonic() - begun, said


def get(ftp: ftplib.FTP, congestion: str) -> Told:
    """Seconds from RETR to its last reply."""
    del congestion
    begun, came = time.monotonic(), bytearray()
    with ftp.transfercmd("RETR LOSS.BIN") as data:
        while piece := data.recv(65536):
            came += piece
        said = info(data)
    ftp.voidresp()
    seconds = time.monotonic() - begun
    if came != DATA:
        raise SystemExit("what came is not what was sent")
    return seconds, said


def trials(net: NetGuest, options: argparse.Namespace) -> dict[float, list[Told]]:
    """`pairs` transfers with each loss, in turn; the first of all is not counted."""
    one: Callable[[ftplib.FTP, str], Told] = get if options.get else put
    found: dict[float, list[Told]] = {0.0: [], options.loss: []}
    with net.ftp(timeout=120) as ftp:
        ftp.voidcmd("TYPE I")
        put(ftp, "")
        for pair in range(options.pairs):
            for loss in found:
                net.wire.set_profile("host", loss=loss, delay=options.delay)
                if options.capture:
                    net.wire.start_capture(str(options.capture / f"{pair}-{loss}.pcapng"))
                found[loss].append(one(ftp, options.congestion))
                if options.capture:
                    net.wire.stop_capture()
        net.wire.set_profile("host", loss=0.0)
    return found


def shown(seconds: list[float]) -> str:
    """A median and its quartiles."""
    low, mid, high = statistics.quantiles(seconds, n=4)
    return f"{mid:.4f} s ({low:.4f} to {high:.4f})"


def main() -> None:
    """Boots, transfers, prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--loss", type=float, default=0.01)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--congestion", default="")
    parser.add_argument("--get", action="store_true")
    parser.add_argument("--capture", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, net_guest(Path(folder)) as net:
        found = trials(net, options)
    without, lossy = found[0.0], found[options.loss]
    print(
        f"load {os.getloadavg()[0]:.1f}, {'get' if options.get else 'put'}, {options.pairs} pairs"
    )
    for loss, told in found.items():
        again, rtt, cwnd = (statistics.median(kernel[i] for _, kernel in told) for i in range(3))
        worst = max(seconds for seconds, _ in told)
        print(
            f"loss {loss:5.1%}: {shown([seconds for seconds, _ in told])}, worst {worst:.3f} s;",
            end="",
        )
        print(f" sent again {again:.0f}, RTT {rtt:.0f} us, window {cwnd:.0f}")
    kept = statistics.median(s for s, _ in without) / statistics.median(s for s, _ in lossy)
    pairs = statistics.quantiles(
        [a / b for (a, _), (b, _) in zip(without, lossy, strict=True)], n=4
    )
    print(
        f"kept of the rate: {kept:.2f}; of pairs {pairs[1]:.2f} ({pairs[0]:.2f} to {pairs[2]:.2f})"
    )


if __name__ == "__main__":
    main()
