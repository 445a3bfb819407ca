# SPDX-License-Identifier: MIT
"""TCPIP built with a user's stack: one folder for each source, with the programs of its builds.

The folder's name is a digest of all inputs of the program: the stack's files, the user's options,
our own files and the compiler. So each program is built once.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

from vmkb.guests.compiled import STACK, arranged, build_name
from vmkb.guests.release import cache as kept
from vmkb.guests.release import rust, smoltcp
from vmkb.guests.release.cache import USED, VMKB
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import LWIP, SMOLTCP, Files
from vmkb.guests.release.making import by_clang, compiler, made, refused
from vmkb.guests.release.objects import Objects
from vmkb.guests.release.older import lacks
from vmkb.guests.release.sandbox import Room
from vmkb.guests.release.source import digest_of

PROGRAM = "tcpipown.bin"
TEXT = "tcpipown.text"
OURS = ("Makefile", "boot", "fs", "include", "lib", "service/lib", "service/tcpip", "tools/hostcc",
         "tools/again/lto-wrapper", "tools/clang.py", "tools/shuffle.py")  # fmt: skip
"""TCPIP is built from these files and folders of VM/KB."""
COMPILER_SAID = "compiler"
"""A file among the packed sources: the compiler of the programs that came with them."""
CKSM: Final = "cksm"
OWN: Final = "own"
"""What makes a stack's checksums: the instruction CHECKSUM, or the stack's own code."""
_OPTIONS = '#include_next "lwipopts.h"\n'


def _our_files() -> list[Path]:
    found = ((VMKB / name, (VMKB / name).rglob("*.[chSlrt]*")) for name in OURS)
    return [file for path, below in found for file in ([path] if path.is_file() else sorted(below))]


@cache
def _ours() -> str:
    files = _our_files()
    return digest_of({path.relative_to(VMKB).as_posix(): path.read_bytes() for path in files})


class Build:
    """TCPIP built with the stack of kind WHAT that has the digest SOURCE. OPTIONS is the text of a
    header, or of smoltcp.Options, whose values replace ours; CHECKSUM is CKSM or OWN; IP is
    the version of IP that it has. SourceError if its compiler is not here."""

    def __init__(
        self, source: str, options: str = "", what: str = LWIP.name, checksum: str = CKSM,
        ip: Literal[4, 6] = 4,
    ) -> None:  # fmt: skip
        self.options, self._checksum, self._ip = options, checksum, ip
        self._rust = rust.rust() if what == SMOLTCP.name else None
        if self._rust and by_clang():
            raise SourceError("smoltcp is built beside gcc: install Debian's gcc-s390x-linux-gnu")
        more = [smoltcp.way()] if self._rust else []
        more += [f"IPv{ip}"] if ip != 4 else []
        self.folder = kept.KEPT / kept.named(source, options, checksum, _ours(), compiler(), *more)

    @property
    def placed(self) -> bool:
        """Whether the stack's files are here."""
        return (self.folder / USED).is_file()

    def place(self, files: Files, where: str) -> None:
        """Put the stack's FILES into the folder WHERE in here. Within `alone`."""
        shutil.rmtree(self.folder, ignore_errors=True)
        kept.fill(self.folder / where, files)
        own = self.folder / "options"
        own.mkdir()
        (own / "rooms.h").write_text(self.options, "utf-8")
        text = _OPTIONS
        if self.options and not self._rust:
            text += f'#line 1 "lwipopts.h"\n{self.options}\n'
        (own / "lwipopts.h").write_text(text, "utf-8")
        (own / "lacks.h").write_text(lacks(files), "utf-8")
        if self._rust:
            cksm = self._checksum == CKSM
            smoltcp.place(files, (self.folder / where).parent, self.options, cksm, self._ip)
        (self.folder / USED).touch()

    def has(self, number: int, compiled: str = "") -> bool:
        """Whether the program of build NUMBER, made with COMPILED, is here."""
        return self._program(number, compiled).is_file()

    def _program(self, number: int, compiled: str) -> Path:
        return self.folder / build_name(number, compiled) / PROGRAM

    def text(self) -> str:
        """A digest of what the compiler gets, without comments: of two sources that have the same,
        the programs are the same, too. SourceError as `program`. Within `alone`."""
        self._make([f"{self._here}/{TEXT}"], "text")
        return hashlib.sha256((self.folder / TEXT).read_bytes()).hexdigest()[:16]

    def program(self, number: int, compiled: str = "") -> Path:
        """Build program NUMBER with COMPILED (guests.compiled), unless it is here. Number 1 has the
        usual order and layout. SourceError with the compiler's first error. Within `alone`."""
        program = self._program(number, compiled)
        if not program.is_file():
            name = build_name(number, compiled)
            at = f"{self._here}/{name}"
            objects = self._objects(compiled or STACK[0])
            objects.take()
            self._make([f"B={at}", f"{at}/{PROGRAM}", *arranged(number, compiled)], name)
            objects.give()
        return program

    def _objects(self, compiled: str) -> Objects:
        theirs = (self.folder / name for name in ("lwip", "freertos", "smoltcp/include", "options"))
        files = (*_our_files(), *(path for folder in theirs for path in folder.rglob("*")))
        sources = [path for path in files if path.suffix in (".c", ".h")]
        makefile = hashlib.sha256((VMKB / "Makefile").read_bytes()).hexdigest()
        stem = PROGRAM.removesuffix(".bin")
        way = compiler(), makefile, compiled, self._checksum, str(self._ip)
        return Objects(self.folder, stem, sources, *way)

    @property
    def _here(self) -> Path:
        return self.folder.relative_to(VMKB)

    def compiled(self) -> set[str]:
        """The stack's files that the compiler has read for the programs here."""
        places = "lwip/lwip-own/src|freertos/freertos-own|smoltcp/smoltcp-own"
        where = f"{re.escape(str(self._here))}/(?:{places})"
        names = re.compile(rf"{where}/([^\s:]+)")
        lists = self.folder.rglob("*.d")
        read = {name for path in lists for name in names.findall(path.read_text("utf-8"))}
        return read | {"Cargo.toml"} if self._rust else read

    def _make(self, words: Sequence[str], name: str) -> None:
        log = self.folder / f"{name}.log"
        seen = [path for path in VMKB.iterdir() if path.name != "build"]
        by = ["CLANG=1"] if by_clang() else []
        by += [f"SUMS={OWN}"] if self._checksum == OWN else []
        by += ["IP=6"] if self._ip == 6 else []
        if self._rust:
            seen += [rust.crates(), *rust.seen()]
            by += rust.words()
        room = Room(VMKB, seen, (self.folder,))
        if not made(["OWN=1", *by, f"O={self._here}", *words], log, room=room):
            raise refused(log, self._here)


def make_guest() -> None:
    """Build VM/KB if its sources have changed, so that all TCPIPs have the same port. SourceError
    if make fails. A VM/KB that was installed stays as it is. Within `alone`."""
    if kept.PACKED.is_file():
        return
    log = kept.KEPT / "guest.log"
    if not made([], log):
        raise refused(log, what="VM/KB")


def brought_compiler() -> str:
    """The compiler of the programs that came with an installed vmkb; empty in a clone."""
    said = VMKB / COMPILER_SAID
    return said.read_text("utf-8").strip() if kept.PACKED.is_file() else ""
