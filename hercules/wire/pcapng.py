# SPDX-License-Identifier: MIT
"""Capture files in pcapng, with one interface for each port of the wire.

Source: draft-ietf-opsawg-pcapng (section header, interface description and enhanced packet
blocks)."""

from __future__ import annotations

import heapq
import os
import stat
import struct
from pathlib import Path
from typing import BinaryIO, cast

from vmkb.hercules.closing import Closing

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_MAGIC = 0x1A2B3C4D
_ETHERNET = 1
#: Seconds by which the wire, on a busy computer, may tell of a frame too late.
LATE_S = 2.0
_OPT_END, _OPT_NAME, _OPT_RESOLUTION = 0, 2, 9


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def opened_privately(path: Path, mode: str) -> BinaryIO:
    """The file at PATH, its owner's alone from the moment it is there. OSError."""
    file = cast(BinaryIO, open(path, mode, opener=_for_its_owner))  # noqa: SIM115
    try:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fchmod(file.fileno(), 0o600)
    except BaseException:
        file.close()
        raise
    return file


class Capture(Closing):
    """A pcapng file being written, its owner's alone: passwords cross the wire as they are typed.
    OSError if the file cannot be made."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.frames = 0
        self._due: list[tuple[float, int, str, bytes]] = []
        self._order = 0
        self._file = opened_privately(self.path, "wb")
        self._interfaces: dict[str, int] = {}
        self._file.write(_block(_SECTION, struct.pack("<IHHq", _MAGIC, 1, 0, -1)))

    def write(self, seconds: float, port: str, frame: bytes, now: float) -> None:
        """Adds a frame that came in from `port` at `seconds` (Unix time; kept to the nanosecond).
        It waits until what came before it has been told of: the file is in the order of time."""
        heapq.heappush(self._due, (seconds, self._order, port, frame))
        self._order += 1
        while self._due and self._due[0][0] <= now - LATE_S:
            self._put(*heapq.heappop(self._due))

    def _put(self, seconds: float, _: int, port: str, frame: bytes) -> None:
        interface = self._interfaces.get(port)
        if interface is None:
            interface = self._interfaces[port] = len(self._interfaces)
            options = (
                _option(_OPT_NAME, port.encode())
                + _option(_OPT_RESOLUTION, b"\x09")
                + _option(_OPT_END, b"")
            )
            self._file.write(_block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, 0) + options))
        stamp = int(seconds * 1e9)
        head = struct.pack(
            "<IIIII", interface, stamp >> 32, stamp & 0xFFFFFFFF, len(frame), len(frame)
        )
        self._file.write(_block(_PACKET, head + _padded(frame)))
        self.frames += 1

    def close(self) -> None:
        """Ends the file, with what is still on its way."""
        while self._due:
            self._put(*heapq.heappop(self._due))
        self._file.close()
