# SPDX-License-Identifier: MIT
"""From a file or pipe to items: what the bytes are (ASCII, EBCDIC, cards) and in what order.

EBCDIC files come with line ends (NL or LF) or as fixed records without any; fixed records
get a line end each, which is the only thing that is ever added to an input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from accounting.ebcdic import TO_LATIN1, TO_LATIN1_LF, looks_ebcdic
from accounting.records import Item, ParseError, Record, Where

BLOCK = 1 << 20
_CODES = {bytes((0xF0, 0xF0 + n)) for n in range(1, 7)} | {
    bytes((0xC3, 0xF0 + n)) for n in range(4)
}


@dataclass(frozen=True)
class Form:
    """How bytes become text: a translation table (None: as it is), a record length (0: lines)."""

    name: str
    table: bytes | None = None
    length: int = 0


TEXT = Form("text")
EBCDIC = Form("ebcdic", TO_LATIN1)
EBCDIC_LF = Form("ebcdic", TO_LATIN1_LF)
CARDS = Form("cards", None, 80)


def sniff(head: bytes) -> Form:
    """The form of an input whose first bytes are HEAD (a few thousand are enough)."""
    whole = len(head) // 80
    if whole and all(head[at + 78 : at + 80] in _CODES for at in range(0, whole * 80, 80)):
        return CARDS
    if not looks_ebcdic(head):
        return TEXT
    if b"\x15" in head:
        return EBCDIC
    if b"\x25" in head:
        return EBCDIC_LF
    return Form("ebcdic", TO_LATIN1, record_length(head))


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
    form: Form,
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
        if form.length:
            cut = range(0, len(block), form.length)
            block = b"".join(block[at : at + form.length] + b"\n" for at in cut)
        yield block


def cards(
    stream: BinaryIO, file: str, head: bytes = b"", told: Callable[[int], object] | None = None
) -> Iterator[Item]:
    """Records of a binary file of 80-byte accounting cards; line is the card's number.

    The raw of a record is its 160 hexadecimal digits.
    """
    from accounting.cards import LENGTH, read_card
    from accounting.grammar.base import Mismatch

    rest, number = head, 0
    while True:
        block = rest + stream.read(LENGTH * 4096)
        last = len(block) == len(rest)
        whole = len(block) if last else len(block) - len(block) % LENGTH
        for at in range(0, whole, LENGTH):
            card, number = block[at : at + LENGTH], number + 1
            raw, where = card.hex().upper(), Where(file, number, 1)
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
    not look like it, unless it has line ends.
    """
    from accounting.scan import scan

    head = stream.read(8192)
    form = sniff(head)
    if names == ("cards",) and b"\n" not in head:
        form = CARDS
    if form is CARDS:
        return cards(stream, file, head, told)
    return scan(text_blocks(stream, form, head, told), file, names, keep_text)
