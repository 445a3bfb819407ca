# SPDX-License-Identifier: MIT
"""Images with the user's releases: the guest's own with more TCPIPs, which share its other
programs; and one for each VM/KB of the user's."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vmkb.guests.release import cache
from vmkb.guests.release.cache import USED, VMKB
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.system import INS

TCPIP = "tcpip"
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


def digest_of_image(image: Path, chosen: str) -> str:
    """SHA-256 of all programs that the .ins file IMAGE loads but TCPIPs that are not of level
    CHOSEN; the name of that one does not count."""
    total = hashlib.sha256()
    for path in _programs(image):
        if path.stem == f"{TCPIP}{chosen}":
            total.update(bytes.fromhex(digest(path)))
        elif not path.stem.startswith(TCPIP):
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


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


def assembled(image: Path, programs: Mapping[str, Path]) -> Path:
    """Make an image of IMAGE's programs and PROGRAMS, TCPIPs by their levels; return its .ins
    file. PROGRAMS come before the guest's own TCPIPs, because CP takes the last one by default.
    SourceError if there are too many. Within `alone`."""
    base = _programs(image)
    own = {f"{TCPIP}{n}": (p, _named(p, f"{TCPIP}{n}".upper())) for n, p in programs.items()}
    loaded = [(path.name, path, path.read_bytes()) for path in base]
    at = next(k for k, path in enumerate(base) if path.stem.startswith(TCPIP))
    loaded[at:at] = [(f"{name}.bin", path, content) for name, (path, content) in own.items()]
    return _image(loaded, f"{len(programs)} releases are too many")


def as_level(image: Path, stack: str, chosen: str) -> Path:
    """Make an image of IMAGE's programs, in which the TCPIP of level STACK has the level CHOSEN;
    return its .ins file. SourceError if there is none. Within `alone`."""
    named = f"{TCPIP}{stack}", f"{TCPIP}{chosen}"
    loaded = [
        (f"{named[1]}.bin", path, _named(path, named[1].upper())) if path.stem == named[0]
        else (path.name, path, path.read_bytes())
        for path in _programs(image)
    ]  # fmt: skip
    if all(name != f"{named[1]}.bin" for name, _, _ in loaded):
        raise SourceError(f"it has no {named[0].upper()}")
    return _image(loaded, "its programs do not fit")


def _image(loaded: Sequence[tuple[str, Path, bytes]], refusal: str) -> Path:
    """An image of programs: the name of each, where its symbols are, its content."""
    total = hashlib.sha256()
    for name, _, content in loaded:
        total.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
    folder = cache.KEPT / f"image-{total.hexdigest()[:16]}"
    if (folder / INS).is_file():
        return folder / INS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path, content in loaded:
        (folder / name).write_bytes(content)
        shutil.copyfile(path.with_suffix(".elf"), (folder / name).with_suffix(".elf"))
    files = [folder / INS, *(folder / name for name, *_ in loaded)]
    made = subprocess.run(
        [sys.executable, VMKB / "tools" / "ins.py", *files],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        raise SourceError(f"{refusal}: {made.stderr.strip()}")
    (folder / USED).touch()
    return folder / INS
