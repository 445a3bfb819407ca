# SPDX-License-Identifier: MIT
"""Foundation services and CTERM: a terminal (client) and a host (server of object 42)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from tests.peers.decnet.nsp import Link

BIND, UNBIND, ACCEPT, COMMON = 1, 2, 4, 9
INITIATE, START_READ, READ_DATA, OUT_OF_BAND, UNREAD, WRITE = 1, 2, 3, 4, 5, 7
NO_ECHO = 0x0800
VERSION = b"\2\4\0"


def _initiate() -> bytes:
    return (
        b"\1\0\1\4\0PYTHON  "
        + b"\1\2"
        + struct.pack("<H", 512)
        + b"\2\2\xf4\3"
        + b"\3\4\xfe\x7f\0\0"
    )


def common(*messages: bytes) -> bytes:
    """Common data that carries these CTERM messages."""
    return b"\x09\0" + b"".join(struct.pack("<H", len(m)) + m for m in messages)


def parts(message: bytes) -> list[bytes]:
    """The CTERM messages of common data. ValueError if a length does not fit."""
    at, found = 2, []
    while at < len(message):
        (length,) = struct.unpack_from("<H", message, at)
        if not length or at + 2 + length > len(message):
            raise ValueError(f"a CTERM message of {length} bytes at {at} of {len(message)}")
        found.append(message[at + 2 : at + 2 + length])
        at += 2 + length
    return found


class Terminal:
    """The client: what it was shown is `text`; `reading` and `hidden` tell what the host wants."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.events: list[str] = []
        self.reading = False
        self.hidden = False
        self.link: Link | None = None
        self.reason: int | None = None
        self.typed_into: list[bool] = []
        """For each line typed: was its echo off?"""

    def up(self, link: Link) -> None:
        """The link runs; the host speaks first."""
        self.link = link

    def down(self, link: Link, reason: int) -> None:
        """The session is over."""
        self.link = None
        self.reading = False
        self.reason = reason

    def message(self, link: Link, data: bytes) -> None:
        """From the host."""
        if data[0] == BIND:
            link.send(bytes([ACCEPT]) + VERSION + b"\7\0\x10\0")
        elif data[0] == UNBIND:
            self.events.append("unbind")
            link.close()
        elif data[0] == COMMON:
            for m in parts(data):
                self._cterm(link, m)

    def _cterm(self, link: Link, m: bytes) -> None:
        if m[0] == INITIATE:
            link.send(common(_initiate()))
        elif m[0] == WRITE:
            self.text += m[5:]
        elif m[0] == START_READ:
            assert not self.reading, "a read is under way already"
            self.reading = True
            self.hidden = bool(struct.unpack_from("<H", m, 1)[0] & NO_ECHO)
            self.text += m[17 + m[16] :]
        elif m[0] == UNREAD and self.reading:
            self.reading = False
            link.send(common(bytes([READ_DATA, 6]) + bytes(6)))

    def type(self, line: bytes) -> None:
        """A line, without its end, for the read that is under way."""
        assert self.reading and self.link is not None
        self.reading = False
        self.typed_into.append(self.hidden)
        head = struct.pack("<BBHBBH", READ_DATA, 0, 0, 1, 0, len(line))
        self.link.send(common(head + line + b"\r"))

    def attention(self) -> None:
        """Ctrl-C."""
        assert self.link is not None
        self.link.send(common(bytes([OUT_OF_BAND, 0, 3])))


class Host:
    """The server's side: `line` is called with what was typed and may write and read again."""

    def __init__(self, line: Callable[[Host, bytes], Any], greeting: bytes = b"") -> None:
        self._line = line
        self._greeting = greeting
        self.lines: list[bytes] = []
        self.attentions = 0
        self.link: Link | None = None
        self.reason: int | None = None

    def up(self, link: Link) -> None:
        """Binds."""
        self.link = link
        link.send(bytes([BIND]) + VERSION + b"\7\0\x10\0\0")

    def down(self, link: Link, reason: int) -> None:
        """The terminal is gone."""
        self.link = None
        self.reason = reason

    def message(self, link: Link, data: bytes) -> None:
        """From the terminal."""
        if data[0] == ACCEPT:
            link.send(common(_initiate()))
        elif data[0] == COMMON:
            for m in parts(data):
                self._cterm(m)

    def _cterm(self, m: bytes) -> None:
        if m[0] == INITIATE:
            self.write(self._greeting)
            self.read()
        elif m[0] == READ_DATA and m[1] & 15 == 0:
            (length,) = struct.unpack_from("<H", m, 6)
            self.lines.append(m[8 : 8 + length])
            self._line(self, m[8 : 8 + length])
        elif m[0] == OUT_OF_BAND:
            self.attentions += 1

    def write(self, text: bytes) -> None:
        """Text to show, 500 bytes a message."""
        assert self.link is not None
        for i in range(0, len(text), 500):
            self.link.send(common(bytes([WRITE, 0x30, 0, 0, 0]) + text[i : i + 500]))

    def newlines(self, number: int, text: bytes) -> None:
        """Text behind so many new lines, as VMS writes; then a line is asked for."""
        assert self.link is not None
        self.link.send(common(bytes([WRITE, 0x70, 0, number, 0]) + text))
        self.read()

    def read(self, prompt: bytes = b"", hidden: bool = False, most: int = 240) -> None:
        """Asks for a line."""
        assert self.link is not None
        flags = 0x019008 | (NO_ECHO if hidden else 0)
        self.link.send(
            common(
                bytes([START_READ]) + flags.to_bytes(3, "little")
                + struct.pack("<HHHHHHB", most, 0, 0, len(prompt), 0, 0, 0) + prompt
            )
        )  # fmt: skip

    def close(self) -> None:
        """Ends the session as a logoff does."""
        assert self.link is not None
        self.link.send(bytes([UNBIND, 3, 0]))
        self.link.close()
