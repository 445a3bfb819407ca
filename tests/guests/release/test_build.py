# SPDX-License-Identifier: MIT
"""What is kept of programs with a user's lwIP, and the image that they are put into."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.guests.release import build, cache, image
from vmkb.guests.release.build import Build
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.making import first_error, made
from vmkb.hercules.guest import load_guest


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for what is built that nobody else has."""
    monkeypatch.setattr(cache, "KEPT", tmp_path / "own")
    (tmp_path / "own").mkdir()
    return tmp_path / "own"


def folder(kept: Path, name: str, age_days: float, size: int) -> Path:
    """A folder of SIZE bytes that was last used so many days ago."""
    made = kept / name
    made.mkdir()
    (made / "bytes").write_bytes(bytes(size))
    (made / cache.USED).touch()
    then = (made / cache.USED).stat().st_mtime - age_days * 86400
    os.utime(made / cache.USED, (then, then))
    return made


def names(kept: Path) -> set[str]:
    """The folders that are there."""
    return {path.name for path in kept.iterdir() if path.is_dir()}


def test_what_nobody_has_used_for_long_goes(kept: Path) -> None:
    folder(kept, "new", 1, 10)
    folder(kept, "old", 40, 10)
    cache.tidy()
    assert names(kept) == {"new"}


def test_the_oldest_go_when_there_is_too_much(kept: Path) -> None:
    for age, name in enumerate(("first", "second", "third"), start=1):
        folder(kept, name, age, 1000)
    cache.tidy(size=2500)
    assert names(kept) == {"first", "second"}


USES = """
import sys
from pathlib import Path
from vmkb.guests.release.cache import use
use(Path(sys.argv[1]))
print("has it", flush=True)
sys.stdin.read()
"""


def test_what_somebody_uses_stays(kept: Path) -> None:
    old = folder(kept, "old", 40, 10)
    with subprocess.Popen(
        [sys.executable, "-c", USES, str(old)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(cache.VMKB.parents[1])},
    ) as other:  # fmt: skip
        assert other.stdout is not None and other.stdin is not None
        other.stdout.readline()
        os.utime(old / cache.USED, (0, 0))
        cache.tidy()
        assert names(kept) == {"old"}
        other.stdin.close()
        other.wait(30)
    cache.tidy()
    assert names(kept) == set()


def test_a_program_follows_from_source_options_our_files_and_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(build, "compiler", lambda: "gcc 12")
    first = Build("a").folder
    assert Build("a").folder == first
    others = Build("b"), Build("a", "#define TCP_WND 9000"), Build("a", ip=6)
    assert len({first, *(build.folder for build in others)}) == 4
    monkeypatch.setattr(build, "compiler", lambda: "gcc 13")
    assert Build("a").folder != first


@pytest.mark.parametrize(
    "log, said",
    [
        (
            "service/tcpip/main.c:1: note: nothing\nbuild/own/k/lwip/lwip-own/src/core/tcp.c:7:3:"
            " error: expected ';'\nmake: *** [Makefile:1: x] Error 1\n",
            "src/core/tcp.c:7:3: error: expected ';'",
        ),
        (
            "/x/tcp.c:9: undefined reference to `mine'\n",
            "/x/tcp.c:9: undefined reference to `mine'",
        ),
        ("make: *** No space left on device\n", "make: *** No space left on device"),
        ("", "make says nothing"),
    ],
)
def test_the_first_error_is_named(tmp_path: Path, log: str, said: str) -> None:
    (tmp_path / "1.log").write_text(log)
    assert first_error(tmp_path / "1.log", Path("build/own/k")) == said


def system(path: Path, name: str, rest: bytes) -> Path:
    """A program as the linker leaves it, with its symbols beside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(image.MAGIC + name.ljust(8).encode(image.CHARACTERS) + rest)
    path.with_suffix(".elf").write_bytes(b"elf")
    return path


def test_programs_that_differ_in_their_name_alone_are_the_same(tmp_path: Path) -> None:
    one = system(tmp_path / "one.bin", "TCPIP221", b"code")
    two = system(tmp_path / "two.bin", "TCPIPOWN", b"code")
    other = system(tmp_path / "other.bin", "TCPIP221", b"more")
    assert image.digest(one) == image.digest(two) != image.digest(other)


def base(folder: Path) -> Path:
    """The .ins file of a guest with CP and two TCPIPs."""
    for name in ("cp", "cms", "tcpip213", "tcpip221"):
        system(folder / f"{name}.bin", name.upper(), name.encode())
    (folder / "vmkb.ins").write_text(
        "* VM/KB\ncp.bin 0x0\nparm.txt 0x8000\ncms.bin 0x300000\ntcpip213.bin 0x340000\n"
        "tcpip221.bin 0x380000\n"
    )
    return folder / "vmkb.ins"


def test_an_image_has_all_programs_and_the_users_in_place_of_the_last_level(
    kept: Path, tmp_path: Path
) -> None:
    own = system(tmp_path / "own.bin", "TCPIPOWN", b"mine")
    made = image.with_program(base(tmp_path / "base"), own, "002")
    loads = [line.split()[0] for line in made.read_text().splitlines()[1:]]
    assert loads == ["cp.bin", "parm.txt", "cms.bin", "tcpip213.bin", "tcpip002.bin"]
    for name in ("cp", "cms", "tcpip213"):
        assert (made.parent / f"{name}.bin").read_bytes().endswith(name.encode())
    second = (made.parent / "tcpip002.bin").read_bytes()
    assert second[image.NAME_AT].decode("cp1140") == "TCPIP002" and second.endswith(b"mine")
    assert (made.parent / "tcpip002.elf").is_file()
    assert image.with_program(base(tmp_path / "base"), own, "002") == made


def test_a_program_that_is_too_large_is_refused(kept: Path, tmp_path: Path) -> None:
    own = system(tmp_path / "own.bin", "TCPIPOWN", bytes(8 << 20))
    with pytest.raises(SourceError, match="its TCPIP is too large: the named systems end at"):
        image.with_program(base(tmp_path / "base"), own, "001")
    assert names(kept) == set()


@pytest.mark.parametrize("number", [1, 65, 999])
def test_the_guest_has_room_for_a_larger_tcpip(kept: Path, tmp_path: Path, number: int) -> None:
    """Of the guest as it is, whatever was moved in storage, and however many there are."""
    guest = load_guest("vmkb")
    size = (guest.image.parent / "tcpip221.bin").stat().st_size
    own = system(tmp_path / "own.bin", "TCPIPOWN", bytes(2 * size))
    assert image.with_program(guest.image, own, image.level(number)).is_file()


def test_a_vmkb_of_the_users_lies_where_it_looks_for_its_programs(
    kept: Path, tmp_path: Path
) -> None:
    """Which need not be where ours does."""
    here = base(tmp_path / "base")
    made = image.as_level(here, "221", "001")
    assert made.read_text() == here.read_text().replace("tcpip221", "tcpip001")
    assert made.with_name("parm.txt").is_file()


@pytest.mark.parametrize("line", ["../secret.bin 0x500000", "/etc/secret.bin 0x0", "gone.bin 0x0"])
def test_an_image_loads_what_is_beside_it_alone(kept: Path, tmp_path: Path, line: str) -> None:
    here = base(tmp_path / "base")
    system(tmp_path / "secret.bin", "SECRET", b"")
    here.write_text(f"{here.read_text()}{line}\n")
    with pytest.raises(SourceError, match=f"loads {line.split()[0]}, which is not beside it"):
        image.as_level(here, "221", "001")


def test_a_program_without_the_other_levels_names_an_image(kept: Path, tmp_path: Path) -> None:
    here = base(tmp_path / "base")
    before = image.digest_of_image(here, "221")
    assert before != image.digest_of_image(here, "213")
    system(tmp_path / "base" / "tcpip213.bin", "TCPIP213", b"changed")
    assert image.digest_of_image(here, "221") == before
    renamed = image.as_level(here, "221", "001")
    assert image.digest_of_image(renamed, "001") == before
    content = (renamed.parent / "tcpip001.bin").read_bytes()
    assert content[image.NAME_AT].decode("cp1140") == "TCPIP001" and content.endswith(b"tcpip221")
    assert not (renamed.parent / "tcpip221.bin").exists()
    system(tmp_path / "base" / "cp.bin", "CP", b"changed")
    assert image.digest_of_image(here, "221") != before


def test_an_image_without_that_level_is_refused(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="it has no TCPIP300"):
        image.as_level(base(tmp_path / "base"), "300", "001")


def test_an_installation_without_sources_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no sources of VM/KB.*use a clone of vmkb"):
        made([], tmp_path / "log", tmp_path)
