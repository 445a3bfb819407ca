# SPDX-License-Identifier: MIT
"""TCP segments out of Ethernet frames: the header's fields and the data's length (RFC 791, 8200,
9293).

Pure. Fragments other than a first one, what is cut off within its headers, and what has other
headers between those of IPv6 and TCP, are no segments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import NamedTuple

from vmkb.accounting.input.capture.files import ETHERNET, Packet

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
_OPT_MSS = 2
End = tuple[bytes, int]
"""An address of 4 or 16 bytes, and a port."""


class Segment(NamedTuple):
    """One segment. `at` in ns, `number` is the packet's in its file, counted from 1; `size` is the
    data's in bytes; `mss` is 0 where not said."""

    at: int
    number: int
    source: End
    target: End
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


def place(end: End) -> str:
    """An end of a connection as people write it."""
    address = ip_address(end[0])
    return f"[{address}]:{end[1]}" if address.version == 6 else f"{address}:{end[1]}"


def segments(found: Iterable[Packet]) -> Iterator[Segment]:
    """The TCP segments among FOUND, in order."""
    new, number = tuple.__new__, 0
    for packet in found:
        number += 1
        d = packet.data
        found_at = _tcp(d) if packet.link == ETHERNET else None
        if found_at is None or len(d) < found_at[0] + 20:
            continue
        tcp, end, source, target = found_at
        head = (d[tcp + 12] >> 4) * 4
        flags = d[tcp + 13] & 0x3F
        size = end - tcp - head
        if head < 20 or size < 0:
            continue
        yield new(
            Segment,
            (
                packet.time,
                number,
                (source, d[tcp] << 8 | d[tcp + 1]),
                (target, d[tcp + 2] << 8 | d[tcp + 3]),
                int.from_bytes(d[tcp + 4 : tcp + 8]),
                int.from_bytes(d[tcp + 8 : tcp + 12]),
                flags,
                d[tcp + 14] << 8 | d[tcp + 15],
                size,
                _mss(d[tcp + 20 : tcp + head]) if flags & SYN else 0,
            ),
        )


def _tcp(d: memoryview) -> tuple[int, int, bytes, bytes] | None:
    """Where TCP's header begins in the frame D and its packet ends, and the addresses; None if it
    is no segment."""
    if len(d) < 54:
        return None
    if d[12] == 0x08 and not d[13]:
        if d[14] >> 4 != 4 or d[23] != 6 or d[20] & 0x1F or d[21]:
            return None  # no first fragment
        end = 14 + (d[16] << 8 | d[17])
        return 14 + (d[14] & 15) * 4, end, bytes(d[26:30]), bytes(d[30:34])
    if d[12] == 0x86 and d[13] == 0xDD and d[14] >> 4 == 6 and d[20] == 6:
        return 54, 54 + (d[18] << 8 | d[19]), bytes(d[22:38]), bytes(d[38:54])
    return None


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
