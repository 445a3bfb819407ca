# SPDX-License-Identifier: MIT
"""Files that a workload wants on a guest's volume, in nobody's form: each guest's driver stores
them in its own."""

from __future__ import annotations

import functools
from dataclasses import dataclass

_WORDS = (
    "the account of a virtual machine counts every instruction that it runs and every byte "
    "that control program moves for it so that two releases can be compared line by line "
    "when the same work is done on both of them and nothing else has changed in between "
).split()


@dataclass(frozen=True)
class Text:
    """Lines of text, each ended by a line feed."""

    text: str


@dataclass(frozen=True)
class Fixed:
    """Bytes; in records of LRECL bytes where a guest has records, the last of which may be
    short."""

    data: bytes
    lrecl: int


Content = Text | Fixed


def document(size: int) -> str:
    """SIZE bytes of text in lines of at most 72 characters, the same at every call.

    Each line begins with its number, so that a lost or repeated line is seen.
    """
    lines: list[str] = []
    left, first = size, 0
    while left > 0:
        number = f"{len(lines) + 1:06d}"
        words, first = _words(first, 72 - len(number))
        line = (number + words)[: left - 1]
        lines.append(line)
        left -= len(line) + 1
    return "".join(line + "\n" for line in lines)


@functools.cache
def _words(first: int, room: int) -> tuple[str, int]:
    """As many words from the FIRST on as there is ROOM for, and which is next."""
    words, at = "", first
    while len(words) + 1 + len(_WORDS[at % len(_WORDS)]) <= room:
        words += " " + _WORDS[at % len(_WORDS)]
        at += 1
    return words, at % len(_WORDS)
