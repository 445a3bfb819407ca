# SPDX-License-Identifier: MIT
"""The display module behind its harness, with a device: what CP's channel glue does with them."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tests.guests.display.device import READ_MODIFIED, Device, to_ebcdic
from tests.guests.harness import Piped

NEVER = 2**64 - 1
RUNNING, VM_READ, CP_READ = 0, 1, 2
NONE, BEGIN, LINE, ATTENTION, FULLSCREEN, GONE = range(6)
HIGH, ALARM = 1, 2
FULL, TOO_LONG, LOST, INVALID = 1, 2, 3, 4
RACE_US = 1000
SETTLE_US, REST_US = 100_000, 10_000


class Harness(Piped):
    """One harness process."""

    def call(self, op: str, data: bytes = b"") -> bytes:
        """One operation."""
        return self._told(op.encode() + data)


@dataclass(frozen=True)
class Input:
    kind: int
    hidden: bool
    data: bytes

    @property
    def text(self) -> str:
        return self.data.decode("cp037")


class Console:
    """A display and its terminal; pump() does all I/O that is due."""

    def __init__(
        self,
        harness: Harness,
        more: int = 50,
        hold: int = 10,
        hilight: bool = False,
        sysname: str = "VMKB",
        logo: tuple[str, ...] = ("VM/KB ONLINE",),
    ) -> None:
        self.h = harness
        self.device = Device()
        self.now = 10_000_000
        self.programs = 0
        self.inputs: list[Input] = []
        strings = b"".join(to_ebcdic(s) + b"\0" for s in (sysname, *logo))
        self.h.call("I", bytes([more, hold, hilight]) + strings)

    def clock(self) -> bytes:
        return struct.pack(">Q", self.now)

    def start(self) -> Console:
        """Connects, leaves the logo with Enter; the screen is empty and in RUNNING."""
        self.h.call("c")
        self.pump()
        self.key("ENTER")
        self.mode(RUNNING)
        self.pump()
        self.inputs.clear()
        self.programs = 0
        return self

    def next(self) -> tuple[int, bytes] | None:
        reply = self.h.call("n", self.clock())
        return (reply[0], reply[1:]) if reply else None

    def done(self, ok: bool = True) -> None:
        self.h.call("d", bytes([ok]) + self.clock())

    def give(self, rm: bytes) -> Input:
        reply = self.h.call("i", self.clock() + rm)
        return Input(reply[0], bool(reply[1]), reply[2:])

    def attention(self) -> None:
        self.h.call("a", self.clock())

    def step(self) -> bool:
        """One channel program, start to end."""
        program = self.next()
        if program is None:
            return False
        self.programs += 1
        if program[0] == READ_MODIFIED:
            rm = self.device.read_modified()
            self.done()
            self.inputs.append(self.give(rm))
        else:
            self.device.write(*program)
            self.done()
        return True

    def pump(self) -> None:
        for _ in range(100):
            if not self.step():
                return
        raise AssertionError("the display never comes to rest")

    def key(self, key: str, text: str = "") -> Input:
        """A user who looks before typing: some time after the last write."""
        self.now += 2 * RACE_US
        self.device.type(text)
        self.device.press(key)
        self.attention()
        self.pump()
        return self.inputs[-1]

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * 1_000_000)
        self.pump()

    def write(self, text: str, flags: int = 0) -> int:
        return self.h.call("w", bytes([flags]) + to_ebcdic(text))[0]

    def mode(self, mode: int, hidden: bool = False) -> None:
        self.h.call("m", bytes([mode, hidden]))

    def consumed(self) -> None:
        self.h.call("u")

    def lossy(self) -> None:
        self.h.call("L")

    def set_pf(self, n: int, kind: int, text: str = "") -> int:
        return self.h.call("P", bytes([n, kind]) + to_ebcdic(text))[0]

    def fs_write(self, data: bytes, erase: bool) -> int:
        return self.h.call("F", bytes([erase]) + data)[0]

    def state(self) -> tuple[int, int, bool, bool, bool]:
        """Deadline, room, full-screen busy, active, lost."""
        return struct.unpack(">QH???", self.h.call("s"))

    def deadline(self) -> int:
        return self.state()[0]

    def room(self) -> int:
        return self.state()[1]
