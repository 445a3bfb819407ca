# SPDX-License-Identifier: MIT
"""The guest's image with more TCPIPs. All of them share the image's other programs."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vmkb.guests.release.build import KEPT, USED, VMKB
from vmkb.guests.release.source import SourceError

INS = "vmkb.ins"
MAGIC = b"VMKBNSS1"
NAME_AT = slice(8, 16)
"""Where a named system's name is in its head (boot/vmstart.S)."""
CHARACTERS = "cp037"
"""EBCDIC; A to Z and 0 to 9 are in all of its code pages where they are here."""


def level(number: int) -> str:
    """The value of TCPIP= that chooses the user's release NUMBER."""
    return f"{number:03d}"


def digest(program: Path) -> str:
    """SHA-256 of a named system as linked, without its name. Equal programs have equal digests."""
    return hashlib.sha256(_named(program, "")).hexdigest()


def _named(program: Path, name: str) -> bytes:
    content = bytearray(program.read_bytes())
    if not content.startswith(MAGIC):
        raise SourceError(f"{program} is no named system")
    content[NAME_AT] = name.ljust(8).encode(CHARACTERS)
    return bytes(content)


def _programs(image: Path) -> list[Path]:
    """The programs that an .ins file loads, in their order."""
    lines = (line.split() for line in image.read_text("ascii").splitlines())
    return [image.parent / w[0] for w in lines if len(w) == 2 and w[0].endswith(".bin")]


def assembled(image: Path, programs: Sequence[Path]) -> Path:
    """Make an image of IMAGE's programs and PROGRAMS, TCPIPs with levels from 1 on; return its .ins
    file. PROGRAMS come before the guest's own TCPIPs, because CP takes the last one by default.
    SourceError if there are too many. Within `alone`."""
    base = _programs(image)
    names = [f"tcpip{level(n)}" for n, _ in enumerate(programs, start=1)]
    own = {n: _named(p, n.upper()) for n, p in zip(names, programs, strict=True)}
    total = hashlib.sha256()
    for content in [*(path.read_bytes() for path in base), *own.values()]:
        total.update(hashlib.sha256(content).digest())
    folder = KEPT / f"image-{total.hexdigest()[:16]}"
    if (folder / INS).is_file():
        return folder / INS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in base:
        for file in (path, path.with_suffix(".elf")):
            shutil.copyfile(file, folder / file.name)
    for (name, content), program in zip(own.items(), programs, strict=True):
        (folder / f"{name}.bin").write_bytes(content)
        shutil.copyfile(program.with_suffix(".elf"), folder / f"{name}.elf")
    order = [path.name for path in base]
    at = next(k for k, name in enumerate(order) if name.startswith("tcpip"))
    order[at:at] = [f"{name}.bin" for name in names]
    made = subprocess.run(
        [sys.executable, VMKB / "tools" / "ins.py", folder / INS, *(folder / n for n in order)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        raise SourceError(f"{len(programs)} releases are too many: {made.stderr.strip()}")
    (folder / USED).touch()
    return folder / INS
