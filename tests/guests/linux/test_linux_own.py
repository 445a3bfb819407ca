# SPDX-License-Identifier: MIT
"""A kernel of the user's own: what makes one, and what it lacks is named before it is booted."""

from __future__ import annotations

import lzma
import shutil
import subprocess
from pathlib import Path

import pytest

from vmkb.guests.linux.make.own import NEEDS, digest, gather, sources
from vmkb.hercules.deadline import EmulatorError

WANTED = ("ccwgroup", "fsm", "ctcm")
CONFIG = "".join(f"CONFIG_{name}=y\n" for name in NEEDS)
MODULE = b"\x7fELF of %s\0vermagic=6.13.2 SMP mod_unload \0"

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb")


def put(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def package(path: Path, files: dict[str, bytes]) -> Path:
    """A real .deb with FILES."""
    tree = path.parent / f"{path.name}.tree"
    control = b"Package: k\nVersion: 1\nArchitecture: s390x\nMaintainer: a <a@b>\nDescription: k\n"
    put(tree, {"DEBIAN/control": control, **files})
    subprocess.run(["dpkg-deb", "--build", tree, path], check=True, capture_output=True)
    return path


def modules(under: str = "lib/modules/6.13.2/kernel/drivers/s390") -> dict[str, bytes]:
    return {f"{under}/{name}.ko": MODULE % name.encode() for name in WANTED}


def taken(path: Path, new: Path) -> str:
    new.mkdir()
    return gather(path, sources(path), WANTED, ("kafs",), new)


def test_a_package_has_kernel_and_modules(tmp_path: Path) -> None:
    files = {"boot/vmlinuz-6.13.2": b"kernel", "boot/config-6.13.2": CONFIG.encode(), **modules()}
    name = "lib/modules/6.13.2/kernel/drivers/s390/fsm.ko"
    files[f"{name}.xz"] = lzma.compress(files.pop(name))
    path = package(tmp_path / "mine.deb", files)
    assert taken(path, tmp_path / "new") == "6.13.2"
    assert (tmp_path / "new" / "vmlinuz").read_bytes() == b"kernel"
    assert (tmp_path / "new" / "fsm.ko").read_bytes() == MODULE % b"fsm"


def test_modules_may_be_in_a_package_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "debs"
    folder.mkdir()
    package(folder / "image.deb", {"boot/vmlinuz-6.13.2": b"kernel"})
    with pytest.raises(EmulatorError, match="no module ccwgroup, fsm, ctcm.*both into a folder"):
        taken(folder, tmp_path / "alone")
    package(folder / "modules.deb", modules())
    assert taken(folder, tmp_path / "new") == "6.13.2"


def test_a_built_tree_is_taken_as_it_is(tmp_path: Path) -> None:
    tree = tmp_path / "linux"
    builtin = "".join(f"kernel/x/{name}.ko\n" for name in WANTED).encode()
    put(tree, {"arch/s390/boot/bzImage": b"kernel", ".config": CONFIG.encode(),
               "include/config/kernel.release": b"6.14.0-rc1\n",
               "modules.builtin": builtin})  # fmt: skip
    assert taken(tree, tmp_path / "new") == "6.14.0-rc1"
    before = digest(sources(tree))
    put(tree, {"arch/s390/boot/bzImage": b"another"})
    assert digest(sources(tree)) != before


@pytest.mark.parametrize("name", NEEDS)
def test_what_the_configuration_lacks_is_named(tmp_path: Path, name: str) -> None:
    config = CONFIG.replace(f"CONFIG_{name}=y", f"# CONFIG_{name} is not set")
    put(tmp_path / "t", {"bzImage": b"kernel", ".config": config.encode(), **modules()})
    with pytest.raises(EmulatorError, match=rf"lacks CONFIG_{name} \(without it the guest cannot"):
        taken(tmp_path / "t", tmp_path / "new")


def test_what_is_no_kernel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match="has no kernel: give a .deb"):
        sources(tmp_path)
    wrong = tmp_path / "wrong.deb"
    wrong.write_bytes(b"this is no package")
    with pytest.raises(EmulatorError, match="cannot be unpacked"):
        taken(wrong, tmp_path / "new")
    other = package(tmp_path / "other.deb", modules())
    with pytest.raises(EmulatorError, match="has 0 kernels"):
        taken(other, tmp_path / "none")
    (tmp_path / "picture.png").write_bytes(b"x")
    with pytest.raises(EmulatorError, match="is neither a .deb nor a kernel for s390"):
        taken(tmp_path / "picture.png", tmp_path / "png")


def test_an_image_alone_is_taken_for_what_it_says(tmp_path: Path) -> None:
    head = bytes(0x10008) + b"S390EP"
    (tmp_path / "bzImage").write_bytes(head + b"\x006.13.2-mine (me@here) #1 SMP\0")
    assert taken(tmp_path / "bzImage", tmp_path / "new") == "6.13.2-mine"
    said = b"6.1.192 (me@here) #1 SMP\0"
    at = 0x10431  # behind the word with its address, and a digit that is not its own
    image = head.ljust(0x10428, b"\0") + at.to_bytes(8, "big") + b"8" + said
    (tmp_path / "near").write_bytes(image)
    assert taken(tmp_path / "near", tmp_path / "third") == "6.1.192"
    (tmp_path / "other").write_bytes(head)
    assert taken(tmp_path / "other", tmp_path / "old") == "of no known version"
