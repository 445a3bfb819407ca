# SPDX-License-Identifier: MIT
"""The times of devices on virtual time: devices.toml, which has the sources."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from vmkb.hercules.clock.messages import PS, DeviceTime

_MS = PS // 1000


@cache
def device_times() -> tuple[DeviceTime, ...]:
    """The kinds of devices that take time."""
    with Path(__file__).with_name("devices.toml").open("rb") as f:
        rows = tomllib.load(f)["device"]
    return tuple(
        DeviceTime(
            int(row["type"], 16),
            round(row["start_ms"] * _MS),
            PS // row["byte_rate"] if row["byte_rate"] else 0,
            round(row["seek_ms"] * _MS),
            row["cylinder"],
        )
        for row in rows
    )
