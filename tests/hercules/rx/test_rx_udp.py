# SPDX-License-Identifier: MIT
"""Rx on real sockets of this computer."""

from __future__ import annotations

import random
import socket
import threading
import time

import pytest

from tests.peers.rx_udp import UdpRx
from vmkb.hercules.rx import Abort


def refuse(request: bytes) -> bytes:
    """A service that says no."""
    raise Abort(1234)


def test_calls_over_sockets() -> None:
    request = random.Random(1).randbytes(200_000)
    with UdpRx(services={5: lambda b: b[::-1], 6: refuse}) as server:
        end = threading.Event()

        def serve() -> None:
            while not end.is_set():
                server.serve(0.05)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with UdpRx(mtu=9000) as client:
                conn = client.connect(server.address, 5)
                for _ in range(3):
                    assert client.call(conn, request, 30) == request[::-1]
                with pytest.raises(Abort) as aborted:
                    client.call(client.connect(server.address, 6), b"", 30)
                assert aborted.value.code == 1234
                with pytest.raises(Abort) as aborted:
                    client.call(client.connect(server.address, 7), b"", 30)
                assert aborted.value.code == -2
        finally:
            end.set()
            thread.join(5)


def test_nobody_answers() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.1", 0))
        with UdpRx() as client:
            began = time.monotonic()
            with pytest.raises(TimeoutError, match="did not answer in"):
                client.call(client.connect(deaf.getsockname(), 5), b"x", 0.3)
            assert 0.3 <= time.monotonic() - began < 30
