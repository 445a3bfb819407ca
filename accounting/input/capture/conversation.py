# SPDX-License-Identifier: MIT
"""The TCP connections of a capture, each with its two senders. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vmkb.accounting.input.capture.segments import ACK, SYN, End, Segment
from vmkb.accounting.input.capture.sender import Sender


@dataclass
class Conversation:
    """One connection; `caller` is who was seen first: who sent the SYN, if that was seen."""

    caller: Sender
    called: Sender
    ended: int
    """When its last segment so far came, in ns."""
    isn: int = -1

    @property
    def senders(self) -> tuple[Sender, Sender]:
        """Both directions."""
        return self.caller, self.called

    def add(self, s: Segment) -> None:
        """The next segment of either direction."""
        for sender in self.senders:
            sender.rests(s.at - self.ended)
        self.ended = s.at
        mine, other = self.senders if s.source == self.caller.source else self.senders[::-1]
        mine.takes(s)
        other.hears(s)


def conversations(found: Iterable[Segment]) -> list[Conversation]:
    """The connections, in the order in which they began. A SYN with another number on the same
    addresses and ports begins a new one."""
    made: list[Conversation] = []
    live: dict[tuple[End, End], Conversation] = {}
    for s in found:
        key = (s.source, s.target) if s.source < s.target else (s.target, s.source)
        talk = live.get(key)
        fresh = s.flags & (SYN | ACK) == SYN
        if talk is None or (fresh and talk.isn not in (-1, s.seq)):
            talk = Conversation(
                Sender(s.source, s.target), Sender(s.target, s.source), s.at,
                s.seq if fresh else -1,
            )  # fmt: skip
            live[key] = talk
            made.append(talk)
        talk.add(s)
    return made
