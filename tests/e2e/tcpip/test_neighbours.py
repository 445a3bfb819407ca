# SPDX-License-Identifier: MIT
"""Whose Ethernet address a packet goes to: TCPIP asks ARP for the first one to somebody, and twice
a second; those behind it have the same header (service/tcpip/port/netif.c)."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest

from tests.e2e.net_guest import NetGuest, net_guest
from tests.e2e.system import ADDRESS, NET
from vmkb.hercules.rx.ip import BROADCAST, ETHERTYPE_ARP, ETHERTYPE_IP, checksum
from vmkb.hercules.wire.block import StreamDecoder, encode_stream

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
GUEST = IPv4Address(ADDRESS).packed
MAC = b"\x02\x00" + GUEST
REQUEST, REPLY = 1, 2
ECHO, ECHO_REPLY, ICMP = 8, 0, 1
WITHIN = 10.0
MANY = 12


class Stations:
    """Several addresses of the guest's network behind one port: frames go out in bursts, each of
    which comes to the guest as one block."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(WITHIN)
        self._socket.connect(path)
        self._decoder = StreamDecoder()
        self._frames: list[bytes] = []
        self._sequence = 0
        self.macs: dict[bytes, bytes] = {}
        """What an address answers ARP with; one that has none is silent."""

    def close(self) -> None:
        self._socket.close()

    def send(self, *frames: bytes) -> None:
        """One burst."""
        self._socket.sendall(b"".join(encode_stream(frame) for frame in frames))

    def arp(self, operation: int, ip: bytes, mac: bytes) -> bytes:
        head = (MAC if operation == REPLY else BROADCAST) + mac
        head += struct.pack(">5H", ETHERTYPE_ARP, 1, ETHERTYPE_IP, 0x0604, operation)
        return (head + mac + ip + MAC + GUEST).ljust(60, b"\0")

    def ping(self, ip: bytes) -> tuple[bytes, int]:
        """A frame, and the number that its answer has."""
        self._sequence += 1
        body = struct.pack(">BBHHH", ECHO, 0, 0, 7, self._sequence) + bytes(100)
        body = body[:2] + checksum(body).to_bytes(2, "big") + body[4:]
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0, 64, ICMP, 0) + ip + GUEST
        head = head[:10] + checksum(head).to_bytes(2, "big") + head[12:]
        mac = self.macs.get(ip, b"\x02\x01" + ip)
        return MAC + mac + ETHERTYPE_IP.to_bytes(2, "big") + head + body, self._sequence

    def next_frame(self) -> bytes:
        while not self._frames:
            self._frames += self._decoder.feed(self._socket.recv(65536))
        return self._frames.pop(0)

    def asked(self, ip: bytes) -> None:
        """Waits until the guest asks whose IP is."""
        while True:
            frame = self.next_frame()
            if frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\1" and frame[38:42] == ip:
                return

    def answers(self, numbers: set[int]) -> dict[int, tuple[bytes, bytes]]:
        """Address and Ethernet address that the answers of that number went to; ARP is answered."""
        found: dict[int, tuple[bytes, bytes]] = {}
        while set(found) != numbers:
            frame = self.next_frame()
            if frame[12:14] == b"\x08\x06":
                mac = self.macs.get(frame[38:42])
                if mac and frame[20:22] == b"\0\1":
                    self.send(self.arp(REPLY, frame[38:42], mac))
            elif frame[12:14] == b"\x08\0" and frame[23] == ICMP and frame[34] == ECHO_REPLY:
                found[int.from_bytes(frame[40:42], "big")] = frame[30:34], frame[:6]
        return found


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetGuest]:
    with net_guest(tmp_path_factory.mktemp("neighbours")) as guest:
        yield guest


@pytest.fixture
def stations(net: NetGuest) -> Iterator[Stations]:
    made = Stations(net.wire.add_stream("stations"))
    net.wire.wait_connected("stations", WITHIN)
    yield made
    made.close()
    net.wire.remove("stations")


def station(last: int) -> tuple[bytes, bytes]:
    """An address of the guest's network, and its Ethernet address."""
    ip = IPv4Address(f"{NET}.{last}").packed
    return ip, b"\x02\x01" + ip


def test_answers_of_one_turn_go_to_those_who_asked(stations: Stations) -> None:
    """Also while ARP is still asked for them, and again when it is not."""
    both = [station(20), station(21)]
    stations.macs = dict(both)
    for _ in range(3):
        pings = [stations.ping(both[i // 3 % 2][0]) for i in range(MANY)]
        stations.send(*(frame for frame, _ in pings))
        found = stations.answers({number for _, number in pings})
        assert [found[number] for _, number in pings] == [both[i // 3 % 2] for i in range(MANY)]


def test_what_waited_for_one_says_nothing_of_another(stations: Stations) -> None:
    """In one block: the answer to one station has to wait for ARP; ARP's answer for another station
    lets go what waited for that one; then there is more for the first."""
    late, unknown = station(30), station(31)
    frame, number = stations.ping(late[0])
    stations.send(frame)
    stations.asked(late[0])
    stations.macs = dict([unknown])
    (before, _), *behind = pings = [stations.ping(unknown[0]) for _ in range(4)]
    stations.send(before, stations.arp(REPLY, *late), *(frame for frame, _ in behind))
    found = stations.answers({number, *(each for _, each in pings)})
    assert found == {number: late} | {each: unknown for _, each in pings}


def test_a_station_that_has_moved_is_followed(stations: Stations) -> None:
    ip, _ = station(40)
    for mac in (b"\x02" + bytes((n,)) + ip for n in (1, 2, 3)):
        stations.macs = {ip: mac}
        stations.send(stations.arp(REQUEST, ip, mac))
        pings = [stations.ping(ip) for _ in range(MANY)]
        stations.send(*(frame for frame, _ in pings))
        found = stations.answers({number for _, number in pings})
        assert {found[number] for _, number in pings} == {(ip, mac)}
