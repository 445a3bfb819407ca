# SPDX-License-Identifier: MIT
"""Images with the user's releases, one each: the guest's own with another TCPIP in the place of its
last one, or a VM/KB of the user's.

So where programs lie in storage, and whether they fit, does not depend on how many releases a run
has.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from vmkb.guests.release import cache
from vmkb.guests.release.cache import USED, VMKB
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.members import shown
from vmkb.guests.release.system import INS

TCPIP = "tcpip"
PARM, HOST = "parm.txt", b"MODEL=HOST\0"
"""The parameter file, and what is in it until a boot says more (tools/ins.py)."""
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
    for path in _chosen(image, chosen):
        total.update(bytes.fromhex(_digest(path)))
    return total.hexdigest()


def programs(image: Path, chosen: str) -> dict[str, str]:
    """Digests of the programs that the .ins file IMAGE loads, by their names; of TCPIPs that of the
    level CHOSEN, without its number."""
    return {
        TCPIP if path.stem.startswith(TCPIP) else path.stem: _digest(path)
        for path in _chosen(image, chosen)
    }


def elves(image: Path, chosen: str) -> list[Path]:
    """The ELF files of the programs that the .ins file IMAGE loads; of TCPIPs that of the level
    CHOSEN."""
    return [path.with_suffix(".elf") for path in _chosen(image, chosen)]


def _chosen(image: Path, chosen: str) -> list[Path]:
    every = ((path, path.stem) for path in _programs(image))
    return [p for p, name in every if name == f"{TCPIP}{chosen}" or not name.startswith(TCPIP)]


def _digest(program: Path) -> str:
    """A digest of PROGRAM; of a TCPIP, as `digest`."""
    if program.stem.startswith(TCPIP):
        return digest(program)
    return hashlib.sha256(program.read_bytes()).hexdigest()


def _named(program: Path, name: str) -> bytes:
    content = bytearray(program.read_bytes())
    if not content.startswith(MAGIC):
        raise SourceError(f"{program} is no named system")
    content[NAME_AT] = name.ljust(8).encode(CHARACTERS)
    return bytes(content)


def _programs(image: Path) -> list[Path]:
    """The programs that an .ins file loads, in their order. SourceError if one is not beside it."""
    lines = (line.split() for line in image.read_text("ascii", "replace").splitlines())
    names = [w[0] for w in lines if len(w) == 2 and w[0].endswith(".bin")]
    for name in names:
        if "/" in name or not (image.parent / name).is_file():
            raise SourceError(f"{image} loads {shown(name)}, which is not beside it")
    return [image.parent / name for name in names]


def with_program(image: Path, program: Path, chosen: str) -> Path:
    """Make an image of IMAGE's programs, in which PROGRAM, a TCPIP, has the level CHOSEN and stands
    in the place of the last one; return its .ins file. SourceError if it does not fit. Within
    `alone`."""
    there = _programs(image)
    last = [path for path in there if path.stem.startswith(TCPIP)][-1]
    name = f"{TCPIP}{chosen}"
    loaded = [
        (f"{name}.bin", program, _named(program, name.upper()))
        if path == last
        else (path.name, path, path.read_bytes())
        for path in there
    ]
    return _image(loaded, _placed)


def as_level(image: Path, stack: str, chosen: str) -> Path:
    """Make an image of IMAGE's programs, in which the TCPIP of level STACK has the level CHOSEN;
    return its .ins file. SourceError if there is none. Within `alone`."""
    named = f"{TCPIP}{stack}", f"{TCPIP}{chosen}"
    loaded = [
        (f"{named[1]}.bin", path, _named(path, named[1].upper()))
        if path.stem == named[0]
        else (path.name, path, path.read_bytes())
        for path in _programs(image)
    ]
    if all(name != f"{named[1]}.bin" for name, _, _ in loaded):
        raise SourceError(f"it has no {named[0].upper()}")

    def renamed(ins: Path, names: Sequence[str]) -> None:
        """All stays where that VM/KB looks for it."""
        text = image.read_text("ascii").replace(f"\n{named[0]}.bin ", f"\n{named[1]}.bin ")
        ins.write_text(text, "ascii")
        ins.with_name(PARM).write_bytes(HOST)

    return _image(loaded, renamed)


def _placed(ins: Path, names: Sequence[str]) -> None:
    """Write the .ins file INS of the programs NAMES beside it, each where there is room."""
    made = subprocess.run(
        [sys.executable, VMKB / "tools" / "ins.py", ins, *(ins.with_name(n) for n in names)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if made.returncode:
        raise SourceError(f"its TCPIP is too large: {made.stderr.strip()}")


def _image(
    loaded: Sequence[tuple[str, Path, bytes]], place: Callable[[Path, Sequence[str]], None]
) -> Path:
    """An image of programs: the name of each, where its symbols are, its content. PLACE writes the
    .ins file."""
    total = hashlib.sha256()
    for name, _, content in loaded:
        total.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
    folder = cache.KEPT / f"image-{total.hexdigest()[:16]}"
    if (folder / USED).is_file():
        return folder / INS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path, content in loaded:
        with cache.writing(folder / name):
            (folder / name).write_bytes(content)
            symbols = path.with_suffix(".elf")
            if symbols.is_file():  # of an installed guest those of its first build are
                shutil.copyfile(symbols, (folder / name).with_suffix(".elf"))
    try:
        place(folder / INS, [name for name, _, _ in loaded])
    except SourceError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / USED).touch()
    return folder / INS
