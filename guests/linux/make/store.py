# SPDX-License-Identifier: MIT
"""The store of packages: in the user's cache, so that a second clone need not fetch it again.

A kernel is kept under its version, the programs under the digest of their packages' names and
versions; each folder comes whole or not at all. `suites.json` says which kernel a suite had.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path

from vmkb.guests.compiled import PLAIN
from vmkb.guests.linux.make import own, tree
from vmkb.guests.linux.make.archive import Archive
from vmkb.guests.linux.make.packages import KERNEL, unpack
from vmkb.guests.linux.make.suites import Suites
from vmkb.hercules.deadline import EmulatorError

KEPT = 32
"""So many kernels of the user's stay: more than a trail has built and not yet measured."""
_BEGUN = time.time()
_KNOWN = "suites.json"
_MODULES = "modules"
_VERSION = "version"
_PACKAGE = re.compile(r"[^_]+_(?:\d+%3a)?([^_]+)_")
_UPSTREAM = re.compile(r"\d+(?:\.\d+)+")
Say = Callable[[str], None]


def cache_folder() -> Path:
    """Where a user's programs keep what can be had again."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "vmkb" / "linux"


class PackageStore:
    """Kernels and programs from packages. SAY is told what takes its time."""

    def __init__(self, suites: Suites, folder: Path, say: Say) -> None:
        self._suites = suites
        self._folder = folder
        self._say = say
        self._archives: dict[str, Archive] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EmulatorError(
                f"Guest 'linux' keeps what it is made of in {folder}, which cannot be made:"
                f" {error.strerror}. XDG_CACHE_HOME names another place."
            ) from None

    def _archive(self, suite: str) -> Archive:
        """A suite, whose list of packages is fetched once."""
        if suite not in self._archives:
            folder = Path(tempfile.mkdtemp(prefix="vmkb-apt-"))
            weakref.finalize(self, shutil.rmtree, folder, True)
            self._archives[suite] = Archive(suite, self._suites.architecture, folder)
        return self._archives[suite]

    def known(self) -> dict[str, str]:
        """The kernel that each suite had, of those that are here."""
        try:
            known = json.loads((self._folder / _KNOWN).read_text("utf-8"))
            return {s: v for s, v in known.items() if self._is_whole(self.kernel_folder(v))}
        except (OSError, ValueError, AttributeError):
            return {}

    def _wanted_modules(self) -> str:
        return " ".join([*self._suites.modules, *self._suites.afs_modules])

    def _is_whole(self, folder: Path) -> bool:
        """Whether it has a kernel, and the modules that are wanted now were looked for in it."""
        told = folder / _MODULES
        return (folder / KERNEL).is_file() and told.read_text("utf-8") == self._wanted_modules()

    def kernel_folder(self, version: str) -> Path:
        """Where a kernel and its modules are."""
        return self._folder / "kernels" / version

    def kernel(self, suite: str) -> str:
        """The version of the kernel of SUITE, fetched if it is not here. EmulatorError."""
        with self._locked():
            known = self.known()
            if suite not in known:
                known[suite] = self._fetch_kernel(suite)
                _write(self._folder / _KNOWN, json.dumps(known, indent=1) + "\n")
            return known[suite]

    def _fetch_kernel(self, suite: str) -> str:
        wanted = self._suites
        with self._scratch() as scratch:
            begun = time.monotonic()
            self._say(f"asking suite {suite} for its kernel")
            archive = self._archive(suite)
            names = archive.needed(wanted.kernel_package, wanted.kernel_parts)
            names = [name for name in names if name != wanted.kernel_package]
            if not names:
                raise EmulatorError(f"Suite {suite} has no kernel for {wanted.architecture}.")
            self._say(f"fetching {' and '.join(names)}")
            packages = archive.fetch(names, _made(scratch / "packages"))
            new = _made(scratch / "kernel")
            size = sum(path.stat().st_size for path in packages)
            self._say(f"unpacking {size >> 20} MB")
            modules = "|".join([*wanted.modules, *wanted.afs_modules])
            for package in packages:
                unpack(package, rf".*/vmlinuz[^/]*|.*/({modules})\.ko(\.xz)?", new, flat=True)
            _rename_kernel(new, names)
            missing = [m for m in wanted.modules if not (new / f"{m}.ko").is_file()]
            if missing:
                raise EmulatorError(
                    f"The kernel of suite {suite} has no module {', '.join(missing)}."
                )
            version = max((_version(p) for p in packages), key=len)
            (new / "packages").write_text("".join(f"{p.name}\n" for p in packages), "utf-8")
            (new / _MODULES).write_text(self._wanted_modules(), "utf-8")
            _place(new, self.kernel_folder(version))
            self._say(f"kernel {version} is here after {time.monotonic() - begun:.0f} s")
            return version

    def own(self, text: str, builds: int = PLAIN) -> list[tuple[str, Path]]:
        """The version of the user's kernel at PATH[@REF], and its folder, of each of so many
        BUILDS: of what is built already there is one. It is built or taken from there if it is not
        here. SourceError; EmulatorError that says what it lacks."""
        found = tree.source(text)
        try:
            if found is not None:
                return self._built(*found, builds)
            version, target = self._taken(Path(text))
            own.link_program(Path(text), target)
            return [(version, target)]
        except OSError as error:
            raise EmulatorError(f"The kernel at {text} cannot be read: {error.strerror}.") from None

    def _built(self, path: Path, ref: str, builds: int) -> list[tuple[str, Path]]:
        """The same of what is built from source."""
        trees = self._folder / "trees"
        named = {n: trees / tree.key(path, ref, n) for n in range(PLAIN, builds + 1)}
        made = {n: known for n, name in named.items() if ref and (known := self._known(name))}
        missing = [n for n in named if n not in made]
        if missing:
            each = tree.built(path, ref, trees, missing, self._say)
            for n, out in zip(missing, each, strict=True):
                made[n] = self._taken(out)
                if ref:
                    _write(named[n], made[n][1].name)
        return [made[n] for n in named]

    def _known(self, name: Path) -> tuple[str, Path] | None:
        """What the file NAME says that was built, if that is still here."""
        if not name.is_file():
            return None
        target = self.kernel_folder(name.read_text("utf-8"))
        if not (target / _VERSION).is_file():
            return None
        target.touch()
        return (target / _VERSION).read_text("utf-8"), target

    def _taken(self, path: Path) -> tuple[str, Path]:
        """The same of what is built already."""
        wanted = self._suites
        files = own.sources(path)
        target = self.kernel_folder(f"own-{own.digest(files)}")
        with self._locked():
            if (target / _VERSION).is_file():
                target.touch()
            else:
                with self._scratch() as scratch:
                    new = _made(scratch / "kernel")
                    version = own.gather(path, files, wanted.modules, wanted.afs_modules, new)
                    (new / "packages").write_text("".join(f"{f.name}\n" for f in files), "utf-8")
                    (new / _VERSION).write_text(version, "utf-8")
                    _place(new, target)
                for old in unused(target.parent):
                    shutil.rmtree(old, ignore_errors=True)
        return (target / _VERSION).read_text("utf-8"), target

    def programs(self) -> Path:
        """The folder with the programs, fetched if they are not here. EmulatorError."""
        wanted = self._suites.programs
        named = repr((wanted.suite, sorted(wanted.packages), wanted.files))
        target = self._folder / "programs" / hashlib.sha256(named.encode()).hexdigest()[:12]
        if target.is_dir():  # as a rule: nobody waits for who fetches something else
            return target
        with self._locked():
            if target.is_dir():
                return target
            with self._scratch() as scratch:
                begun = time.monotonic()
                self._say(f"fetching {len(wanted.packages)} packages of suite {wanted.suite}")
                archive = self._archive(wanted.suite)
                packages = archive.fetch(wanted.packages, _made(scratch / "packages"))
                new = _made(scratch / "programs")
                for package in packages:
                    unpack(package, "|".join(wanted.files), new, flat=False)
                (new / "packages").write_text("".join(f"{p.name}\n" for p in packages), "utf-8")
                _place(new, target)
                self._say(f"the programs are here after {time.monotonic() - begun:.0f} s")
        return target

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time fetches; what a killed one left is swept."""
        with (self._folder / "lock").open("w") as lock:
            flock(lock, LOCK_EX)
            for left in self._folder.glob("new-*"):
                shutil.rmtree(left, ignore_errors=True)
            yield

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        scratch = Path(tempfile.mkdtemp(prefix="new-", dir=self._folder))
        try:
            yield scratch
        except OSError as error:
            raise EmulatorError(
                f"Guest 'linux' cannot be kept in {self._folder}: {error.strerror}."
            ) from None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def unused(folder: Path) -> list[Path]:
    """What FOLDER has of kernels of the user's beyond the KEPT ones that were used last, and those
    that this process uses."""
    used = {path: path.stat().st_mtime for path in folder.glob("own-*") if path.is_dir()}
    return [p for p in sorted(used, key=lambda p: -used[p])[KEPT:] if used[p] < _BEGUN]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _write(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".new")
    partial.write_text(text, "utf-8")
    partial.replace(path)


def _place(new: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    new.replace(target)


def _version(package: Path) -> str:
    """The upstream version of a package's file."""
    found = _PACKAGE.match(package.name)
    upstream = _UPSTREAM.match(found[1]) if found else None
    if upstream is None:
        raise EmulatorError(f"The package {package.name} has no version that can be read.")
    return upstream[0]


def _rename_kernel(folder: Path, names: list[str]) -> None:
    kernels = sorted(folder.glob(f"{KERNEL}*"))
    if len(kernels) != 1:
        raise EmulatorError(f"{', '.join(names)} have {len(kernels)} kernels, not one.")
    kernels[0].rename(folder / KERNEL)
