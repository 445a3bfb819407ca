# SPDX-License-Identifier: MIT
"""The C file system, run in a process of its own (fsdrive.c) and called from Python."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from vmkb.guests.vmkb.disk.codepage import decode, encode
from vmkb.guests.vmkb.disk.records import Stored

RECFM = {"F": 0xC6, "V": 0xE5}
ERRORS = {
    -1: "IO", -2: "NOTFS", -3: "DAMAGED", -4: "TRUNCATED", -5: "TOOBIG", -6: "TOOSMALL",
    -7: "NAME", -8: "NOTFOUND", -9: "EXISTS", -10: "FULL", -11: "DIRFULL", -12: "READONLY",
    -13: "RECORD", -14: "BUFFER", -15: "STATE", -16: "STALE", -17: "EOF",
}  # fmt: skip


class FsCode(Exception):
    """A call returned an error; args[0] is its name without FS_E_."""


@dataclass(frozen=True)
class Stat:
    fn: str
    ft: str
    mode: int
    recfm: str
    lrecl: int
    records: int
    size: int
    blocks: int
    written: int


def _stat(text: str) -> Stat:
    names, *numbers = text.split()
    raw = bytes.fromhex(names)
    mode, recfm, lrecl, records, size, blocks, written = map(int, numbers)
    letter = {v: k for k, v in RECFM.items()}[recfm]
    return Stat(
        decode(raw[:8]).rstrip(), decode(raw[8:]).rstrip(), mode, letter, lrecl, records, size,
        blocks, written,
    )  # fmt: skip


class Drive:
    """One fsdrive process on one minidisk of an image file."""

    def __init__(
        self,
        program: Path,
        image: Path,
        start: int,
        blocks: int,
        buffer: int = 32768,
        most: int = 0,
    ) -> None:
        self._process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._call("device", image, start, blocks, most, buffer)

    def end(self) -> None:
        """End the process; fails if a sanitizer had something to say."""
        _, err = self._process.communicate(timeout=20)
        assert self._process.returncode == 0, err.decode()

    def _call(self, *words: object, data: bytes = b"") -> str:
        p = self._process
        assert p.stdin and p.stdout and p.stderr
        p.stdin.write(" ".join(str(w) for w in words).encode() + b"\n" + data)
        p.stdin.flush()
        line = p.stdout.readline().decode()
        if not line:
            raise AssertionError(f"{words[0]} ended the program: {p.stderr.read().decode()}")
        code, _, rest = line.strip("\n").replace(";", " ;", 1).partition(" ")
        if int(code) != 0:
            raise FsCode(ERRORS.get(int(code), code))
        return rest

    def format(self, label: str, now: int) -> None:
        self._call("format", encode(label.ljust(8)).hex(), now)

    def mount(self, write: bool) -> None:
        self._call("mount", int(write))

    def check(self) -> None:
        self._call("check")

    def put(
        self, fn: str, ft: str, content: Stored, mode: int = 1, now: int = 1, how: int = 0
    ) -> None:
        """how 0: record by record; else F files in pieces of that many bytes."""
        lrecl = content.lrecl or (1 if content.recfm == "F" else 0)
        self._call(
            "put", encode(fn).hex(), encode(ft).hex(), mode, RECFM[content.recfm], lrecl, now, how,
            len(content.data), data=content.data,
        )  # fmt: skip

    def erase(self, fn: str, ft: str) -> None:
        self._call("erase", encode(fn).hex(), encode(ft).hex())

    def rename(self, fn: str, ft: str, to_fn: str, to_ft: str, mode: int) -> None:
        self._call("rename", *(encode(n).hex() for n in (fn, ft, to_fn, to_ft)), mode)

    def stat(self, fn: str, ft: str) -> Stat:
        return _stat(self._call("stat", encode(fn).hex(), encode(ft).hex()))

    def list(self, fn: str = "*", ft: str = "*", mode: int = -1) -> list[Stat]:
        answer = self._call("list", encode(fn).hex(), encode(ft).hex(), mode)
        return [_stat(part) for part in answer.split(";") if part.strip()]

    def usage(self) -> dict[str, int]:
        names = ("blocks", "used", "free", "files", "generation")
        return dict(zip(names, map(int, self._call("usage").split()), strict=True))

    def open(self, handle: int, fn: str, ft: str) -> None:
        self._call("open", handle, encode(fn).hex(), encode(ft).hex())

    def drain(self, handle: int, how: int = 65536) -> bytes:
        """All stored bytes. how 0: fs_next, 1: fs_read_record, else fs_read in such pieces."""
        size = int(self._call("drain", handle, how))
        assert self._process.stdout
        return self._process.stdout.read(size)

    def close(self, handle: int) -> None:
        self._call("close", handle)

    def get(self, fn: str, ft: str, how: int = 65536) -> bytes:
        self.open(1, fn, ft)
        try:
            return self.drain(1, how)
        finally:
            self.close(1)
