# SPDX-License-Identifier: MIT
"""A terminal server's port: what was typed, what the host sent, and the speed of its line. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum

from vmkb.hercules.lat.codec import Slot, SlotType, break_slot

CPS_9600 = 960.0
"""Characters a second of a line at 9600 baud, with start and stop bit."""
CREDITS = 2
"""Slots of output that a port has room for."""
SLOT_MAX = 255
_SHOW_INTERVAL = 0.02
"""Seconds of a line's output that may be shown together."""


class State(Enum):
    """Where a port's session is."""

    IDLE = "idle"
    WAITING = "waiting for a circuit"
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"


class Port:
    """One terminal. `cps` is its line's speed (None: no limit); with `reading` off it takes no
    output, as a terminal that was stopped with ^S."""

    def __init__(self, number: int, cps: float | None = CPS_9600, slot_max: int = SLOT_MAX) -> None:
        self.number = number
        self.name = f"PORT_{number}"
        self.cps = cps
        self.slot_max = slot_max
        self.reading = True
        self.state = State.IDLE
        self.reason: str = ""
        """Why the session ended."""
        self.service = ""
        self.shown = bytearray()
        """The text that the terminal has shown."""
        self.on_shown: Callable[[bytes], None] | None = None
        self.shown_at: float = 0.0
        """When the last character was shown."""
        self._typed: deque[bytes] = deque()
        self._breaks = 0
        self._slots: deque[bytearray] = deque()
        self._clock = 0.0
        self.reset()

    def reset(self) -> None:
        """A new session: nothing under way."""
        self.remote = 0
        self.credits = 0
        self.host_slot_max = SLOT_MAX
        self.to_grant = 0
        self.starts = 0
        self.stopping = False
        self._typed.clear()
        self._breaks = 0
        self._slots.clear()

    @property
    def waiting_output(self) -> int:
        """Characters that came and were not shown yet."""
        return sum(map(len, self._slots))

    def type(self, data: bytes) -> None:
        """Characters typed at the terminal."""
        self._typed.append(data)

    def send_break(self) -> None:
        """The terminal's break key."""
        self._breaks += 1

    @property
    def waiting_input(self) -> int:
        """Characters and breaks that were typed and not sent yet."""
        return sum(map(len, self._typed)) + self._breaks

    @property
    def wants(self) -> bool:
        """Whether it has a slot to send now."""
        if self.state is State.STARTING:
            return self.starts == 0
        if self.state is not State.RUNNING:
            return False
        return self.stopping or self.to_grant > 0 or (self.waiting_input > 0 and self.credits > 0)

    def next_slot(self) -> Slot | None:
        """The next slot of a running session, or None."""
        if self.state is not State.RUNNING or not self.wants:
            return None
        grant, self.to_grant = min(self.to_grant, 15), max(0, self.to_grant - 15)
        if self._breaks and self.credits:
            self._breaks -= 1
            self.credits -= 1
            self.to_grant += grant
            return break_slot(self.remote, self.number)
        data = self._take_typed() if self.credits else b""
        if data:
            self.credits -= 1
        return Slot(self.remote, self.number, SlotType.DATA_A, grant, data)

    def _take_typed(self) -> bytes:
        data = b"".join(self._typed)
        self._typed.clear()
        if len(data) > self.host_slot_max:
            self._typed.append(data[self.host_slot_max :])
        return data[: self.host_slot_max]

    def arrived(self, slot: Slot, now: float) -> None:
        """A data slot of the host."""
        self.credits += slot.low
        if slot.data and slot.kind == SlotType.DATA_A:
            if not self._slots:
                self._clock = now
            self._slots.append(bytearray(slot.data))
        elif slot.data:
            self.to_grant += 1

    @property
    def due(self) -> float | None:
        """When it has something to show; None: nothing came, or it takes none."""
        if not self._slots or not self.reading:
            return None
        if self.cps is None:
            return self._clock
        together = max(1, int(self.cps * _SHOW_INTERVAL))
        return self._clock + min(len(self._slots[0]), together) / self.cps

    def drain(self, now: float) -> None:
        """Shows what the line could carry until now; a slot that is through gives its credit
        back."""
        if not self.reading:
            self._clock = now
            return
        while self._slots:
            slot = self._slots[0]
            count = len(slot)
            if self.cps is not None:
                count = min(count, int((now - self._clock) * self.cps + 1e-6))
                if count <= 0:
                    return
                self._clock += count / self.cps
            text = bytes(slot[:count])
            # In this order: who reads in another thread finds what is shown no longer waiting.
            self.shown_at = now
            self.shown += text
            del slot[:count]
            if self.on_shown is not None:
                self.on_shown(text)
            if slot:
                return
            self._slots.popleft()
            self.to_grant += 1
