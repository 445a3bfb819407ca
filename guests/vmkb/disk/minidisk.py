# SPDX-License-Identifier: MIT
"""The minidisk file system over a range of an image file: the same disk that fs/ reads.

Every change is one commit: free blocks, then a directory block, then the other superblock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import BinaryIO

from vmkb.guests.vmkb.disk import fsformat as fmt
from vmkb.guests.vmkb.disk.codepage import checksum
from vmkb.guests.vmkb.disk.fsformat import BLOCK, FBA, Entry, FsError, Super
from vmkb.guests.vmkb.disk.records import Stored

Key = tuple[str, str]


@dataclass(frozen=True)
class Region:
    """A minidisk in an open image: first 512-byte block and number of blocks."""

    file: BinaryIO
    start: int
    blocks: int

    def read(self, block: int, count: int) -> bytes:
        """`count` 512-byte blocks; FsError when the image ends before."""
        if block + count > self.blocks:
            raise FsError(f"block {block + count - 1} is outside the minidisk")
        self.file.seek((self.start + block) * FBA)
        data = self.file.read(count * FBA)
        if len(data) != count * FBA:
            raise FsError("the image ends within the minidisk: it is truncated")
        return data

    def write(self, block: int, data: bytes) -> None:
        """Whole 512-byte blocks."""
        self.file.seek((self.start + block) * FBA)
        self.file.write(data)


def format_disk(region: Region, label: str, now: int) -> None:
    """Write an empty file system. now: seconds since 1900."""
    blocks = region.blocks // fmt.FBA_PER_BLOCK
    if not fmt.BLOCKS_MIN <= blocks <= fmt.BLOCKS_MAX:
        raise FsError(f"a minidisk of {region.blocks} blocks is too small or too large to format")
    region.write(fmt.SLOT_FBA[0], bytes(FBA))
    region.write(fmt.SLOT_FBA[1], Super(1, now, blocks, 1, 0, label, ()).pack())


class Minidisk:
    """A mounted minidisk. Everything on it is validated by the constructor (FsError)."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self._super = self._read_super()
        self._used = bytearray(self._super.blocks)  # 1: in use
        self._used[0] = 1
        self._slots: list[Entry | None] = []
        for block, stored in self._super.pointers:
            self._claim(block, 1)
            self._read_entries(block, stored)
        self._index: dict[Key, int] = {}
        for slot, entry in enumerate(self._slots):
            if entry is not None:
                if (entry.fn, entry.ft) in self._index:
                    raise FsError(f"{entry.fn} {entry.ft} is in the directory twice")
                self._index[entry.fn, entry.ft] = slot
        if len(self._index) != self._super.files or sum(self._used) != self._super.used:
            raise FsError("the directory does not agree with the superblock")

    @property
    def label(self) -> str:
        """The disk's label."""
        return self._super.label

    @property
    def generation(self) -> int:
        """Number of the commit in force."""
        return self._super.generation

    @property
    def blocks(self) -> int:
        """4096-byte blocks in all."""
        return self._super.blocks

    @property
    def free(self) -> int:
        """4096-byte blocks that files may take."""
        return max(0, self.blocks - sum(self._used) - fmt.RESERVE)

    def entries(self) -> list[Entry]:
        """All files, in directory order."""
        return [e for e in self._slots if e is not None]

    def find(self, fn: str, ft: str) -> Entry:
        """One file; FsError if it is not there."""
        slot = self._index.get((fn, ft))
        entry = self._slots[slot] if slot is not None else None
        if entry is None:
            raise FsError(f"file {fn} {ft} not found on minidisk {self.label}")
        return entry

    def read(self, entry: Entry) -> Stored:
        """A file's content as stored."""
        data = b"".join(self._read_blocks(start, count) for start, count in entry.extents)
        return Stored(entry.recfm, entry.lrecl, entry.records, data[: entry.size])

    def put(self, files: Iterable[tuple[str, str, int, Stored, int]]) -> None:
        """Write files in one commit, replacing old ones.

        A file is (fn, ft, mode number, content, seconds since 1900 of its last change).
        """
        slots = list(self._slots)
        index = dict(self._index)
        used = bytearray(self._used)
        dropped: list[Entry] = []
        self._settle()
        for fn, ft, mode, content, written in files:
            fmt.check_name(fn, ft)
            entry = Entry(
                fn, ft, mode, content.recfm, content.lrecl, content.records, len(content.data),
                written,
            )  # fmt: skip
            entry = self._write_content(used, entry, content.data)
            slot = index.get((fn, ft))
            if slot is None:
                slot = slots.index(None) if None in slots else len(slots)
                if slot >= fmt.DIR_BLOCKS_MAX * fmt.ENTRIES_PER_BLOCK:
                    raise FsError(f"minidisk {self.label} has no room for another file")
                if slot == len(slots):
                    slots += [None] * fmt.ENTRIES_PER_BLOCK
                index[fn, ft] = slot
            old = slots[slot]
            if old is not None:
                dropped.append(old)
            slots[slot] = entry
        self._commit(slots, used, dropped)

    def erase(self, *names: Key) -> None:
        """Remove files, all in one commit."""
        slots = list(self._slots)
        dropped = [self.find(*name) for name in names]
        for name in names:
            slots[self._index[name]] = None
        self._settle()
        self._commit(slots, bytearray(self._used), dropped)

    def rename(self, old: Key, new: Key, mode: int) -> None:
        """Give a file another name and mode number."""
        entry = self.find(*old)
        fmt.check_name(*new)
        if new != old and new in self._index:
            raise FsError(f"file {new[0]} {new[1]} already exists")
        slots = list(self._slots)
        slots[self._index[old]] = replace(entry, fn=new[0], ft=new[1], mode=mode)
        self._settle()
        self._commit(slots, bytearray(self._used), [])

    # ---- reading

    def _read_super(self) -> Super:
        if self._region.blocks < fmt.BLOCKS_MIN * fmt.FBA_PER_BLOCK:
            raise FsError("the minidisk is too small for a file system")
        data = self._region.read(0, fmt.FBA_PER_BLOCK)
        found = [
            s
            for slot, fba in enumerate(fmt.SLOT_FBA)
            if (s := fmt.unpack_super(data[fba * FBA : (fba + 1) * FBA], slot)) is not None
        ]
        if not found:
            raise FsError("the minidisk is not formatted, or both superblocks are damaged")
        best = max(found, key=lambda s: s.generation)
        if not fmt.BLOCKS_MIN <= best.blocks <= fmt.BLOCKS_MAX or best.generation == 0:
            raise FsError("the superblock is damaged")
        if best.blocks > self._region.blocks // fmt.FBA_PER_BLOCK:
            raise FsError("the minidisk is shorter than its file system: the volume is truncated")
        return best

    def _read_blocks(self, start: int, count: int) -> bytes:
        return self._region.read(start * fmt.FBA_PER_BLOCK, count * fmt.FBA_PER_BLOCK)

    def _claim(self, start: int, count: int) -> None:
        if not 0 < start < self.blocks or not 0 < count <= self.blocks - start:
            raise FsError("a block number in the directory is outside the minidisk")
        if any(self._used[start : start + count]):
            raise FsError("a block belongs to two files: the directory is damaged")
        self._used[start : start + count] = b"\1" * count

    def _read_entries(self, block: int, stored: int) -> None:
        data = self._read_blocks(block, 1)
        if checksum(data) != stored:
            raise FsError("a directory block is damaged: its checksum is wrong")
        for at in range(0, BLOCK, fmt.ENTRY.size):
            found = fmt.unpack_entry(data[at : at + fmt.ENTRY.size])
            self._slots.append(None if found is None else self._read_extents(*found))

    def _read_extents(self, entry: Entry, block: int, count: int, total: int) -> Entry:
        overflow, extents = [], list(entry.extents)
        for _ in range(count):
            self._claim(block, 1)
            overflow.append(block)
            more, block = fmt.unpack_overflow(self._read_blocks(block, 1))
            extents += more
        if block != 0 or (overflow and len(extents) != total):
            raise FsError(f"the extent list of {entry.fn} {entry.ft} is damaged")
        for start, size in extents:
            self._claim(start, size)
        if sum(size for _, size in extents) != -(-entry.size // BLOCK):
            raise FsError(f"the blocks of {entry.fn} {entry.ft} do not agree with its size")
        return replace(entry, extents=tuple(extents), overflow=tuple(overflow))

    # ---- writing

    def _take(self, used: bytearray, want: int, keep: int) -> fmt.Extents:
        """Blocks in as few runs as first fit gives, then the longest runs."""
        if used.count(0) < want + keep:
            raise FsError(f"minidisk {self.label} is full: {want} blocks do not fit")
        extents: fmt.Extents = []
        while want > 0:
            at = used.find(bytes(want))
            size = want
            while at < 0:
                size -= 1
                at = used.find(bytes(size))
            used[at : at + size] = b"\1" * size
            extents.append((at, size))
            want -= size
        return extents

    def _write_content(self, used: bytearray, entry: Entry, data: bytes) -> Entry:
        extents = self._take(used, -(-len(data) // BLOCK), fmt.RESERVE)
        overflow: list[int] = []
        if len(extents) > fmt.INLINE_EXTENTS:
            count = -(-len(extents) // fmt.OVERFLOW_EXTENTS)
            for start, size in self._take(used, count, fmt.RESERVE):
                overflow += range(start, start + size)
        at = 0
        for start, size in extents:
            part = data[at : at + size * BLOCK]
            padded = part.ljust(-(-len(part) // FBA) * FBA, b"\0")
            self._region.write(start * fmt.FBA_PER_BLOCK, padded)
            at += len(part)
        for i, block in enumerate(overflow):
            part_list = extents[i * fmt.OVERFLOW_EXTENTS : (i + 1) * fmt.OVERFLOW_EXTENTS]
            following = overflow[i + 1] if i + 1 < len(overflow) else 0
            self._region.write(block * fmt.FBA_PER_BLOCK, fmt.pack_overflow(part_list, following))
        return replace(entry, extents=tuple(extents), overflow=tuple(overflow))

    def _settle(self) -> None:
        """The next generation with the same directory: what the last commit gave up is free."""
        self._super = replace(self._super, generation=self._super.generation + 1)
        self._write_super(self._super)

    def _write_super(self, s: Super) -> None:
        self._region.write(fmt.SLOT_FBA[s.generation % 2], s.pack())

    def _commit(self, slots: list[Entry | None], used: bytearray, dropped: list[Entry]) -> None:
        pointers = list(self._super.pointers)
        free_entry = bytes(fmt.ENTRY.size)
        for d in range(len(slots) // fmt.ENTRIES_PER_BLOCK):
            part = slice(d * fmt.ENTRIES_PER_BLOCK, (d + 1) * fmt.ENTRIES_PER_BLOCK)
            if d < len(pointers) and slots[part] == self._slots[part]:
                continue
            data = b"".join(e.pack() if e else free_entry for e in slots[part])
            ((block, _),) = self._take(used, 1, 0)
            self._region.write(block * fmt.FBA_PER_BLOCK, data)
            if d < len(pointers):
                used[pointers[d][0]] = 0
                pointers[d] = (block, checksum(data))
            else:
                pointers.append((block, checksum(data)))
        for entry in dropped:
            for start, size in entry.extents:
                used[start : start + size] = bytes(size)
            for block in entry.overflow:
                used[block] = 0
        files = sum(e is not None for e in slots)
        new = replace(
            self._super, generation=self.generation + 1, used=sum(used), files=files,
            pointers=tuple(pointers),
        )  # fmt: skip
        self._write_super(new)
        self._super, self._slots, self._used = new, slots, used
        self._index = {(e.fn, e.ft): i for i, e in enumerate(slots) if e is not None}
