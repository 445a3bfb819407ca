# SPDX-License-Identifier: MIT
"""A 3278-2 as a program sees it: takes Write and Erase/Write data, gives Read Modified data."""

from __future__ import annotations

COLUMNS, CELLS = 80, 1920
CODE = bytes.fromhex(
    "40C1C2C3C4C5C6C7C8C94A4B4C4D4E4F50D1D2D3D4D5D6D7D8D95A5B5C5D5E5F"
    "6061E2E3E4E5E6E7E8E96A6B6C6D6E6FF0F1F2F3F4F5F6F7F8F97A7B7C7D7E7F"
)
SBA, SF, IC, RA, EUA = 0x11, 0x1D, 0x13, 0x3C, 0x12
WRITE, ERASE_WRITE, READ_MODIFIED = 0x01, 0x05, 0x06
AID = {"ENTER": 0x7D, "CLEAR": 0x6D, "PA1": 0x6C, "PA2": 0x6E, "PA3": 0x6B}
AID |= {f"PF{n}": 0xF0 + n for n in range(1, 10)}
AID |= {f"PF{n}": 0x7A + n - 10 for n in range(10, 13)}
AID |= {f"PF{n}": 0xC0 + n - 12 for n in range(13, 22)}
AID |= {f"PF{n}": 0x4A + n - 22 for n in range(22, 25)}
SHORT = {AID["CLEAR"], AID["PA1"], AID["PA2"], AID["PA3"]}


def to_ebcdic(text: str) -> bytes:
    return text.encode("cp037")


def encode(cell: int) -> bytes:
    return bytes([CODE[cell >> 6], CODE[cell & 63]])


class Device:
    """Buffer, attributes, cursor and keyboard of one display. Unknown orders are errors."""

    def __init__(self) -> None:
        self.restores = 0
        self.alarms = 0
        self.erase()
        self.locked = True
        self.aid = 0x60

    def erase(self) -> None:
        self.cells = bytearray(CELLS)
        self.attrs: dict[int, int] = {}
        self.cursor = 0

    def write(self, command: int, data: bytes) -> None:
        assert command in (WRITE, ERASE_WRITE)
        at = self.cursor
        if command == ERASE_WRITE:
            self.erase()
            at = 0
        wcc, i = data[0], 1
        if wcc & 1:
            self.attrs = {cell: attr & ~1 for cell, attr in self.attrs.items()}
        while i < len(data):
            order = data[i]
            if order in (SBA, RA, EUA):
                to = (data[i + 1] & 63) << 6 | data[i + 2] & 63
                assert data[i + 1 : i + 3] == encode(to) and to < CELLS
                i += 3
                if order == RA:
                    assert 0 < (to - at) % CELLS <= 480, "a 3277 repeats at most 480 characters"
                    while at != to:
                        self._put(at, data[i])
                        at = (at + 1) % CELLS
                    i += 1
                elif order == EUA:
                    while at != to:
                        if at not in self.attrs and not self._attr(at) & 0x20:
                            self.cells[at] = 0
                        at = (at + 1) % CELLS
                at = to
            elif order == SF:
                self.cells[at] = 0
                self.attrs[at] = data[i + 1]
                at, i = (at + 1) % CELLS, i + 2
            elif order == IC:
                self.cursor, i = at, i + 1
            else:
                assert order == 0 or 0x40 <= order < 0xFF, f"order {order:02X} at {i}"
                self._put(at, order)
                at, i = (at + 1) % CELLS, i + 1
        self.alarms += bool(wcc & 4)
        if wcc & 2:
            self.restores += 1
            self.locked = False
            self.aid = 0x60

    def _put(self, cell: int, char: int) -> None:
        self.attrs.pop(cell, None)
        self.cells[cell] = char

    def _attr(self, cell: int) -> int:
        """The attribute that governs a cell; 0 on an unformatted screen."""
        for back in range(CELLS):
            if (cell - back) % CELLS in self.attrs:
                return self.attrs[(cell - back) % CELLS]
        return 0

    def type(self, text: str) -> None:
        """Types at the cursor as a user would."""
        assert not self.locked, "keyboard is locked"
        for char in to_ebcdic(text):
            assert self.cursor not in self.attrs and not self._attr(self.cursor) & 0x20, "protected"
            self.cells[self.cursor] = char
            self.cursor = (self.cursor + 1) % CELLS

    def press(self, key: str) -> None:
        assert not self.locked, "keyboard is locked"
        self.aid = AID[key]
        self.locked = True
        if key == "CLEAR":
            self.erase()

    def read_modified(self) -> bytes:
        if self.aid in SHORT:
            return bytes([self.aid])
        out = bytes([self.aid]) + encode(self.cursor)
        if not self.attrs:
            return out + bytes(c for c in self.cells if c)
        for start, attr in sorted(self.attrs.items()):
            if attr & 1:
                out += bytes([SBA]) + encode((start + 1) % CELLS) + self._field(start)
        return out

    def _field(self, start: int) -> bytes:
        out, at = bytearray(), (start + 1) % CELLS
        while at not in self.attrs:
            if self.cells[at]:
                out.append(self.cells[at])
            at = (at + 1) % CELLS
        return bytes(out)

    def visible(self, start: int, end: int) -> str:
        """Text of cells as the user sees it: nulls, attributes and hidden fields are blanks."""
        out = bytearray()
        for cell in range(start, end):
            hidden = cell in self.attrs or not self.cells[cell]
            if not hidden and start >= 1759:
                hidden = self._attr(cell) & 0x0C == 0x0C
            out.append(0x40 if hidden else self.cells[cell])
        return out.decode("cp037")

    def rows(self) -> list[str]:
        return [self.visible(r * COLUMNS, (r + 1) * COLUMNS).rstrip() for r in range(22)]

    def lines(self) -> list[str]:
        return [row for row in self.rows() if row]

    def high(self, row: int) -> bool:
        return bool(self._attr(row * COLUMNS) & 8)

    def field(self) -> str:
        return self.visible(1760, 1899).rstrip()

    def status(self) -> str:
        return self.visible(1900, 1912).rstrip()

    def sysname(self) -> str:
        return self.visible(1912, 1920).rstrip()
