# SPDX-License-Identifier: MIT
"""What a user of sethost from dnprogs, DECnet for Linux, has on the screen: a model of its CTERM
part (dnprogs/apps/sethost.c), for there is no kernel with DECnet to run it on."""

from __future__ import annotations

import struct

from tests.peers.decnet.cterm import NO_ECHO, START_READ, WRITE, Terminal

FORMAT, ECHO_END = 0x000008, 0x001000
PREFIX_NEWLINES, PREFIX_CHARACTER = 1, 2


def screen(tty: bytes) -> list[str]:
    """The lines of a terminal that was given these bytes: CR goes to the left, LF down."""
    lines, column = [""], 0
    for byte in tty:
        if byte == 0x0D:
            column = 0
        elif byte == 0x0A:
            lines.append("")
        elif byte >= 0x20:
            line = lines[-1].ljust(column)
            lines[-1] = line[:column] + chr(byte) + line[column + 1 :]
            column += 1
    return lines


class Sethost(Terminal):
    """It echoes what is typed as it is, with the CR that ends it when that is asked for, and no LF
    behind it: it reads the flag that would ask for one (FORMAT) and makes no use of it."""

    def __init__(self) -> None:
        super().__init__()
        self.tty = bytearray()
        self._flags = 0

    def _cterm(self, link, m: bytes) -> None:  # type: ignore[no-untyped-def]
        super()._cterm(link, m)
        if m[0] == START_READ:
            self._flags = int.from_bytes(m[1:4], "little")
            self.tty += m[17 + m[16] :]
        elif m[0] == WRITE:
            (flags,) = struct.unpack_from("<H", m, 1)
            kind = flags >> 6 & 3
            if kind == PREFIX_NEWLINES:
                self.tty += b"\n"  # one, whatever the number is
            elif kind == PREFIX_CHARACTER:
                self.tty += m[3:4]
            self.tty += m[5:]

    def type(self, line: bytes) -> None:
        """A line, without its end, with its echo."""
        if not self._flags & NO_ECHO:
            self.tty += line + (b"\r" if self._flags & ECHO_END else b"")
        super().type(line)
