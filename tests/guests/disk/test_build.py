# SPDX-License-Identifier: MIT
"""The default volume: built, listed, extracted from, checked, damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmkb.guests.contents import document
from vmkb.guests.vmkb.disk import build as builder
from vmkb.guests.vmkb.disk.__main__ import main
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.fsformat import FsError
from vmkb.guests.vmkb.disk.minidisk import Minidisk, Region, format_disk
from vmkb.guests.vmkb.disk.records import fixed, from_text, split, to_text, variable


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("volume") / "vmkb.fba"
    builder.build(builder.SOURCE, path, 4_000_000_000)
    return path


def test_default_volume(image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(image)]) == 0
    capsys.readouterr()
    assert main(["list", str(image), "--files"]) == 0
    listed = capsys.readouterr().out
    for word in ("WARMSTRT", "MAINT    0190 CMS190", "QUERY    HELPCP", "LISTFILE HELPCMS",
                 "DOC2M    TEXT", "VMUSER8"):  # fmt: skip
        assert word in listed
    with builder.opened(image) as (_, label, extents):
        assert label.area("WARMSTRT").blocks == 64
        assert label.blocks * 512 <= 400 * 2**20
        ordinary = {e.owner for e in extents if e.owner.startswith(("VMUSER", "CMS"))}
        assert len(ordinary) >= 32
        assert all(e.start % 8 == 0 for e in extents)
    assert image.stat().st_blocks * 512 < 8 * 2**20


def test_building_again_gives_the_same_bytes(image: Path, tmp_path: Path) -> None:
    builder.build(builder.SOURCE, tmp_path / "again", 4_000_000_000)
    assert (tmp_path / "again").stat().st_size == image.stat().st_size
    with image.open("rb") as a, (tmp_path / "again").open("rb") as b:
        assert a.read(64 << 20) == b.read(64 << 20)


def test_every_command_of_the_system_has_help(image: Path) -> None:
    with builder.opened(image) as (f, _, extents):
        disk = builder.minidisk(f, extents, "MAINT", 0x190)
        for ft, names in (
            ("HELPCP", "LOGON LOGOFF DISCONN BEGIN IPL QUERY INDICATE MESSAGE WARNING SMSG SET "
             "TERMINAL SLEEP ACNT FORCE AUTOLOG MONITOR SHUTDOWN"),
            ("HELPCMS", "QUERY ACCESS RELEASE LISTFILE TYPE COPYFILE ERASE RENAME STATE IDENTIFY "
             "HELP EXEC"),
        ):  # fmt: skip
            for name in names.split():
                lines = to_text(disk.read(disk.find(name, ft))).splitlines()
                assert lines[0].startswith(name) and len(lines) > 2


def test_help_fits_on_a_screen() -> None:
    """HELP's panels show 79 columns; a line beyond them takes two rows."""
    folder = builder.SOURCE / "help"
    lines = [x for p in sorted(folder.glob("*.txt")) for x in p.read_text("ascii").splitlines()]
    assert [x for x in lines if len(x) > 79 and not x.startswith("*")] == []


def test_put_and_extract(image: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy"
    builder.build(builder.SOURCE, copy, 4_000_000_000)
    local = tmp_path / "a.txt"
    local.write_text("one\n\n[three]\n")
    where = [str(copy), "cms01", "191", "A", "TEXT"]
    assert main(["put", *where, str(local)]) == 0
    assert main(["extract", *where]) == 0
    assert capsys.readouterr().out == "one\n\n[three]\n"
    assert main(["extract", str(copy), "cms01", "191", "NO", "FILE"]) == 3
    assert "NO FILE not found" in capsys.readouterr().err
    assert main(["extract", str(copy), "nobody", "191", "NO", "FILE"]) == 3


def test_damage_is_named(image: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy"
    builder.build(builder.SOURCE, copy, 4_000_000_000)
    with builder.opened(copy) as (_, label, extents):
        maint = next(e for e in extents if (e.owner, e.vaddr) == ("MAINT", 0x190))
    with copy.open("r+b") as f:
        f.seek(maint.start * 512)
        f.write(bytes(4096))
    assert main(["check", str(copy)]) == 3
    assert "MAINT 190: the minidisk is not formatted" in capsys.readouterr().err
    with copy.open("r+b") as f:
        f.truncate(label.blocks * 512 - 512)
    assert main(["check", str(copy)]) == 3
    assert "truncated" in capsys.readouterr().err
    copy.write_bytes(b"")
    assert main(["list", str(copy)]) == 3
    assert main(["list", str(tmp_path / "absent")]) == 3


def test_source_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(tmp_path / "x"), "--source", str(tmp_path)]) == 2
    assert "volume.toml" in capsys.readouterr().err
    manifest = tmp_path / "volume.toml"
    base = 'volser = "V"\ndirectory = "d"\nblocks = 9000\n'
    disk = '[[minidisk]]\nowner = "A"\nvaddr = "191"\n'
    (tmp_path / "d").write_text("USER A A\n MDISK 191 3370 AUTO 80 V\n")
    (tmp_path / "longfilename.txt").write_text("x")
    (tmp_path / "bad.text").write_text("a\n\u20ac\n")
    (tmp_path / "big.text").write_text("a" * 60000)
    for text, message in (
        ("x", "volume.toml"),
        ("volser = 1", "key 'directory' is missing"),
        (base + disk.replace("191", "192"), "no MDISK 192 of A"),
        (base + disk + 'file = [{ from = "none*" }]', "no file matches 'none*'"),
        (base + disk + 'file = [{ from = "bad.text" }]', "line 2: '\u20ac' has no EBCDIC"),
        (base + disk + 'file = [{ from = "big.text" }]', "is full"),
        (base + disk + 'file = [{ from = "long*" }]', "filename 'LONGFILENAME'"),
        (base + disk + 'file = [{ generate = "ONE", bytes = 1 }]', "minidisk A 191"),
        (base.replace("9000", "50"), "no gap of 80"),
    ):
        manifest.write_text(text)
        assert main(["build", str(tmp_path / "x"), "--source", str(tmp_path)]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "x").exists() and not (tmp_path / "x.new").exists()
    assert main(["directory", str(tmp_path / "d")]) == 0
    (tmp_path / "d").write_text("USER\nUSER\n")
    assert main(["directory", str(tmp_path / "d")]) == 2
    assert capsys.readouterr().err.count("expected a userid") == 2


@given(st.integers(0, 5000))
def test_documents_have_their_size(size: int) -> None:
    text = document(size)
    assert len(text) == size
    assert all(len(line) <= 72 for line in text.split("\n"))


@given(st.lists(st.binary(max_size=300), max_size=8), st.integers(1, 50))
def test_records_round_trip(records: list[bytes], lrecl: int) -> None:
    assert split(variable(records)) == records
    joined = b"".join(records)
    assert b"".join(split(fixed(joined, lrecl))) == joined


def test_fixed_text_is_padded_and_long_lines_are_refused() -> None:
    stored = from_text("ab\n\n", "F", 4)
    assert (stored.records, stored.data) == (2, b"\x81\x82\x40\x40\x40\x40\x40\x40")
    with pytest.raises(FsError, match="line 2 has 5 characters: LRECL is 4"):
        from_text("ab\nabcde\n", "F", 4)


_base: list[bytes] = []


def _small_disk(tmp: Path) -> bytes:
    if not _base:
        with (tmp / "disk").open("w+b") as f:
            f.truncate(40 * 4096)
            region = Region(f, 0, 320)
            format_disk(region, "FUZZ", 1)
            Minidisk(region).put(
                [
                    ("A", "X", 1, variable([b"abc"] * 900), 1),
                    ("B", "X", 2, fixed(bytes(9000), 80), 1),
                ]
            )
            f.seek(0)
            _base.append(f.read())
    return _base[0]


@settings(max_examples=200, deadline=None)
@given(
    cut=st.integers(0, 40 * 4096),
    flips=st.lists(st.tuples(st.integers(0, 20 * 4096 - 1), st.integers(0, 255))),
)
def test_damaged_minidisk_gives_errors_only(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flips: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("fuzz") if not _base else Path(".")
    data = bytearray(_small_disk(folder))
    for at, value in flips:
        data[at] = value
    import io

    try:
        disk = Minidisk(Region(io.BytesIO(bytes(data[: max(cut, 8192)])), 0, 320))
        for entry in disk.entries():
            split(disk.read(entry))
    except VolumeError as e:
        assert str(e)
