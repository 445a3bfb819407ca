# SPDX-License-Identifier: MIT
"""What smoltcp needs beside gcc: rustc and cargo with a library for s390x, and the crates that it
depends on.

cargo fetches the crates of our own manifest here, once; what a tree has runs in the build's room.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vmkb.guests.release.cache import KEPT, VMKB, named
from vmkb.guests.release.errors import SourceError

TARGET = "s390x-unknown-linux-gnu"
PORT = VMKB / "service" / "tcpip" / "smoltcp"
_WITHIN = 300.0
_HOW = (
    f"install rustc, cargo and their library for s390x (rustup target add {TARGET}; Debian 13:"
    " rustc, cargo, libstd-rust-dev:s390x)"
)


@dataclass(frozen=True)
class Rust:
    """Where rustc and cargo are, what `rustc --version` says, the folder of its libraries, and what
    it calls this computer."""

    rustc: Path
    cargo: Path
    said: str
    root: Path
    host: str


def version() -> str:
    """rustc's name and version. SourceError as `rust`."""
    return " ".join(rust().said.split()[:2])


@cache
def rust() -> Rust:
    """The Rust of this computer. SourceError if there is none, or none for s390x."""
    try:
        said, *more = _asked("--version", "--verbose").splitlines()
        root = Path(_asked("--print", "sysroot").strip())
        libraries = Path(_asked("--print", "target-libdir", "--target", TARGET).strip())
    except (OSError, subprocess.SubprocessError):
        raise SourceError(f"smoltcp is in Rust, and rustc cannot be run: {_HOW}") from None
    if not any(libraries.glob("libcore-*.rlib")):
        raise SourceError(f"{said} has no library for s390x: {_HOW}")
    found = [_in(root, name) for name in ("rustc", "cargo")]
    if found[1] is None:
        raise SourceError(f"smoltcp is in Rust, and there is no cargo: {_HOW}")
    host = next((line[6:] for line in more if line.startswith("host: ")), "")
    return Rust(found[0] or Path("rustc"), found[1], said, root, host)


def _asked(*words: str) -> str:
    return subprocess.run(
        ["rustc", *words], capture_output=True, text=True, check=True, timeout=60, cwd=VMKB
    ).stdout


def _in(root: Path, name: str) -> Path | None:
    """The program NAME of the Rust at ROOT: what is in the PATH may be rustup's, which chooses."""
    inside = root / "bin" / name
    other = shutil.which(name)
    return inside if inside.is_file() else Path(other) if other else None


def crates() -> Path:
    """The folder of the crates that smoltcp depends on. They are fetched if they are not here, as
    our manifest pins them. SourceError if they cannot be. Within `alone`."""
    ours = PORT / "crates"
    text = (ours / "Cargo.toml").read_text("utf-8")
    folder = KEPT.parent / f"crates-{named(text)}"
    if folder.is_dir():
        return folder
    new = folder.with_suffix(".new")
    with tempfile.TemporaryDirectory() as work:
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(ours, work, dirs_exist_ok=True)  # cargo writes a lock file there
        try:
            done = subprocess.run(
                [str(rust().cargo), "vendor", "--quiet", "--versioned-dirs", str(new)],
                capture_output=True, text=True, timeout=_WITHIN, cwd=work, check=False,
                env={**os.environ, "RUSTC": str(rust().rustc)},
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError) as error:
            raise SourceError(f"the crates that smoltcp needs cannot be fetched: {error}") from None
    if done.returncode:
        said = (done.stderr.strip() or "cargo says nothing").splitlines()[0]
        raise SourceError(f"the crates that smoltcp needs cannot be fetched: {said}")
    check_crates(new, text)
    new.rename(folder)
    return folder


def check_crates(folder: Path, manifest: str) -> None:
    """Check that the crates in FOLDER are those that MANIFEST has checksums of, and no others.
    SourceError if not."""
    wanted = tomllib.loads(manifest)["package"]["metadata"]["sha256"]
    fetched = {
        path.name: json.loads((path / ".cargo-checksum.json").read_text("utf-8"))["package"]
        for path in folder.iterdir()
    }
    if wrong := {name for name, _ in wanted.items() ^ fetched.items()}:
        raise SourceError(f"crate {min(wrong)} is not the one that vmkb is built with")


def words() -> list[str]:
    """Variables for make. A rustc that is not Debian's looks for its libraries in /proc, which a
    room does not have."""
    here = rust()
    libraries = [f"LD_LIBRARY_PATH={folder}/lib" for folder in seen()]
    return [f"RUSTC={here.rustc}", f"CARGO={here.cargo}", *libraries]


def seen() -> list[Path]:
    """What a room must have of Rust, beside the system's programs."""
    return [] if rust().root.is_relative_to("/usr") else [rust().root]
