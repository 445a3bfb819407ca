# SPDX-License-Identifier: MIT
"""TCP segments out of Ethernet frames: the header's fields and the data's length (RFC 791, 9293).

Pure. Fragments other than a first one, and what is cut off within its headers, are no segments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from typing import NamedTuple

from vmkb.accounting.input.capture.files import ETHERNET, Packet

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
_OPT_MSS = 2


class Segment(NamedTuple):
    """One segment. `at` in ns, `number` is the packet's in its file, counted from 1; `source` and
    `target` are (address, port); `size` is the data's in bytes; `mss` is 0 where not said."""

    at: int
    number: int
    source: tuple[int, int]
    target: tuple[int, int]
    seq: int
    ack: int
    flags: int
    window: int
    size: int
    mss: int

    @property
    def space(self) -> int:
        """Sequence numbers that it takes: its data, SYN and FIN."""
        return self.size + bool(self.flags & SYN) + bool(self.flags & FIN)


def place(end: tuple[int, int]) -> str:
    """An end of a connection as people write it."""
    return f"{IPv4Address(end[0])}:{end[1]}"


def segments(found: Iterable[Packet]) -> Iterator[Segment]:
    """The TCP segments among FOUND, in order."""
    new, number = tuple.__new__, 0
    for packet in found:
        number += 1
        d = packet.data
        if packet.link != ETHERNET or len(d) < 54 or d[12] != 8 or d[13] or d[23] != 6:
            continue
        if d[14] >> 4 != 4 or d[20] & 0x1F or d[21]:
            continue  # no first fragment
        tcp = 14 + (d[14] & 15) * 4
        if len(d) < tcp + 20:
            continue
        head = (d[tcp + 12] >> 4) * 4
        flags = d[tcp + 13] & 0x3F
        size = (d[16] << 8 | d[17]) - (tcp - 14) - head
        if head < 20 or size < 0:
            continue
        yield new(
            Segment,
            (
                packet.time,
                number,
                (int.from_bytes(d[26:30]), d[tcp] << 8 | d[tcp + 1]),
                (int.from_bytes(d[30:34]), d[tcp + 2] << 8 | d[tcp + 3]),
                int.from_bytes(d[tcp + 4 : tcp + 8]),
                int.from_bytes(d[tcp + 8 : tcp + 12]),
                flags,
                d[tcp + 14] << 8 | d[tcp + 15],
                size,
                _mss(d[tcp + 20 : tcp + head]) if flags & SYN else 0,
            ),
        )


def _mss(options: memoryview) -> int:
    at = 0
    while at < len(options) and options[at]:
        if options[at] == 1:
            at += 1
            continue
        length = options[at + 1] if at + 1 < len(options) else 0
        if length < 2:
            break
        if options[at] == _OPT_MSS and length == 4 and at + 4 <= len(options):
            return options[at + 2] << 8 | options[at + 3]
        at += length
    return 0
