# SPDX-License-Identifier: MIT
"""The identity of a worker: vmkb, guest and emulator."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from vmkb.guests.base import driver
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.guest import PROJECT, Guest

PACKAGES = ("accounting", "guests", "hercules", "workloads")


@cache
def source_digest() -> str:
    """Twelve hexadecimal digits that name this vmkb: its modules and descriptions."""
    total = hashlib.sha256()
    for package in PACKAGES:
        for folder, folders, files in os.walk(PROJECT / package):
            folders[:] = sorted(set(folders) - {"build", "__pycache__"})
            for path in (Path(folder, name) for name in sorted(files)):
                if path.suffix in (".py", ".toml"):
                    total.update(f"{path.relative_to(PROJECT)}\0".encode() + path.read_bytes())
    return total.hexdigest()[:12]


def identity(guest: Guest, emulator: Emulator) -> dict[str, str]:
    """The things that must be the same on all workers, by what it is called in a sentence."""
    return {
        "vmkb": source_digest(),
        "guest image": driver(guest).digest(),
        "emulator": f"{emulator.name} {emulator.identity}",
    }
