# SPDX-License-Identifier: MIT
"""The machine for so many users: its displays and its storage. Pure."""

from __future__ import annotations

from vmkb.hercules.guest import Guest

USERS_MAX = 112
"""Displays that CP has, with those of the meter and of nobody; as many machines as that and CP's
own are logged on at most (guests/vmkb/cp/display/display3270.c, guests/vmkb/include/monitor.h)."""
OTHERS = 4
"""Displays beside the users'."""
STEP = 64
"""Displays of one line of the emulator's configuration."""
USER_MB = 2
CP_MB = 40
"""Storage of CP, of its caches and of the machines that are no users'."""


def storage_mb(users: int) -> int:
    """Real storage for so many users, MB; 64 at least, as the guest has it."""
    return max(64, CP_MB + users * USER_MB + users // 8)


def enlarged(guest: Guest, users: int) -> Guest:
    """GUEST with displays and storage for so many USERS."""
    machine = guest.machine
    first = next(d for d in machine.devices if d.kind == "3270")
    wanted = max(first.count, users + OTHERS)
    displays = [
        first.model_copy(update={"number": first.number + at, "count": min(STEP, wanted - at)})
        for at in range(0, wanted, STEP)
    ]
    others = [d for d in machine.devices if d.kind != "3270"]
    made = machine.model_copy(
        update={"memory_mb": storage_mb(users), "devices": (*others, *displays)}
    )
    return guest.model_copy(update={"machine": made})


def parameter(users: int) -> str:
    """The message of IPL about that storage."""
    return f"STORAGE={storage_mb(users)}"
