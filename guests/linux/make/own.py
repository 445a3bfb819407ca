# SPDX-License-Identifier: MIT
"""A kernel of the user's own: a .deb, a folder of them, or a tree in which it was built."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from vmkb.guests.linux.make.packages import KERNEL, unpack
from vmkb.hercules.deadline import EmulatorError

#: Options that the guest needs of a kernel, and what it cannot do without each.
NEEDS = {
    "BLK_DEV_INITRD": "take its programs from memory",
    "BINFMT_ELF": "run them",
    "DEVTMPFS": "have devices",
    "TN3215_CONSOLE": "write on the console",
    "CTCM": "reach the network",
    "INET": "use TCP/IP",
}
PROGRAM = "vmlinux"
"""The kernel with debugging data in the tree that built it: it stays there."""
_CONFIG = "config"
_VERMAGIC = re.compile(rb"vermagic=([!-~]+)")


def sources(path: Path) -> list[Path]:
    """The files that make the kernel at PATH: packages, or kernel, configuration and modules of a
    built tree. EmulatorError if there is none."""
    if not path.exists():
        raise EmulatorError(f"There is no file or folder {path}.")
    if path.is_file():
        if path.suffix != ".deb":
            raise EmulatorError(f"{path} is no .deb; of a built tree give the folder.")
        return [path]
    if packages := sorted(path.glob("*.deb")):
        return packages
    names = ("arch/s390/boot/bzImage", "bzImage", KERNEL)
    kernels = [p for name in names if (p := path / name).is_file()]
    if not kernels:
        raise EmulatorError(
            f"{path} has no kernel: give a .deb, a folder with .debs, or a kernel's tree that was"
            " built for s390 (arch/s390/boot/bzImage)."
        )
    others = [p for name in (".config", "modules.builtin") if (p := path / name).is_file()]
    return [kernels[0], *others, *sorted(path.rglob("*.ko"))]


def digest(files: Iterable[Path]) -> str:
    """Twelve hexadecimal digits that name FILES by name and content."""
    total = hashlib.sha256()
    for file in files:
        total.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:12]


def gather(
    path: Path, files: Sequence[Path], wanted: Sequence[str], more: Sequence[str], new: Path
) -> str:
    """Put the kernel at PATH, which is made of FILES, into the empty folder NEW with the modules
    WANTED, which it must have, and those of MORE that it has; its version. EmulatorError that
    names what is missing."""
    if files[0].suffix == ".deb":
        modules = "|".join([*wanted, *more])
        form = rf".*/vmlinuz[^/]*|boot/config-[^/]*|.*/modules\.builtin|.*/({modules})\.ko(\.xz)?"
        for package in files:
            unpack(package, form, new, flat=True)
        kernels = sorted(new.glob(f"{KERNEL}*"))
        if len(kernels) != 1:
            raise EmulatorError(
                f"{path} has {len(kernels)} kernels: give the .deb that has one, or a folder with"
                " that and the .deb of its modules."
            )
        kernel = kernels[0].name
        kernels[0].rename(new / KERNEL)
        for found in new.glob("config-*"):
            found.rename(new / _CONFIG)
    else:
        kernel = KERNEL
        shutil.copyfile(files[0], new / KERNEL)
        for file in files[1:]:
            if file.stem.replace("-", "_") in (*wanted, *more) or file.suffix != ".ko":
                shutil.copyfile(file, new / (_CONFIG if file.name == ".config" else file.name))
    _check(path, new, wanted)
    return _version(path, kernel, new)


def link_program(path: Path, folder: Path) -> None:
    """Let the FOLDER of a kernel name the program that the tree at PATH has of it, if it has."""
    link = folder / PROGRAM
    link.unlink(missing_ok=True)
    if (path / PROGRAM).is_file():
        link.symlink_to((path / PROGRAM).resolve())


def _check(path: Path, new: Path, wanted: Sequence[str]) -> None:
    config = new / _CONFIG
    if config.is_file():
        text = config.read_text("utf-8", "replace")
        missing = [
            f"CONFIG_{name} (without it the guest cannot {what})"
            for name, what in NEEDS.items()
            if not re.search(rf"^CONFIG_{name}=[ym]$", text, re.M)
        ]
        if missing:
            raise EmulatorError(f"The kernel at {path} lacks {', '.join(missing)}.")
    told = new / "modules.builtin"
    inside = told.read_text("utf-8") if told.is_file() else ""
    missing = [
        name
        for name in wanted
        if not (new / f"{name}.ko").is_file() and f"/{name}.ko" not in inside
    ]
    if missing:
        raise EmulatorError(
            f"The kernel at {path} has no module {', '.join(missing)} (.ko or .ko.xz), nor is it"
            " built in: the guest cannot reach the network. Where modules are in another .deb, put"
            " both into a folder."
        )


def _version(path: Path, kernel: str, new: Path) -> str:
    """The kernel's own version, by the name of its file or of a tree's, or by a module."""
    named = path / "include" / "config" / "kernel.release"
    if named.is_file():
        return named.read_text("utf-8").strip()
    if kernel != KERNEL:
        return kernel.removeprefix(f"{KERNEL}-")
    found = [_VERMAGIC.search(m.read_bytes()) for m in sorted(new.glob("*.ko"))]
    return next((f[1].decode() for f in found if f), "of no known version")
