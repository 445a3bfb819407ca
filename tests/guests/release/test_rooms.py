# SPDX-License-Identifier: MIT
"""Windows and buffers have the same names for all stacks, and those of other systems a name."""

from __future__ import annotations

import pytest

from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import FREERTOS, LWIP, SMOLTCP
from vmkb.guests.release.rooms import Rooms, rooms_of, text_of
from vmkb.guests.release.smoltcp import options

SMALL = Rooms(window=5760, send_buffer=5744)


@pytest.mark.parametrize("name", ["micropython", "pico", "esp-idf"])
def test_other_systems_have_whole_segments(name: str) -> None:
    rooms = rooms_of(name)
    assert rooms.mss and rooms.window % rooms.mss == 0 and rooms.send_buffer >= 2 * rooms.mss
    assert f"#define TCP_WND {rooms.window}\n" in text_of(rooms, LWIP.name)
    assert f"#define ipconfigTCP_MSS {rooms.mss}\n" in text_of(rooms, FREERTOS.name)


def test_each_stack_gets_them_in_its_words() -> None:
    assert "#define TCP_SND_BUF 5744\n" in text_of(SMALL, LWIP.name)
    assert "MSS" not in text_of(SMALL, LWIP.name) + text_of(SMALL, FREERTOS.name)
    assert "#define TX_ROOM 5744\n" in text_of(SMALL, FREERTOS.name)
    made = options(text_of(SMALL, SMOLTCP.name))
    assert (made.rx_room, made.tx_room) == (5760, 5744)


def test_a_large_window_keeps_its_scale() -> None:
    large = Rooms(window=1 << 17, send_buffer=1 << 17)
    assert "TCP_RCV_SCALE" in text_of(SMALL, LWIP.name)
    assert "TCP_RCV_SCALE" not in text_of(large, LWIP.name)


def test_what_a_stack_cannot_have_is_refused() -> None:
    with pytest.raises(SourceError, match="smoltcp takes its MSS from the MTU: leave out mss"):
        text_of(rooms_of("pico"), SMOLTCP.name)


def test_a_name_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(SourceError, match="no rooms arduino; there are micropython, pico, esp-idf"):
        rooms_of("arduino")
