# SPDX-License-Identifier: MIT
"""Names of real addresses: image, function, file and line of each instruction. Pure.

An instruction that the compiler moved into another function belongs to the function that it was
written in; the functions around it are kept as its frames, innermost first.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from vmkb.errors import VmkbError

UNKNOWN = "?"
_STACK = re.compile(r"^.*?(lwip|freertos|smoltcp)/\1-[^/]+/(?:src|source)/")
_PORT = re.compile(r"^build/own/[^/]+/(?=service/)")
_CRATE = re.compile(r"^.*?build/crates-[0-9a-f]+/([\w-]+?)-\d[^/]*/src/")
_RUST = re.compile(r"^/(?:rustc/[0-9a-f]+|usr/src/rustc[^/]*)/library/(\w+)/src/")
LIBRARIES = "rust/", "crates/"
"""The beginnings of the names of files of Rust's own library and of small ones beside it: their
functions are parts of those that call them, as those of headers are."""
_NOTE = re.compile(r" \(discriminator \d+\)$")
_SUFFIX = re.compile(r"\.(?:lto_priv|constprop|isra|part|cold)\b.*$")


class SymbolError(VmkbError, ValueError):
    """A table of names that cannot be read; the sentence says where and why."""


class Frame(NamedTuple):
    """A function and the line of it that an instruction is of."""

    function: str
    file: str
    line: int


class Place(NamedTuple):
    """Where an instruction is: the program (cp, cms, tcpip213, ...) and its frames."""

    image: str
    frames: tuple[Frame, ...]

    @property
    def frame(self) -> Frame:
        """The innermost function that is written in a source file and not in a header."""
        for frame in self.frames:
            if not (frame.file.endswith(".h") or frame.file.startswith(LIBRARIES)):
                return frame
        return self.frames[0]


NOWHERE = Place(UNKNOWN, (Frame(UNKNOWN, UNKNOWN, 0),))


class Image(NamedTuple):
    """A program as it was loaded: bytes from REAL on, which it knows as VIRTUAL."""

    name: str
    real: int
    size: int
    virtual: int


@lru_cache(maxsize=10_000)  # thousands of addresses are of each
def without_suffix(function: str) -> str:
    """A function's name without what a compiler adds for a part or a variant of it."""
    return _SUFFIX.sub("", function)


@lru_cache(maxsize=10_000)
def source_name(path: str, folder: str) -> str:
    """A source file as it is called in the guest's FOLDER, from which builds name it; a stack's
    without its release."""
    inside = path.removeprefix("./").removeprefix(folder.rstrip("/") + "/")
    for written, name in (
        (_STACK, r"\1/"), (_PORT, ""), (_CRATE, r"crates/\1/"), (_RUST, r"rust/\1/"),
    ):  # fmt: skip
        inside = written.sub(name, inside)
    return inside


_BRACKETS = re.compile(r"(\w|::)?<([^<>]*)>")


@lru_cache(maxsize=10_000)
def rust_name(function: str) -> str:
    """The last two parts of the path of a Rust FUNCTION, as Socket::dispatch: without the modules
    before, without what types stand for, and without closures, which are written inside of it."""

    def opened(found: re.Match[str]) -> str:
        before, inside = found.groups()
        if before:
            return "" if before == "::" else str(before)
        return inside.partition(" as ")[0]

    name = function.replace("->", "")
    while (shorter := _BRACKETS.sub(opened, name)) != name:
        name = shorter
    parts = [part for part in name.split("::") if part and not part.startswith("{")]
    return "".join("::".join(parts[-2:]).split()) or UNKNOWN


def parse_addr2line(text: str, folder: str) -> dict[int, tuple[Frame, ...]]:
    """The frames that `addr2line -a -i -f -C` printed, by address."""
    found: dict[int, tuple[Frame, ...]] = {}
    address = -1
    frames: list[Frame] = []
    function = ""
    for line in [*text.splitlines(), "0x0"]:
        if line.startswith("0x"):
            if address >= 0:
                found[address] = tuple(frames)
            address, frames, function = int(line, 16), [], ""
        elif not function:
            function = line
        else:
            path, _, number = _NOTE.sub("", line).rpartition(":")
            known = path and path != "??"
            if path.endswith(".rs"):
                function = rust_name(function)
            frames.append(
                Frame(
                    UNKNOWN if function == "??" else without_suffix(function),
                    source_name(path, folder) if known else UNKNOWN,
                    int(number) if number.isdigit() else 0,
                )
            )
            function = ""
    return found


def parse_nm(text: str) -> list[tuple[int, str]]:
    """Address and name of each piece of code in what `nm -n` printed."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tTwW" and not words[2].startswith("."):
            found.append((int(words[0], 16), without_suffix(words[2])))
    return sorted(found)


def named(
    frames: tuple[Frame, ...], address: int, code: Sequence[tuple[int, str]]
) -> Sequence[Frame]:
    """FRAMES with the function's name from the symbols CODE where the debugging data has none."""
    if frames and frames[0].function != UNKNOWN:
        return frames
    at = bisect.bisect_right(code, (address, "\x7f")) - 1
    name = code[at][1] if at >= 0 else UNKNOWN
    first = frames[0] if frames else Frame(UNKNOWN, UNKNOWN, 0)
    return (first._replace(function=name), *frames[1:])


def image_of(images: Iterable[Image], address: int) -> Image | None:
    """The image that has the real ADDRESS."""
    return next((i for i in images if i.real <= address < i.real + i.size), None)


def parse_ins(text: str) -> list[tuple[str, int]]:
    """Name and real address of each file that an .ins file loads."""
    found = []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and not words[0].startswith("*"):
            found.append((words[0], int(words[1], 0)))
    return found


def dump(places: Mapping[int, Place]) -> str:
    """PLACES as text: a line for each address, a word for each frame."""
    lines = []
    for address, place in sorted(places.items()):
        frames = " ".join(f"{f.function}|{f.file}|{f.line}" for f in place.frames)
        lines.append(f"{address:x} {place.image} {frames}\n")
    return "".join(lines)


def load(text: str, name: str = "symbols") -> dict[int, Place]:
    """The places that `dump` wrote. Raises SymbolError with NAME and the line."""
    places: dict[int, Place] = {}
    for n, line in enumerate(text.splitlines(), start=1):
        try:
            address, image, *words = line.split(" ")
            frames = tuple(
                Frame(function, file, int(number))
                for function, file, number in (w.split("|") for w in words)
            )
            if not frames:
                raise ValueError
            places[int(address, 16)] = Place(image, frames)
        except ValueError:
            why = f"{name}, line {n} is not an address with its names: {line!r}"
            raise SymbolError(why) from None
    return places
