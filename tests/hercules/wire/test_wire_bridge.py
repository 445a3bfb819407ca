# SPDX-License-Identifier: MIT
"""The router's queue before a medium that many links share."""

from __future__ import annotations

from vmkb.hercules.wire.bridge import Bridge
from vmkb.hercules.wire.lan import Lan
from vmkb.hercules.wire.link import Medium, Transit
from vmkb.hercules.wire.profile import Profile

QUEUE = 65536


def test_a_frame_that_just_fits_has_room_and_one_byte_more_has_not() -> None:
    target = Lan(Profile(queue=QUEUE), 0).attach("p", "test")
    bridge = Bridge(Medium())
    assert bridge.put(target, Transit(0.0, 0.0, bytes(QUEUE - 40), False))
    assert not bridge.put(target, Transit(0.0, 0.0, bytes(41), False))
    assert bridge.bytes == QUEUE - 40, "what had no room does not count"
    assert bridge.put(target, Transit(0.0, 0.0, bytes(40), False))
    assert bridge.bytes == QUEUE
    assert bridge.turn(0.0) is not None and bridge.bytes == 40
