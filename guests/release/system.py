# SPDX-License-Identifier: MIT
"""VM/KB built from a user's sources, outside of their folder.

Sources with the same recipe (Makefile, tools) are built in one folder in turn: only what differs
from the one before is compiled, and of the first one what differs from our own. A recipe is a
stranger's program: it runs in a room of its own (sandbox.py), where it can write into its folder of
builds alone, which no other recipe uses. What sources become is kept by a digest of them and the
compiler.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from vmkb.guests.compiled import PLAIN, arranged, build_name
from vmkb.guests.release import cache
from vmkb.guests.release.cache import USED
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import Files
from vmkb.guests.release.making import compiler, made, refused
from vmkb.guests.release.sandbox import Room
from vmkb.guests.release.source import digest_of
from vmkb.hercules.guest import PROJECT

INS = "vmkb.ins"
_BEGUN = "begun"
"""Is there while make runs: a build that was killed may have left a file that only looks whole."""
_HERE = Path("guests", "vmkb")
_COMPILED = {".c", ".h", ".S", ".ld", ".toml"}
_PRODUCT_BYTES = 64 << 20
_LWIP = Path("tools", "lwip.sh")
_NOT_TAKEN = shutil.ignore_patterns("own", "lwip", "layout-*", "*.fba", "*.new", "*.lto")
"""What our folder of builds has beside programs and objects: disks, and what a link has for its
time."""


class System:
    """VM/KB built from the sources that have the digest SOURCE."""

    def __init__(self, source: str) -> None:
        self.folder = cache.KEPT / cache.named("VM/KB", source, compiler())

    @property
    def placed(self) -> bool:
        """Whether the sources are here."""
        return (self.folder / USED).is_file()

    def place(self, files: Files) -> None:
        """Put the sources FILES here. SourceError from an installed vmkb. Within `alone`."""
        if cache.PACKED.is_file():
            raise SourceError("a VM/KB of your own is built by a clone of vmkb; this is none")
        shutil.rmtree(self.folder, ignore_errors=True)
        cache.fill(self.folder / "tree", files)
        (self.folder / USED).touch()

    def has(self, number: int, compiled: str = "") -> bool:
        """Whether build NUMBER, made with COMPILED, is here."""
        return self._ins(number, compiled).is_file()

    def image(self, number: int, compiled: str = "") -> Path:
        """Make build NUMBER with COMPILED (guests.compiled), unless it is here; its .ins file.
        Number 1 has the usual order and layout. SourceError with the compiler's first error. Within
        `alone`."""
        ins = self._ins(number, compiled)
        if not ins.is_file():
            built = self._built(number, compiled)
            target = ins.parent
            new = target.with_name(f"{target.name}.new")
            for old in (target, new):
                shutil.rmtree(old, ignore_errors=True)
            new.mkdir()
            for path in (*_products(built), built / INS):
                _copied(path, new / path.name)
            new.rename(target)
        return ins

    def _ins(self, number: int, compiled: str) -> Path:
        return self.folder / build_name(number, compiled) / INS

    def _built(self, number: int, compiled: str) -> Path:
        """The folder in which make has made build NUMBER."""
        work = cache.KEPT / f"work-{cache.named(compiler(), _recipe(self.folder / 'tree'))}"
        here = work / "tree" / _HERE
        name = build_name(number, compiled)
        begun, log = work / _BEGUN, self.folder / f"{name}.log"
        if begun.exists():
            shutil.rmtree(work)
        new = not work.exists()
        work.mkdir(exist_ok=True)
        (work / USED).touch()
        begun.touch()
        if new:
            _seed(self.folder / "tree", work / "tree", log)
        _replace(self.folder / "tree", work / "tree")
        _bring_lwip(here)
        build = "build" if name == str(PLAIN) else f"build/variant-{name}"
        words = [f"B={build}", "O=build", f"{build}/{INS}", *arranged(number, compiled)]
        (here / "build").mkdir(exist_ok=True)
        room = Room(here, (work / "tree", cache.VMKB / "build" / "lwip"), (here / "build",))
        well = made(words, log, here, room)
        begun.unlink()
        if not well:
            raise refused(log)
        return here / build


def _seed(source: Path, tree: Path, log: Path) -> None:
    """Put our own builds into TREE, and our own files for those of SOURCE, with their dates: make
    has only to compile and link what `_replace` changes. Nothing if our own build is not up to
    date."""
    if not made(["-q"], log):
        return
    shutil.copytree(cache.VMKB / "build", tree / _HERE / "build", ignore=_NOT_TAKEN)
    for name in _files(source):
        ours = PROJECT / name
        if ours.is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ours, tree / name)


def _recipe(tree: Path) -> str:
    """A digest of the programs that make TREE what it becomes."""
    return digest_of(
        {n.as_posix(): p.read_bytes() for n, p in _files(tree).items() if n.suffix not in _COMPILED}
    )


def _products(built: Path) -> list[Path]:
    if built.is_symlink():
        raise SourceError(f"its build has put a link in the place of {built.name}")
    return [path for path in built.iterdir() if path.suffix in (".bin", ".elf")]


def _copied(path: Path, to: Path) -> None:
    """Copy what a build has made, if it is a file."""
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > _PRODUCT_BYTES:
        raise SourceError(f"its build has made {path.name}, which is no file of a usual size")
    shutil.copyfile(path, to)


def _files(tree: Path) -> dict[Path, Path]:
    """The files of TREE but those that make has made, by their paths in it."""
    found = {path.relative_to(tree): path for path in tree.rglob("*")}
    made_here = _HERE / "build"
    return {
        name: path
        for name, path in found.items()
        if path.is_file() and not name.is_relative_to(made_here) and "__pycache__" not in name.parts
    }


def _replace(source: Path, tree: Path) -> None:
    """Make the files of TREE those of SOURCE, and change only what differs, which make sees by its
    date."""
    old, new = _files(tree), _files(source)
    for name in old.keys() - new.keys():
        old[name].unlink()
    for name, path in new.items():
        to = tree / name
        if name not in old or to.read_bytes() != path.read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
            shutil.copymode(path, to)
    if old.keys() != new.keys():  # no file that is there tells make of one that is gone
        for program in (tree / _HERE / "build").rglob("*.elf"):
            program.unlink()
    (tree / "vmkb").mkdir(exist_ok=True)
    if not (tree / "vmkb" / "guests").is_symlink():
        (tree / "vmkb" / "guests").symlink_to("../guests")


def _bring_lwip(here: Path) -> None:
    """Give the build in HERE the sources of lwIP that this VM/KB has, if it would get the same."""
    target, ours = here / "build" / "lwip", cache.VMKB / "build" / "lwip"
    if target.is_symlink():
        target.unlink()
    script = here / _LWIP
    if script.is_file() and script.read_bytes() == (cache.VMKB / _LWIP).read_bytes():
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(ours)
        os.utime(script, (0, 0))  # older than what it has got
    elif script.is_file():
        raise SourceError(
            f"its {_LWIP} gets other sources of lwIP than ours; a build has no network"
        )
