# SPDX-License-Identifier: MIT
"""Van Jacobson's compression of TCP/IP headers (RFC 1144), both ends. Pure.

A header of 40 bytes becomes a byte that says what has changed since the last packet of the same
connection, the TCP check sum, and the differences: 3 to 5 bytes as a rule.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from vmkb.hercules.wire.line.framing import COMPRESSED_TCP, IP, UNCOMPRESSED_TCP

SLOTS = 16
_C, _I, _P, _S, _A, _W, _U = 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
_CHANGES = _S | _A | _W | _U
_ECHOED, _STREAM = _S | _W | _U, _S | _A | _W | _U
"""Sets of changes that stand for: sequence and acknowledgement by the last data's length; the
sequence alone by it."""
_FIN, _SYN, _RST, _PSH, _ACK, _URG = 1, 2, 4, 8, 16, 32
_WHOLE = 1 << 32


@dataclass
class _Header:
    """The headers of a packet, and what compression compares of them."""

    raw: bytes
    length: int
    """Of the whole packet."""
    tcp: int
    """Where TCP's header begins."""

    def u16(self, at: int) -> int:
        return int.from_bytes(self.raw[at : at + 2])

    @property
    def ident(self) -> int:
        return self.u16(4)

    @property
    def seq(self) -> int:
        return int.from_bytes(self.raw[self.tcp + 4 : self.tcp + 8])

    @property
    def ack(self) -> int:
        return int.from_bytes(self.raw[self.tcp + 8 : self.tcp + 12])

    @property
    def flags(self) -> int:
        return self.raw[self.tcp + 13]

    @property
    def window(self) -> int:
        return self.u16(self.tcp + 14)

    @property
    def urgent(self) -> int:
        return self.u16(self.tcp + 18)

    @property
    def data(self) -> int:
        """Bytes of data."""
        return self.length - len(self.raw)

    @property
    def connection(self) -> bytes:
        return self.raw[12:20] + self.raw[self.tcp : self.tcp + 4]

    @property
    def fixed(self) -> bytes:
        """The bytes that are the same in all packets of a connection."""
        r, t = self.raw, self.tcp
        return r[0:2] + r[6:10] + r[20:t] + r[t + 12 : t + 13] + r[t + 20 :]


def _header(packet: bytes) -> _Header | None:
    """The headers of a packet that can be compressed; None for any other."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    if (packet[6] << 8 | packet[7]) & 0x3FFF:
        return None  # a fragment
    tcp = (packet[0] & 15) * 4
    if tcp < 20 or len(packet) < tcp + 20 or len(packet) != (packet[2] << 8 | packet[3]):
        return None
    end = tcp + (packet[tcp + 12] >> 4) * 4
    if end < tcp + 20 or end > len(packet):
        return None
    if packet[tcp + 13] & (_SYN | _FIN | _RST | _ACK) != _ACK:
        return None
    return _Header(packet[:end], len(packet), tcp)


def _number(n: int) -> bytes:
    return bytes([n]) if 0 < n < 256 else b"\0" + n.to_bytes(2, "big")


class Compressor:
    """The sending end."""

    def __init__(self) -> None:
        self._slots: dict[bytes, int] = {}  # the connection used longest ago comes first
        self._last: dict[int, _Header] = {}
        self._said = -1

    def compress(self, packet: bytes) -> tuple[int, bytes]:
        """The protocol and the bytes that take PACKET's place."""
        new = _header(packet)
        if new is None:
            return IP, packet
        slot = self._slots.pop(new.connection, None)
        fresh = slot is None
        if slot is None:
            if len(self._slots) < SLOTS:
                slot = len(self._slots)
            else:
                slot = self._slots.pop(next(iter(self._slots)))
        self._slots[new.connection] = slot
        old = self._last.get(slot)
        self._last[slot] = new
        changed = None if fresh or old is None else _differences(old, new)
        data = packet[len(new.raw) :]
        if changed is None:
            self._said = slot
            return UNCOMPRESSED_TCP, packet[:9] + bytes([slot]) + packet[10:]
        mask, deltas = changed
        head = b""
        if slot != self._said:
            mask |= _C
            head = bytes([slot])
            self._said = slot
        return COMPRESSED_TCP, bytes([mask]) + head + new.raw[
            new.tcp + 16 : new.tcp + 18
        ] + deltas + data


def _differences(old: _Header, new: _Header) -> tuple[int, bytes] | None:
    """The changes as mask and differences; None if they cannot."""
    if old.fixed != new.fixed or (old.flags ^ new.flags) & ~(_PSH | _URG):
        return None
    mask, said = 0, b""
    if new.flags & _URG:
        mask |= _U
        said += _number(new.urgent)
    elif new.urgent != old.urgent:
        return None
    window = (new.window - old.window) & 0xFFFF
    if window:
        mask |= _W
        said += _number(window)
    acked, moved = (new.ack - old.ack) % _WHOLE, (new.seq - old.seq) % _WHOLE
    if acked > 0xFFFF or moved > 0xFFFF:
        return None
    if acked:
        mask |= _A
        said += _number(acked)
    if moved:
        mask |= _S
        said += _number(moved)
    if mask == 0 and (new.data == 0 or old.data != 0):
        return None  # sent again, or a probe: the other end must see it whole
    if mask in (_ECHOED, _STREAM):
        return None  # these sets mean something else
    if mask == _S | _A and moved == acked == old.data:
        mask, said = _ECHOED, b""
    elif mask == _S and moved == old.data:
        mask, said = _STREAM, b""
    ident = (new.ident - old.ident) & 0xFFFF
    if ident != 1:
        mask |= _I
        said += _number(ident)
    if new.flags & _PSH:
        mask |= _P
    return mask, said


class Decompressor:
    """The receiving end. After a damaged frame it takes nothing compressed until a packet says
    which connection it is of (RFC 1144, 4.1); `tossed` counts what it did not take."""

    def __init__(self) -> None:
        self._last: dict[int, _Header] = {}
        self._slot = -1
        self._toss = False
        self.tossed = 0

    def damaged(self) -> None:
        """A frame was lost."""
        self._toss = True

    def restore(self, protocol: int, packet: bytes) -> bytes | None:
        """The packet as it was; None for one that cannot be known."""
        if protocol == IP:
            return packet
        made = None
        if protocol == UNCOMPRESSED_TCP:
            made = self._whole(packet)
        elif protocol == COMPRESSED_TCP:
            made = self._changed(packet)
        if made is None:
            self.tossed += 1
        return made

    def _whole(self, packet: bytes) -> bytes | None:
        if len(packet) < 40 or packet[9] >= SLOTS:
            self._toss = True
            return None
        slot = packet[9]
        packet = packet[:9] + b"\x06" + packet[10:]
        header = _header(packet)
        if header is None:
            self._toss = True
            return None
        self._last[slot], self._slot, self._toss = header, slot, False
        return packet

    def _changed(self, packet: bytes) -> bytes | None:
        try:
            return self._apply(packet)
        except (IndexError, struct.error):
            self._toss = True
            return None

    def _apply(self, packet: bytes) -> bytes | None:
        mask, at = packet[0], 1
        if mask & _C:
            self._slot, self._toss = packet[1], False
            at = 2
        old = self._last.get(self._slot)
        if self._toss or old is None:
            self._toss = True
            return None
        (total,) = struct.unpack_from(">H", packet, at)
        at += 2

        def number() -> int:
            nonlocal at
            if packet[at]:
                at += 1
                return packet[at - 1]
            at += 3
            (n,) = struct.unpack_from(">H", packet, at - 2)
            return int(n)

        raw, tcp = bytearray(old.raw), old.tcp
        seq, ack, window, urgent = old.seq, old.ack, old.window, old.urgent
        flags = old.flags & ~(_PSH | _URG) | (_PSH if mask & _P else 0)
        changes = mask & _CHANGES
        if changes == _ECHOED:
            seq, ack = seq + old.data, ack + old.data
        elif changes == _STREAM:
            seq += old.data
        else:
            if mask & _U:
                flags |= _URG
                urgent = number()
            if mask & _W:
                window += number()
            if mask & _A:
                ack += number()
            if mask & _S:
                seq += number()
        ident = old.ident + (number() if mask & _I else 1)
        data = packet[at:]
        length = len(raw) + len(data)
        struct.pack_into(">HH", raw, 2, length, ident & 0xFFFF)
        struct.pack_into(">II", raw, tcp + 4, seq % _WHOLE, ack % _WHOLE)
        raw[tcp + 13] = flags
        struct.pack_into(">HHH", raw, tcp + 14, window & 0xFFFF, total, urgent)
        raw[10:12] = b"\0\0"
        raw[10:12] = (_sum(bytes(raw[:tcp])) ^ 0xFFFF).to_bytes(2, "big")
        self._last[self._slot] = _Header(bytes(raw), length, tcp)
        return bytes(raw) + data


def _sum(data: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total
