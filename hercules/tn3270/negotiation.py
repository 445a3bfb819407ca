# SPDX-License-Identifier: MIT
"""The negotiation at the start of a TN3270 connection (RFC 1576), from either side. Pure: bytes in,
bytes out.

Three options make a 3270 of a connection: the terminal's type, records with an end, and binary in
both directions. What comes behind the negotiation is `rest`, untouched.
"""

from __future__ import annotations

IAC, DONT, DO, WONT, WILL, SB, SE, EOR = 255, 254, 253, 252, 251, 250, 240, 239
BINARY, TERMINAL_TYPE, END_OF_RECORD = 0, 24, 25
IS, SEND = 0, 1
TYPE_MAX = 64
UNDECIDED_MAX = 4096
"""Bytes of a negotiation before it is given up: no terminal says so much."""

_NEEDED = frozenset((verb, option) for verb in (DO, WILL) for option in (BINARY, END_OF_RECORD))


class NotTn3270(ValueError):
    """The other side is no 3270 terminal, or no host of one; the text says why."""


class _Side:
    """Takes commands and options apart; what they mean is a subclass's."""

    def __init__(self) -> None:
        self.done = False
        self.rest = b""
        self._buffer = b""
        self._taken = 0

    def feed(self, data: bytes) -> bytes:
        """The bytes to be sent in answer. NotTn3270 when there is no use in going on."""
        if self.done:
            self.rest += data
            return b""
        self._buffer += data
        answer = b""
        while not self.done and self._buffer:
            taken, said = self._next(self._buffer)
            if not taken:
                break
            self._buffer = self._buffer[taken:]
            self._taken += taken
            answer += said
            if self._taken > UNDECIDED_MAX:
                break
        if self.done:
            self.rest, self._buffer = self._buffer, b""
        elif self._taken + len(self._buffer) > UNDECIDED_MAX:
            raise NotTn3270(f"it negotiates for over {UNDECIDED_MAX} bytes")
        return answer

    def _next(self, data: bytes) -> tuple[int, bytes]:
        """How many bytes were understood (0: more must come), and the answer."""
        if data[0] != IAC or data[1:2] == bytes((IAC,)):
            return self._data()
        if len(data) < 2:
            return 0, b""
        if data[1] == SB:
            end = data.find(bytes((IAC, SE)), 2)
            if end < 0:
                return 0, b""
            return end + 2, self._about(data[2:end])
        if data[1] < WILL:
            return 2, b""
        if len(data) < 3:
            return 0, b""
        return 3, self._option(data[1], data[2])

    def _data(self) -> tuple[int, bytes]:
        raise NotImplementedError

    def _about(self, parameters: bytes) -> bytes:
        raise NotImplementedError

    def _option(self, verb: int, option: int) -> bytes:
        raise NotImplementedError


class Asking(_Side):
    """A host's side: asks a terminal for its type, and for records and binary in both directions.
    `opening` is what to send first, `terminal` the type that it said."""

    opening = bytes((IAC, DO, TERMINAL_TYPE))

    def __init__(self) -> None:
        super().__init__()
        self.terminal = b""
        self._asked = False
        self._agreed: set[tuple[int, int]] = set()

    def _data(self) -> tuple[int, bytes]:
        raise NotTn3270("it sends text before it has said which terminal it is")

    def _about(self, parameters: bytes) -> bytes:
        if parameters[:2] != bytes((TERMINAL_TYPE, IS)) or self.terminal:
            return b""
        terminal = parameters[2:]
        if not terminal.upper().startswith(b"IBM-") or len(terminal) > TYPE_MAX:
            raise NotTn3270(f"its type is {terminal[:TYPE_MAX].decode('ascii', 'replace')!r}")
        self.terminal = terminal
        return b"".join(
            bytes((IAC, verb, option)) for option in (END_OF_RECORD, BINARY) for verb in (DO, WILL)
        )

    def _option(self, verb: int, option: int) -> bytes:
        if (verb, option) == (WILL, TERMINAL_TYPE):
            if self._asked:
                return b""
            self._asked = True
            return bytes((IAC, SB, TERMINAL_TYPE, SEND, IAC, SE))
        if verb in (WONT, DONT):
            if option in (TERMINAL_TYPE, BINARY, END_OF_RECORD):
                raise NotTn3270("it refuses what makes a 3270: type, binary or end of record")
            return b""
        if (verb, option) not in _NEEDED:
            return bytes((IAC, DONT if verb == WILL else WONT, option))
        if self.terminal:
            self._agreed.add((verb, option))
            self.done = self._agreed == _NEEDED
        return b""


class Answering(_Side):
    """A terminal's side: answers a host that asks. It is done at the first byte of data, which the
    host sends to a terminal that it has taken, or refuses in words."""

    def __init__(self, terminal: bytes) -> None:
        super().__init__()
        self._terminal = terminal

    def _data(self) -> tuple[int, bytes]:
        self.done = True
        return 0, b""

    def _about(self, parameters: bytes) -> bytes:
        if parameters != bytes((TERMINAL_TYPE, SEND)):
            return b""
        return bytes((IAC, SB, TERMINAL_TYPE, IS)) + self._terminal + bytes((IAC, SE))

    def _option(self, verb: int, option: int) -> bytes:
        known = option in (TERMINAL_TYPE, BINARY, END_OF_RECORD)
        if verb == DO:
            return bytes((IAC, WILL if known else WONT, option))
        if verb == WILL:
            return bytes((IAC, DO if known and option != TERMINAL_TYPE else DONT, option))
        return b""
