# SPDX-License-Identifier: MIT
"""What goes between the clock and an emulator."""

from __future__ import annotations

import pytest

from vmkb.hercules.clock.messages import DEVICES_MAX, DeviceTime, Pace, hello


def test_more_kinds_of_devices_than_an_emulator_has_room_for_are_refused() -> None:
    times = (DeviceTime(0x3370, 1, 1),) * (DEVICES_MAX + 1)
    with pytest.raises(ValueError, match="33 kinds of devices"):
        hello(Pace(1000, devices=times), 0, 0)
