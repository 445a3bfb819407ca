# SPDX-License-Identifier: MIT
"""A display of a world: s3270 does nothing before it has all that the emulator has sent."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import pytest

from tests.peers.host3270 import Host3270, page_write
from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.seat import Seat
from vmkb.hercules.deadline import HOST, wait_until
from vmkb.hercules.tn3270.terminal import Terminal

WITHIN = 30.0
DEVICE = 0x701
BANNER = bytes([0xF5, 0xC3]) + "HERCULES".encode("cp037")
"""No field: ENTER sends all that is there."""
PAGE = page_write([], "CP READ")


class Guest:
    """Sends and takes what the test says."""

    def __init__(self) -> None:
        self.sent, self.taken = {DEVICE: 0}, {DEVICE: 0}
        self.node = SimpleNamespace(ended=True, sent=lambda device: self.sent[device])
        self.watchers: dict[int, Callable[[int], None]] = {}

    def accept(self) -> int:
        return DEVICE

    def look(self, device: int) -> None:
        pass

    def key(self, device: int, send: Callable[[], None]) -> None:
        send()

    def leave(self, device: int) -> None:
        pass


def test_a_key_waits_for_what_is_still_on_its_way(
    emulator_needed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, guest, received = Host3270(BANNER, lambda key, text: []), Guest(), Terminal.received
    seat = Seat(cast(GuestClock, guest), host.port, lambda time: None)
    try:
        wait_until(lambda: "HERCULES" in "".join(seat.rows()), WITHIN, "the banner", clock=HOST)
        before = received(seat._terminal)
        guest.sent[DEVICE] = before + len(PAGE) + 2
        late = [PAGE]

        def comes_late(terminal: Terminal) -> int:
            if late:
                host.send(late.pop())
            return received(terminal)

        monkeypatch.setattr(Terminal, "received", comes_late)
        seat.press("enter")
        wait_until(lambda: host.keys, WITHIN, "the key", clock=HOST)
        assert host.keys == [("ENTER", "")]
    finally:
        seat.close()
        host.close()
