# SPDX-License-Identifier: MIT
"""A guest on virtual time, as scripts use it: what is typed at its operator's console and at its
terminals comes at a time of the world's clock, and what it answers is waited for there."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable

from vmkb.hercules.clock.messages import PS, Message, MessageKind, Pace
from vmkb.hercules.clock.node import Node
from vmkb.hercules.clock.world import Rank, World
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError
from vmkb.hercules.tn3270.address import Address
from vmkb.hercules.tn3270.terminal import ACTION_WITHIN, KEYS, Link, Terminal, TerminalError

REACTION_S = 0.01, 0.02
"""Seconds from what a script has seen to the key that it presses, least and most. A program is at
the keyboard: a person's pace is the workload's own business."""
KEYSTROKE = 5_000_000_000
"""Picoseconds for each character that a script types."""
LEAST = PS // 1_000_000
"""A wait is at least so long, ps: a shorter one is lost in the seconds that deadlines count."""
TOD_SECOND, FROM_1900 = 16e6, 2_208_988_800
"""Units of the emulators' clock in a second, and seconds from its beginning to 1970."""
NOBODY = 0xFFFF
"""The device number of a terminal that the emulator has not let in."""
_SEEN = struct.Struct("=QQ")


class WorldClock:
    """The world's clock, as waits use it (hercules.deadline.Clock)."""

    def __init__(self, world: World) -> None:
        self.world = world

    def now(self) -> float:
        """Seconds since the world began."""
        return self.world.now / PS

    def date(self) -> float:
        """The emulators' clock, in seconds since 1970."""
        return self.world.tod / TOD_SECOND - FROM_1900 + self.now()

    def wait(self, seconds: float, poll: float) -> None:
        """Let the world go on until something is shown at a terminal or an operator's console, for
        SECONDS at most."""
        world = self.world
        shown = world.shown
        until = world.now + max(round(seconds * PS), LEAST)
        world.run(until, lambda: world.shown != shown)
        if world.shown == shown:
            world.now = max(world.now, until)

    def sleep(self, seconds: float) -> None:
        """Let the world go on for SECONDS."""
        until = self.world.now + round(seconds * PS)
        self.world.run(until)
        self.world.now = max(self.world.now, until)


class GuestClock:
    """One emulator of a world. Its process inherits `child`; `started` tells its pid."""

    def __init__(self, world: World, name: str, pace: Pace) -> None:
        self.world = world
        self.node: Node = world.add(name, pace)
        self.sent: dict[int, int] = {}
        """Bytes that each terminal was sent in its connection, as far as it was told."""
        self.taken: dict[int, int] = {}
        """Bytes that were taken from each terminal, when the emulator looked last."""
        self.watchers: dict[int, Callable[[int], None]] = {}
        """Whom to tell when a terminal was sent something, by its device: at which time, ps."""
        self._seen: list[int] = []
        self._keys: deque[tuple[int, Callable[[], None]]] = deque()
        world.hear(self.node, MessageKind.SENT, self._heard_sent)
        world.hear(self.node, MessageKind.SEEN, self._heard_seen)
        world.hear(self.node, MessageKind.TYPED, self._heard_typed)

    def await_text(self, text: bytes) -> None:
        """Of what is on the operator's console only TEXT has scripts look; empty: anything."""
        self.node.await_text(text)

    def _heard_sent(self, message: Message) -> None:
        self.sent[message.device] = int.from_bytes(message.content, "little")
        self.world.shown += 1
        if message.device in self.watchers:
            self.watchers[message.device](message.time)

    def _heard_seen(self, message: Message) -> None:
        self.sent[message.device], self.taken[message.device] = _SEEN.unpack(message.content)
        if not self._keys:
            self._seen.append(message.device)
            return
        device, _ = self._keys.popleft()
        if message.device != device:
            raise EmulatorError(f"The emulator of {self.node.name} lost a key of {device:04X}.")
        if self._keys:
            self.world.at(message.time, lambda _: self._send_key(), Rank.SCRIPT)

    def _heard_typed(self, message: Message) -> None:
        self.world.shown += 1

    def operator(self, line: str) -> None:
        """The operator types LINE on the integrated console, now."""
        self.node.tell(MessageKind.OPERATOR, self.world.now, f"/{line}".encode())

    def look(self, device: int) -> int:
        """The emulator takes what a terminal has sent to it, and says which it was."""
        self.node.about(MessageKind.LOOK, self.world.now, device)
        return self._until_seen()

    def key(self, device: int, send: Callable[[], None]) -> None:
        """A key of a terminal, which SEND sends to the emulator; nobody waits until it is taken.

        The emulator is sent one key at a time: it reads whatever terminal has something for it."""
        self._keys.append((device, send))
        if len(self._keys) == 1:
            self._send_key()

    def leave(self, device: int) -> None:
        """Nobody is at a terminal any more: its keys that were not sent are not."""
        self.watchers.pop(device, None)
        first, later = list(self._keys)[:1], list(self._keys)[1:]
        self._keys = deque([*first, *(key for key in later if key[0] != device)])

    def _send_key(self) -> None:
        device, send = self._keys[0]
        send()
        self.node.about(MessageKind.LOOK, self.world.now, device)

    def accept(self) -> int:
        """The emulator takes a terminal's connection, and says which device it has."""
        self.node.tell(MessageKind.ACCEPT, self.world.now)
        return self._until_seen()

    def _until_seen(self) -> int:
        if not self.world.run(stop=lambda: bool(self._seen)):
            raise EmulatorError(f"The emulator of guest {self.node.name} does not look.")
        return self._seen.pop(0)

    def link(self, asked: bool = False) -> Link:
        """How a terminal reaches this guest; ASKED: the guest may ask it for its size before
        anything is typed."""
        return VirtualLink(self, asked)

    def close(self) -> None:
        """The emulator ends with its clock."""
        self.world.remove(self.node)


class VirtualLink(Link):
    """A terminal whose keys come at times of the world's clock. s3270 is a real one: the emulator
    says how many bytes it has sent, and s3270 how many it has, so a script sees all there is."""

    options: tuple[str, ...] = ("-clear", "aidWait")

    def __init__(self, guest: GuestClock, asked: bool = False) -> None:
        self._guest = guest
        if not asked:  # it would answer at a time that is not the world's
            self.options = (*self.options, "-tn", "IBM-3278-2")
        self.device = NOBODY
        """Which terminal of the guest it is."""
        self._taken = 0
        """Bytes of s3270's that the emulator has taken."""
        self._received = 0
        """Bytes that s3270 had when it was asked last."""

    def connect(self, terminal: Terminal, address: Address, within: float) -> None:
        """Connect TERMINAL. TerminalError when that fails."""
        deadline = Deadline(within, HOST)
        terminal.ask(f"Connect({address.for_s3270})", deadline)
        self.device = self._guest.accept()
        self._received = 0
        terminal.answer(deadline)
        if self.device == NOBODY:
            raise TerminalError
        self._taken = self._guest.taken[self.device]
        self._replied(terminal)

    def key(self, terminal: Terminal, action: str, deadline: Deadline) -> None:
        """Press the key of ACTION after the time that it takes; returns when the host has unlocked
        the keyboard again."""
        world = self._guest.world
        if not action.startswith(KEYS):
            if action.startswith("String"):
                world.run(world.now + KEYSTROKE * max(1, len(action) - len('String("")')))
            self.settle(terminal)
            terminal.action(action, Deadline(ACTION_WITHIN, HOST))
            return
        world.run(world.now + round(world.typing.uniform(*REACTION_S) * PS))
        self.settle(terminal)
        terminal.action(action, Deadline(ACTION_WITHIN, HOST))
        self._look()
        terminal.unlocked(deadline)

    def settle(self, terminal: Terminal) -> None:
        """Returns when s3270 has what the emulator has sent by now."""
        if self.device == NOBODY:
            return
        sent = self._guest.node.sent(self.device)
        deadline = Deadline(ACTION_WITHIN, HOST)
        while self._received < sent:
            if deadline.over:
                raise EmulatorError(f"s3270 has {self._received} of {sent} bytes that it was sent.")
            self._received = terminal.received()

    def wait(self, terminal: Terminal, deadline: Deadline) -> bool:
        """Returns when the emulator has sent something; False at the deadline."""
        world, sent = self._guest.world, self._guest.sent
        before = sent.get(self.device, 0)
        until = world.now + round(deadline.left * PS)
        world.run(until, lambda: sent.get(self.device, 0) != before)
        if sent.get(self.device, 0) != before:
            self._replied(terminal)
            return True
        world.now = max(world.now, until)
        return False

    def _replied(self, terminal: Terminal) -> None:
        """Let the emulator take what s3270 answers by itself, to a question about its screen."""
        self.settle(terminal)
        if terminal.transmitted() != self._taken:
            self._look()

    def _look(self) -> None:
        self._guest.look(self.device)
        self._taken = self._guest.taken[self.device]

    def close(self, terminal: Terminal) -> None:
        """The emulator takes notice that s3270 has ended."""
        device, self.device = self.device, NOBODY
        if device != NOBODY and not self._guest.node.ended:
            self._guest.look(device)
