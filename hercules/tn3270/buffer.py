# SPDX-License-Identifier: MIT
"""The buffer of a 3270 display of 24 rows by 80: a host's records in, what a key sends out. Pure.

As s3270 has it without the extended protocol (GA23-0059 says what a record holds). It is for those
who sit at a hundred displays at once; one is s3270's.
"""

from __future__ import annotations

import re

from vmkb.hercules.tn3270.screen import COLUMNS, ROWS

CELLS = ROWS * COLUMNS
_SWAPPED = bytes.maketrans(b"\x5f\xb0\xad\xba\xbd\xbb", b"\xb0\x5f\xba\xad\xbb\xbd")
"""Between code page 1047, as s3270 has it, and 037, which Python has."""
KEYS = {"enter": 0x7D, "clear": 0x6D, "pa1": 0x6C, "pa2": 0x6E, "pa3": 0x6B} | {
    f"pf{n}": aid
    for n, aid in enumerate(
        [*range(0xF1, 0xFA), 0x7A, 0x7B, 0x7C, *range(0xC1, 0xCA), 0x4A, 0x4B, 0x4C], start=1
    )
}
"""The attention identifier of each key."""
SHORT = frozenset(("clear", "pa1", "pa2", "pa3"))
"""Keys that send nothing but themselves."""
_WRITE = frozenset((0x01, 0xF1))
_ERASE_WRITE = frozenset((0x05, 0xF5, 0x0D, 0x7E))
_ERASE_UNPROTECTED = frozenset((0x0F, 0x6F))
_READ_MODIFIED = frozenset((0x06, 0xF6, 0x0E, 0x6E))
_SBA, _SF, _SFE, _SA, _MF, _IC, _PT, _RA, _EUA, _GE = (
    0x11, 0x1D, 0x29, 0x28, 0x2C, 0x13, 0x05, 0x3C, 0x12, 0x08,
)  # fmt: skip
_BLANKED = bytes(max(c, 0x40) for c in range(256))
_TEXT = re.compile(rb"[\x40-\xff]+")
_RESTORE, _RESET_MDT = 0x02, 0x01
_PROTECTED, _NUMERIC, _MODIFIED = 0x20, 0x10, 0x01
_NO_KEY = 0x60
_FIELD_ATTRIBUTE = 0xC0
_GRAPHIC = bytes(
    x | (0x40 if x in (0, 16, 32, 33) or x % 16 > 9 else 0xC0) if x != 48 else 0xF0
    for x in range(64)
)


class BufferError(ValueError):
    """A record that no host sends to such a display, or a key that cannot be pressed now."""


def address(cell: int) -> bytes:
    """A cell's address in the 12-bit form: two graphic characters of six bits each."""
    return bytes((_GRAPHIC[cell >> 6 & 63], _GRAPHIC[cell & 63]))


def _cell(data: bytes) -> int:
    if len(data) < 2:
        raise BufferError("a record ends within an address")
    high, low = data[0], data[1]
    cell = (high & 0x3F) << 8 | low if not high & 0xC0 else (high & 0x3F) << 6 | low & 0x3F
    if cell >= CELLS:
        raise BufferError(f"the address {cell} is behind the last cell")
    return cell


class Buffer:
    """What the display shows, where its cursor is, and whether its keyboard is locked."""

    def __init__(self) -> None:
        self.cursor = 0
        self.locked = True
        self._cells = bytearray(CELLS)
        self._fields: dict[int, int] = {}
        """Attributes by the cell that they take."""
        self._key = _NO_KEY

    def rows(self) -> list[str]:
        """What stands in each row; attributes and nulls are blanks."""
        text = self._cells.translate(_BLANKED).translate(_SWAPPED).decode("cp037")
        return [text[at : at + COLUMNS] for at in range(0, CELLS, COLUMNS)]

    # What the host does

    def feed(self, record: bytes) -> bytes:
        """Do what a RECORD says; what it asks for, if it does. BufferError if it is none."""
        if not record:
            return b""
        command = record[0]
        if command in _READ_MODIFIED:
            return self._modified(self._key)
        if command in _ERASE_UNPROTECTED:
            self._erase_unprotected(0, 0)
            self.locked, self._key = False, _NO_KEY
            self.cursor = self._next_unprotected(CELLS - 1)
            return b""
        if command not in _WRITE and command not in _ERASE_WRITE:
            raise BufferError(f"a display has no command {command:02X}")
        if len(record) < 2:
            raise BufferError("a write has no control character")
        if command in _ERASE_WRITE:
            self._cells = bytearray(CELLS)
            self._fields.clear()
            self.cursor = 0
        control = record[1]
        if control & _RESET_MDT:
            self._fields = {at: a & ~_MODIFIED for at, a in self._fields.items()}
        self._orders(record, 2)
        if control & _RESTORE:
            self.locked, self._key = False, _NO_KEY
        return b""

    def _orders(self, data: bytes, at: int) -> None:
        cell = self.cursor if data[0] in _WRITE else 0
        while at < len(data):
            order = data[at]
            if order == _SBA:
                cell, at = _cell(data[at + 1 : at + 3]), at + 3
            elif order == _SF:
                cell, at = self._start(cell, data[at + 1 : at + 2]), at + 2
            elif order in (_SFE, _MF):
                cell, at = self._extended(cell, data, at)
            elif order == _SA:
                at += 3
            elif order == _IC:
                self.cursor, at = cell, at + 1
            elif order == _PT:
                cell, at = self._next_unprotected(cell), at + 1
            elif order == _RA:
                until, fill = _cell(data[at + 1 : at + 3]), data[at + 3 : at + 4]
                at += 4 if fill != bytes((_GE,)) else 5
                cell = self._repeat(cell, until, fill)
            elif order == _EUA:
                until = _cell(data[at + 1 : at + 3])
                self._erase_unprotected(cell, until)
                cell, at = until, at + 3
            else:
                text = _TEXT.match(data, at)
                run = text[0] if text else b"\x40" if order == _GE else data[at : at + 1]
                cell, at = self._put(cell, run), at + len(run) + (order == _GE)

    def _put(self, cell: int, run: bytes) -> int:
        """RUN from CELL on, over the last cell into the first; the cell behind it."""
        end = cell + len(run)
        for at in [a for a in self._fields if cell <= a < end or a < end - CELLS]:
            del self._fields[at]
        if end <= CELLS:
            self._cells[cell:end] = run
            return end % CELLS
        self._cells[cell:] = run[: CELLS - cell]
        return self._put(0, run[CELLS - cell :])

    def _start(self, cell: int, attribute: bytes) -> int:
        if not attribute:
            raise BufferError("a record ends within a field's attribute")
        self._cells[cell] = 0
        self._fields[cell] = attribute[0]
        return (cell + 1) % CELLS

    def _extended(self, cell: int, data: bytes, at: int) -> tuple[int, int]:
        count = data[at + 1] if at + 1 < len(data) else 0
        pairs = data[at + 2 : at + 2 + 2 * count]
        basic = [v for k, v in zip(pairs[::2], pairs[1::2], strict=False) if k == _FIELD_ATTRIBUTE]
        attribute = bytes(basic[-1:]) or b"\x40"
        return self._start(cell, attribute), at + 2 + 2 * count

    def _repeat(self, cell: int, until: int, fill: bytes) -> int:
        if not fill:
            raise BufferError("a record ends within a repetition")
        return self._put(cell, fill[:1] * ((until - cell) % CELLS or CELLS))

    def _erase_unprotected(self, start: int, until: int) -> None:
        cell = start
        protected = self._attribute(start) & _PROTECTED
        while True:
            if cell in self._fields:
                protected = self._fields[cell] & _PROTECTED
                if start == until and not protected:
                    self._fields[cell] &= ~_MODIFIED
            elif not protected:
                self._cells[cell] = 0
            cell = (cell + 1) % CELLS
            if cell == until:
                return

    def _field(self, cell: int) -> int | None:
        """The cell of the attribute that CELL's field begins with."""
        if not self._fields:
            return None
        before = [at for at in self._fields if at <= cell]
        return max(before) if before else max(self._fields)

    def _attribute(self, cell: int) -> int:
        at = self._field(cell)
        return 0 if at is None else self._fields[at]

    def _next_unprotected(self, cell: int) -> int:
        order = sorted(self._fields)
        for at in [a for a in order if a >= cell] + [a for a in order if a < cell]:
            behind = (at + 1) % CELLS
            if not self._fields[at] & _PROTECTED and behind not in self._fields:
                return behind
        return 0

    # What a person does

    def type(self, text: str) -> None:
        """TEXT goes in at the cursor. BufferError where nothing can be typed."""
        if self.locked:
            raise BufferError("the keyboard is locked")
        for byte in text.encode("cp037").translate(_SWAPPED):
            cell = self.cursor
            at = self._field(cell)
            if cell in self._fields or (at is not None and self._fields[at] & _PROTECTED):
                raise BufferError(f"'{text}' cannot be typed: its field ends at cell {cell}")
            self._cells[cell] = byte
            if at is not None:
                self._fields[at] |= _MODIFIED
            self.cursor = self._behind(cell)

    def _behind(self, cell: int) -> int:
        behind = (cell + 1) % CELLS
        if behind not in self._fields:
            return behind
        if self._fields[behind] & (_PROTECTED | _NUMERIC) == _PROTECTED | _NUMERIC:
            return self._next_unprotected(behind)
        return (behind + 1) % CELLS

    def home(self) -> None:
        """The cursor goes to the first field that can be typed in."""
        self.cursor = self._next_unprotected(CELLS - 1) if self._fields else 0

    def press(self, key: str) -> bytes:
        """What KEY sends. BufferError while the keyboard is locked."""
        if self.locked:
            raise BufferError("the keyboard is locked")
        self.locked = True
        self._key = KEYS[key]
        if key == "clear":
            self._cells = bytearray(CELLS)
            self._fields.clear()
            self.cursor = 0
        return bytes((self._key,)) if key in SHORT else self._modified(self._key)

    def _modified(self, key: int) -> bytes:
        said = bytearray((key, *address(self.cursor)))
        if not self._fields:
            return bytes(said + bytes(self._cells).replace(b"\0", b""))
        order = sorted(self._fields)
        for at, following in zip(order, [*order[1:], order[0] + CELLS], strict=True):
            if self._fields[at] & _MODIFIED:
                twice = self._cells + self._cells
                text = bytes(twice[at + 1 : following]).replace(b"\0", b"")
                said += bytes((_SBA, *address((at + 1) % CELLS))) + text
        return bytes(said)
