# SPDX-License-Identifier: MIT
"""Keys of many terminals go to an emulator one at a time, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from vmkb.hercules.clock.guest import GuestClock
from vmkb.hercules.clock.messages import Message, MessageKind, Pace
from vmkb.hercules.clock.world import World
from vmkb.hercules.deadline import EmulatorError


class Keys:
    """A guest whose emulator says what it has seen when the test does."""

    def __init__(self) -> None:
        self.world = World(0)
        self.guest = GuestClock(self.world, "one", Pace(1))
        self.sent: list[int] = []

    def press(self, device: int) -> None:
        self.guest.key(device, lambda: self.sent.append(device))

    def seen(self, device: int, time: int) -> None:
        self.guest._heard_seen(Message(MessageKind.SEEN, time, device, (7).to_bytes(16, "little")))
        while self.world._events:
            self.world._events.pop(0)[4](time)


@pytest.fixture
def keys() -> Iterator[Keys]:
    made = Keys()
    yield made
    made.guest.close()


def test_a_key_waits_until_the_one_before_is_seen(keys: Keys) -> None:
    for device in (0x701, 0x702, 0x703):
        keys.press(device)
    assert keys.sent == [0x701]
    keys.seen(0x701, 5)
    assert keys.sent == [0x701, 0x702]
    keys.seen(0x702, 9)
    keys.seen(0x703, 12)
    keys.press(0x701)
    assert keys.sent == [0x701, 0x702, 0x703, 0x701]


def test_keys_of_who_has_left_are_not_sent(keys: Keys) -> None:
    for device in (0x701, 0x702, 0x703):
        keys.press(device)
    keys.guest.leave(0x702)
    keys.seen(0x701, 5)
    assert keys.sent == [0x701, 0x703]


def test_a_key_that_another_terminals_was_taken_for_is_an_error(keys: Keys) -> None:
    keys.press(0x701)
    with pytest.raises(EmulatorError, match="lost a key of 0701"):
        keys.seen(0x702, 5)
