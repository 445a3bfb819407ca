# SPDX-License-Identifier: MIT
"""A VM/KB with systems for machines under SIE (MACHINE Z in its directory): its .ins file loads
them above CP's storage, where cp/sie/storage.c finds them.

Each is a header of one page and the pieces of its own .ins file, one behind the other.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from vmkb.guests.vmkb.disk.codepage import encode
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.guest import Guest

MB = 1 << 20
PAGE = 4096
BASE = 64 * MB
"""CP's own storage ends here: REAL_STORAGE in cp/include/param.h."""
MAGIC = 0x564D4B42484F5354
STORAGE_AT = 0x9000
"""Where CP is told how much storage there is."""
PIECES = 16
ENTRY = 0x10000
"""Where a kernel's first instruction is."""
TABLES_MB = 2
"""More than a machine of 256 MB takes beside its storage: the host's tables for it."""


def hosting(guest: Guest, systems: Mapping[str, Guest], folder: Path, storage_mb: int) -> Guest:
    """VM/KB that has SYSTEMS by the names for IPL, with STORAGE_MB for machines that IPL them. What
    is made for it is in FOLDER. EmulatorError if a system cannot be loaded so."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{guest.image.parent / name} {at}"
        for name, at in map(str.split, _loads(guest.image.read_text("utf-8")))
    ]
    at = BASE
    for name, system in systems.items():
        placed, at = _place(name, system, at, folder)
        lines += placed
        at = -(-at // MB) * MB
    memory = at // MB + storage_mb + TABLES_MB
    told = folder / "storage.head"
    told.write_bytes(struct.pack(">2Q", MAGIC, memory))
    lines.append(f"{told.resolve()} 0x{STORAGE_AT:08X}")
    image = folder / guest.image.name
    image.write_text("\n".join(lines) + "\n", "utf-8")
    machine = guest.machine.model_copy(update={"memory_mb": memory})
    made = guest.with_image(str(image.resolve()))
    symbols = guest.ipl.symbols
    ipl = made.ipl.model_copy(update={"symbols": symbols})
    return made.model_copy(update={"machine": machine, "ipl": ipl})


def _loads(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() and line[0] != "*"]


def _place(name: str, system: Guest, at: int, folder: Path) -> tuple[list[str], int]:
    """The lines that load SYSTEM at real address AT, and where it ends."""
    pieces, lines = [], []
    end = at + PAGE
    for line in _loads(system.image.read_text("utf-8")):
        words = line.split()
        source = system.image.parent / words[0]
        size = source.stat().st_size
        pieces.append((int(words[1], 0), end, size))
        lines.append(f"{source} 0x{end:08X}")
        end = -(-(end + size) // PAGE) * PAGE
    if len(pieces) > PIECES:
        raise EmulatorError(f"{system.image} loads {len(pieces)} files; VM/KB takes {PIECES}.")
    least = max(to + size for to, _, size in pieces)
    head = struct.pack(">Q", MAGIC) + encode(name.ljust(8)) + struct.pack(
        ">6Q", end, least, system.ipl.parameter_address or 0, system.ipl.parameter_max, ENTRY,
        len(pieces),
    )  # fmt: skip
    header = folder / f"{name.lower()}.head"
    header.write_bytes(head + b"".join(struct.pack(">3Q", *piece) for piece in pieces))
    return [f"{header.resolve()} 0x{at:08X}", *lines], end
