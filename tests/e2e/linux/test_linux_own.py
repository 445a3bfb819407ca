# SPDX-License-Identifier: MIT
"""vmkb run ftp --guest linux with a kernel from a .deb of the user's: the same kernel costs the
same; a package that has changed is not taken up again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vmkb.accounting.costs import costs
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.store import read
from vmkb.guests.linux.make.store import PackageStore, cache_folder
from vmkb.guests.linux.make.suites import suites
from vmkb.hercules.guest import Guest

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.usefixtures("emulator_needed")]


def package(folder: Path, version: str, more: bytes = b"") -> Path:
    """Debian's kernel of VERSION in a .deb of our own."""
    kernel = PackageStore(suites(), cache_folder(), print).kernel_folder(version)
    tree = folder / "tree"
    control = (
        b"Package: mine\nVersion: 1\nArchitecture: s390x\nMaintainer: a <a@b>\nDescription: k\n"
    )
    files = {
        "DEBIAN/control": control,
        f"boot/vmlinuz-{version}": (kernel / "vmlinuz").read_bytes(),
    }
    for name in suites().modules:
        module = (kernel / f"{name}.ko").read_bytes()
        files[f"lib/modules/{version}/kernel/{name}.ko"] = module + more
    for name, data in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    made = folder / "linux-image-mine.deb"
    subprocess.run(
        ["dpkg-deb", "-Zgzip", "-z1", "--build", tree, made], check=True, capture_output=True
    )
    return made


def test_a_package_is_a_release(kernel: Guest, project: Path, tmp_path: Path) -> None:
    version = kernel.image.stem.removeprefix("linux-")
    short = ".".join(version.split(".")[:2])
    made = package(tmp_path, version)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "vmkb.workloads.cli", "run", *words], cwd=tmp_path,
            text=True, capture_output=True, timeout=280,
            env={**os.environ, "PYTHONPATH": str(project)},
        )  # fmt: skip

    done = run("ftp", "--guest", "linux", "--releases", f"{short},mine={made}", "--case", "P24KB",
               "--trials", "1", "--out", "r")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Release MINE: Linux {version} from {made}" in done.stderr
    cost = {
        c.trial.release: c.total.value
        for c in costs(read(tmp_path / "r").trials, Source.IC, model("2064-109"))
        if c.total is not None
    }
    assert set(cost) == {short, "MINE"}
    # the same kernel; its initial file system lacks the modules that nobody loads here
    assert cost["MINE"] == pytest.approx(cost[short], rel=0.05)
    package(tmp_path, version, b"\0")
    again = run("serve", "--resume", "r")
    assert again.returncode == 2 and "Release MINE has changed since the run began" in again.stderr
