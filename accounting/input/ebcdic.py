# SPDX-License-Identifier: MIT
"""EBCDIC IBM-1047 to ISO 8859-1 and back, byte for byte and without loss.

Both tables are permutations of 256 bytes, so translated text can always be turned back.
The line end is a choice: IBM systems end lines with NL (15), some transfers with LF (25).
"""

from __future__ import annotations

# IBM-1047 is code page 037 with these six characters in other places.
_MOVED = {0xAD: 0x5B, 0xBD: 0x5D, 0xBA: 0xDD, 0xBB: 0xA8, 0x5F: 0x5E, 0xB0: 0xAC}


def _table(line_end: int) -> bytes:
    table = bytearray(bytes(range(256)).decode("cp037").encode("latin-1"))
    for code, character in _MOVED.items():
        table[code] = character
    table[0x15], table[0x25] = (0x0A, 0x85) if line_end == 0x15 else (0x85, 0x0A)
    return bytes(table)


def _inverse(table: bytes) -> bytes:
    out = bytearray(256)
    for code, character in enumerate(table):
        out[character] = code
    return bytes(out)


#: bytes.translate tables; TO_LATIN1 ends lines at NL (15), TO_LATIN1_LF at LF (25).
TO_LATIN1 = _table(0x15)
TO_LATIN1_LF = _table(0x25)
TO_EBCDIC = _inverse(TO_LATIN1)


def decode(data: bytes) -> str:
    """EBCDIC bytes as text, one character for each byte."""
    return data.translate(TO_LATIN1).decode("latin-1")


def encode(text: str) -> bytes:
    """Text as EBCDIC bytes; UnicodeEncodeError outside ISO 8859-1."""
    return text.encode("latin-1").translate(TO_EBCDIC)


_TEXT = frozenset(
    b"\x40\x4b\x4c\x4d\x4e\x5b\x5c\x5d\x5e\x60\x61\x6b\x6c\x6d\x6e\x6f\x7a\x7b\x7c\x7d\x7e\x7f\x15"
) | frozenset(encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"))


def looks_ebcdic(sample: bytes) -> bool:
    """Whether SAMPLE (the head of a file) is EBCDIC text rather than ASCII.

    EBCDIC text is blanks (40), letters and digits above 80, and no ASCII line ends or
    blanks; at least seven of ten bytes must say so.
    """
    if not sample:
        return False
    ebcdic = sum(map(sample.count, (bytes((code,)) for code in _TEXT)))
    ascii_text = sum(1 for b in sample if 0x20 <= b < 0x7F or b in b"\t\r\n\f")
    return ebcdic * 10 >= len(sample) * 7 and ebcdic > ascii_text
