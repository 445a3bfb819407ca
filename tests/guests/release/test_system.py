# SPDX-License-Identifier: MIT
"""VM/KB built from a user's sources: what is compiled again, what is kept, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from vmkb.guests.release import cache, system
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.sandbox import Room
from vmkb.guests.release.system import INS, System

Files = dict[str, bytes]
ONE: Files = {"guests/vmkb/Makefile": b"all:\n", "guests/vmkb/cp/a.c": b"int a;\n"}


class Make:
    """Stands in for make: it makes an image, and says by dates what it would compile."""

    def __init__(self) -> None:
        self.said = ""
        self.compiled: list[set[str]] = []
        self.linked: list[bool] = []
        self.up_to_date = False
        """What it says of the project's own build."""
        self._dates: dict[str, float] = {}

    def __call__(
        self, words: Sequence[str], log: Path, folder: Path = Path(), room: Room | None = None
    ) -> bool:
        if list(words) == ["-q"]:
            return self.up_to_date
        assert room is not None and room.written == (folder / "build",)
        log.write_text(self.said)
        found = {p.name: p for p in folder.rglob("*.c")}
        before = self._dates
        self.dated(folder)
        self.compiled.append({n for n, date in self._dates.items() if before.get(n) != date})
        build = folder / words[0].removeprefix("B=")
        build.mkdir(parents=True, exist_ok=True)
        self.linked.append(not (build / "cp.elf").exists())
        for name in ("cp.bin", "cp.elf", INS):
            (build / name).write_bytes(b"".join(p.read_bytes() for p in found.values()))
        return not self.said

    def dated(self, folder: Path) -> None:
        """What is in FOLDER now is compiled."""
        self._dates = {p.name: p.stat().st_mtime_ns for p in folder.rglob("*.c")}


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Instead of a compiler, in a place for builds that nobody else has."""
    made = Make()
    monkeypatch.setattr(cache, "KEPT", tmp_path / "own")
    monkeypatch.setattr(system, "made", made)
    monkeypatch.setattr(system, "compiler", lambda: "gcc 12")
    (tmp_path / "own").mkdir()
    return made


def built(source: str, files: Files, number: int = 1) -> Path:
    """The image of build NUMBER of FILES."""
    it = System(source)
    if not it.placed:
        it.place(files)
    return it.image(number)


def test_only_what_differs_is_compiled_again(make: Make) -> None:
    two = {**ONE, "guests/vmkb/cp/b.c": b"int b;\n"}
    built("1", two)
    image = built("2", {**two, "guests/vmkb/cp/a.c": b"int changed;\n"})
    assert make.compiled == [{"a.c", "b.c"}, {"a.c"}]
    assert b"int changed;" in (image.parent / "cp.bin").read_bytes()
    assert make.linked == [True, False]


def test_of_the_first_one_what_differs_from_our_own_is_compiled(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path / "ours"
    programs = {f"guests/vmkb/build/{name}cp.elf": b"" for name in ("", "variant-2/")}
    more = {"guests/vmkb/cp/b.c": b"int b;\n", "guests/vmkb/build/vmkb.fba": b"large"}
    cache.fill(ours, {**ONE, **more, **programs})
    monkeypatch.setattr(system, "PROJECT", ours)
    monkeypatch.setattr(cache, "VMKB", ours / "guests" / "vmkb")
    make.dated(ours)
    make.up_to_date = True
    two = {**ONE, "guests/vmkb/cp/b.c": b"int mine;\n"}
    built("1", two)
    built("1", two, 2)
    assert make.compiled == [{"b.c"}, set()]
    assert make.linked == [False, False]
    assert not list((tmp_path / "own").rglob("vmkb.fba"))


def test_a_file_that_is_gone_links_all_anew(make: Make) -> None:
    built("1", {**ONE, "guests/vmkb/cp/b.c": b"int b;\n"})
    image = built("2", ONE)
    assert make.linked == [True, True]
    assert image.read_bytes() == b"int a;\n"


def test_what_was_built_is_not_built_again(make: Make) -> None:
    first = built("1", ONE)
    built("2", {**ONE, "guests/vmkb/cp/a.c": b"int other;\n"})
    assert built("1", ONE) == first and first.read_bytes() == b"int a;\n"
    assert built("1", ONE, 2) != first
    assert len(make.compiled) == 3


def test_a_build_that_was_killed_begins_anew(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    built("1", ONE)
    with monkeypatch.context() as patched:
        patched.setattr(system, "made", lambda *words: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            built("2", {**ONE, "guests/vmkb/cp/a.c": b"int killed;\n"})
    built("3", ONE)
    assert make.linked == [True, True]


def test_the_first_error_is_named_and_nothing_kept(make: Make) -> None:
    make.said = "cp/a.c:1:1: error: expected ';'\n"
    with pytest.raises(SourceError, match=r"does not build: cp/a\.c:1:1: error: expected ';'"):
        built("1", ONE)
    assert not System("1").has(1)


def test_another_recipe_has_another_folder_of_builds(make: Make, tmp_path: Path) -> None:
    """A stranger's Makefile could leave anything there for the next one to link."""
    built("1", ONE)
    built("2", {**ONE, "guests/vmkb/Makefile": b"all: bad\n"})
    built("3", {**ONE, "guests/vmkb/cp/a.c": b"int changed;\n"})
    assert len(list((tmp_path / "own").glob("work-*"))) == 2
    assert make.linked == [True, True, False]


@pytest.mark.parametrize("what", ["cp.bin", INS])
def test_a_link_in_the_place_of_a_program_is_refused(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "secret").write_text("secret")

    def linking(*words: object, **more: object) -> bool:
        done = make(*words, **more)  # type: ignore[arg-type]
        for made in (tmp_path / "own").rglob(f"build/{what}"):
            made.unlink()
            made.symlink_to(tmp_path / "secret")
        return done

    monkeypatch.setattr(system, "made", linking)
    with pytest.raises(SourceError, match=f"has made {what}, which is no file"):
        built("1", ONE)
    assert not System("1").has(1)


def test_another_lwip_than_ours_is_refused(make: Make) -> None:
    with pytest.raises(SourceError, match=r"its tools/lwip.sh gets other sources of lwIP"):
        built("1", {**ONE, "guests/vmkb/tools/lwip.sh": b"#!/bin/sh\n"})
