# SPDX-License-Identifier: MIT
"""Objects that builds of stacks share: from the same files in the same way, and never others."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from vmkb.guests.release import cache, objects
from vmkb.guests.release.build import Build
from vmkb.guests.release.objects import Objects
from vmkb.guests.release.older import lacks
from vmkb.guests.release.source import read

FILES = {"src/a.c": "int a;\n", "src/b.c": "int b;\n", "src/a.h": "", "src/common.h": ""}
READ = {"a": ("src/a.c", "src/a.h", "src/common.h"), "b": ("src/b.c", "src/common.h", "../our.h")}
"""What the compiler reads for each object."""


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a guest whose header is `our.h`."""
    monkeypatch.setattr(cache, "VMKB", tmp_path)
    monkeypatch.setattr(cache, "KEPT", tmp_path / "own")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "our.h").write_text("")
    return tmp_path


def compiled(
    guest: Path, name: str, changed: Mapping[str, str] = FILES, way: str = "gcc -O2"
) -> list[str]:
    """The objects that a build NAME of FILES and CHANGED has not taken from another one."""
    folder = guest / "own" / name
    for file, text in {**FILES, **changed}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    sources = [guest / "own" / "our.h", *folder.rglob("*.[ch]")]
    shared = Objects(folder, "objects", sources, way)
    shared.take()
    here = [one for one in READ if not (folder / "objects" / f"{one}.o").is_file()]
    for one in here:
        (folder / "objects").mkdir(exist_ok=True)
        (folder / "objects" / f"{one}.o").write_text(f"of {name}")
        names = " \\\n ".join(os.path.normpath(f"own/{name}/{file}") for file in READ[one])
        text = f"own/{name}/objects/{one}.o: {names}\nown/{name}/src/a.h:\n"
        (folder / "objects" / f"{one}.d").write_text(text)
    shared.give()
    assert not list(folder.rglob("*.o"))
    return here


def test_the_same_files_are_compiled_once(guest: Path) -> None:
    assert compiled(guest, "first") == ["a", "b"]
    assert compiled(guest, "same") == []
    listed = (guest / "own" / "same" / "objects" / "a.d").read_text()
    assert "own/same/src/a.c" in listed and "first" not in listed


@pytest.mark.parametrize(
    "changed, expected",
    [
        ("src/a.c", ["a"]),
        ("src/a.h", ["a"]),
        ("src/common.h", ["a", "b"]),
        ("src/new.h", ["a", "b"]),
        ("src/new.c", []),
        ("../our.h", ["b"]),
    ],
)
def test_what_reads_a_changed_file_is_compiled(
    guest: Path, changed: str, expected: list[str]
) -> None:
    """And all is if there is a header more, which may be read in another one's place."""
    compiled(guest, "first")
    assert compiled(guest, "second", {changed: "changed\n"}) == expected


def test_what_is_compiled_in_another_way_is_another_object(guest: Path) -> None:
    compiled(guest, "first")
    assert compiled(guest, "second", way="gcc -Os") == ["a", "b"]


def test_what_a_killed_make_has_left_is_not_taken(guest: Path) -> None:
    (guest / "own" / "first" / "objects").mkdir(parents=True)
    (guest / "own" / "first" / "objects" / "a.o").write_text("hal")
    assert compiled(guest, "first") == ["a", "b"]


def test_the_least_recently_used_objects_go(guest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(guest, "first")
    for path in (guest / "own" / "objects").glob("*.o"):
        os.utime(path, (1, 1))
    compiled(guest, "second", {"src/a.c": "changed\n"})  # takes b once more
    monkeypatch.setattr(objects, "OBJECT_BYTES", 2 * len("of second"))
    compiled(guest, "third", {"src/a.c": "changed\n"})
    assert compiled(guest, "fourth", {"src/a.c": "changed\n"}) == []
    assert compiled(guest, "fifth") == ["a"]


def test_an_early_lwip_lacks_what_no_header_has() -> None:
    later = b"TF_RTO LWIP_HOOK_TCP_INPACKET_PCB(x) tcp_listen_with_backlog_and_err"
    files = {
        "include/lwip/tcp.h": later + b" TCPH_HDRLEN_BYTES_not",
        "core/tcp.c": b"TCPH_HDRLEN_BYTES",
        "core/ipv4/ip4.c": b"#ifdef LWIP_HOOK_FILENAME",
    }
    names = ["SYS_TIMEOUTS_SLEEPTIME_INFINITE", "TCPH_HDRLEN_BYTES"]
    assert lacks(files) == "".join(f"#define LACKS_{name}\n" for name in names)
    assert lacks({}).endswith("#define LACKS_HOOKS_OF_IP\n")


@pytest.mark.slow
def test_shared_objects_give_the_same_program(kept: Path) -> None:
    """As what is compiled there, with the options of releases of VM/KB."""
    ours = cache.VMKB / "build" / "lwip" / "lwip-2.2.1"
    files = dict(read(ours).files)

    def program(name: str) -> bytes:
        it = Build(name)
        it.place(files, "lwip/lwip-own/src")
        return it.program(1, "OPT=-Os").read_bytes()

    before = program("before")
    files["core/tcp_in.c"] = files["core/tcp_in.c"].replace(
        b"PERF_START;", b"TCP_STATS_INC(tcp.drop);", 1
    )
    count = len(list((kept / "objects").glob("*.o")))
    shared = program("after")
    assert len(list((kept / "objects").glob("*.o"))) == count + 1
    shutil.rmtree(kept / "objects")
    assert program("after") == shared != before
