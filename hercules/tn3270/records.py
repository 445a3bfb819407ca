# SPDX-License-Identifier: MIT
"""Where in a host's data stream the display is erased. Pure: bytes in, bytes out.

Records end with IAC EOR (RFC 1576). In TN3270E each begins with five bytes, the first of them 0
where 3270 data follow (RFC 2355).
"""

from __future__ import annotations

from vmkb.hercules.tn3270.negotiation import DONT, EOR, IAC, SB, SE, WILL

ERASING = frozenset(b"\x05\x0d\xf5\x7e")
"""The commands ERASE/WRITE and ERASE/WRITE ALTERNATE (3270 Data Stream, GA23-0059)."""
TN3270E = 40
_HEADER = 5


class Records:
    """A host's stream, cut in front of each record that erases the display."""

    def __init__(self) -> None:
        self._buffer = b""
        self._inside = False
        self._header = 0

    def feed(self, data: bytes) -> None:
        """More has come from the host."""
        self._buffer += data

    def take(self, erase: bool) -> bytes:
        """What comes up to the next record that erases, which must not be the first without ERASE.
        Nothing: such a record is next, or more must come before it is known."""
        at = 0
        while at < len(self._buffer):
            step = self._step(self._buffer[at:], erase and not at)
            if not step:
                break
            at += step
        taken, self._buffer = self._buffer[:at], self._buffer[at:]
        return taken

    @property
    def erases(self) -> bool:
        """Whether a record that erases is next."""
        return not self._inside and self._erases(self._buffer) is True

    def _step(self, data: bytes, erase: bool) -> int:
        """Bytes of the next command or of the rest of a record; 0: not now."""
        if self._inside:
            return self._rest(data)
        if data[0] == IAC and data[1:2] != bytes((IAC,)):
            return self._command(data)
        erases = self._erases(data)
        if erases is None or (erases and not erase):
            return 0
        self._inside = True
        return self._rest(data)

    def _rest(self, data: bytes) -> int:
        at = 0
        while (found := data.find(IAC, at)) >= 0:
            if found + 1 == len(data):
                return found
            at = found + 2
            if data[found + 1] == EOR:
                self._inside = False
                return at
        return len(data)

    def _erases(self, data: bytes) -> bool | None:
        """Whether a record that begins so erases; None: that cannot be said yet."""
        start = data[: 2 * (_HEADER + 1)].replace(bytes((IAC, IAC)), bytes((IAC,)))
        if len(start) <= self._header:
            return None
        return not (self._header and start[0]) and start[self._header] in ERASING

    def _command(self, data: bytes) -> int:
        """Bytes of a command of TELNET's at the start; those of TN3270E say what records are."""
        if len(data) < 2 or (data[1] >= WILL and len(data) < 3):
            return 0
        if data[1] == SB:
            end = data.find(bytes((IAC, SE)), 2)
            if data[2:3] == bytes((TN3270E,)):
                self._header = _HEADER
            return end + 2 if end > 0 else 0
        if data[1] == DONT and data[2] == TN3270E:
            self._header = 0
        return 3 if data[1] >= WILL else 2
