# SPDX-License-Identifier: MIT
"""From a file or pipe to items: what the bytes are (ASCII, EBCDIC, cards) and in what order.

EBCDIC files come with line ends (NL or LF) or as fixed records without any; fixed records
get a line end each, which is the only thing that is ever added to an input.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

from vmkb import given
from vmkb.accounting.input.ebcdic import TO_LATIN1, TO_LATIN1_LF, looks_ebcdic
from vmkb.accounting.records import Item, ParseError, Record, Where
from vmkb.errors import VmkbError

BLOCK = 1 << 20
ENDS_WITHIN = 10.0
"""Seconds for zstd to end once it has written everything."""
_CODES = {bytes((0xF0, 0xF0 + n)) for n in range(1, 7)} | {
    bytes((0xC3, 0xF0 + n)) for n in range(4)
}


@dataclass(frozen=True)
class Encoding:
    """How bytes become text: a translation table (None: as it is), a record length (0: lines),
    whether lines end in carriage returns alone."""

    name: str
    table: bytes | None = None
    length: int = 0
    returns: bool = False


TEXT = Encoding("text")
CR_TEXT = Encoding("text", returns=True)
EBCDIC = Encoding("ebcdic", TO_LATIN1)
EBCDIC_LF = Encoding("ebcdic", TO_LATIN1_LF)
CARDS = Encoding("cards", None, 80)


class ReadingError(VmkbError, ValueError):
    """An input that is no text, no EBCDIC and no cards; the sentence says what to try."""


#: How compressed files begin, and what unpacks them; Python has no zstd of its own.
_PACKED: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\0", "xz"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"),
)  # fmt: skip


def packed(head: bytes) -> str:
    """The name of the program that compressed an input which begins with HEAD, or nothing."""
    return next((name for magic, name in _PACKED if head.startswith(magic)), "")


@contextmanager
def opened(where: str) -> Iterator[BinaryIO]:
    """The bytes of a file, a FIFO or '-' (standard input), unpacked if they are compressed.

    ReadingError if what they are packed with is missing or they are damaged; OSError.
    """
    stream: Any = sys.stdin.buffer if where == "-" else given.opened(where, pipe=True)
    buffered = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
    try:
        head = buffered.peek(8)[:8]
        how = packed(head)
        if not how:
            yield buffered
            return
        with _unpacked(buffered, how) as plain:
            yield plain
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise ReadingError(f"{where}: the {how} file is damaged: {error}") from None
    finally:
        if where != "-":
            stream.close()


@contextmanager
def _unpacked(packed: BinaryIO, how: str) -> Iterator[BinaryIO]:
    if how == "gzip":
        with gzip.GzipFile(fileobj=packed) as gz:
            yield gz  # type: ignore[misc]
    elif how == "xz":
        with lzma.LZMAFile(packed) as xz:
            yield xz  # type: ignore[misc]
    elif how == "bzip2":
        with bz2.BZ2File(packed) as bz:
            yield bz  # type: ignore[misc]
    else:
        with _zstd(packed) as unpacked:
            yield unpacked


@contextmanager
def _zstd(packed: BinaryIO) -> Iterator[BinaryIO]:
    """Through the program zstd, piece by piece: nothing is spooled, however long it becomes."""
    if shutil.which("zstd") is None:
        raise ReadingError("the input is packed by zstd: install zstd, or unpack it first")
    with tempfile.TemporaryFile() as said, subprocess.Popen(
        ["zstd", "-dc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said
    ) as program:  # fmt: skip
        assert program.stdin is not None and program.stdout is not None
        feeding = threading.Thread(target=_feed, args=(packed, program.stdin), daemon=True)
        feeding.start()
        plain = _Ended(program, said)
        try:
            yield io.BufferedReader(plain, BLOCK)
        finally:
            program.kill()
            program.stdout.close()
            feeding.join(ENDS_WITHIN)


def _feed(packed: BinaryIO, into: IO[bytes]) -> None:
    """Give PACKED to zstd, until it wants no more."""
    with contextlib.suppress(OSError, ValueError), into:
        shutil.copyfileobj(packed, into)


class _Ended(io.RawIOBase):
    """The output of zstd. ReadingError at its end if the file is damaged."""

    def __init__(self, program: subprocess.Popen[bytes], said: IO[bytes]) -> None:
        self._program, self._said = program, said

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        assert self._program.stdout is not None
        count: int = self._program.stdout.readinto1(buffer)  # type: ignore[attr-defined]
        if not count and self._program.wait(ENDS_WITHIN):
            self._said.seek(0)
            words = self._said.read().decode("latin-1").strip().splitlines()
            raise ReadingError(f"the zstd file is damaged: {words[-1] if words else '?'}")
        return count


#: What is packed and no log: where in a file it is told, by which bytes, and what it is.
_OTHERS = (
    (257, b"ustar", "a tar archive"),
    (0, b"PK\3\4", "a zip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
)


def _is_utf16(head: bytes) -> bool:
    """Whether each second byte is a zero and the others are text. Zeros alone are a hole."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return True
    if len(head) < 16:
        return False
    halves = head[::2], head[1::2]
    zeros = [half.count(0) / len(half) for half in halves]
    return max(zeros) > 0.8 and min(zeros) < 0.2


#: Bytes that a console's text may have below a blank; NUL is a 3270 buffer's.
_LAYOUT = frozenset(b"\t\n\r\f\b\0\x1b\x1a\x07")
#: More of other control bytes than this part of an input, and it is no text.
_RUBBISH = 0.05


def refuse(head: bytes, file: str) -> None:
    """ReadingError for bytes that no form of console output has, such as UTF-16."""
    if kind := next((k for at, magic, k in _OTHERS if head.startswith(magic, at)), ""):
        raise ReadingError(f"{file} is {kind}: unpack it, and give a file of it")
    if _is_utf16(head):
        raise ReadingError(
            f"{file} is UTF-16: make it plain first, as by iconv -f UTF-16 -t ISO-8859-1"
        )
    odd = sum(1 for b in head if b < 32 and b not in _LAYOUT)
    if odd > _RUBBISH * len(head):
        raise ReadingError(
            f"{file} is neither text nor EBCDIC nor 80-byte accounting cards; for cards that do not"
            " look like any give --format cards"
        )


def sniff(head: bytes) -> Encoding:
    """The form of an input whose first bytes are HEAD (a few thousand are enough)."""
    whole = len(head) // 80
    if whole and all(head[at + 78 : at + 80] in _CODES for at in range(0, whole * 80, 80)):
        return CARDS
    if not looks_ebcdic(head):
        # A CR at the very end may be half of a line end that is cut there.
        return CR_TEXT if b"\r" in head[:-1] and b"\n" not in head else TEXT
    if b"\x15" in head:
        return EBCDIC
    if b"\x25" in head:
        return EBCDIC_LF
    return Encoding("ebcdic", TO_LATIN1, record_length(head))


def record_length(head: bytes) -> int:
    """Length of the fixed EBCDIC records in HEAD: the usual one whose records fit best.

    Records are padded with blanks (40), so just before a true boundary there are mostly
    blanks and just behind it mostly none.
    """
    best, chosen = -1.0, 80
    for length in (80, 132, 133, 121, 120, 81, 72, 60):
        edges = range(length, len(head), length)
        if edges:
            good = sum(head[at - 1] == 0x40 and head[at] != 0x40 for at in edges) / len(edges)
            if good > best:
                best, chosen = good, length
    return chosen


def text_blocks(
    stream: BinaryIO,
    form: Encoding,
    head: bytes = b"",
    told: Callable[[int], object] | None = None,
) -> Iterator[bytes]:
    """Blocks of STREAM as text; HEAD was read already; TOLD hears how many bytes were taken."""
    size = BLOCK - BLOCK % form.length if form.length else BLOCK
    rest = head
    while True:
        block = rest + stream.read(size - len(rest))
        rest = b""
        if not block:
            return
        if told:
            told(len(block))
        if form.length:
            while len(block) % form.length and (more := stream.read(form.length)):
                block += more
        if form.table:
            block = block.translate(form.table)
        if form.returns:
            block = block.replace(b"\r", b"\n")
        if form.length:
            cut = range(0, len(block), form.length)
            block = b"".join(block[at : at + form.length] + b"\n" for at in cut)
        yield block


def cards(
    stream: BinaryIO, file: str, head: bytes = b"", told: Callable[[int], object] | None = None
) -> Iterator[Item]:
    """Records of a binary file of 80-byte accounting cards; line is the card's number.

    The raw of a record is its 160 hexadecimal digits, a password (types 04, 06) as asterisks.
    """
    from vmkb.accounting.grammar.base import Mismatch
    from vmkb.accounting.input.cards import LENGTH, hide, read_card

    rest, number = head, 0
    while True:
        block = rest + stream.read(LENGTH * 4096)
        last = len(block) == len(rest)
        whole = len(block) if last else len(block) - len(block) % LENGTH
        for at in range(0, whole, LENGTH):
            card, number = block[at : at + LENGTH], number + 1
            raw, where = hide(card).hex().upper(), Where(file, number, 1)
            try:
                kind, fields, notes = read_card(card)
            except Mismatch as miss:
                column, found = (miss.at or 0) + 1, raw[(miss.at or 0) * 2 :]
                yield ParseError(file, number, column, miss.expected, found, "cards", raw)
            else:
                yield Record(kind, fields, raw, where, notes=notes)
        if told:
            told(len(block) - len(rest))
        rest = block[whole:]
        if last:
            return


def items(
    stream: BinaryIO,
    file: str = "-",
    names: tuple[str, ...] = (),
    keep_text: bool = False,
    told: Callable[[int], object] | None = None,
) -> Iterator[Item]:
    """Everything in STREAM, whatever its form; NAMES chooses families (empty: all).

    'cards' alone in NAMES means accounting cards: a binary file even if its first cards do
    not look like it, unless it has line ends. ReadingError for what cannot be read.
    """
    from vmkb.accounting.input.scan import scan

    head = stream.read(8192)
    form = sniff(head)
    if names == ("cards",) and b"\n" not in head:
        form = CARDS
    if form is CARDS:
        return cards(stream, file, head, told)
    if not form.table:
        refuse(head, file)
    found = scan(text_blocks(stream, form, head, told), file, names, keep_text)
    return found if head.strip(b"\0") or not head else _behind_zeros(found, file)


def _behind_zeros(found: Iterator[Item], file: str) -> Iterator[Item]:
    """The bytes behind the hole with which FILE begins. ReadingError if there is nothing."""
    empty = True
    for item in found:
        empty = False
        yield item
    if empty:
        raise ReadingError(f"{file} holds zeros and no record: nothing was written there")
