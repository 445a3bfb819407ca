# SPDX-License-Identifier: MIT
"""The LAN: a switch that learns addresses, with any number of ports. Pure: time is an argument.

A frame crosses the sender's link up to the switch and a receiver's link down from it; both are
worked out when the frame comes in, and the copies wait in a heap for the time at which they
arrive. What arrives at once goes straight into the receiver's queue.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from vmkb.hercules.wire.attachment import Place
from vmkb.hercules.wire.block import BLOCK_MAX, PAGED
from vmkb.hercules.wire.bridge import Bridge
from vmkb.hercules.wire.link import Direction, Medium, Transit
from vmkb.hercules.wire.named import Named
from vmkb.hercules.wire.profile import Profile

ADDRESSES_MAX = 4096
"""Addresses that the switch remembers; with more it floods."""
IN_FLIGHT_MAX = 64 * 1024 * 1024
"""Bytes on the way to one port: bounds what a long delay without a rate can hold."""
BLOCKS_WAITING = 16
"""With more of them its receiver cannot follow, and they are put together."""
FOLLOWS_WITHIN = 0.003
"""Seconds from one frame's arrival to the next one's if that follows it on the medium."""
Watcher = Callable[[float, Place, bytes], None]


class Port:
    """A place on the LAN: its two directions, and the frames that its owner has yet to take."""

    def __init__(self, name: str, kind: str, index: int, up: Direction, down: Direction) -> None:
        self.name = name
        self.kind = kind
        self.index = index
        self.up = up
        self.down = down
        self.connected = False
        self.queue: deque[bytes] = deque()
        self.queued_bytes = 0
        self._ends: deque[int] = deque()  # of blocks in the queue, by number of frame
        self._number = 0  # of the first frame in the queue
        self.last_arrival = 0.0
        self.taken_frames = self.taken_bytes = 0
        self.in_flight = self.in_flight_bytes = 0
        self.due: deque[float] = deque()
        """When the frames on their way arrive, in order; without those held back on purpose."""
        self.expected: list[float] = []
        """A heap of when frames for it come to the switch that have yet to cross its link."""
        self.expected_bytes = 0
        self._towards: dict[str, Port] = {}  # of the last frames from it, those behind a channel
        self._last_at: deque[float] = deque()  # when the last frames of blocks arrive
        self.followed = False
        """Whether the newest frame in the queue has another one close behind it."""
        self.wake: Callable[[], None] = lambda: None
        """Called when frames came into the queue; must not call back into the LAN."""

    def end_block(self) -> None:
        """The ends of the blocks in the queue."""
        end = self._number + len(self.queue)
        if end > (self._ends[-1] if self._ends else self._number):
            self._ends.append(end)

    def end_sent(self) -> None:
        """The ends of the blocks that are on their way, or in the queue if none is."""
        if self.due:
            self._last_at.append(self.due[-1])
        else:
            self.end_block()

    def arrived(self, when: float) -> None:
        """A frame came into the queue at that time, WHEN."""
        while self._last_at and self._last_at[0] <= when:
            self._last_at.popleft()
            self.end_block()

    @property
    def whole(self) -> int:
        """Frames of the queue that may go up by themselves: gms_net's wait for the end of the block
        that they were sent in."""
        ended = self._ends[-1] - self._number if self._ends else 0
        for index in range(ended, len(self.queue)):
            if self.queue[index][12:14] == PAGED:
                return index
        return len(self.queue)

    @property
    def room(self) -> int | None:
        """Bytes of frames that may still be sent to this port; None if nobody is there."""
        if not self.connected:
            return None
        free = self.down.profile.queue - self.queued_bytes
        return min(free, IN_FLIGHT_MAX - self.in_flight_bytes) if self.in_flight else free

    @property
    def waiting(self) -> int:
        """Bytes of the first frame that waits; 0 if none does."""
        return len(self.queue[0]) if self.queue else 0

    @property
    def profile(self) -> Profile:
        """The profile of its link."""
        return self.up.profile

    @property
    def paced(self) -> bool:
        """Whether its link has a rate."""
        return bool(self.up.profile.rate)

    def busy(self, now: float) -> float:
        """Seconds from NOW until half of what its link can hold is free."""
        return max(0.0, self.up.ready_at(self.up.profile.queue // 2) - now)

    @property
    def full(self) -> bool:
        """Whether what is on its way to it, or waits for it, leaves no room for one block more."""
        ahead = self.queued_bytes + self.in_flight_bytes + self.expected_bytes
        queue = self.down.profile.queue
        return self.connected and ahead > max(queue - BLOCK_MAX, queue // 2)

    @property
    def held(self) -> bool:
        """Whether it had better wait before it sends more: the router between two channels has no
        room for what the receiver of its last frames has not read."""
        return any(target.full for target in self._towards.values())

    def sends_to(self, target: Port) -> None:
        """A frame of its last ones goes to a port behind a channel."""
        self._towards[target.name] = target

    def begins(self) -> None:
        """More frames come from it."""
        self._towards.clear()

    def take(self, room: int, per_frame: int, together: bool = False) -> list[bytes]:
        """Frames from the queue, in order, as many as fit `room` bytes with `per_frame` bytes for
        each; `together`: no more than to the end of a block, unless many blocks wait."""
        queue = self.queue
        if not queue:
            return []
        together = together and 0 < len(self._ends) <= BLOCKS_WAITING
        most = self._ends[0] - self._number if together else len(queue)
        if most == len(queue) and self.queued_bytes + per_frame * most <= room:
            frames = list(queue)
            queue.clear()
            size = self.queued_bytes
        else:
            frames = []
            size = 0
            while len(frames) < most and (room := room - len(queue[0]) - per_frame) >= 0:
                frame = queue.popleft()
                size += len(frame)
                frames.append(frame)
        self.queued_bytes -= size
        self.taken_frames += len(frames)
        self.taken_bytes += size
        self._number += len(frames)
        while self._ends and self._ends[0] <= self._number:
            self._ends.popleft()
        return frames

    def take_block(self, room: int, gathered: int, per_frame: int) -> list[bytes]:
        """The frames of the next block of at most `room` bytes, with `per_frame` bytes for each.

        A receiver's work for what comes should not depend on how late the host is: what came in one
        block stays one, and what comes at a rate goes up as an adapter would bring it, the frames
        that follow each other in blocks of `gathered` bytes (or of one frame); gms_net's stay as
        they were sent. So none may come though frames wait; there is a wake when that ends."""
        queue = self.queue
        if queue and self.up.profile.rate:
            if queue[0][12:14] != PAGED:
                room = max(gathered, len(queue[0]) + per_frame)
            waiting = self.queued_bytes + per_frame * len(queue)
            if self.followed and not self._ends and waiting < room:
                return []
        return self.take(room, per_frame, together=True)

    def refuse(self, frame: bytes) -> None:
        """Counts a frame that was taken as one that its receiver did not want."""
        self.taken_frames -= 1
        self.taken_bytes -= len(frame)
        self.down.drop_late(frame, "refused")

    def discard(self) -> None:
        """Empties the queue: the owner is gone."""
        for frame in self.queue:
            self.down.drop_late(frame, "gone")
        self.queue.clear()
        self._ends.clear()
        self._last_at.clear()
        self.queued_bytes = 0
        self.followed = False

    def snapshot(self) -> dict[str, Any]:
        """The port's counts: frames and bytes in (from the port), out (taken by it), and each
        link."""
        return {
            "kind": self.kind,
            "connected": self.connected,
            "cut": self.up.cut,
            "profile": self.up.profile.name,
            "frames_in": self.up.offered,
            "bytes_in": self.up.offered_bytes,
            "frames_out": self.taken_frames,
            "bytes_out": self.taken_bytes,
            "queued_frames": len(self.queue),
            "queued_bytes": self.queued_bytes,
            "in_flight": self.in_flight,
            "up": self.up.snapshot(),
            "down": self.down.snapshot(),
        }


class Lan(Named[Port]):
    """The switch. Whoever owns it calls `poll` at or after `next_due`."""

    def __init__(self, profile: Profile, seed: int) -> None:
        super().__init__(profile)
        self.seed = seed
        self.watch: Watcher | None = None
        self.filtered = 0
        """Frames with nowhere to go: to their own port, or on a LAN without other ports."""
        self._addresses: dict[bytes, Port] = {}
        self._media: dict[str, Medium] = {}
        self._bridges: dict[Medium, Bridge] = {}
        self._heap: list[tuple[float, int, Port | Bridge, Transit, Port | None]] = []
        # When what arrives where; with its sender, what has yet to cross the receiver's link. With
        # a bridge, when the frame that it sends has gone.
        self._order = itertools.count()
        self._indices = itertools.count()

    def attach(self, name: str, kind: str) -> Port:
        """A new port with the LAN's profile. ValueError if the name is taken."""
        self.check_free(name)
        directions = [Direction(f"{name}/{w}", self.profile, self.seed) for w in ("up", "down")]
        port = Port(name, kind, next(self._indices), *directions)
        self.set_profile(port, self.profile)
        self.ports[name] = port
        return port

    def detach(self, name: str) -> None:
        """Removes a port; frames on their way to it are dropped when they arrive."""
        port = self.port(name)
        self.disconnect(port)
        del self.ports[name]

    def disconnect(self, port: Port) -> None:
        """The port's owner is gone: forget its addresses, drop what waits for it."""
        port.connected = False
        port.discard()
        self._addresses = {mac: at for mac, at in self._addresses.items() if at is not port}

    def set_profile(self, port: Port, profile: Profile) -> None:
        """Gives both directions of a port's link a profile, live."""
        medium = self._media.setdefault(profile.name, Medium()) if profile.shared else Medium()
        port.up.set_profile(profile, medium)
        down = _without_rate(profile) if profile.shared else profile
        port.down.set_profile(down, medium if profile.half_duplex else Medium())

    def cut(self, port: Port, cut: bool) -> None:
        """Cuts or restores both directions of a port's link. What is on its way down is lost."""
        port.up.cut = port.down.cut = cut

    def ingress(
        self, port: Port, frames: Iterable[bytes], now: float, together: bool = False
    ) -> None:
        """Frames come in from a port, in order; `together`: as one block. Receivers with something
        to take are woken once each."""
        woken: dict[int, Port] = {}
        port.begins()
        frames = list(frames)
        paged = self._receivers(frames) if together else []
        for to in paged:
            to.end_sent()  # it is not put together with what others sent before
        cross = port.up.offer
        for frame in frames:
            for transit in cross(Transit(now, now, frame, False)):
                self._switch(port, transit, now, woken)
        for to in paged:
            to.end_sent()
        for target in woken.values():
            if together:
                target.end_block()
            target.wake()

    def _receivers(self, frames: Iterable[bytes]) -> list[Port]:
        """Who gets gms_net's frames of these."""
        to = {frame[:6] for frame in frames if frame[12:14] == PAGED}
        return [port for address in to if (port := self._addresses.get(address)) is not None]

    def _switch(self, port: Port, transit: Transit, now: float, woken: dict[int, Port]) -> None:
        frame = transit.frame
        if self.watch is not None:
            self.watch(transit.done, port, frame)
        source = frame[6:12]
        addresses = self._addresses
        if addresses.get(source) is not port and not source[0] & 1:
            self._learn(source, port)
        target = addresses.get(frame[:6])
        if target is port:
            self.filtered += 1
        elif target is not None:
            self._down(port, target, transit, now, woken)
        else:
            others = [
                other for other in self.ports.values() if other is not port and other.connected
            ]
            for other in others:
                self._down(port, other, transit, now, woken)
            self.filtered += not others

    def _learn(self, address: bytes, port: Port) -> None:
        if address in self._addresses or len(self._addresses) < ADDRESSES_MAX:
            self._addresses[address] = port

    def _down(
        self, port: Port, target: Port, transit: Transit, now: float, woken: dict[int, Port]
    ) -> None:
        if transit.done > now and _takes_turns(port, target):
            # Whose turn it is then is known when the frame has come, not before.
            heapq.heappush(self._heap, (transit.done, next(self._order), target, transit, port))
            heapq.heappush(target.expected, transit.done)
            target.expected_bytes += len(transit.frame)
            if target.down.profile.half_duplex and target.down.profile.store_and_forward:
                port.sends_to(target)
            return
        if _bridged(port, target):
            self._bridge(target, transit, now, woken)
        else:
            self._deliver(target, transit, now, woken)

    def _bridge(self, target: Port, transit: Transit, now: float, woken: dict[int, Port]) -> None:
        medium = target.up.medium
        bridge = self._bridges.setdefault(medium, Bridge(medium))
        if not bridge.put(target, transit):
            target.down.offer(transit, 0)  # counted as one more than the queue holds
        elif not bridge.sending:
            self._turn(bridge, now, woken)

    def _turn(self, bridge: Bridge, now: float, woken: dict[int, Port]) -> None:
        found = bridge.turn(now)
        if found is not None:
            target, transit = found
            # before the frame arrives: whether another follows is known then
            heapq.heappush(self._heap, (transit.done, next(self._order), bridge, transit, None))
            self._deliver(target, transit, now, woken)

    def _deliver(self, target: Port, transit: Transit, now: float, woken: dict[int, Port]) -> None:
        for copy in target.down.offer(transit, target.room):
            done = copy.done
            if done <= now and not target.in_flight:
                self._arrive(target, copy.frame, woken)
                continue
            if not copy.late:
                # a profile changed live must not let later frames overtake
                done = target.last_arrival = max(done, target.last_arrival)
                target.due.append(done)
            target.in_flight += 1
            target.in_flight_bytes += len(copy.frame)
            heapq.heappush(self._heap, (done, next(self._order), target, copy, None))

    def _arrive(self, target: Port, frame: bytes, woken: dict[int, Port]) -> None:
        target.queue.append(frame)
        target.queued_bytes += len(frame)
        if target.queued_bytes > target.down.queue_high_water:
            target.down.queue_high_water = target.queued_bytes
        woken[target.index] = target

    def next_due(self) -> float | None:
        """When the next frame arrives somewhere, or None if none is on its way."""
        return self._heap[0][0] if self._heap else None

    def poll(self, now: float) -> None:
        """Delivers what has arrived by `now`."""
        woken: dict[int, Port] = {}
        heap = self._heap
        while heap and heap[0][0] <= now:
            done, _, target, copy, sender = heapq.heappop(heap)
            if isinstance(target, Bridge):
                self._turn(target, done, woken)
                continue
            if sender is not None:
                heapq.heappop(target.expected)
                target.expected_bytes -= len(copy.frame)
                self._down(sender, target, copy, done, woken)
                continue
            target.in_flight -= 1
            target.in_flight_bytes -= len(copy.frame)
            if target.down.cut or not target.connected:
                target.down.drop_late(copy.frame, "cut" if target.down.cut else "gone")
            else:
                self._arrive(target, copy.frame, woken)
            if not copy.late:
                target.due.popleft()
                target.arrived(done)
            soon = min(
                target.due[0] if target.due else math.inf,
                target.expected[0] if target.expected else math.inf,
            )
            target.followed = soon - done <= FOLLOWS_WITHIN
            if not target.followed:
                target.end_block()
            woken[target.index] = target
        for target in woken.values():
            target.wake()

    def snapshot(self) -> dict[str, Any]:
        """All counts; bytes are of Ethernet frames without check sequence. Source letters: WI."""
        return {
            "source": "WI",
            "seed": self.seed,
            "filtered": self.filtered,
            "addresses": {mac.hex(":"): port.name for mac, port in self._addresses.items()},
            "ports": {name: port.snapshot() for name, port in self.ports.items()},
        }


def _bridged(port: Port, target: Port) -> bool:
    """Whether a frame from PORT comes onto TARGET's shared medium from elsewhere."""
    return target.up.profile.shared and target.up.medium is not port.up.medium


def _takes_turns(port: Port, target: Port) -> bool:
    """Whether others may be sending where a frame from PORT comes to TARGET."""
    return target.down.profile.half_duplex or _bridged(port, target)


def _without_rate(profile: Profile) -> Profile:
    # on a shared medium a frame is sent once, by its sender; the way down is the same transmission
    return replace(profile, rate=0.0, delay=0.0)
