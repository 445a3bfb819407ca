# SPDX-License-Identifier: MIT
"""The smallest TN3270 terminal: enough of telnet to be given a display, and whole records.

s3270 needs about 50 ms to start, more than a whole IPL; this needs none. RFC 1576 says what is
negotiated (terminal type, binary, end of record), the 3270 Data Stream Programmer's Reference what
a record holds.
"""

from __future__ import annotations

import socket

from vmkb.hercules.closing import Closing
from vmkb.hercules.deadline import Deadline, Timeout

IAC, DONT, DO, WONT, WILL, SB, SE, EOR = 255, 254, 253, 252, 251, 250, 240, 239
BINARY, TERMINAL_TYPE, END_OF_RECORD = 0, 24, 25
WANTED = (BINARY, TERMINAL_TYPE, END_OF_RECORD)
ENTER = 0x7D
WRITES = (0xF1, 0xF5, 0x7E)
"""Commands with a write control character behind them: Write, Erase/Write, and Alternate."""
WCC_RESTORE = 0x02
SBA = 0x11
UNLOCK_WITHIN = 10.0
"""Seconds that the host may keep the keyboard locked."""
INPUT_AT = 22 * 80
"""Where the input field of a VM console begins."""


def address(cell: int) -> bytes:
    """A buffer address in the 12-bit form: two graphic characters of six bits each."""

    def graphic(x: int) -> int:
        high = x in (0, 16, 32, 48) and x != 48 or x == 33 or x % 16 > 9
        return x | (0x40 if high else 0xC0)

    return bytes([graphic(cell >> 6 & 63), graphic(cell & 63)])


class Telnet:
    """Pure: bytes from the host in, answers and whole 3270 records out."""

    def __init__(self, terminal: str) -> None:
        self._terminal = terminal.encode("ascii")
        self._left = b""
        self._record = bytearray()
        self._answered: set[tuple[int, int]] = set()

    def feed(self, data: bytes) -> tuple[bytes, list[bytes]]:
        """What to send back, and the records that are complete now."""
        data, self._left = self._left + data, b""
        answer, records, at = bytearray(), [], 0
        while at < len(data):
            end = data.find(IAC, at)
            if end != at:
                end = len(data) if end < 0 else end
                self._record += data[at:end]
                at = end
                continue
            command = data[at + 1 : at + 2]
            if command and command[0] == SB:
                close = data.find(bytes([IAC, SE]), at)
                if close >= 0:
                    answer += bytes([IAC, SB, TERMINAL_TYPE, 0]) + self._terminal
                    answer += bytes([IAC, SE])
                    at = close + 2
                    continue
            elif command and command[0] in (DO, WILL, DONT, WONT):
                if len(data) > at + 2:
                    answer += self._option(command[0], data[at + 2])
                    at += 3
                    continue
            elif command:
                if command[0] == EOR:
                    records.append(bytes(self._record))
                    self._record.clear()
                elif command[0] == IAC:
                    self._record.append(IAC)
                at += 2
                continue
            self._left = data[at:]
            break
        return bytes(answer), records

    def _option(self, command: int, option: int) -> bytes:
        # Each request once (RFC 854): two that always answer would never end.
        if command in (DONT, WONT) or (command, option) in self._answered:
            return b""
        self._answered.add((command, option))
        yes = option in WANTED
        reply = (WILL if yes else WONT) if command == DO else (DO if yes else DONT)
        return bytes([IAC, reply, option])


def enter(text: str) -> bytes:
    """ENTER with `text` typed in the input field, as it goes over the line."""
    typed = text.encode("cp037")
    at = address(INPUT_AT)
    data = bytes([ENTER]) + address(INPUT_AT + len(typed)) + bytes([SBA]) + at + typed
    return data.replace(b"\xff", b"\xff\xff") + bytes([IAC, EOR])


class RawTerminal(Closing):
    """A blocking terminal on 3270 `device` of the Hercules at `port` of the loopback address.

    As on a display, ENTER locks the keyboard until the host unlocks it.
    """

    def __init__(self, port: int, device: int, within: float = 10.0) -> None:
        self._telnet = Telnet(f"IBM-3278-2@{device:04X}")
        self._socket = socket.create_connection(("127.0.0.1", port), within)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._records: list[bytes] = []
        self._locked = True

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def record(self, within: float, expected: str) -> bytes:
        """The next record of the host."""
        deadline = Deadline(within)
        while not self._records:
            self._socket.settimeout(max(deadline.left, 0.001))
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                raise Timeout(expected, deadline.elapsed) from None
            # Hercules leaves Nagle's algorithm on: without this each second small record of an
            # answer waits 40 ms for our delayed acknowledgement.
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
            if not data:
                raise Timeout(f"{expected} (Hercules closed the connection)", deadline.elapsed)
            answer, records = self._telnet.feed(data)
            if answer:
                self._socket.sendall(answer)
            self._records += records
        record = self._records.pop(0)
        if record[0] in WRITES and record[1] & WCC_RESTORE:
            self._locked = False
        return record

    def expect(self, text: str, within: float) -> str:
        """Records up to the first one that has `text`; all of them as text."""
        deadline, seen, wanted = Deadline(within), b"", text.encode("cp037")
        while True:
            seen += self.record(deadline.left, f"'{text}' on the terminal")
            if wanted in seen:
                return seen.decode("cp037")

    def enter(self, text: str) -> None:
        """Type `text` and press ENTER, as soon as the keyboard is unlocked."""
        deadline = Deadline(UNLOCK_WITHIN)
        while self._locked:
            self.record(deadline.left, "the keyboard to be unlocked")
        self._locked = True
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        self._socket.sendall(enter(text))
