# SPDX-License-Identifier: MIT
"""A station of the LAN for a guest that knows IP packets only: Ethernet headers, and ARP for it.
Pure.

Its IP addresses are those that its packets come from; its Ethernet address is made of the first.
"""

from __future__ import annotations

import struct
from collections import deque

from vmkb.hercules.wire.block import FRAME_MIN

NEIGHBOURS_MAX = 1024
WAITING_MAX = 64
"""Packets that wait for a neighbour's address; then the oldest is dropped."""
_ARP = struct.Struct(">HHBBH6s4s6s4s")
_ARP_TYPE, _IP_TYPE = b"\x08\x06", b"\x08\0"
_ARP_SIZE = FRAME_MIN + _ARP.size
_ASK, _ANSWER = 1, 2
_BROADCAST = b"\xff" * 6
_NOBODY = b"\0" * 6
_LOCAL = b"\2\0"


class Station:
    """A station between the guest and the LAN."""

    def __init__(self) -> None:
        self.addresses: set[bytes] = set()
        self.mac = b""
        """Empty until the guest has said something."""
        self._neighbours: dict[bytes, bytes] = {}
        self._waiting: deque[tuple[bytes, bytes]] = deque()

    def sent(self, packet: bytes) -> list[bytes]:
        """The frames that a PACKET of the guest's becomes: it goes out, or waits until its
        receiver's address is known, which is asked for."""
        source, target = packet[12:16], packet[16:20]
        if source != b"\0\0\0\0":
            self.addresses.add(source)
            self.mac = self.mac or _LOCAL + source
        if not self.mac:
            return []
        mac = self._mac_of(target)
        if mac is not None:
            return [mac + self.mac + _IP_TYPE + packet]
        self._waiting.append((target, packet))
        if len(self._waiting) > WAITING_MAX:
            self._waiting.popleft()
        # for each packet: the question may be lost, and what is lost is sent again
        return [self._arp(_ASK, _BROADCAST, _NOBODY, target)]

    def _mac_of(self, address: bytes) -> bytes | None:
        if address[0] & 0xF0 == 0xE0:
            return b"\x01\0\x5e" + bytes([address[1] & 0x7F]) + address[2:]
        if address == b"\xff" * 4:
            return _BROADCAST
        return self._neighbours.get(address)

    def _arp(
        self, kind: int, to: bytes, target_mac: bytes, target: bytes, own: bytes = b""
    ) -> bytes:
        own = own or self.mac[2:6]
        body = _ARP.pack(1, 0x0800, 6, 4, kind, self.mac, own, target_mac, target)
        return to + self.mac + _ARP_TYPE + body

    def came(self, frame: bytes) -> tuple[bytes | None, list[bytes]]:
        """The meaning of a FRAME from the LAN: a packet for the guest, if it is one; and the frames
        that answer it or that it lets go."""
        if not self.mac:
            return None, []
        kind = frame[12:14]
        if kind == _ARP_TYPE and len(frame) >= _ARP_SIZE:
            return None, self._asked(frame)
        if kind != _IP_TYPE or not (frame[:6] == self.mac or frame[0] & 1):
            return None, []
        packet = frame[FRAME_MIN:]
        length = int.from_bytes(packet[2:4], "big")
        if len(packet) < 20 or packet[0] >> 4 != 4 or not 20 <= length <= len(packet):
            return None, []
        if frame[:6] == self.mac:
            self._learn(packet[12:16], frame[6:12])
        return packet[:length], []  # without what a short frame was padded with

    def _asked(self, frame: bytes) -> list[bytes]:
        hard, soft, hlen, plen, kind, mac, address, _, target = _ARP.unpack_from(frame, FRAME_MIN)
        if (hard, soft, hlen, plen) != (1, 0x0800, 6, 4) or kind not in (_ASK, _ANSWER):
            return []
        out = []
        if target in self.addresses or address in self._neighbours or self._wanted(address):
            self._learn(address, mac)
        if kind == _ASK and target in self.addresses:
            out.append(self._arp(_ANSWER, mac, mac, address, own=target))
        return out + self._let_go()

    def _wanted(self, address: bytes) -> bool:
        return any(target == address for target, _ in self._waiting)

    def _learn(self, address: bytes, mac: bytes) -> None:
        if address == b"\0\0\0\0" or mac[0] & 1:
            return
        if address in self._neighbours or len(self._neighbours) < NEIGHBOURS_MAX:
            self._neighbours[address] = mac

    def _let_go(self) -> list[bytes]:
        out, left = [], deque[tuple[bytes, bytes]]()
        for target, packet in self._waiting:
            mac = self._neighbours.get(target)
            if mac is None:
                left.append((target, packet))
            else:
                out.append(mac + self.mac + _IP_TYPE + packet)
        self._waiting = left
        return out
