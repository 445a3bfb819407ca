# SPDX-License-Identifier: MIT
"""Sizes of a linked program for s390x: its sections, its functions' code and stack frames. Pure
but for reading the file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vmkb.guests.release.errors import SourceError

OF = "the program TCPIP"
"""What `program_sizes` are of, in words."""
_MAGIC = b"\x7fELF\x02\x02"  # 64 bits, most significant byte first
_SECTIONS_AT = 0x28
_COUNTED_AT = 0x3A
_SECTION = struct.Struct(">IIQQQQIIQQ")
_SYMBOL = struct.Struct(">IBBHQQ")
_SYMBOLS, _NO_BITS = 2, 8
_WRITE, _ALLOCATED = 1, 2
_OBJECT, _FUNCTION = 1, 2
_LENGTHS = (2, 4, 4, 6)
"""Bytes of an instruction, by the first two bits of it."""


class Sizes(NamedTuple):
    """Bytes of a program's sections, as `size` adds them up; text has the constants, too."""

    text: int
    data: int
    bss: int


class Function(NamedTuple):
    """A function as it was linked: its name, address and instructions."""

    name: str
    address: int
    code: bytes

    def instructions(self) -> Iterator[tuple[int, bytes]]:
        """Each instruction with its address."""
        at = 0
        while at < len(self.code):
            length = _LENGTHS[self.code[at] >> 6]
            yield self.address + at, self.code[at : at + length]
            at += length

    @property
    def frame(self) -> int:
        """Bytes of stack that it takes at a time; 0 if none."""
        return max((taken(instruction) for _, instruction in self.instructions()), default=0)


class _Section(NamedTuple):
    kind: int
    flags: int
    address: int
    at: int
    size: int
    link: int


def taken(instruction: bytes) -> int:
    """Bytes by which INSTRUCTION lowers the stack pointer, %r15: AGHI %r15,-N and LAY
    %r15,-N(%r15) are those that gcc uses for it."""
    if len(instruction) == 4 and instruction[:2] == b"\xa7\xfb":
        return max(0, -int.from_bytes(instruction[2:], signed=True))
    if len(instruction) == 6 and instruction[:2] == b"\xe3\xf0" and instruction[5] == 0x71:
        high = int.from_bytes(instruction[4:5], signed=True) << 12
        displacement = high | (instruction[2] & 15) << 8 | instruction[3]
        return max(0, -displacement) if instruction[2] >> 4 == 15 else 0
    return 0


def program_sizes(elf: Path) -> Sizes:
    """The sizes of the program ELF. SourceError if it is none."""
    kept = [s for s in _sections(_read(elf), elf) if s.flags & _ALLOCATED]
    bss = sum(s.size for s in kept if s.kind == _NO_BITS)
    data = sum(s.size for s in kept if s.kind != _NO_BITS and s.flags & _WRITE)
    return Sizes(sum(s.size for s in kept) - data - bss, data, bss)


def functions(elf: Path) -> list[Function]:
    """The functions of the program ELF, each address once. SourceError if it is none."""
    data = _read(elf)
    sections = _sections(data, elf)
    found = {}
    for name, address, size, within in _symbols(data, sections, _FUNCTION):
        begins = sections[within].at + address - sections[within].address
        found[address] = Function(name, address, data[begins : begins + size])
    return [found[address] for address in sorted(found)]


def objects(elf: Path) -> dict[str, int]:
    """Bytes of each variable of the program ELF by its name. SourceError if it is none."""
    data = _read(elf)
    return {name: size for name, _, size, _ in _symbols(data, _sections(data, elf), _OBJECT)}


def _read(elf: Path) -> bytes:
    try:
        return elf.read_bytes()
    except OSError as error:
        raise SourceError(f"{elf.name} cannot be read: {error.strerror}") from None


def _sections(data: bytes, elf: Path) -> list[_Section]:
    if not data.startswith(_MAGIC):
        raise SourceError(f"{elf.name} is no 64-bit big-endian ELF program")
    try:
        (table,) = struct.unpack_from(">Q", data, _SECTIONS_AT)
        size, count = struct.unpack_from(">HH", data, _COUNTED_AT)
        read = (_SECTION.unpack_from(data, table + n * size) for n in range(count))
        return [_Section(*words[1:7]) for words in read]
    except struct.error:
        raise SourceError(f"{elf.name} is not all there") from None


def _symbols(
    data: bytes, sections: list[_Section], kind: int
) -> Iterator[tuple[str, int, int, int]]:
    """Name, address, size and section of each symbol of KIND that has a size."""
    for table in (s for s in sections if s.kind == _SYMBOLS):
        names = sections[table.link].at
        for at in range(table.at, table.at + table.size, _SYMBOL.size):
            name, info, _, within, address, size = _SYMBOL.unpack_from(data, at)
            if info & 15 == kind and size and within < len(sections):
                text = data[names + name : data.index(b"\0", names + name)]
                yield text.decode("latin-1"), address, size, within
