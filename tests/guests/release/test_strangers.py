# SPDX-License-Identifier: MIT
"""Archives and folders of strangers: nothing is written outside, run, waited for or held in memory
whole."""

from __future__ import annotations

import io
import os
import socket
import stat
import subprocess
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed, git, tree
from vmkb.guests.release import cache
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.source import read, split, text_of

ROOT = Path(__file__).resolve().parents[3]
Pack = Callable[[Path, dict[str, bytes]], Path]


def tarred(folder: Path, more: dict[str, bytes]) -> Path:
    """An lwIP with MORE members, as .tar.gz."""
    packed = folder / "own.tar.gz"
    with tarfile.open(packed, "w:gz") as made:
        made.add(tree(folder / "tree") / "src", "lwip/src")
        for name, content in more.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return packed


def zipped(folder: Path, more: dict[str, bytes]) -> Path:
    """The same as .zip."""
    packed = folder / "own.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for path in (tree(folder / "tree") / "src").rglob("*.[ch]"):
            made.write(path, f"lwip/{path.relative_to(folder / 'tree')}")
        for name, content in more.items():
            made.writestr(name, content)
    return packed


BOTH = pytest.mark.parametrize("pack", [tarred, zipped])
BAD_NAMES = [
    "lwip/src/core/../../../../PWNED.h",
    "/lwip/src/core/root.h",
    "lwip/src/core/$(touch PWNED).c",
    "lwip/src/core/`touch PWNED`.c",
    "lwip/src/core/a b.c",
    "lwip/src/core/a%.c",
    "lwip/src/core/a;b.c",
    "lwip/src/core/a\nb.c",
    "lwip/src/core/-x.c",
    "lwip/src/core/-I/a.h",
    "lwip/src/core/\x1b[2J.c",
    f"lwip/src/core/{'long' * 60}.c",
    "lwip/src/core/tcp.c/below.c",
]


@BOTH
@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_leads_elsewhere_or_is_a_command_is_refused(
    pack: Pack, name: str, tmp_path: Path
) -> None:
    packed = pack(tmp_path, {name: b"int bad;\n"})
    with pytest.raises(SourceError) as told:
        read(packed)
    assert str(packed) in str(told.value) and str(told.value).isprintable()
    assert "src/core/" in str(told.value) or "core/tcp.c is both" in str(told.value)


@BOTH
def test_what_is_not_built_from_is_passed_over(pack: Pack, tmp_path: Path) -> None:
    more = {"lwip/doc/../../../$(touch PWNED)": b"x", "/etc/passwd": b"x", "lwip/src/a b": b"x"}
    assert read(pack(tmp_path, more)).digest == read(tree(tmp_path / "same")).digest


@BOTH
def test_a_file_that_is_there_twice_is_refused(pack: Pack, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile's, of what it is asked to do here
        packed = pack(tmp_path, {"lwip/src/core/tcp.c": b"int other;\n"})
    with pytest.raises(SourceError, match="lwip/src/core/tcp.c is there twice"):
        read(packed)


@BOTH
def test_two_trees_in_one_archive_are_refused(pack: Pack, tmp_path: Path) -> None:
    head = (tree(tmp_path / "tree") / "src/include/lwip/init.h").read_bytes()
    packed = pack(tmp_path, {"other/src/include/lwip/init.h": head})
    with pytest.raises(SourceError, match="it has lwIP twice, in lwip and other"):
        read(packed)


@pytest.mark.parametrize(
    "kind, said",
    [(tarfile.SYMTYPE, "a link"), (tarfile.LNKTYPE, "a link"), (tarfile.CHRTYPE, "a device"),
     (tarfile.FIFOTYPE, "a device or a pipe")],
)  # fmt: skip
def test_a_link_or_device_in_a_tarball_is_refused_where_files_belong(
    tmp_path: Path, kind: bytes, said: str
) -> None:
    for name in ("lwip/doc/x.h", "lwip/src/core/x.h"):
        packed = tarred(tmp_path, {})
        with tarfile.open(tmp_path / "with.tar", "w") as made:
            with tarfile.open(packed) as before:
                for member in before:
                    made.addfile(member, before.extractfile(member) if member.isfile() else None)
            link = tarfile.TarInfo(name)
            link.type, link.linkname = kind, "/etc/passwd"
            made.addfile(link)
        if "doc" in name:
            assert read(tmp_path / "with.tar").version == "2.2.1"
            continue
        with pytest.raises(SourceError, match=f"lwip/src/core/x.h is {said}.*only files"):
            read(tmp_path / "with.tar")


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    packed = zipped(tmp_path, {})
    link = zipfile.ZipInfo("lwip/src/core/x.h")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(packed, "a") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(SourceError, match="lwip/src/core/x.h is a link"):
        read(packed)


READS = """
import resource, sys
from pathlib import Path
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.source import read
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
try:
    print(read(Path(sys.argv[1])).version)
except SourceError as error:
    print(error)
"""


def said_within_300_mb(path: Path) -> str:
    """What reading PATH says, by a process that may have 300 MB."""
    done = subprocess.run(
        [sys.executable, "-c", READS, str(path)], capture_output=True, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class Zeros(io.RawIOBase):
    """So many zero bytes."""

    def __init__(self, size: int) -> None:
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        take = min(len(into), self._left)
        into[:take] = bytes(take)
        self._left -= take
        return take


def with_zeros(folder: Path, name: str, size: int, kind: bytes = b"0") -> Path:
    """An lwIP that begins with a member of SIZE zero bytes."""
    packed = folder / "own.tar.gz"
    with tarfile.open(packed, "w:gz", compresslevel=1) as made:
        big = tarfile.TarInfo(name)
        big.size, big.type = size, kind
        made.addfile(big, Zeros(size))
        made.add(tree(folder / "tree") / "src", "lwip/src")
    return packed


def test_a_file_that_is_too_large_is_not_unpacked(tmp_path: Path) -> None:
    packed = with_zeros(tmp_path, "lwip/src/core/big.c", 400 << 20)
    assert "lwip/src/core/big.c is too large: a file may have 8 MB" in said_within_300_mb(packed)


def test_a_large_file_that_is_not_wanted_takes_no_memory(tmp_path: Path) -> None:
    assert said_within_300_mb(with_zeros(tmp_path, "lwip/film.mp4", 400 << 20)) == "2.2.1"


def test_a_header_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """tarfile reads such a header whole."""
    packed = with_zeros(tmp_path, "x", 400 << 20, kind=tarfile.GNUTYPE_LONGNAME)
    assert "a header of more than 8 MB" in said_within_300_mb(packed)


def test_many_small_files_are_too_many(tmp_path: Path) -> None:
    block = tarfile.TarInfo("lwip/d").tobuf()
    (tmp_path / "own.tar").write_bytes(block * 110_000)
    assert "it has more than 100000 files" in said_within_300_mb(tmp_path / "own.tar")
    with zipfile.ZipFile(tmp_path / "own.zip", "w") as made:
        for number in range(35_000):
            made.writestr(f"{number:0200}", b"")
    assert "it has a directory of more than 8 MB" in said_within_300_mb(tmp_path / "own.zip")


def test_a_tarball_whose_sizes_go_backwards_ends(tmp_path: Path) -> None:
    member = tarfile.TarInfo("lwip/a")
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = (-512).to_bytes(12, "big", signed=True)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    (tmp_path / "own.tar").write_bytes(bytes(block) * 3)
    assert "own.tar" in said_within_300_mb(tmp_path / "own.tar")


def test_a_zip_that_lies_about_a_size_is_told(tmp_path: Path) -> None:
    packed = zipped(tmp_path, {"lwip/src/core/big.c": bytes(20 << 20)})
    content = packed.read_bytes()
    packed.write_bytes(
        content.replace((20 << 20).to_bytes(4, "little"), (99).to_bytes(4, "little"))
    )
    assert "own.zip" in said_within_300_mb(packed)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def test_folders_have_regular_files_only(tmp_path: Path) -> None:
    (tmp_path / "secret.h").write_text("secret")
    plants: dict[str, Callable[[Path], object]] = {
        "is a pipe": os.mkfifo,
        "is a link": lambda p: p.symlink_to("/dev/zero"),
        "is a link; ": lambda p: p.symlink_to(tmp_path / "secret.h"),
        "is a socket": a_socket,
    }
    for number, (said, plant) in enumerate(plants.items()):
        here = tree(tmp_path / str(number))
        plant(here / "src" / "core" / "x.c")
        with pytest.raises(SourceError, match=f"src/core/x.c {said}"):
            read(here)


@pytest.mark.parametrize("where", ["src/core/ipv4", "src/core", "src"])
def test_a_linked_folder_is_refused(tmp_path: Path, where: str) -> None:
    here = tree(tmp_path / "lwip")
    (here / where).rename(tmp_path / "elsewhere")
    (here / where).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match=f"{where} is a link"):
        read(here)


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    tree(tmp_path / "lwip")
    (tmp_path / "link").symlink_to("lwip")
    assert read(tmp_path / "link").version == "2.2.1"


def test_a_name_of_no_characters_is_refused_where_files_belong(tmp_path: Path) -> None:
    here = tree(tmp_path)
    (here / "src" / os.fsdecode(b"\xff.txt")).write_text("passed over")
    assert read(here).version == "2.2.1"
    (here / "src" / "core" / os.fsdecode(b"\xff.c")).write_text("int x;\n")
    with pytest.raises(SourceError, match=r"src/core/\\udcff.c has a name with other characters"):
        read(here)


def test_a_large_file_of_a_folder_is_not_read(tmp_path: Path) -> None:
    with (tree(tmp_path) / "src" / "core" / "big.c").open("wb") as file:
        file.truncate(5 << 30)
    assert "src/core/big.c is too large" in said_within_300_mb(tmp_path)


def test_a_commit_is_read_as_strictly(tmp_path: Path) -> None:
    plants: dict[str, Callable[[Path], object]] = {
        "src/core/x.c is a link": lambda p: (p / "x.c").symlink_to("/etc/passwd"),
        "has a name with": lambda p: (p / "`touch PWNED`.c").write_text("int x;\n"),
        "src/core/big.c is too large": lambda p: (p / "big.c").write_bytes(bytes(9 << 20)),
        "src/core/sub.c is a submodule": lambda p: committed(tree(p / "sub.c")),
    }
    for number, (said, plant) in enumerate(plants.items()):
        here = tree(tmp_path / str(number))
        git(tmp_path, "init", "-q", str(here))
        plant(here / "src" / "core")
        committed(here)
        with pytest.raises(SourceError, match=said):
            read(here, "HEAD")


@pytest.mark.parametrize("text", ["~no-such-user-here/x", "x" * 5000, "a\0b"])
def test_a_path_that_cannot_be_is_not_there(text: str) -> None:
    with pytest.raises(SourceError, match="there is no file or folder"):
        split(text)


@pytest.mark.parametrize("name", ["core/../../outside.h", "/tmp/outside.h"])
def test_nothing_is_written_outside_of_a_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="leads out"):
        cache.fill(tmp_path / "in", {name: b""})


@pytest.mark.parametrize("name", ["pipe", "~no-such-user-here/x.h", "a\0b", "folder", "big", "bad"])
def test_options_are_a_file_of_text(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "bad").write_bytes(b"\xff")
    with (tmp_path / "big").open("wb") as file:
        file.truncate(5 << 30)
    with pytest.raises(SourceError):
        text_of(name if name.startswith("~") else f"{tmp_path}/{name}")


@pytest.mark.parametrize("name", ["gone", "pipe", "a\0b"])
def test_a_path_of_vmkb_toml_that_is_no_source_is_told(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="no file or folder|cannot be read|is not lwIP"):
        read(tmp_path / name)
