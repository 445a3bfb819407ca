# SPDX-License-Identifier: MIT
"""Asynchronous lines of a world's LAN: the engine asks for what PPP and noise make of a packet
(hercules.wire.line)."""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import Any

from vmkb.hercules.clock import native
from vmkb.hercules.clock.native import engine
from vmkb.hercules.wire.block import FRAME_MIN
from vmkb.hercules.wire.line.line import Line
from vmkb.hercules.wire.profile import Profile

lines: dict[int, Line] = {}
"""By the number that the engine has for each."""
_numbers = itertools.count(1)


def line_of(label: str, number: int | None, profile: Profile) -> int | None:
    """The number of the line that a link with this PROFILE is, which was NUMBER; None if it is
    none."""
    if not profile.char_bits:
        return None
    _answer()
    if number:
        lines[number].set_profile(profile)
        return number
    made = next(_numbers)
    lines[made] = Line(label, profile)
    return made


@functools.cache
def _answer() -> tuple[Any, Any]:
    """Let the engine ask; what it calls has to be kept."""
    loaded = engine()

    def waiting(number: int, now: float) -> int:
        return lines[number].waiting(now)

    def send(number: int, data: Any, length: int, now: float, damaged: Any) -> float:
        line, frame = lines[number], ctypes.string_at(data, length)
        size = int.from_bytes(frame[16:18], "big")
        before = line.damaged
        for got in line.send(frame[FRAME_MIN : FRAME_MIN + size], frame[:FRAME_MIN], now):
            whole = got.mark + got.packet
            loaded.line_came(got.begun, got.done, whole, len(whole))
        damaged[0] = line.damaged - before
        return line.free_at

    made = native.Waiting(waiting), native.Send(send)
    loaded.python_lines(*made)
    return made
