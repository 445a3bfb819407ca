# SPDX-License-Identifier: MIT
"""Build a kernel of the user's from its source: a tree, a commit of one, or an archive.

A tree is read where it is, and built outside of it. Of a commit or an archive, what s390 is built
from is put into the cache; only files that differ are written, so that make compiles what has
changed. All is compiled with one configuration, kernel.config, where it sees nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fcntl import LOCK_EX, flock
from pathlib import Path

from vmkb.guests.compiled import PLAIN
from vmkb.guests.linux.make.layout import arranged
from vmkb.guests.linux.make.own import IMAGE, check
from vmkb.guests.linux.make.packages import unpack
from vmkb.guests.linux.make.suites import FOLDER
from vmkb.guests.release import git, packed
from vmkb.guests.release.errors import MemberError, SourceError
from vmkb.guests.release.making import COMPILER, by_clang, compiler, made, refused
from vmkb.guests.release.members import FILE_BYTES, is_plain
from vmkb.guests.release.sandbox import Room, warning
from vmkb.guests.release.source import split
from vmkb.hercules.deadline import EmulatorError

MARK = "arch/s390/Kconfig"
SCRIPT = "arch/s390/kernel/vmlinux.lds"
"""The linker's script, which make makes if it is not there."""
CONFIG = FOLDER / "make" / "kernel.config"
_ARCHIVE = re.compile(r"linux[-_].*\.(tar(\.(gz|bz2|xz))?|tgz|txz)|linux-source-.*\.deb")
_IN_PACKAGE = r"usr/src/linux-source-[^/]*"
BUILT_WITHIN = 3600.0
"""Seconds for a kernel: 340 of CPU were seen for all of one."""
_PROGRAMS = ("flex", "bison", "bc")
_WORDS = ("ARCH=s390", f"CROSS_COMPILE={COMPILER.removesuffix('gcc')}", "LOCALVERSION=",
          "KBUILD_BUILD_USER=vmkb", "KBUILD_BUILD_HOST=vmkb", "KBUILD_BUILD_VERSION=1",
          "KBUILD_BUILD_TIMESTAMP=1990-01-01")  # fmt: skip
"""The same source gives the same bytes."""
_RULES = re.compile(r"(Kconfig|Kbuild|Makefile)[\w.-]*")
_RULES_ALONE = re.compile(
    r"(Documentation|arch/(?!s390/)[^/]+|samples|sound|tools(?!/include/)|drivers/(accel|gpu|iio|"
    r"infiniband|media|net/ethernet|net/wireless|scsi|staging|usb))/"
)
"""Folders of which this configuration compiles nothing, but reads the rules."""
_BINDINGS = "include/dt-bindings/"
_AT_ONCE = 4000
_ANEW = "/* build {number} of the same objects */\n"


def source(text: str) -> tuple[Path, str] | None:
    """The tree or archive that PATH[@REF] names, with the commit of REF or the archive's digest, or
    nothing for a tree as it is. None if it is no kernel's source or one that was built there.
    SourceError if there is no such path or commit."""
    name, ref = split(text)
    path = Path(name).expanduser().resolve()
    if path.is_file():
        if ref or not _ARCHIVE.fullmatch(path.name):
            return None
        with path.open("rb") as file:
            return path, hashlib.file_digest(file, "sha256").hexdigest()
    if ref or git.is_bare(path):
        commit = git.commit_of(path, ref or "HEAD")
        return (path, commit) if git.listed(path, commit, MARK) else None
    return (path, "") if (path / MARK).is_file() and not (path / IMAGE).is_file() else None


def key(path: Path, ref: str, number: int = PLAIN) -> str:
    """What names build NUMBER of the kernel of PATH at REF (`source`): the same gives the same
    kernel. Empty if only the files can tell."""
    text = f"{path} {ref} {compiler()} {_WORDS}".encode() + CONFIG.read_bytes()
    text += f"{number}".encode() if number > PLAIN else b""
    return hashlib.sha256(text).hexdigest()[:16] if ref else ""


def built(
    path: Path, ref: str, folder: Path, builds: Sequence[int], say: Callable[[str], None]
) -> Iterator[Path]:
    """The folder in which the kernel of PATH at REF (`source`) was built, as each of BUILDS is
    there in turn, while nobody else builds: below FOLDER, where what make needs again stays. Number
    1 has the usual order, the others are linked anew (layout.arranged). SourceError, with what the
    configuration lacks or the compiler's first error; EmulatorError."""
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise SourceError(
                f"kernels are built with {program}: install it (on Debian: apt install {program})"
            )
    if by_clang():
        raise SourceError("kernels are built by gcc: install Debian's gcc-s390x-linux-gnu")
    here = folder / hashlib.sha256(str(path).encode()).hexdigest()[:12]
    tree, out = path, here / "made"
    script = out / SCRIPT
    out.mkdir(parents=True, exist_ok=True)
    with (here / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        begun = time.monotonic()
        if ref:
            tree = here / "source"
            say(f"unpacking {path.name} {ref[:12]}")
            if path.is_file():
                _place_archive(path, tree)
            else:
                _place_commit(path, ref, tree)
        if said := warning():
            say(said)
        _make(tree, out, ["allnoconfig", f"KCONFIG_ALLCONFIG={CONFIG}"], lambda: None)
        try:
            check(path, out / ".config")
        except EmulatorError as error:
            raise SourceError(str(error).rstrip(".")) from None
        if script.is_file() and script.read_text("utf-8").startswith(_ANEW.partition("{")[0]):
            script.unlink()  # the last build's that was made here
        say("compiling it: a whole kernel takes some minutes, one file of it less than one")
        _make(tree, out, ["bzImage"], lambda: say(f"{sum(1 for _ in out.rglob('*.o'))} objects"))
        say(f"built in {time.monotonic() - begun:.0f} s")
        if PLAIN in builds:
            yield out
        usual = script.read_text("utf-8") if builds[-1] > PLAIN else ""
        objects = [o.relative_to(out).as_posix() for o in out.rglob("*.o")]
        for number in (n for n in builds if n > PLAIN):
            begun = time.monotonic()
            wanted = _ANEW.format(number=number) + arranged(usual, objects, number)
            script.write_text(wanted, "utf-8")
            _make(tree, out, ["bzImage"], lambda: None)
            if script.read_text("utf-8") != wanted:
                raise SourceError("its make takes no other linker script: ask for --builds 1")
            say(f"build {number} linked in {time.monotonic() - begun:.0f} s")
            yield out


def _make(tree: Path, out: Path, words: list[str], tell: Callable[[], None]) -> None:
    log = out.parent / "log"
    room = Room(tree, (tree, CONFIG), (out,))
    if not made([f"O={out}", *_WORDS, *words], log, tree, room, BUILT_WITHIN, tell):
        if "source tree is not clean" in log.read_text("utf-8", "replace"):
            raise SourceError(
                f"{tree} has files of another build; make mrproper there, or give {tree}@HEAD"
            )
        raise SourceError(str(refused(log)).replace(f"{tree}/", ""))


def is_wanted(name: str) -> bool:
    """Whether a kernel for s390 may be built from the file NAME of a tree."""
    if name.startswith(_BINDINGS):
        return is_plain(name)  # of some devices they are not, and none of these are here
    return not _RULES_ALONE.match(name) or bool(_RULES.fullmatch(name.rpartition("/")[2]))


def _place_commit(path: Path, commit: str, tree: Path) -> None:
    """Let TREE have the files of COMMIT that are wanted."""
    wanted = {
        _checked(name): object_
        for mode, object_, _, name in git.listed(path, commit)
        if mode.startswith("100") and is_wanted(name)
    }
    _clear(tree, wanted)
    other = [n for n, object_ in wanted.items() if not git.same(_content(tree / n), object_)]
    for begin in range(0, len(other), _AT_ONCE):  # each within its deadline
        with git.contents(path) as read:
            for name in other[begin : begin + _AT_ONCE]:
                _write(tree / name, read(wanted[name], FILE_BYTES))


def _place_archive(path: Path, tree: Path) -> None:
    """Let TREE have the files of the archive PATH that are wanted; one folder is before them."""
    if path.suffix == ".deb":
        with tempfile.TemporaryDirectory(dir=tree.parent) as inside:
            unpack(path, _IN_PACKAGE, Path(inside), flat=False)
            archives = list(Path(inside).rglob("linux-source-*.tar.*"))
            if len(archives) != 1:
                raise SourceError(f"{path} has no archive of a kernel's source")
            _place_archive(archives[0], tree)
        return
    seen = set()
    try:
        for member in packed.members(path):
            name = member.name.removeprefix("./").partition("/")[2]
            if member.what or not name or not is_wanted(name):
                continue
            seen.add(_checked(name))
            text = member.read(FILE_BYTES)
            if text != _content(tree / name):
                _write(tree / name, text)
    except (OSError, *packed.BROKEN) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
    if MARK not in seen:
        raise SourceError(f"{path} is no kernel's source: it has no {MARK}")
    _clear(tree, seen)


def _checked(name: str) -> str:
    if not is_plain(name):
        raise MemberError(f"{name!r} is no name of a kernel's file")
    return name


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _write(file: Path, text: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f"{file.name}.new")
    new.write_bytes(text)
    if text.startswith(b"#!"):
        new.chmod(0o755)
    new.replace(file)


def _clear(tree: Path, kept: Iterable[str]) -> None:
    """Remove what TREE has beside the files KEPT."""
    known = set(kept)
    for folder, _, names in os.walk(tree):
        for file in (Path(folder, name) for name in names):
            if file.relative_to(tree).as_posix() not in known:
                file.unlink()
