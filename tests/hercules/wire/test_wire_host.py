# SPDX-License-Identifier: MIT
"""The host's network on the wire: TAP as root, passt without."""

from __future__ import annotations

import os
import shutil
import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from vmkb.hercules.wire.client import WireError
from vmkb.hercules.wire.ports.endpoint import Endpoint
from vmkb.hercules.wire.process import WireProcess

STATION = bytes((2, 0, 0, 0, 0, 7))
BROADCAST = b"\xff" * 6


def arp_request(sender: str, target: str) -> bytes:
    return (
        BROADCAST + STATION + b"\x08\x06" + struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1)
        + STATION + socket.inet_aton(sender) + bytes(6) + socket.inet_aton(target)
    )  # fmt: skip


def checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp(to: bytes, source: str, target: str, port: int, data: bytes) -> bytes:
    packet = struct.pack(">HHHH", 4321, port, 8 + len(data), 0) + data
    head = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 20 + len(packet), 1, 0, 64, 17, 0,
        socket.inet_aton(source), socket.inet_aton(target),
    )  # fmt: skip
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return to + STATION + b"\x08\x00" + head + packet


async def resolve(endpoint: Endpoint, sender: str, target: str) -> bytes:
    """The hardware address of `target`, by ARP."""
    for _ in range(20):
        endpoint.send(arp_request(sender, target))
        try:
            while True:
                frame = await endpoint.receive(0.25)
                if frame[12:14] == b"\x08\x06" and frame[28:32] == socket.inet_aton(target):
                    return frame[6:12]
        except TimeoutError:
            continue
    raise AssertionError(f"nobody answers ARP for {target}")


@pytest.mark.skipif(os.geteuid() != 0 or not os.path.exists("/dev/net/tun"),
                    reason="a TAP device needs root and /dev/net/tun")  # fmt: skip
def test_the_host_answers_through_a_tap_device_and_gets_what_is_sent(
    run: Callable[..., Any],
) -> None:
    with WireProcess() as wire:
        device = wire.add_tap("host", "198.18.77.1/24", 4000)
        path = wire.add_stream("py")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("198.18.77.1", 0))
            receiver.settimeout(5)
            port = receiver.getsockname()[1]

            async def talk() -> None:
                endpoint = await Endpoint.connect(path)
                mac = await resolve(endpoint, "198.18.77.2", "198.18.77.1")
                data = bytes(3000)
                endpoint.send(udp(mac, "198.18.77.2", "198.18.77.1", port, data))
                assert receiver.recv(9000) == data
                receiver.sendto(b"back", ("198.18.77.2", 99))
                answered = False
                while not answered:
                    frame = await endpoint.receive(5)
                    if frame[12:14] == b"\x08\x06":
                        target, asks = frame[38:42], frame[28:32]
                        endpoint.send(
                            frame[6:12] + STATION + frame[12:20] + b"\0\2" + STATION + target
                            + frame[22:28] + asks
                        )  # fmt: skip
                    answered = frame.endswith(b"back")
                await endpoint.close()

            run(talk())
        assert os.path.exists(f"/sys/class/net/{device}")
    assert not os.path.exists(f"/sys/class/net/{device}")


def test_a_tap_device_that_cannot_be_made_is_refused_in_words() -> None:
    with WireProcess() as wire:
        with pytest.raises(WireError, match="no device name"):
            wire.request("add-tap", name="host", address="198.18.78.1/24", device="x" * 40)
        with pytest.raises(WireError, match="octets"):
            wire.add_tap("host", "not an address")
        assert wire.ports() == {}


def test_passt_answers_for_its_gateway(run: Callable[..., Any]) -> None:
    if shutil.which("passt") is None:
        pytest.skip("passt is not installed; scripts/setup installs it")
    with WireProcess() as wire:
        try:
            wire.add_passt("host", "198.18.79.2/24", "198.18.79.1")
        except WireError as error:
            pytest.skip(f"passt does not run here: {error}")
        path = wire.add_stream("py")

        async def talk() -> None:
            endpoint = await Endpoint.connect(path)
            mac = await resolve(endpoint, "198.18.79.2", "198.18.79.1")
            assert len(mac) == 6 and mac != STATION
            await endpoint.close()

        run(talk())
        assert wire.counters()["ports"]["host"]["frames_in"] >= 1


def test_passt_that_refuses_is_quoted() -> None:
    if shutil.which("passt") is None:
        pytest.skip("passt is not installed; scripts/setup installs it")
    with WireProcess() as wire:
        with pytest.raises(WireError, match=r"passt ended with \d+: \S"):
            wire.add_passt("host", "198.18.79.2/24", "198.18.79.1", ["--nonsense"])
        assert wire.ports() == {}
