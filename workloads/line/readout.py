# SPDX-License-Identifier: MIT
"""The far host's TCP in a trial's capture, and its picture. Pure but for reading it."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

from vmkb.accounting.input.capture.conversation import Conversation, conversations
from vmkb.accounting.input.capture.files import packets
from vmkb.accounting.input.capture.segments import ACK, SYN, Segment, segments
from vmkb.accounting.input.capture.sender import Sender
from vmkb.accounting.records import Record, Source, Unit, Value, Where

FTP_DATA, FTP = 20, 21


class NoTransfer(ValueError):
    """The capture has no data connection with data; the sentence says so."""


def _with(talks: list[Conversation], port: int) -> list[tuple[Sender, Sender]]:
    """The two directions of each connection with PORT at one end, that end's first."""
    found = []
    for talk in talks:
        one, other = talk.senders
        if other.source[1] == port:
            one, other = other, one
        if one.source[1] == port:
            found.append((one, other))
    return found


def read_capture(path: Path) -> dict[str, Any]:
    """The far host's data connection, in bytes, counts and microseconds, and its picture:
    when what was sent and what was acknowledged. NoTransfer if there was none."""
    every = list(segments(packets(path)))
    talks = conversations(every)
    data = [pair for pair in _with(talks, FTP_DATA) if pair[0].sizes]
    if not data:
        raise NoTransfer("the capture has no data connection with data in it")
    sender, receiver = data[-1]
    control = _with(talks, FTP)
    told: dict[str, Any] = {
        "bytes": sender.new,
        "sent": sender.sent,
        "resent": sender.resent,
        "elapsed": round(sender.seconds * 1e6),
        "segments": sender.segments,
        "again": len(sender.again),
        "lone": receiver.bare,
        "commanded": sum(near.segments for _, near in control),
        "answered": sum(far.bare for far, _ in control),
        "largest": max(sender.sizes),
        "idle": len(sender.idle),
        "longest": round(max(sender.idle, default=0) / 1e3),
        "flight": sender.flights,
        "trip": round(median(sender.trips) / 1e3) if sender.trips else None,
        "wait": round(min(sender.waits) / 1e3) if sender.waits else None,
    }
    return {**told, "picture": _picture(every, sender)}


def _picture(every: list[Segment], sender: Sender) -> dict[str, list[tuple[float, int]]]:
    """Seconds since the first data, and the place in the file that was sent or acknowledged."""
    ends = (sender.source, sender.target)
    mine = [s for s in every if ends in ((s.source, s.target), (s.target, s.source))]
    base = next(s.seq for s in mine if s.source == sender.source and s.flags & SYN) + 1
    begun = min(s.at for s in mine if s.source == sender.source and s.size)
    sent, acked = [], []
    for s in mine:
        at = round((s.at - begun) / 1e9, 3)
        if s.source == sender.source and s.size:
            sent.append((at, (s.seq - base) % 2**32 + s.size))
        elif s.source == sender.target and s.flags & ACK and at >= 0:
            acked.append((at, min((s.ack - base) % 2**32, sender.new)))
    return {"sent": sent, "acked": acked}


_UNITS = {
    **dict.fromkeys(("elapsed", "trip", "wait", "longest"), Unit.US),
    **dict.fromkeys(("bytes", "sent", "resent", "largest", "flight"), Unit.BYTE),
}


def sender_record(told: dict[str, Any], raw: str, where: Where) -> Record:
    """The same as a record; RAW is the line that is kept of it."""
    fields = {
        name: Value(n, _UNITS.get(name, Unit.COUNT), Source.WI)
        for name, n in told.items()
        if isinstance(n, int)
    }
    return Record("tcp_sender", fields, raw, where)


def picture(record: Record) -> dict[str, list[tuple[float, int]]]:
    """The picture in a record's raw text."""
    drawn: dict[str, list[tuple[float, int]]] = json.loads(record.raw)["picture"]
    return drawn
