# SPDX-License-Identifier: MIT
"""UDP over IP over Ethernet for an endpoint of the wire: ARP both ways, fragments both ways. Pure:
frames and the time (seconds) in, frames and datagrams out."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

ETHERTYPE_IP, ETHERTYPE_ARP = 0x0800, 0x0806
BROADCAST = b"\xff" * 6
UDP = 17
REASSEMBLY_S = 15.0
REASSEMBLIES = 16
_HEADER, _ETHERNET = 20, 14
_MORE = 0x2000
_WAITING = 64
"""Datagrams kept while an address is asked for."""

Address = tuple[str, int]


def checksum(data: bytes) -> int:
    """The Internet's: one's complement of the one's complement sum of 16-bit words."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


@dataclass(slots=True)
class _Parts:
    began: float
    size: int = 0
    """Bytes of the whole; 0 until its last part is there."""
    parts: dict[int, bytes] = field(default_factory=dict)

    def whole(self) -> bytes | None:
        at = 0
        for first in sorted(self.parts):
            if first > at:
                return None
            at = max(at, first + len(self.parts[first]))
        if not self.size or at < self.size:
            return None
        data = bytearray(self.size)
        for first, part in self.parts.items():
            data[first : first + len(part)] = part[: self.size - first]
        return bytes(data)


class UdpStack:
    """One station at `address` with one UDP port. `transmit` gets its frames."""

    def __init__(
        self, address: str, port: int, transmit: Callable[[bytes], None], mtu: int = 1500
    ) -> None:
        self.address, self.port, self.mtu = address, port, mtu
        self._ip = ipaddress.IPv4Address(address).packed
        self.mac = b"\x02\x00" + self._ip
        self._transmit = transmit
        self._neighbours: dict[bytes, bytes] = {}
        self._waiting: list[tuple[bytes, list[bytes]]] = []
        self._ident = 0
        self._reassembly: dict[bytes, _Parts] = {}
        self.dropped = 0
        """Frames and datagrams that were damaged, incomplete or not understood."""

    def send(self, peer: Address, data: bytes) -> None:
        """A datagram goes to `peer`, in fragments if it must, once its station is known."""
        target = ipaddress.IPv4Address(peer[0]).packed
        packets = list(self._packets(target, peer[1], data))
        if target in self._neighbours:
            self._frames(target, packets)
            return
        if len(self._waiting) < _WAITING:
            self._waiting.append((target, packets))
        self._arp(1, BROADCAST, bytes(6), target)

    def receive(self, frame: bytes, now: float) -> list[tuple[Address, bytes]]:
        """A frame came: the datagrams for this port that it completes, and their senders."""
        if len(frame) < _ETHERNET or frame[:6] not in (self.mac, BROADCAST):
            return []
        kind = int.from_bytes(frame[12:14], "big")
        if kind == ETHERTYPE_ARP:
            self._arp_in(frame[_ETHERNET:])
            return []
        return self._ip_in(frame[_ETHERNET:], now) if kind == ETHERTYPE_IP else []

    # --- out

    def _packets(self, target: bytes, port: int, data: bytes) -> Iterator[bytes]:
        length = 8 + len(data)
        pseudo = self._ip + target + struct.pack(">2H", UDP, length)
        header = struct.pack(">4H", self.port, port, length, 0)
        check = checksum(pseudo + header + data) or 0xFFFF
        payload = header[:6] + check.to_bytes(2, "big") + data
        self._ident = self._ident + 1 & 0xFFFF
        step = self.mtu - _HEADER
        if length > step:
            step &= ~7
        for at in range(0, length, step):
            part = payload[at : at + step]
            flags = at >> 3 | (_MORE if at + step < length else 0)
            ip = struct.pack(
                ">BBHHHBBH", 0x45, 0, _HEADER + len(part), self._ident, flags, 64, UDP, 0
            )
            ip += self._ip + target
            yield ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + part

    def _frames(self, target: bytes, packets: list[bytes]) -> None:
        head = self._neighbours[target] + self.mac + ETHERTYPE_IP.to_bytes(2, "big")
        for packet in packets:
            self._transmit((head + packet).ljust(60, b"\0"))

    def _arp(self, operation: int, to: bytes, mac: bytes, ip: bytes) -> None:
        head = to + self.mac + ETHERTYPE_ARP.to_bytes(2, "big")
        body = struct.pack(">2H2BH", 1, ETHERTYPE_IP, 6, 4, operation)
        self._transmit((head + body + self.mac + self._ip + mac + ip).ljust(60, b"\0"))

    # --- in

    def _arp_in(self, body: bytes) -> None:
        if len(body) < 28 or body[:6] != b"\0\1\x08\0\6\4":
            self.dropped += 1
            return
        operation, mac, ip, target = body[7], body[8:14], body[14:18], body[24:28]
        if target != self._ip:
            return
        self._neighbours[ip] = mac
        if operation == 1:
            self._arp(2, mac, mac, ip)
        ready = [packets for to, packets in self._waiting if to == ip]
        self._waiting = [each for each in self._waiting if each[0] != ip]
        for packets in ready:
            self._frames(ip, packets)

    def _ip_in(self, packet: bytes, now: float) -> list[tuple[Address, bytes]]:
        header = (packet[0] & 15) * 4 if packet else 0
        if len(packet) < _HEADER or packet[0] >> 4 != 4 or header < _HEADER:
            self.dropped += 1
            return []
        length, flags = struct.unpack_from(">H2xH", packet, 2)
        if length > len(packet) or length < header or checksum(packet[:header]) != 0:
            self.dropped += 1
            return []
        if packet[9] != UDP or packet[16:20] != self._ip:
            return []
        data = packet[header:length]
        whole: bytes | None = data
        if flags & 0x3FFF:
            whole = self._fragment(packet, flags, data, now)
        return self._udp_in(packet[12:16], whole) if whole is not None else []

    def _fragment(self, packet: bytes, flags: int, data: bytes, now: float) -> bytes | None:
        for key in [k for k, p in self._reassembly.items() if now - p.began > REASSEMBLY_S]:
            del self._reassembly[key]
        if len(self._reassembly) >= REASSEMBLIES:
            del self._reassembly[next(iter(self._reassembly))]
        key = packet[4:6] + packet[12:16]
        parts = self._reassembly.setdefault(key, _Parts(now))
        at = (flags & 0x1FFF) << 3
        if at + len(data) > 65535:
            self.dropped += 1
            return None
        parts.parts[at] = data
        if not flags & _MORE:
            parts.size = at + len(data)
        whole = parts.whole()
        if whole is not None:
            del self._reassembly[key]
        return whole

    def _udp_in(self, source: bytes, data: bytes) -> list[tuple[Address, bytes]]:
        if len(data) < 8:
            self.dropped += 1
            return []
        sender, port, length, check = struct.unpack_from(">4H", data)
        if not 8 <= length <= len(data):
            self.dropped += 1
            return []
        pseudo = source + self._ip + struct.pack(">2H", UDP, length)
        if check and checksum(pseudo + data[:length]) != 0:
            self.dropped += 1
            return []
        if port != self.port:
            return []
        return [((str(ipaddress.IPv4Address(source)), sender), data[8:length])]
