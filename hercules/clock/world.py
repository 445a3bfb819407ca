# SPDX-License-Identifier: MIT
"""The clock of a world: emulators, a LAN between them, and whatever else happens at a time.

Synchronisation is conservative (docs/reference/clock.md), and the engine's business
(hercules/clock/engine). Here is what concerns Python: scripts, stations, and whether to go on.
"""

from __future__ import annotations

import ctypes
import enum
import hashlib
import heapq
import io
import random
from collections.abc import Callable, Sequence
from typing import TextIO

from vmkb.hercules.clock import native
from vmkb.hercules.clock.messages import NEVER, Message, MessageKind, Pace
from vmkb.hercules.clock.native import engine
from vmkb.hercules.clock.node import Fork, Node
from vmkb.hercules.deadline import EmulatorError

LOOKAHEAD = 20_000_000
"""Picoseconds from a WRITE to the moment at which its block is on the LAN, and the least time from
WRITE to its end, if the world is not told its adapters' time (hercules.wire.profile)."""
TOD_UNIT = 62_500
"""Picoseconds in a unit of the emulators' clock, 1/16 us."""

Action = Callable[[int], None]


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
        self._engine = engine()
        self.pointer = self._engine.world_new(lookahead)
        self._state: native.World = self.pointer.contents
        self.lookahead = lookahead
        self.tod = tod
        self.typing = random.Random(f"{seed}/typing")
        """Draws how long scripts take to react and to type."""
        self.shown = 0
        """How often something was shown at a terminal or an operator's console."""
        self.nodes: list[Node] = []
        self._events: list[tuple[int, int, int, int, Action]] = []
        self._order = 0
        self._takers: dict[tuple[int, int], Callable[[Message], None]] = {}
        self._digest = hashlib.sha256()
        self._trace = trace
        self._due: list[tuple[Callable[[], int | None], Action]] = []
        self.checks: list[Callable[[], None]] = []
        """Called while an emulator is silent; they raise what is wrong elsewhere."""
        self.woken: dict[int, Callable[[], None]] = {}
        """Whom to call when frames have come for a port, by its index."""
        self._over = False

    @property
    def now(self) -> int:
        """A time, ps, that all emulators have reached."""
        return int(self._state.now)

    @now.setter
    def now(self, time: int) -> None:
        self._state.now = time

    @property
    def rounds(self) -> int:
        """How often all emulators had used their time."""
        return int(self._state.rounds)

    def add(self, name: str, pace: Pace) -> Node:
        """An emulator is about to be started: its node. The process gets `Node.child`. One that
        comes later than the world's beginning finds the clock at what it is then."""
        units = -(-self.now // TOD_UNIT)
        began = units * TOD_UNIT
        node = Node(
            self.pointer, name, len(self.nodes), pace, self.tod + units, self.lookahead, began
        )
        self.nodes.append(node)
        return node

    def remove(self, node: Node) -> None:
        """An emulator belongs to this world no longer."""
        node.close()

    def forks(self) -> list[Fork]:
        """A fork of each of the world's emulators, for a process that is forked from this one.
        EmulatorError if there can be none."""
        made: list[Fork] = []
        try:
            for node in self._live():
                made.append(node.fork())
        except BaseException:
            for fork in made:
                fork.close()
            raise
        return made

    def become(self, forks: Sequence[Fork]) -> None:
        """In a forked process: the world's emulators are these from now on."""
        for node, fork in zip(self._live(), forks, strict=True):
            node.become(fork)

    def trace_into(self, trace: TextIO) -> None:
        """What has happened, and what will, gets its lines in TRACE."""
        self.write_out()
        before, self._trace = self._trace, trace
        if isinstance(before, io.StringIO):
            trace.write(before.getvalue())

    def hear(self, node: Node, kind: MessageKind, take: Callable[[Message], None]) -> None:
        """TAKE is given NODE's messages of this KIND, in the order of the world's time."""
        node.hear(kind)
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
        """SHA-256 of all that has happened until now, in order."""
        self.write_out(over=True)
        return self._digest.hexdigest()

    def write_out(self, over: bool = False) -> None:
        """Add what was recorded to the digest and to the trace; unless the world is OVER, only what
        nothing earlier can follow."""
        text = ctypes.c_void_p()
        length = self._engine.python_trace(self.pointer, over, ctypes.byref(text))
        said = ctypes.string_at(text, length) if length else b""
        self._digest.update(said)
        if self._trace is not None:
            self._trace.write(said.decode("ascii"))

    def _live(self) -> list[Node]:
        return [node for node in self.nodes if not node.ended]

    def _next_due(self) -> tuple[int, Action | None]:
        """The next thing of Python's with a clock of its own."""
        time: int = NEVER
        action: Action | None = None
        for due, act in self._due:
            wanted = due()
            if wanted is not None and (wanted < time):
                time, action = wanted, act
        return time, action

    def _hear(self) -> None:
        """Who takes it gets what an emulator has said."""
        said = self._state.told
        kind = MessageKind(said.kind)
        content = ctypes.string_at(said.content, said.length)
        self._takers[said.node, kind](Message(kind, said.time, said.device, content))

    def _act(self) -> None:
        """What is due happens: an event, or something with a clock of its own that is earlier."""
        time, act = self._next_due()
        if act is None or (self._events and self._events[0][0] <= time):
            act = heapq.heappop(self._events)[4]
        act(self._state.due)

    def wake(self) -> None:
        """Who is at a port for which something has come is called."""
        while (index := self._engine.python_woken(self.pointer)) >= 0:
            self.woken[index]()

    def _silent(self) -> None:
        for check in self.checks:
            check()
        self.nodes[self._state.silent].silent()

    def run(self, until: int = NEVER, stop: Callable[[], bool] = bool) -> bool:
        """Let the world go on until the time UNTIL, ps, or until STOP says so; False if neither
        came, since nothing more happens. STOP is asked when something has happened that concerns
        Python. Afterwards all emulators have reached `now`, and none has gone on.

        EmulatorError when an emulator ends. A KeyboardInterrupt is the end of the world: what an
        emulator said may be lost, and it would be waited for in vain."""
        if self._over:
            raise KeyboardInterrupt
        try:
            return self._run(until, stop)
        except KeyboardInterrupt:
            self.end()
            raise

    def end(self) -> None:
        """Every emulator ends, and whoever has the world go on is interrupted."""
        self._over = True
        for node in self.nodes:
            self.remove(node)

    def _run(self, until: int, stop: Callable[[], bool]) -> bool:
        python = native.Python()
        self._engine.world_begin(self.pointer)
        while True:
            python.event, python.rank, python.who = NEVER, 0, 0
            if self._events:
                python.event, python.rank, python.who = self._events[0][:3]
            python.follower = self._next_due()[0]
            why = self._engine.world_run(self.pointer, until, python)
            if why == native.SILENT:
                self._silent()
                continue
            if self._state.silent >= 0:
                self.nodes[self._state.silent].spoke()
                self._state.silent = -1
            if why == native.UNTIL:
                return True
            if why == native.NOTHING:
                return False
            if why == native.STANDS:
                raise EmulatorError("The world stands still although something is to happen.")
            if why == native.LATE:
                raise EmulatorError("An emulator was told of something when it was past.")
            if why == native.HEARD:
                self._hear()
            elif why == native.DUE:
                self._act()
            elif why == native.BREATH:
                self.write_out()
                continue
            self.wake()
            if stop():
                return self._run(self.now, bool)
