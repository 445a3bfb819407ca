# SPDX-License-Identifier: MIT
"""Lines, words and operands of a directory source, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vmkb.guests.vmkb.disk.errors import Problem
from vmkb.guests.vmkb.disk.model import Where

LAST_COLUMN = 72
_NAME = re.compile(r"[A-Z0-9$#@+\-:_]{1,8}\Z")
_HEX = re.compile(r"[0-9A-F]{1,4}\Z")
_STORAGE = re.compile(r"([0-9]{1,7})([KM])\Z")


@dataclass(frozen=True)
class Word:
    """A word in capitals, as VM reads it, and where it stands."""

    text: str
    where: Where


class Statement:
    """One line: its keyword, and operands taken one after the other.

    Every taker reports a problem and returns None when the operand is missing or not of its kind,
    so that a statement is read to its end and the source to its end.
    """

    def __init__(self, source: Source, words: list[Word], raw: str) -> None:
        self._source = source
        self._words = words
        self._raw = raw
        self._next = 1
        self.keyword = words[0]

    def problem(self, where: Where, message: str) -> None:
        """Report a problem of this source."""
        self._source.problem(where, message)

    def peek(self) -> Word | None:
        """The next operand, left in place."""
        return self._words[self._next] if self._next < len(self._words) else None

    def word(self, expected: str) -> Word | None:
        """The next operand, whatever it is."""
        word = self.peek()
        if word is None:
            last = self._words[-1]
            column = last.where.column + len(last.text) + 1
            self.problem(Where(last.where.line, column), f"expected {expected}, found end of line")
        else:
            self._next += 1
        return word

    def name(self, expected: str) -> Word | None:
        """A name of 1 to 8 characters."""
        word = self.word(expected)
        if word is not None and not _NAME.match(word.text):
            self.problem(
                word.where,
                f"expected {expected} of 1 to 8 letters, digits or $ # @ + - : _, "
                f"found '{word.text}'",
            )
            return None
        return word

    def address(self, expected: str) -> int | None:
        """A device address of 1 to 4 hexadecimal digits."""
        word = self.word(expected)
        if word is None:
            return None
        if not _HEX.match(word.text):
            self.problem(
                word.where, f"expected {expected} of 1 to 4 hexadecimal digits, found '{word.text}'"
            )
            return None
        return int(word.text, 16)

    def number(self, expected: str, low: int, high: int) -> int | None:
        """A decimal number from low to high."""
        word = self.word(expected)
        if word is None:
            return None
        if not word.text.isascii() or not word.text.isdigit() or len(word.text) > 10:
            self.problem(word.where, f"expected {expected}, a number, found '{word.text}'")
            return None
        value = int(word.text)
        if not low <= value <= high:
            self.problem(word.where, f"expected {expected} from {low} to {high}, found {value}")
            return None
        return value

    def choice(self, expected: str, choices: dict[str, int]) -> int | None:
        """One of the given words."""
        word = self.word(expected)
        if word is None:
            return None
        if word.text not in choices:
            listed = " ".join(choices)
            self.problem(word.where, f"expected {expected}, one of {listed}, found '{word.text}'")
            return None
        return choices[word.text]

    def storage(self, expected: str, most_kb: int) -> int | None:
        """A storage size nK or nM, in KB, rounded up to 4 KB."""
        word = self.word(expected)
        if word is None:
            return None
        match = _STORAGE.match(word.text)
        if match is None:
            self.problem(
                word.where, f"expected {expected} such as 1024K or 2M, found '{word.text}'"
            )
            return None
        size = int(match[1]) * (1024 if match[2] == "M" else 1)
        if not 4 <= size <= most_kb:
            self.problem(
                word.where, f"expected {expected} from 4K to {most_kb // 1024}M, found {word.text}"
            )
            return None
        return -(-size // 4) * 4

    def text_from(self, word: Word) -> str:
        """The rest of the line from a word on, in the case it was written in."""
        return self._raw[word.where.column - 1 :].rstrip()

    def end(self) -> None:
        """Report operands that are left over."""
        word = self.peek()
        if word is not None:
            self.problem(word.where, f"expected end of line, found '{word.text}'")


class Source:
    """A directory source: gives its statements and collects its problems."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._lines = text.split("\n")

    def problem(self, where: Where, message: str) -> None:
        """Remember a problem."""
        self.problems.append(Problem(self.file, where.line, where.column, message))

    def statements(self) -> Iterator[Statement]:
        """Lines that are neither empty nor comments; after column 72 only a sequence number."""
        for number, line in enumerate(self._lines, 1):
            line = line.removesuffix("\r")
            bad = next((i for i, c in enumerate(line) if not 0x20 <= ord(c) < 0x7F), None)
            if bad is not None:
                self.problem(
                    Where(number, bad + 1),
                    f"expected printable ASCII, found character U+{ord(line[bad]):04X}",
                )
                continue
            raw = line[:LAST_COLUMN]
            words = [
                Word(m[0].upper(), Where(number, m.start() + 1)) for m in re.finditer(r"[^ ]+", raw)
            ]
            if not words or words[0].text.startswith("*"):
                continue
            rest = line[LAST_COLUMN:].strip()
            if rest and not rest.isdigit():
                self.problem(
                    Where(number, LAST_COLUMN + 1),
                    f"expected nothing but a sequence number after column {LAST_COLUMN}",
                )
            yield Statement(self, words, raw)
