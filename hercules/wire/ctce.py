# SPDX-License-Identifier: MIT
"""The CTCE protocol: what Hercules' enhanced channel-to-channel adapter says on its TCP streams.

Pure: bytes in, messages and replies out. `ports/half.py` has the sockets. Source: measured with
Hercules 3.13 and SDL Hyperion 4.9 (docs/reference/wire.md has the table), the state numbers are
those of SA22-7203, 2.13. How an emulator lays a message out is in its dialect
(hercules/emulator/dialect).
"""

from __future__ import annotations

import enum
import socket
import struct
from dataclasses import dataclass
from typing import NamedTuple

from vmkb.errors import VmkbError

DATA_MAX = 61578
"""Data bytes that fit the smallest buffer of a CTCE device configured without an MTU (3.13's)."""
_MESSAGE_MAX = 65535

RESET = 0x00
WRITE, READ, CONTROL, SENSE_COMMAND_BYTE = 0x01, 0x02, 0x07, 0x14
NO_OPERATION, BASIC_MODE, EXTENDED_MODE, PREPARE = 0x03, 0x43, 0xC3, 0xE3
_COMMANDS = frozenset(
    (RESET, WRITE, READ, CONTROL, SENSE_COMMAND_BYTE, NO_OPERATION, BASIC_MODE, EXTENDED_MODE,
     PREPARE)
)  # fmt: skip


class State(enum.IntEnum):
    """The act of a message's sender (the low three bits of its state byte)."""

    PREPARING = 0
    CONTROLLING = 1
    READING = 2
    WRITING = 3
    AVAILABLE = 4
    NOT_READY = 5


class CtceError(VmkbError, ValueError):
    """The stream does not speak CTCE; the text says why."""


@dataclass(frozen=True)
class Layout:
    """How an emulator lays its messages out, as formats of the struct module: in the byte order of
    the host, because it writes its structures as they stand in memory.

    `prefix`: command, state, count, sequence, length, device, subsystem id. `greeting`, in the same
    number of bytes, is what each side says first on the connection that it makes: flags, the port
    that it listens on itself, the address of the other, length, device, subsystem id; empty where
    nothing is said. `receives` are the flags of one that has been connected to already.
    """

    prefix: str
    greeting: str = ""
    receives: int = 0

    @property
    def size(self) -> int:
        """Bytes of a prefix, or of a greeting."""
        return struct.calcsize(self.prefix)

    def greet(self, port: int, address: str, device: int) -> bytes:
        """The wire's greeting for DEVICE: it listens on PORT, the other is at ADDRESS."""
        if not self.greeting:
            return b""
        other = socket.inet_aton(address)
        return struct.pack(self.greeting, self.receives, port, other, self.size, device, 0)

    def greeted(self, data: bytes | memoryview) -> int:
        """The port that the sender of the greeting DATA listens on. CtceError if it is none."""
        _flags, port, _address, length, _device, _ssid = struct.unpack(self.greeting, data)
        if length != self.size:
            raise CtceError(f"a greeting that says it has {length} bytes, not {self.size}")
        return int(port)


class Message(NamedTuple):
    """One message; `data` is a view into the parser's buffer, valid until the next feed."""

    command: int
    state: int
    data: memoryview


class Parser:
    """Cuts a byte stream into messages. It reads into its own buffer, for a caller with recv_into:
    `space()` is where to put bytes, `filled(n)` says that n came and gives the complete
    messages."""

    def __init__(self, form: Layout) -> None:
        self._prefix = struct.Struct(form.prefix)
        self._form = form
        self._greets = bool(form.greeting)
        self.greeted: int | None = None
        """The port that the other listens on, once it has said so."""
        self._buffer = bytearray(4 * 65536)
        self._view = memoryview(self._buffer)
        self._start = self._end = 0

    def space(self) -> memoryview:
        """Where the next bytes go; at least 64 KB, and all messages given out before become
        invalid."""
        if self._start == self._end:
            self._start = self._end = 0
        elif len(self._buffer) - self._end < _MESSAGE_MAX + 1:
            rest = bytes(self._view[self._start : self._end])
            self._view[: len(rest)] = rest
            self._start, self._end = 0, len(rest)
        return self._view[self._end :]

    def filled(self, count: int) -> list[Message]:
        """The messages that are complete now that `count` bytes more came. CtceError on garbage."""
        self._end += count
        messages = []
        size = self._prefix.size
        if self._greets and self._end - self._start >= size:
            self.greeted = self._form.greeted(self._view[self._start : self._start + size])
            self._greets = False
            self._start += size
        while not self._greets and self._end - self._start >= size:
            command, state, wanted, _sequence, length, _device, _ssid = self._prefix.unpack_from(
                self._buffer, self._start
            )
            if command not in _COMMANDS or state & 7 > State.NOT_READY:
                raise CtceError(f"command {command:02X} in state {state:02X} is not CTCE")
            if length < size:
                raise CtceError(f"a message of {length} bytes is shorter than its prefix")
            if command == WRITE and not 0 < wanted <= length - size:
                raise CtceError(f"a WRITE of {wanted} bytes in a message of {length}")
            if length > self._end - self._start:
                break
            data = self._start + size
            end = data + (wanted if command == WRITE else 0)
            messages.append(Message(command, state & 7, self._view[data:end]))
            self._start += length
        return messages

    def feed(self, data: bytes) -> list[Message]:
        """As `filled`, for bytes that are at hand; at most 64 KB."""
        self.space()[: len(data)] = data
        return self.filled(len(data))


class Adapter:
    """The wire's side of one CTCE device: what to answer, and when data may be sent.

    The device that the guest writes: every WRITE is answered by `taken()`. The device that the
    guest reads: one WRITE of ours may be outstanding for each READ of the guest's. A WRITE always
    announces itself with state WRITING: if the guest's READ waits, the two match at once; if it
    does not (not yet posted, or given up after 60 s), the guest gets an attention and its next
    READ finds the data."""

    def __init__(self, device: int, form: Layout) -> None:
        self._device = device
        self._prefix = struct.Struct(form.prefix)
        self._sequence = 0
        self._read_waits = False
        self._outstanding = False
        self._unsure = False

    def say(self, command: int, state: State, data: bytes = b"") -> bytes:
        """Any message: for a guest whose channel programs are other than VM/KB's."""
        self._sequence = self._sequence + 1 & 0xFFFF
        length = self._prefix.size + len(data)
        return (
            self._prefix.pack(command, state, len(data), self._sequence, length, self._device, 0)
            + data
        )

    def hello(self) -> bytes:
        """To be sent once when both connections stand: this side is available."""
        return self.say(SENSE_COMMAND_BYTE, State.AVAILABLE)

    def taken(self) -> bytes:
        """Ends the guest's WRITE."""
        return self.say(READ, State.AVAILABLE)

    @property
    def read_waits(self) -> bool:
        """A READ of the guest's waits now: Hercules ends it with busy after 60 s."""
        return self._read_waits

    @property
    def may_send(self) -> bool:
        """Whether `send` is allowed. While a WRITE is not consumed, a second would be lost; after
        a READ that waited was answered, Hercules may not yet have copied the data, so its next
        READ decides."""
        return self._read_waits or not (self._outstanding or self._unsure)

    def send(self, block: bytes) -> bytes:
        """The WRITE that gives a block to the guest."""
        if len(block) > DATA_MAX:
            raise CtceError(f"{len(block)} bytes do not fit Hercules' buffer of {DATA_MAX}")
        if not self.may_send:
            raise CtceError("a WRITE before the guest's READ")
        if self._read_waits:
            self._read_waits, self._unsure = False, True
        else:
            self._outstanding = True
        return self.say(WRITE, State.WRITING, block)

    def received(self, message: Message) -> bytes:
        """Notes a message of the guest's that is not a WRITE; the reply to send, or nothing."""
        if message.command == READ:
            waits = message.state == State.READING
            if self._outstanding:
                # the READ crossed our WRITE and matches it, or it found the data there
                self._outstanding, self._unsure = False, waits
            else:
                self._unsure, self._read_waits = False, waits
        elif message.command == RESET:
            self._read_waits = self._outstanding = self._unsure = False
        elif message.command == CONTROL:
            return self.say(SENSE_COMMAND_BYTE, State.AVAILABLE)
        return b""
