# SPDX-License-Identifier: MIT
"""The table of the TCPs in a capture: one row for each direction that moved data. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from vmkb.accounting.input.capture.conversation import Conversation
from vmkb.accounting.input.capture.segments import place
from vmkb.accounting.input.capture.sender import Sender
from vmkb.accounting.tables.table import Cell, Row, Section, Table, header, printed, word

HEADS = (
    "KB", "KB/s", "Of the line, %", "Segments", "Mean size", "MSS", "Sent again",
    "% of bytes", "Bare ACKs a segment", "RTT, ms", "Least wait, ms", "Most in flight",
    "Idle > 1 s", "Longest, s",
)  # fmt: skip
_SOURCE = "(WI)"


def senders_table(talks: Sequence[Conversation], capacity: float = 0.0) -> Table:
    """All directions with data. CAPACITY: bytes of data a second that the line can carry at best,
    0 if that is not known."""
    rows = [
        _row(sender, other, capacity)
        for talk in talks
        for sender, other in (talk.senders, talk.senders[::-1])
        if sender.sizes
    ]
    head = header("Sender", HEADS)
    notes = (
        "Counted from the capture (WI). Sent again: segments with sequence numbers that are not"
        " beyond all seen before. Bare ACKs a segment: segments of the other end with nothing but"
        " an acknowledgement, for each data segment. RTT: median, from data that was sent once to"
        " its acknowledgement; least wait: the shortest time after which data was sent again.",
    )
    return Table("tcp", "What each TCP did", (head, Section("body", tuple(rows))), notes)


def histogram_table(talks: Sequence[Conversation]) -> Table:
    """How many segments of which size each direction sent, the ten commonest sizes."""
    rows = []
    for talk in talks:
        for sender in talk.senders:
            for size, count in sorted(sender.sizes.most_common(10), reverse=True):
                share = 100 * count / sender.segments
                rows.append(
                    Row(
                        f"{place(sender.source)} > {place(sender.target)}",
                        (printed(size, "B", _SOURCE), printed(count, "", _SOURCE),
                         printed(share, "%", _SOURCE)),
                    )
                )  # fmt: skip
    head = header("Sender", ("Bytes", "Segments", "%"))
    return Table("sizes", "Sizes of segments", (head, Section("body", tuple(rows))), keys=1)


def _row(sender: Sender, other: Sender, capacity: float) -> Row:
    seconds = sender.seconds
    rate = sender.new / seconds if seconds > 0 else 0.0
    trip = median(sender.trips) / 1e6 if sender.trips else None
    cells = (
        printed(sender.new / 1024, "KB", _SOURCE),
        _maybe(rate / 1024 if seconds > 0 else None, "KB/s"),
        _maybe(100 * rate / capacity if capacity and seconds > 0 else None, "%"),
        printed(sender.segments, "", _SOURCE),
        printed(sender.sent / sender.segments, "B", _SOURCE),
        _maybe(_mss(sender, other), "B"),
        printed(len(sender.again), "", _SOURCE),
        printed(100 * sender.resent / sender.sent, "%", _SOURCE),
        printed(other.bare / sender.segments, "", _SOURCE),
        _maybe(trip, "ms"),
        _maybe(min(sender.waits) / 1e6 if sender.waits else None, "ms"),
        printed(sender.flights, "B", _SOURCE),
        printed(len(sender.idle), "", _SOURCE),
        _maybe(max(sender.idle) / 1e9 if sender.idle else None, "s"),
    )
    return Row(f"{place(sender.source)} > {place(sender.target)}", cells)


def _mss(sender: Sender, other: Sender) -> float | None:
    """The most data that a segment may have: what the other end said, else the sender itself."""
    return float(other.mss or sender.mss) or None


def _maybe(x: float | None, unit: str) -> Cell:
    return word("-") if x is None else printed(x, unit, _SOURCE)
