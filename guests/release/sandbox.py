# SPDX-License-Identifier: MIT
"""Run a program where it sees only what it needs: no network, no other processes, no files but the
system's programs and the folders it is given.

bwrap makes such a room, or unshare, which every Debian has. Some systems allow neither: then the
program runs as any other, and `warning` says so.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

_TRIED_WITHIN = 30.0
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
           "/etc/alternatives", "/etc/ld.so.cache")  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_LIMITS = ("prlimit", f"--fsize={1 << 30}", f"--as={8 << 30}", "--core=0", "--")
"""For each process: bytes of a file and of storage."""
_ENDS = ("setpriv", "--pdeathsig", "KILL", "--")
_UNSHARED = ("unshare", "--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid",
             "--fork", "--kill-child", "--propagation", "private", "--", "sh", "-ec")  # fmt: skip
_said = False


@dataclass(frozen=True)
class Room:
    """The room of a program: it starts in `folder`, reads what is below `seen` and writes below
    `written`. Absolute paths that are there."""

    folder: Path
    seen: Sequence[Path]
    written: Sequence[Path]


def command(room: Room, words: Sequence[str]) -> list[str]:
    """The command that runs WORDS in ROOM."""
    inside = {"bwrap": _bwrap, "unshare": _unshare}.get(_way())
    return [*_ENDS, *_LIMITS, *(inside(room, words) if inside else words)]


def environment() -> dict[str, str]:
    """The part of this process's environment that a program of a stranger may know."""
    return {
        "PATH": f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin", "HOME": "/tmp",
        "LC_ALL": "C", "PYTHON": sys.executable, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip


def warning() -> str:
    """The first time, that this system makes no room; otherwise nothing."""
    global _said
    if _said or _way():
        return ""
    _said = True
    return (
        "This system allows no namespaces (neither bwrap nor unshare works): builds of releases"
        " can read files and use the network. docs/guide/ci.md says more."
    )


@cache
def _way() -> str:
    """Which program makes a room here. Empty if none can."""
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Path(folder), (), (Path(folder),))
        for name, make in (("bwrap", _bwrap), ("unshare", _unshare)):
            try:
                done = subprocess.run(
                    make(room, ["true"]), stdin=subprocess.DEVNULL, capture_output=True,
                    env=environment(), timeout=_TRIED_WITHIN, check=False,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError):
                continue
            if done.returncode == 0:
                return name
    return ""


def _read_only(room: Room) -> list[Path]:
    python = {Path(sys.prefix), Path(sys.base_prefix)}
    return [*map(Path, _SYSTEM), *sorted(python), *room.seen]


def _zig() -> list[str]:
    """The program that clang is, if ziglang is installed. It looks for itself in /proc, of which a
    room has nothing else."""
    found = find_spec("ziglang")
    folders = found.submodule_search_locations if found else None
    return [str(Path(folder, "zig")) for folder in folders or ()]


def _bwrap(room: Room, words: Sequence[str]) -> list[str]:
    made = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
            "--tmpfs", "/tmp"]  # fmt: skip
    for path in _read_only(room):
        if path.is_symlink():
            made += ["--symlink", os.readlink(path), str(path)]
        elif path.exists():
            made += ["--ro-bind", str(path), str(path)]
    made += chain.from_iterable(("--symlink", zig, "/proc/self/exe") for zig in _zig())
    made += chain.from_iterable(("--dev-bind", name, name) for name in _DEVICES)
    made += chain.from_iterable(("--bind", str(p), str(p)) for p in room.written)
    return [*made, "--chdir", str(room.folder), "--", *words]


def _unshare(room: Room, words: Sequence[str]) -> list[str]:
    return [*_UNSHARED, "\n".join(_script(room)), "sh", *words]


def _script(room: Room) -> Iterator[str]:
    """The lines of a shell that is root of its own namespaces. It makes a root of its own on /mnt,
    goes there, and gives up what it may do before it runs its arguments."""
    yield "cd /; mount -t tmpfs -o size=1g,nosuid,nodev none /mnt"
    yield "mkdir -p /mnt/tmp /mnt/old /mnt/proc; mount -t proc proc /mnt/proc"
    for path in _read_only(room):
        if path.is_symlink():
            yield f"ln -s {shlex.quote(os.readlink(path))} {_under(path)}"
        elif path.exists():
            yield from _bound(path)
            yield f"mount -o remount,bind,ro,nosuid,nodev {_under(path)}"
    for path in (*map(Path, _DEVICES), *room.written):
        yield from _bound(path)
    # umount reads /proc. Nobody else may: what is root outside could set the kernel's parameters.
    yield "cd /mnt; pivot_root . old; umount -l /old; umount /proc; rmdir /old /proc"
    for zig in _zig():
        yield f"mkdir -p /proc/self; ln -s {shlex.quote(zig)} /proc/self/exe"
    yield f"cd {shlex.quote(str(room.folder))}"
    yield 'exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all -- "$@"'


def _bound(path: Path) -> Iterable[str]:
    """Lines that put PATH below /mnt."""
    here, there = shlex.quote(str(path)), _under(path)
    make = f"mkdir -p {there}" if path.is_dir() else f"mkdir -p {_under(path.parent)}; : >>{there}"
    # A folder that others are mounted in can only be taken with them.
    yield f"{make}; mount --bind {here} {there} || mount --rbind {here} {there}"


def _under(path: Path) -> str:
    return shlex.quote(f"/mnt{path}")
