# SPDX-License-Identifier: MIT
"""What carries a hand-made TCP segment: IPv4 with ARP (RFC 791, 826), or IPv6 with its neighbours'
questions (RFC 8200, 4861). Pure. A guest's Ethernet address is made of its IPv4 address a.b.c.d;
over IPv6 that host is fd00::a.b.c.d."""

from __future__ import annotations

import socket
import struct

from vmkb.hercules.rx.ip import ETHERTYPE_ARP, ETHERTYPE_IP, checksum

TCP = 6
_ICMPV6 = 58
_IPV6_HEAD, _LIMIT = 40, 255
_ASKED, _TOLD, _OURS = 135, 136, 0x60000000
"""Types of neighbour solicitation and advertisement; its flags: solicited, to be taken."""


class Network:
    """From HERE to THERE, as a.b.c.d."""

    def __init__(self, here: str, there: str) -> None:
        self._here, self._there = socket.inet_aton(here), socket.inet_aton(there)
        self.mac = b"\2\0" + self._here
        self._head = b"\2\0" + self._there + self.mac

    def frame(self, segment: bytes) -> bytes:
        """That of SEGMENT, whose checksum is made."""
        ip = ETHERTYPE_IP.to_bytes(2)
        ends = self._here + self._there
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(segment), 1, 0, 64, TCP, 0) + ends
        head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
        pseudo = ends + struct.pack(">HH", TCP, len(segment))
        return self._head + ip + head + _checked(pseudo, segment, 16)

    def segment(self, frame: bytes) -> bytes:
        """The TCP segment in FRAME; nothing if it has none."""
        body = frame[14:]
        if frame[12:14] != ETHERTYPE_IP.to_bytes(2) or body[9:10] != bytes([TCP]):
            return b""
        return body[(body[0] & 15) * 4 : int.from_bytes(body[2:4])]

    def answer(self, frame: bytes) -> bytes:
        """What answers FRAME, a question for our Ethernet address; nothing if it is none."""
        body, arp = frame[14:], ETHERTYPE_ARP.to_bytes(2)
        if frame[12:14] != arp or body[24:28] != self._here or body[6:8] != b"\0\1":
            return b""
        told = body[:6] + b"\0\2" + self.mac + body[24:28] + body[8:18]
        return body[8:14] + self.mac + arp + told


class Network6(Network):
    """The same over IPv6."""

    _TYPE = b"\x86\xdd"

    def __init__(self, here: str, there: str) -> None:
        super().__init__(here, there)
        prefix = b"\xfd" + bytes(11)
        self._own, self._other = prefix + self._here, prefix + self._there

    def frame(self, segment: bytes) -> bytes:
        """That of SEGMENT, whose checksum is made."""
        return self._head + self._packet(self._other, TCP, segment, 16)

    def segment(self, frame: bytes) -> bytes:
        """The TCP segment in FRAME; nothing if it has none."""
        return self._payload(frame, TCP)

    def answer(self, frame: bytes) -> bytes:
        """What answers FRAME, a question for our Ethernet address; nothing if it is none."""
        asked = self._payload(frame, _ICMPV6)
        if asked[:1] != bytes([_ASKED]) or asked[8:24] != self._own:
            return b""
        told = struct.pack(">BBHL", _TOLD, 0, 0, _OURS) + self._own + b"\2\1" + self.mac
        return frame[6:12] + self.mac + self._packet(frame[22:38], _ICMPV6, told, 2)

    def _packet(self, to: bytes, kind: int, payload: bytes, at: int) -> bytes:
        ends = self._own + to
        head = struct.pack(">LHBB", 6 << 28, len(payload), kind, _LIMIT) + ends
        pseudo = ends + struct.pack(">LL", len(payload), kind)
        return self._TYPE + head + _checked(pseudo, payload, at)

    def _payload(self, frame: bytes, kind: int) -> bytes:
        body = frame[14:]
        if frame[12:14] != self._TYPE or body[6:7] != bytes([kind]):
            return b""
        return body[_IPV6_HEAD : _IPV6_HEAD + int.from_bytes(body[4:6])]


def _checked(pseudo: bytes, payload: bytes, at: int) -> bytes:
    """PAYLOAD with the checksum of PSEUDO and itself in the 2 bytes AT, which are zero."""
    return payload[:at] + struct.pack(">H", checksum(pseudo + payload)) + payload[at + 2 :]
