# SPDX-License-Identifier: MIT
"""The C file system against a dictionary, with the Python implementation as a second reader."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.guests.fs.drive import Drive, FsCode
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region
from vmkb.guests.vmkb.disk.records import Stored, fixed, variable

START, BLOCKS = 24, 8 * 40
NAMES = st.sampled_from(["A", "LONGNAME", "X$#@+-:_"])
TYPES = st.sampled_from(["EXEC", "Z"])


def _bytes(seed: int, size: int) -> bytes:
    return bytes((seed * 31 + i * 7 + (i >> 8)) & 0xFF for i in range(size))


@st.composite
def contents(draw: st.DrawFn) -> Stored:
    seed = draw(st.integers(0, 255))
    if draw(st.booleans()):
        lrecl = draw(st.sampled_from([1, 80, 4096, 5000, 65535]))
        size = draw(st.sampled_from([0, 1, 80, 511, 4095, 4096, 4097, 20000, 60000]))
        return fixed(_bytes(seed, size), lrecl)
    sizes = draw(st.lists(st.sampled_from([0, 1, 79, 4094, 4095, 9000, 11000, 30000]), max_size=6))
    return variable([_bytes(seed + i, n) for i, n in enumerate(sizes)])


class Disk(RuleBasedStateMachine):
    """Files of the model: name to (content, mode). program is set by the test."""

    program: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.image = Path(self.folder.name) / "image"
        self.image.write_bytes(bytes((START + BLOCKS) * 512))
        self.drive = Drive(self.program, self.image, START, BLOCKS, buffer=16384, most=24)
        self.drive.format("TEST", 5)
        self.drive.mount(True)
        self.files: dict[tuple[str, str], tuple[Stored, int]] = {}
        self.held: tuple[bytes, int] | None = None

    def teardown(self) -> None:
        self.drive.end()
        self.folder.cleanup()

    @rule(
        fn=NAMES,
        ft=TYPES,
        content=contents(),
        mode=st.integers(0, 6),
        piece=st.sampled_from([0, 100, 4096, 50000]),
    )
    def put(self, fn: str, ft: str, content: Stored, mode: int, piece: int) -> None:
        if content.recfm == "F" and len(content.data) % content.lrecl and piece == 0:
            piece = 1000
        free = self.drive.usage()["free"]
        need = -(-len(content.data) // 4096)
        try:
            self.drive.put(fn, ft, content, mode, how=piece)
        except FsCode as e:
            assert e.args[0] == "FULL"
            assert need + 3 > free
            return
        self.files[fn, ft] = (content, mode)
        for how in (0, 1, 5000):
            self.read(fn, ft, how)

    @rule(fn=NAMES, ft=TYPES)
    def erase(self, fn: str, ft: str) -> None:
        if (fn, ft) in self.files:
            self.drive.erase(fn, ft)
            del self.files[fn, ft]
        else:
            with pytest.raises(FsCode, match="NOTFOUND"):
                self.drive.erase(fn, ft)

    @rule(old=st.tuples(NAMES, TYPES), new=st.tuples(NAMES, TYPES), mode=st.integers(0, 6))
    def rename(self, old: tuple[str, str], new: tuple[str, str], mode: int) -> None:
        error = None
        if old not in self.files:
            error = "NOTFOUND"
        elif new != old and new in self.files:
            error = "EXISTS"
        if error:
            with pytest.raises(FsCode, match=error):
                self.drive.rename(*old, *new, mode)
            return
        self.drive.rename(*old, *new, mode)
        content, _ = self.files.pop(old)
        self.files[new] = (content, mode)

    @rule(fn=NAMES, ft=TYPES, how=st.sampled_from([0, 1, 2, 3, 700, 4096, 65536]))
    def read(self, fn: str, ft: str, how: int) -> None:
        if (fn, ft) in self.files:
            content = self.files[fn, ft][0]
            if how == 0 and content.recfm == "V" and content.lrecl > 12000:
                how = 1
            assert self.drive.get(fn, ft, how) == content.data

    @precondition(lambda self: self.held is None and self.files)
    @rule(data=st.data(), handle=st.integers(2, 3))
    def hold(self, data: st.DataObject, handle: int) -> None:
        """A reader stays open while the file changes under it."""
        name = data.draw(st.sampled_from(sorted(self.files)))
        self.drive.open(handle, *name)
        self.held = (self.files[name][0].data, handle)

    @precondition(lambda self: self.held is not None)
    @rule()
    def let_go(self) -> None:
        assert self.held is not None
        data, handle = self.held
        assert self.drive.drain(handle) == data
        self.drive.close(handle)
        self.held = None

    @precondition(lambda self: self.held is None)
    @rule()
    def mount_again(self) -> None:
        before = self.drive.usage()
        self.drive.mount(True)
        after = self.drive.usage()
        assert {k: after[k] for k in after} == {k: before[k] for k in before}

    @rule()
    def python_reads_it(self) -> None:
        with self.image.open("rb") as f:
            disk = Minidisk(Region(f, START, BLOCKS))
            found = {(e.fn, e.ft): (disk.read(e).data, e.mode) for e in disk.entries()}
        assert found == {k: (c.data, m) for k, (c, m) in self.files.items()}

    @precondition(lambda self: self.held is None)
    @rule(fn=NAMES, ft=TYPES, content=contents())
    def python_writes(self, fn: str, ft: str, content: Stored) -> None:
        with self.image.open("r+b") as f:
            disk = Minidisk(Region(f, START, BLOCKS))
            if disk.free < -(-len(content.data) // 4096) + 3:
                return
            disk.put([(fn, ft, 1, content, 9)])
        self.files[fn, ft] = (content, 1)
        self.drive.mount(True)

    @invariant()
    def listed(self) -> None:
        stats = {(s.fn, s.ft): s for s in self.drive.list()}
        assert stats.keys() == self.files.keys()
        for name, (content, mode) in self.files.items():
            s = stats[name]
            assert (s.mode, s.recfm, s.size) == (mode, content.recfm, len(content.data))
            if content.recfm == "V" or content.data:
                assert (s.lrecl, s.records) == (content.lrecl, content.records)


def test_against_a_dictionary(fs_program: Callable[[str], Path]) -> None:
    Disk.program = fs_program("fsdrive")
    run_state_machine_as_test(
        Disk,
        settings=settings(
            max_examples=25,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
