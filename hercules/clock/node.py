# SPDX-License-Identifier: MIT
"""An emulator as the clock sees it: how far it may go, where it is, what it has said."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from vmkb.hercules.clock.messages import (
    FORKED_SIZE,
    NEVER,
    Ask,
    Decoder,
    Message,
    MessageKind,
    Pace,
    ask,
    device,
    encode,
    forked,
    grant,
    hello,
)
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, Timeout, patient

LOOK_S = 0.5
"""Between two looks at a process that is silent, seconds of this computer's clock."""
SILENT_S = 120.0
"""A process that works may be silent so long: a grant ends after a second of virtual time."""


FORKS_WITHIN = 10.0
"""Seconds that an emulator has to make another one of itself."""


class Second(NamedTuple):
    """An emulator that goes on from where another one waits: its clock's socket, its process."""

    socket: socket.socket
    pid: int


def _timeval(seconds: float) -> bytes:
    return struct.pack("@ll", int(seconds), round(seconds % 1 * 1e6))


def _pair() -> tuple[socket.socket, socket.socket]:
    """The two ends of an emulator's clock, ours first."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(LOOK_S))
    return ours, theirs


class Node:
    """One emulator. `child` is the socket that its process inherits; `next` the time of its next
    event, ps, and `now` the time at which it last asked.

    `began` is when the world had it start, ps, on a whole unit of its clock; its own time is then
    0. `pid` is set when its process runs."""

    def __init__(
        self, name: str, index: int, pace: Pace, tod: int, turnaround: int, began: int = 0
    ) -> None:
        self.name = name
        self.index = index
        self.pid = 0
        self._began = began
        self.now = self.next = began
        self.instructions = 0
        self.running = True
        """Whether it has time and has not asked again."""
        self.ended = False
        self.stopped = False
        self._decoder = Decoder(began)
        self._out = bytearray(hello(pace, tod, turnaround))
        self.socket, self.child = _pair()
        self._flush()

    def started(self, pid: int) -> None:
        """Its process runs and has the other end."""
        self.pid = pid
        self.child.close()

    def second(self) -> Second:
        """Another emulator that goes on from where this one waits for time, for another process of
        ours. EmulatorError if there can be none."""
        ours, theirs = _pair()
        with theirs:
            socket.send_fds(self.socket, [encode(MessageKind.FORK, 0)], [theirs.fileno()])
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(patient(FORKS_WITHIN)))
        data = b""
        while len(data) < FORKED_SIZE:
            try:
                piece = ours.recv(FORKED_SIZE - len(data))
            except OSError:
                piece = b""
            if not piece:
                raise EmulatorError(
                    f"The emulator of {self.name} (pid {self.pid}) cannot make another one of"
                    " itself: storage or processes may be short."
                )
            data += piece
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(LOOK_S))
        (said,) = Decoder().feed(data)
        return Second(ours, forked(said))

    def become(self, second: Second) -> None:
        """It is the SECOND emulator from now on; the first one is another process' business."""
        self.socket.close()
        self.socket, self.pid = second

    def tell(self, kind: MessageKind, time: int, content: bytes = b"") -> None:
        """Something will happen there at TIME; it goes with the next grant."""
        self._out += encode(kind, time - self._began, content)
        self.next = min(self.next, time)

    def about(self, kind: MessageKind, time: int, number: int, content: bytes = b"") -> None:
        """The same, about the device NUMBER."""
        self.tell(kind, time, device(number, content))

    def grant(self, until: int, watch: int) -> None:
        """It may go on until UNTIL."""
        self._out += grant(until if until == NEVER else until - self._began, watch)
        self.running = True
        self.stopped = False
        self._flush()

    def _flush(self) -> None:
        while self._out:
            try:
                sent = self.socket.send(self._out, socket.MSG_DONTWAIT)
            except BlockingIOError:
                select.select([], [self.socket], [], LOOK_S)
                continue
            except OSError:
                raise self._gone() from None
            del self._out[:sent]

    def gather(self, watched: Callable[[], None]) -> Sequence[Message]:
        """Wait until it asks for time, or has stopped: what it has said. WATCHED is called now and
        then while it is silent. EmulatorError when its process has ended, stands still or is silent
        for SILENT_S seconds."""
        deadline: Deadline | None = None
        said: list[Message] = []
        while self.running:
            try:
                data = self.socket.recv(1 << 16)
            except BlockingIOError:
                watched()
                deadline = deadline or Deadline(SILENT_S - LOOK_S, HOST)
                self._look(deadline)
                continue
            except OSError:
                raise self._gone() from None
            if not data:
                raise self._gone()
            if (sole := self._decoder.sole_ask(data)) is not None:
                self._asked(*sole)
                break
            for message in self._decoder.feed(data):
                if message.kind is MessageKind.ASK:
                    self._asked(message.time, ask(message))
                    continue
                said.append(message)
                if message.kind is MessageKind.STOPPED:
                    self.now, self.next = message.time, NEVER
                    self.running = False
                    self.stopped = True
        return said

    def _asked(self, time: int, state: Ask) -> None:
        self.now = time
        self.next = state.next if state.next == NEVER else state.next + self._began
        self.instructions = state.instructions
        self.running = False

    def _look(self, deadline: Deadline) -> None:
        state = ""
        with contextlib.suppress(OSError, IndexError):
            stat = Path(f"/proc/{self.pid}/stat").read_text("utf-8", "replace")
            state = stat[stat.rindex(")") + 2]
        if state in "TtZX" and state:
            why = "has ended" if state in "ZX" else "is stopped, as by SIGSTOP or a debugger"
            raise EmulatorError(f"The emulator of guest {self.name} (pid {self.pid}) {why}.")
        if deadline.over:
            expected = f"the emulator of guest {self.name} (pid {self.pid}) to use its time"
            raise Timeout(expected, deadline.elapsed)

    def _gone(self) -> EmulatorError:
        self.ended = True
        return EmulatorError(f"The emulator of guest {self.name} (pid {self.pid}) has ended.")

    def close(self) -> None:
        """Let go of it: an emulator whose clock is gone ends by itself."""
        self.socket.close()
        self.child.close()
