# SPDX-License-Identifier: MIT
"""The part of a LAN that passt sees, and the acknowledgement that it forgets. Pure: frames in,
frames out.

passt thinks that it stands at the other end of one network card: whatever frame comes has the
guest's hardware address, and whatever ARP asks for, but the guest's own address, is its gateway. On
a LAN with other stations, and with other protocols of the guest's from other hardware addresses
(LAT, DECnet), that must not be so.

Its release of 2023 (Debian 12) answers a SYN,ACK only with data of the client's: where the server
speaks first, as in FTP and TELNET, neither side goes on. So the third segment of the handshake is
made here; a second one, of a later release's own, does no harm (RFC 9293, 3.10.7.4).

That release also counts wrongly, and then loops for ever, when it reads several segments of one
connection at once and has not finished with the connection's state after the first: behind a SYN,
or once the guest has sent its FIN. So such segments are given to it one by one.
"""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass

ETHERNET = 14
ARP_FRAME = 42
IPV4, ARP = 0x0800, 0x0806
TCP = 6
FIN, SYN, RST, ACK = 1, 2, 4, 16
OPTION_END, OPTION_NOP, OPTION_SCALE = 0, 1, 3
PENDING_MAX = 1024
"""SYNs remembered; the oldest goes first."""

_Key = tuple[bytes, bytes, int, int]


def for_passt(frame: bytes, guest: ipaddress.IPv4Address, gateway: ipaddress.IPv4Address) -> bool:
    """Whether a frame is the guest's IP, or ARP in which it asks for the gateway or tells its own
    address."""
    kind = int.from_bytes(frame[12:14], "big")
    if kind == IPV4:
        return frame[26:30] == guest.packed
    if kind != ARP or len(frame) < ARP_FRAME:
        return False
    return frame[28:32] == guest.packed and frame[38:42] in (gateway.packed, guest.packed)


@dataclass(frozen=True)
class _Segment:
    """The parts of a TCP segment in a frame that a handshake needs."""

    source: bytes
    target: bytes
    source_port: int
    target_port: int
    sequence: int
    acknowledged: int
    flags: int
    window: int
    scale: int | None

    @property
    def key(self) -> _Key:
        return self.source, self.target, self.source_port, self.target_port

    @property
    def answered_by(self) -> _Key:
        return self.target, self.source, self.target_port, self.source_port


def _segment(frame: bytes) -> _Segment | None:
    """The TCP segment in a frame; None if there is no whole, unfragmented one."""
    if frame[12:14] != b"\x08\x00" or len(frame) < ETHERNET + 20:
        return None
    words = (frame[ETHERNET] & 15) * 4
    at = ETHERNET + words
    offset = int.from_bytes(frame[20:22], "big") & 0x3FFF
    if frame[23] != TCP or words < 20 or offset or len(frame) < at + 20:
        return None
    ports = struct.unpack_from(">HHIIBBH", frame, at)
    end = at + (ports[4] >> 4) * 4
    return _Segment(
        frame[26:30], frame[30:34], ports[0], ports[1], ports[2], ports[3], ports[5], ports[6],
        _scale(frame[at + 20 : end]),
    )  # fmt: skip


def _scale(options: bytes) -> int | None:
    """The window scale option of a SYN, None if there is none (or no sense in the options)."""
    at = 0
    while at < len(options) and options[at] != OPTION_END:
        if options[at] == OPTION_NOP:
            at += 1
            continue
        if at + 1 >= len(options) or options[at + 1] < 2:
            return None
        if options[at] == OPTION_SCALE and at + 2 < len(options):
            return min(options[at + 2], 14)
        at += options[at + 1]
    return None


def _checksum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def _answer(
    frame: bytes, key: _Key, sequence: int, acknowledged: int, flags: int, window: int
) -> bytes:
    """A segment without data that goes back to where `frame` came from."""
    source, target, *ports = key
    tcp = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 5 << 4, flags, window, 0, 0)
    pseudo = source + target + struct.pack(">HH", TCP, len(tcp))
    tcp = tcp[:16] + struct.pack(">H", _checksum(pseudo + tcp)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, TCP, 0) + source + target
    ip = ip[:10] + struct.pack(">H", _checksum(ip)) + ip[12:]
    return frame[6:12] + frame[:6] + b"\x08\x00" + ip + tcp


def calls(frame: bytes) -> int | None:
    """The client's port of a SYN from passt; None of anything else."""
    segment = _segment(frame)
    if segment is None or segment.flags & (SYN | ACK) != SYN:
        return None
    return segment.source_port


def refusal(frame: bytes) -> bytes:
    """The RST that answers a SYN, as the guest would send it to passt."""
    syn = _segment(frame)
    assert syn is not None
    return _answer(frame, syn.answered_by, 0, (syn.sequence + 1) & 0xFFFFFFFF, RST | ACK, 0)


class Handshakes:
    """Makes the third segment of the connections that passt opens."""

    def __init__(self) -> None:
        self._syns: dict[_Key, _Segment] = {}

    def from_passt(self, frame: bytes) -> None:
        """Remembers a SYN."""
        segment = _segment(frame)
        if segment is None:
            return
        if segment.flags & (SYN | ACK) == SYN:
            self._syns.pop(segment.key, None)
            if len(self._syns) >= PENDING_MAX:
                del self._syns[next(iter(self._syns))]
            self._syns[segment.key] = segment
        elif segment.flags & (FIN | RST):
            self._syns.pop(segment.key, None)

    def to_passt(self, frame: bytes) -> bytes | None:
        """The ACK for a SYN,ACK that goes to passt, as passt would send it, else None. A SYN,ACK
        that is repeated is acknowledged again."""
        segment = _segment(frame)
        if segment is None or segment.flags & (SYN | ACK | RST) != SYN | ACK:
            return None
        syn = self._syns.get(segment.answered_by)
        if syn is None or segment.acknowledged != (syn.sequence + 1) & 0xFFFFFFFF:
            return None
        scaled = syn.scale if syn.scale is not None and segment.scale is not None else 0
        return _answer(
            frame, syn.key, segment.acknowledged, (segment.sequence + 1) & 0xFFFFFFFF, ACK,
            syn.window >> scaled,
        )  # fmt: skip


class Batches:
    """Which frames passt may find together when it reads."""

    def __init__(self) -> None:
        self._closing: dict[_Key, None] = {}
        self._alone: set[_Key] = set()

    def fits(self, frame: bytes) -> bool:
        """Whether a frame may go to passt before that has read what went before. It counts as gone
        if so."""
        segment = _segment(frame)
        if segment is None:
            return True
        key = segment.key
        if key in self._alone:
            return False
        if segment.flags & SYN:
            self._closing.pop(key, None)
            self._alone.add(key)
        elif segment.flags & FIN and key not in self._closing:
            if len(self._closing) >= PENDING_MAX:
                del self._closing[next(iter(self._closing))]
            self._closing[key] = None
        if key in self._closing:
            self._alone.add(key)
        return True

    def read(self) -> None:
        """passt has read all that went."""
        self._alone.clear()
