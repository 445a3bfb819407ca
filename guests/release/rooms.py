# SPDX-License-Identifier: MIT
"""Sizes of windows and buffers by the same names for all stacks, and those of other systems' lwIPs
(rooms.toml)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field

from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import FREERTOS, LWIP, SMOLTCP

_KNOWN = Path(__file__).with_suffix(".toml")
_MOST = 1 << 20
_SCALED = 0xFFFF
"""A larger window needs a scale."""


class Rooms(BaseModel, extra="forbid", frozen=True):
    """Bytes: `window` is what the other side may send before any of it is read, `send_buffer` what
    waits to be sent or acknowledged, `mss` the data of a segment at most; None: the MTU's."""

    window: Annotated[int, Field(ge=1072, le=_MOST)]
    send_buffer: Annotated[int, Field(ge=1072, le=_MOST)]
    mss: Annotated[int, Field(ge=536, le=8960)] | None = None

    def __str__(self) -> str:
        mss = f", MSS {self.mss}" if self.mss else ""
        return f"window {self.window}, send buffer {self.send_buffer}{mss}"


class _Known(Rooms, frozen=True):
    source: str


@cache
def _known() -> dict[str, _Known]:
    tables = tomllib.loads(_KNOWN.read_text("utf-8"))
    return {name: _Known.model_validate(table) for name, table in tables.items()}


def rooms_of(given: str | Rooms) -> Rooms:
    """GIVEN, or what it names in rooms.toml. SourceError if it names nothing."""
    if isinstance(given, Rooms):
        return given
    found = _known().get(given)
    if found is None:
        raise SourceError(f"there are no rooms {given}; there are {', '.join(_known())}")
    return Rooms(**found.model_dump(exclude={"source"}))


def text_of(rooms: Rooms, what: str) -> str:
    """ROOMS as the options of a stack of kind WHAT: #defines, or TOML for smoltcp. SourceError if
    it cannot have them."""
    if what == SMOLTCP.name:
        if rooms.mss:
            raise SourceError("smoltcp takes its MSS from the MTU: leave out mss")
        return f"rx_room = {rooms.window}\ntx_room = {rooms.send_buffer}\n"
    sizes = {
        LWIP.name: {
            "TCP_WND": rooms.window, "TCP_SND_BUF": rooms.send_buffer,
            "TCP_SNDLOWAT": rooms.send_buffer // 2, "TCP_MSS": rooms.mss,
            "TCP_RCV_SCALE": 0 if rooms.window <= _SCALED else None,
        },
        FREERTOS.name: {
            "RX_ROOM": 2 * rooms.window, "TX_ROOM": rooms.send_buffer, "ipconfigTCP_MSS": rooms.mss,
        },
    }[what]  # fmt: skip
    return "".join(f"#define {name} {n}\n" for name, n in sizes.items() if n is not None)
