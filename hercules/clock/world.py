# SPDX-License-Identifier: MIT
"""The clock of a world: emulators, a LAN between them, and whatever else happens at a time.

Synchronisation is conservative (docs/reference/clock.md). Each emulator runs until it has used the
time granted to it. What it sends at t reaches the LAN at t + lookahead, so nothing can come to
an emulator before the least time at which another can act, plus lookahead: until then it may go
on. Nobody acts before all who were granted time have asked again, and what they sent meanwhile is
put in order by its virtual time first. So the course of a world follows from its input.
"""

from __future__ import annotations

import enum
import hashlib
import heapq
import io
import random
import zlib
from collections.abc import Callable, Sequence
from typing import TextIO

from vmkb.hercules.clock.messages import NEVER, PS, Message, MessageKind, Pace
from vmkb.hercules.clock.node import Node, Second
from vmkb.hercules.deadline import EmulatorError

LOOKAHEAD = 20_000_000
"""Picoseconds from a WRITE to the moment at which its block is on the LAN, and the least time from
WRITE to its end, if the world is not told its adapters' time (hercules.wire.profile)."""
TOD_UNIT = 62_500
"""Picoseconds in a unit of the emulators' clock, 1/16 us."""
RECORDED_AT_ONCE = 256
"""So many events are kept until they are written."""
CHUNK = PS
"""An emulator works so long at most before it is heard of again."""

Action = Callable[[int], None]


def _time_said(entry: tuple[Message, Node]) -> int:
    return entry[0].time


def _given(take: Callable[[Message], None], message: Message) -> Action:
    return lambda _: take(message)


class Watch(enum.IntFlag):
    """An event that ends an emulator's time when it happens."""

    NOTHING = 0
    TERMINALS = 1
    OPERATOR = 2


class Rank(enum.IntEnum):
    """Which of the things that happen in one instant comes first."""

    SCRIPT = 0
    STATION = 1
    BLOCK = 2


class World:
    """Emulators and the events between them. `now` is a time, ps, that all of them have reached;
    `tod` the emulators' clock at their start, 1/16 us since 1900.

    `trace`, if there is one, gets a line for each event: what a replay compares. `lookahead`: ps
    from a WRITE to the LAN."""

    def __init__(
        self, tod: int, seed: int = 0, trace: TextIO | None = None, lookahead: int = LOOKAHEAD
    ) -> None:
        self.lookahead = lookahead
        self.tod = tod
        self.typing = random.Random(f"{seed}/typing")
        """Draws how long scripts take to react and to type."""
        self.now = 0
        self.shown = 0
        """How often something was shown at a terminal or an operator's console."""
        self.rounds = 0
        self.nodes: list[Node] = []
        self._events: list[tuple[int, int, int, int, Action]] = []
        self._order = 0
        self._takers: dict[tuple[int, int], Callable[[Message], None]] = {}
        self._heard: list[tuple[Message, Node]] = []
        self._digest = hashlib.sha256()
        self._trace = trace
        self._recorded: list[str] = []
        self._due: list[tuple[Callable[[], int | None], Action]] = []
        self.checks: list[Callable[[], None]] = []
        """Called while an emulator is silent; they raise what is wrong elsewhere."""
        self._over = False

    def add(self, name: str, pace: Pace) -> Node:
        """An emulator is about to be started: its node. The process gets `Node.child`. One that
        comes later than the world's beginning finds the clock at what it is then."""
        units = -(-self.now // TOD_UNIT)
        began = units * TOD_UNIT
        node = Node(name, len(self.nodes), pace, self.tod + units, self.lookahead, began)
        self.nodes.append(node)
        return node

    def remove(self, node: Node) -> None:
        """An emulator belongs to this world no longer."""
        node.running = False
        node.ended = True
        node.next = NEVER
        node.close()

    def seconds(self) -> list[Second]:
        """Another emulator for each of the world's, from where they stand, for a process that is
        forked from this one. EmulatorError if there can be none."""
        made: list[Second] = []
        try:
            for node in self._live():
                made.append(node.second())
        except BaseException:
            for second in made:
                second.socket.close()
            raise
        return made

    def become(self, seconds: Sequence[Second]) -> None:
        """In a forked process: the world's emulators are these from now on."""
        for node, second in zip(self._live(), seconds, strict=True):
            node.become(second)

    def trace_into(self, trace: TextIO) -> None:
        """What has happened, and what will, gets its lines in TRACE."""
        self.write_out()
        before, self._trace = self._trace, trace
        if isinstance(before, io.StringIO):
            trace.write(before.getvalue())

    def hear(self, node: Node, kind: MessageKind, take: Callable[[Message], None]) -> None:
        """TAKE is given NODE's messages of this KIND, in the order of the world's time."""
        self._takers[node.index, kind] = take

    def at(self, time: int, action: Action, rank: Rank, who: int = 0) -> None:
        """ACTION happens at TIME, ps, which must not be past; among the things of one instant by
        RANK, then by WHO, then as they were told."""
        self._order += 1
        heapq.heappush(self._events, (max(time, self.now), rank, who, self._order, action))

    def follow(self, due: Callable[[], int | None], act: Action) -> None:
        """Something with a clock of its own, such as a LAN: DUE says when it wants to be called
        next, and ACT is called then."""
        self._due.append((due, act))

    @property
    def digest(self) -> str:
        """SHA-256 of all that has happened, in order."""
        self.write_out()
        return self._digest.hexdigest()

    def write_out(self) -> None:
        """Add what was recorded to the digest and to the trace."""
        text = "".join(self._recorded)
        self._recorded.clear()
        self._digest.update(text.encode())
        if self._trace is not None:
            self._trace.write(text)

    def _live(self) -> list[Node]:
        return [node for node in self.nodes if not node.ended]

    def _check(self) -> None:
        for check in self.checks:
            check()

    def _gather(self) -> None:
        """Hear everybody out; then what they said, in the order of its time."""
        for node in self.nodes:
            if node.running and not node.ended:
                self._heard += [(message, node) for message in node.gather(self._check)]
        if not self._heard:
            return
        heard, self._heard = self._heard, []
        heard.sort(key=_time_said)  # stable: then by node, then as they were said
        for message, node in heard:
            self._record(node.name, message)
            taker = self._takers.get((node.index, message.kind))
            if taker is None:
                continue
            if message.kind is MessageKind.WRITE:
                time = message.time + self.lookahead
                self.at(time, _given(taker, message), Rank.BLOCK, node.index)
            else:
                taker(message)

    def _record(self, name: str, message: Message) -> None:
        kind, time, device, content = message
        self._recorded.append(
            f"{time} {name} {kind._name_} {device:04X} {len(content)} {zlib.crc32(content):08x}\n"
        )
        if len(self._recorded) == RECORDED_AT_ONCE:
            self.write_out()

    def _next_due(self) -> tuple[int, Action | None]:
        """The next thing that happens outside of the emulators."""
        time: int = NEVER
        action: Action | None = None
        if self._events:
            time = self._events[0][0]
        for due, act in self._due:
            wanted = due()
            if wanted is not None and (wanted < time):
                time, action = wanted, act
        return time, action

    def _happen(self, until: int, stop: Callable[[], bool]) -> int:
        """Everything that can be known happens, before UNTIL or until STOP says so; the time of
        what is next."""
        while True:
            floor = min([node.next for node in self.nodes if not node.ended], default=NEVER)
            safe = NEVER if floor == NEVER else floor + self.lookahead
            time, act = self._next_due()
            if time >= min(safe, until):
                return time
            self.now = max(self.now, time)
            if act is None:
                act = heapq.heappop(self._events)[4]
            act(time)
            if stop():
                return time

    def run(
        self, until: int = NEVER, stop: Callable[[], bool] = bool, watch: Watch = Watch.NOTHING
    ) -> bool:
        """Let the world go on until the time UNTIL, ps, or until STOP says so; False if neither
        came, since nothing more happens. STOP is asked when everybody has used his time, and when
        something has happened between them; WATCH says what ends that time.

        EmulatorError when an emulator ends. A KeyboardInterrupt is the end of the world: what an
        emulator said may be lost, and it would be waited for in vain."""
        if self._over:
            raise KeyboardInterrupt
        try:
            return self._run(until, stop, watch)
        except KeyboardInterrupt:
            self.end()
            raise

    def end(self) -> None:
        """Every emulator ends, and whoever has the world go on is interrupted."""
        self._over = True
        for node in self.nodes:
            self.remove(node)

    def _run(self, until: int, stop: Callable[[], bool], watch: Watch) -> bool:
        while True:
            self._gather()
            if stop():
                self._meet()
                return True
            event = self._happen(until, stop)
            if stop():
                self._meet()
                return True
            self.rounds += 1
            live = self._live()
            granted = False
            for node in live:
                limit = event if event < until else until
                for other in live:
                    if other is not node and other.next < limit - self.lookahead:
                        limit = other.next + self.lookahead
                if node.next <= node.now:
                    limit = min(limit, node.now + CHUNK)
                if node.next < limit and not node.stopped:
                    node.grant(limit, watch)
                    granted = True
            if not granted:
                if until != NEVER and min([event, *(n.next for n in live)]) >= until:
                    self.now = max(self.now, until)
                    return True
                if event == NEVER:
                    self._meet()
                    return False
                raise EmulatorError("The world stands still although something is to happen.")

    def _meet(self) -> None:
        self.now = max([self.now, *(node.now for node in self._live())])
