# SPDX-License-Identifier: MIT
"""What a worker is: which vmkb, guest and emulator it has, and on what host."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from vmkb.guests.base import driver
from vmkb.hercules.emulator.choice import Emulator
from vmkb.hercules.guest import PROJECT, Guest

PACKAGES = ("accounting", "guests", "hercules", "workloads")
#: What must be the same on all workers, and what it is called in a sentence.
MUST = {
    "vmkb": "vmkb",
    "guest_image": "guest image",
    "emulator": "emulator",
}


@cache
def source_digest(project: Path = PROJECT) -> str:
    """Twelve hexadecimal digits that name this vmkb: its modules and descriptions."""
    total = hashlib.sha256()
    for package in PACKAGES:
        for folder, folders, files in os.walk(project / package):
            folders[:] = sorted(set(folders) - {"build", "__pycache__"})
            for path in (Path(folder, name) for name in sorted(files)):
                if path.suffix in (".py", ".toml"):
                    total.update(f"{path.relative_to(project)}\0".encode() + path.read_bytes())
    return total.hexdigest()[:12]


def identity(guest: Guest, emulator: Emulator) -> dict[str, str]:
    """What must agree between workers."""
    return {
        "vmkb": source_digest(),
        "guest_image": driver(guest).digest(),
        "emulator": f"{emulator.name} {emulator.identity}",
    }


def host() -> str:
    """What the computer is called."""
    return os.uname().nodename


def differs(theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Why results of a worker with THEIRS do not stand beside those of OURS; empty if they do."""
    for key, what in MUST.items():
        if theirs.get(key) != ours.get(key):
            return f"it has {what} {theirs.get(key, '(none)')}, and this is {ours.get(key)}"
    return ""
