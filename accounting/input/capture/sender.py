# SPDX-License-Identifier: MIT
"""How one end of a TCP connection behaves, from what it sent and what came back. Pure.

The wire captures a frame in its switch, behind the sender's own link. On a wire that does not
reorder, a segment whose sequence numbers are not beyond all seen before is a retransmission, also
where the first transmission was lost before it could be captured. Round trips are measured by
Karn's rule: from data that was sent once to the first acknowledgement that covers it.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field

from vmkb.accounting.input.capture.segments import ACK, FIN, RST, SYN, End, Segment

_HALF = 1 << 31
_WHOLE = 1 << 32
IDLE_NS = 1_000_000_000
"""Nothing sent by either end for longer, while data is not acknowledged, is an idle gap."""


@dataclass
class Sender:
    """One direction of a connection.

    `sizes` counts data segments by their data in bytes; `sent` are the bytes of all of them, `new`
    those that were not seen before. `again` are the packets' numbers of retransmissions; `waits`
    the ns from the last transmission of that data to it, in order. `bare` counts segments with
    nothing but an acknowledgement. `trips` are round trips in ns, sorted. `flights` is the most
    data not yet acknowledged.
    """

    source: End
    target: End
    mss: int = 0
    sizes: Counter[int] = field(default_factory=Counter)
    sent: int = 0
    new: int = 0
    resent: int = 0
    again: list[int] = field(default_factory=list)
    waits: list[int] = field(default_factory=list)
    bare: int = 0
    trips: list[int] = field(default_factory=list)
    flights: int = 0
    idle: list[int] = field(default_factory=list)
    """Idle gaps in ns."""
    begun: int = 0
    acked_at: int = 0
    _base: int = -1
    _next: int = 0
    _una: int = 0
    probes: int = 0
    """Keep-alives and probes of a window of 0."""
    _offered: int = -1
    _holes: list[tuple[int, int]] = field(default_factory=list)
    _pending: dict[int, tuple[int, bool]] = field(default_factory=dict)
    """End of a segment -> when it was last sent, and whether that was the first time."""

    @property
    def segments(self) -> int:
        """Data segments."""
        return sum(self.sizes.values())

    @property
    def outstanding(self) -> int:
        """Bytes sent and not acknowledged."""
        return self._next - self._una

    @property
    def seconds(self) -> float:
        """From the first data to the last acknowledgement of new data."""
        return (self.acked_at - self.begun) / 1e9 if self.acked_at else 0.0

    def place(self, seq: int) -> int:
        """A sequence number as its distance from the first one of this direction."""
        near = (seq - self._base - self._next + _HALF) % _WHOLE - _HALF
        return self._next + near

    def takes(self, s: Segment) -> None:
        """A segment of this end's own."""
        if s.flags & RST:
            return
        if s.flags & SYN:
            self.mss = s.mss
        if self._base < 0:
            self._base = s.seq
        start = self.place(s.seq)
        if not s.space:
            self.bare += 1
            if start > self._next:  # it tells of data that was lost before it could be captured
                self._holes.append((self._next, start))
                self._next = start
            return
        end = start + s.space
        if self._asks_only(s, start):
            self.probes += 1
            return
        first_time = start >= self._next
        if s.size:
            self._data(s, start)
        if not first_time:
            self.again.append(s.number)
            self.resent += s.size
            last = self._sent_last(start)
            if last is not None:
                self.waits.append(s.at - last)
        self._pending[end] = (s.at, first_time)
        self._next = max(self._next, end)
        self.flights = max(self.flights, self.outstanding)

    def hears(self, s: Segment) -> None:
        """A segment of the other end: what it acknowledges."""
        if not s.flags & ACK or self._base < 0:
            return
        self._offered = s.window
        ack = self.place(s.ack)
        if not self._una < ack <= self._next:
            return
        taken = self._pending.get(ack)
        if taken is not None and taken[1]:
            insort(self.trips, s.at - taken[0])
        for end in [end for end in self._pending if end <= ack]:
            del self._pending[end]
        self._una = ack
        if self.begun:
            self.acked_at = s.at

    def rests(self, nanoseconds: int) -> None:
        """Nobody said anything for so long."""
        if nanoseconds > IDLE_NS and self.outstanding:
            self.idle.append(nanoseconds)

    def _asks_only(self, s: Segment, start: int) -> bool:
        """A keep-alive, or a probe of a window of 0: a byte that makes the other end answer."""
        if s.size > 1 or s.flags & (SYN | FIN):
            return False
        return start == self._next - 1 or (start == self._next and self._offered == 0)

    def _data(self, s: Segment, start: int) -> None:
        if not self.begun:
            self.begun = s.at
        self.sizes[s.size] += 1
        self.sent += s.size
        first = start + bool(s.flags & SYN)
        end = first + s.size
        if first > self._next:
            self._holes.append((self._next, first))
        self.new += max(0, end - max(first, self._next)) + self._fill(first, end)

    def _fill(self, start: int, end: int) -> int:
        """Bytes of a stretch that were lost before they were captured, which are known from now."""
        filled, left = 0, []
        for low, high in self._holes:
            a, b = max(low, start), min(high, end)
            if a >= b:
                left.append((low, high))
                continue
            filled += b - a
            left += [(x, y) for x, y in ((low, a), (b, high)) if x < y]
        self._holes = left
        return filled

    def _sent_last(self, start: int) -> int | None:
        """When data from START on was last sent; None if all of it was acknowledged before."""
        return min((at for over, (at, _) in self._pending.items() if over > start), default=None)
