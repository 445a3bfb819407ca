# SPDX-License-Identifier: MIT
"""An emulator as the clock sees it: how far it is, where it is, what it is told."""

from __future__ import annotations

import contextlib
import ctypes
import os
import socket
import struct
from pathlib import Path
from typing import NamedTuple

from vmkb.hercules.clock import native
from vmkb.hercules.clock.messages import NEVER, MessageKind, Pace, hello
from vmkb.hercules.clock.native import engine
from vmkb.hercules.deadline import HOST, Deadline, EmulatorError, Timeout

SILENT_S = 120.0
"""A process that works may be silent so long: a grant ends after a second of virtual time."""
FORKS_WITHIN = 60.0
"""Seconds that an emulator has to make another one of itself, with copies of its files."""
_LOOK_S = 0.2
"""Between two looks at whether the other one can still come."""
_DEVICE = struct.Struct("=H")


class Fork(NamedTuple):
    """An emulator that goes on from where another one waits: its clock's socket and storage, its
    process."""

    socket: socket.socket
    channel: int
    pid: int

    def close(self) -> None:
        """Another process has it."""
        self.socket.close()
        engine().channel_unmap(self.channel)


def _channel() -> tuple[int, int]:
    """Storage that an emulator shares with its clock: where it is here, and its file."""
    memory = os.memfd_create("vmkb-clock")
    try:
        channel = engine().channel_map(memory)
        if channel:
            return int(channel), memory
    except BaseException:
        os.close(memory)
        raise
    os.close(memory)
    raise EmulatorError("There is no storage that an emulator and its clock can share.")


def _hung_up(end: socket.socket) -> bool:
    try:
        return not end.recv(1, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True


class Node:
    """One emulator. `child` is the socket that its process inherits; `next` the time of its next
    event, ps, and `now` the time at which it last asked.

    `began` is when the world had it start, ps, on a whole unit of its clock; its own time is then
    0. `pid` is set when its process runs."""

    def __init__(
        self, world: ctypes._Pointer[native.World], name: str, index: int, pace: Pace, tod: int,
        turnaround: int, began: int = 0,
    ) -> None:  # fmt: skip
        self.name = name
        self.index = index
        self.pid = 0
        self._engine = engine()
        self._channel, memory = _channel()
        self.pointer = self._engine.world_add(world, name.encode(), began, self._channel)
        if not self.pointer:
            raise EmulatorError(f"There is no room for {name}: a world has {index} emulators.")
        self._state: native.Node = self.pointer.contents
        self._silent: Deadline | None = None
        self.socket, self.child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        socket.send_fds(self.socket, [hello(pace, tod, turnaround)], [memory])
        os.close(memory)

    @property
    def now(self) -> int:
        """The time at which it last asked."""
        return int(self._state.now)

    @property
    def next(self) -> int:
        """The time of its next event."""
        return int(self._state.next)

    @property
    def instructions(self) -> int:
        """What it has executed."""
        return int(self._state.instructions)

    def sent(self, device: int) -> int:
        """Bytes that the terminal at DEVICE was sent until now, in its connection."""
        return int(self._engine.node_sent(self.pointer, device))

    @property
    def ended(self) -> bool:
        """Whether it belongs to the world no longer."""
        return bool(self._state.ended)

    @property
    def stopped(self) -> bool:
        """Whether its CPU has stopped."""
        return bool(self._state.stopped)

    def started(self, pid: int) -> None:
        """Its process runs and has the other end."""
        self.pid = pid
        self.child.close()

    def hear(self, kind: MessageKind) -> None:
        """Python takes its messages of this KIND."""
        self._state.heard_by_python |= 1 << (kind & 63)

    def await_text(self, text: bytes) -> None:
        """Of what its operator sees only what has TEXT in it counts; empty: all does."""
        self._awaited = ctypes.create_string_buffer(text, len(text))
        self._state.awaited = ctypes.addressof(self._awaited)
        self._state.awaited_length = len(text)

    def fork(self) -> Fork:
        """Another emulator that goes on from where this one waits for time, for another process of
        ours. EmulatorError if there can be none."""
        channel, memory = _channel()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs, contextlib.suppress(ConnectionError):  # one that has ended is found below
            socket.send_fds(self.socket, [b"\0"], [theirs.fileno(), memory])
        os.close(memory)
        try:
            return Fork(ours, channel, self._forked(ours, channel))
        except BaseException:
            Fork(ours, channel, 0).close()
            raise

    def _forked(self, ours: socket.socket, channel: int) -> int:
        """The process of the fork that has the other ends of OURS and CHANNEL."""
        self._must_live()
        self._engine.node_fork(self.pointer)
        deadline = Deadline(FORKS_WITHIN, HOST)
        while not (pid := int(self._engine.node_forked(self.pointer, channel, _LOOK_S))):
            self._must_live()
            if _hung_up(ours) or deadline.over:
                raise EmulatorError(
                    f"The emulator of {self.name} (pid {self.pid}) cannot make another one of"
                    " itself: storage or processes may be short."
                )
        return pid

    def become(self, fork: Fork) -> None:
        """It is this FORK from now on; the one before is another process' business."""
        self.socket.close()
        self._engine.channel_unmap(self._channel)
        self.socket, self._channel, self.pid = fork
        self._state.channel = self._channel

    def tell(self, kind: MessageKind, time: int, content: bytes = b"") -> None:
        """Something will happen there at TIME; it goes with the next grant."""
        self._engine.node_tell(self.pointer, kind, time, None, 0, content, len(content))

    def about(self, kind: MessageKind, time: int, number: int, content: bytes = b"") -> None:
        """The same, about the device NUMBER."""
        self.tell(kind, time, _DEVICE.pack(number) + content)

    def silent(self) -> None:
        """It has said nothing for a while. EmulatorError when its process has ended, stands still
        or is silent for SILENT_S seconds."""
        if self._must_live() in "Tt":
            raise EmulatorError(
                f"The emulator of guest {self.name} (pid {self.pid}) is stopped, as by SIGSTOP or a"
                " debugger."
            )
        self._silent = self._silent or Deadline(SILENT_S, HOST)
        if self._silent.over:
            expected = f"the emulator of guest {self.name} (pid {self.pid}) to use its time"
            raise Timeout(expected, self._silent.elapsed)

    def _must_live(self) -> str:
        """The letter that Linux has for the state of its process. EmulatorError when that has
        ended."""
        state = "X"  # of a fork nothing is left
        with contextlib.suppress(OSError, IndexError):
            stat = Path(f"/proc/{self.pid}/stat").read_text("utf-8", "replace")
            state = stat[stat.rindex(")") + 2]
        if state in "ZX" or _hung_up(self.socket):
            raise EmulatorError(f"The emulator of guest {self.name} (pid {self.pid}) has ended.")
        return state

    def spoke(self) -> None:
        """It is not silent any more."""
        self._silent = None

    def close(self) -> None:
        """Let go of it: an emulator whose clock is gone ends by itself."""
        if not self._state.ended:
            self._state.ended = 1
            self._state.running = 0
            self._state.next = NEVER
            self._engine.channel_unmap(self._channel)
        self.socket.close()
        self.child.close()
