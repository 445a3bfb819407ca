# SPDX-License-Identifier: MIT
"""A kernel of the user's own: a .deb, a folder of them, a tree in which it was built, or its image
alone."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from vmkb.guests.linux.make.packages import KERNEL, unpack
from vmkb.guests.release.sizes import Sizes, program_sizes
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
IMAGE = "arch/s390/boot/bzImage"
"""Where the build of a kernel leaves what is booted."""
PROGRAM = "vmlinux"
"""The kernel with debugging data in the tree that built it: it stays there."""
_SIZES = "sizes"
_CONFIG, _UNCOMPRESSED = "config", "CONFIG_KERNEL_UNCOMPRESSED=y"
_VERMAGIC = re.compile(rb"vermagic=([!-~]+)")
_BANNER = re.compile(rb"(\d+\.\d+[!-~]*) \([!-~]+@[!-~]+\) #")
_MAGIC_AT, _MAGIC = 0x10008, b"S390EP"
_SAYS_AT = 0x10428
"""Where an image has the address of its version: kernel_version of arch/s390/boot/head.S."""


def sources(path: Path) -> list[Path]:
    """The files that make the kernel at PATH: packages, or kernel, configuration and modules of a
    built tree, or the image alone. EmulatorError if there is none."""
    if path.is_file():
        if path.suffix != ".deb" and not _is_image(path):
            raise EmulatorError(
                f"{path} is neither a .deb nor a kernel for s390 (bzImage), nor an archive of"
                " source (linux-6.1.tar.xz); of a tree give the folder."
            )
        return [path]
    if packages := sorted(path.glob("*.deb")):
        return packages
    names = (IMAGE, "bzImage", KERNEL)
    kernels = [p for name in names if (p := path / name).is_file()]
    if not kernels:
        raise EmulatorError(
            f"{path} has no kernel: give a .deb, a folder with .debs, a kernel's tree, or one that"
            f" was built for s390 ({IMAGE})."
        )
    others = [p for name in (".config", "modules.builtin") if (p := path / name).is_file()]
    return [kernels[0], *others, *sorted(path.rglob("*.ko"))]


def _is_image(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(_MAGIC_AT)
        return file.read(len(_MAGIC)) == _MAGIC


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
    check(path, new / _CONFIG)
    if path != files[0] or path.suffix == ".deb":  # nobody knows what an image alone has inside
        _check_modules(path, new, wanted)
    if (path / PROGRAM).is_file():
        (new / _SIZES).write_text(" ".join(map(str, program_sizes(path / PROGRAM))), "utf-8")
    return _version(path, kernel, new)


def sizes(folder: Path) -> Sizes | None:
    """Bytes of the kernel in FOLDER, if it came with its program."""
    path = folder / _SIZES
    return Sizes(*map(int, path.read_text("utf-8").split())) if path.is_file() else None


def link_program(path: Path, folder: Path) -> None:
    """Let the FOLDER of a kernel name the program that the tree at PATH has of it, if it has."""
    link = folder / PROGRAM
    link.unlink(missing_ok=True)
    if (path / PROGRAM).is_file():
        link.symlink_to((path / PROGRAM).resolve())


def check(path: Path, config: Path) -> None:
    """Check that the kernel at PATH has by its CONFIG, if there is one, what the guest needs.
    EmulatorError."""
    if not config.is_file():
        return
    text = config.read_text("utf-8", "replace")
    missing = [
        f"CONFIG_{name} (without it the guest cannot {what})"
        for name, what in NEEDS.items()
        if not re.search(rf"^CONFIG_{name}=[ym]$", text, re.M)
    ]
    if missing:
        raise EmulatorError(f"The kernel at {path} lacks {', '.join(missing)}.")


def is_uncompressed(folder: Path) -> bool:
    """Whether the kernel in FOLDER says that it need not unpack itself."""
    config = folder / _CONFIG
    return config.is_file() and f"{_UNCOMPRESSED}\n" in config.read_text("utf-8", "replace")


def _check_modules(path: Path, new: Path, wanted: Sequence[str]) -> None:
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
    found.append(_banner((new / KERNEL).read_bytes()))
    return next((f[1].decode() for f in found if f), "of no known version")


def _banner(image: bytes) -> re.Match[bytes] | None:
    """Where IMAGE says its version: what is before it may look like a part of it."""
    at = int.from_bytes(image[_SAYS_AT : _SAYS_AT + 8], "big")
    return _BANNER.match(image, at) or _BANNER.search(image)
