# SPDX-License-Identifier: MIT
"""Read a user's lwIP from a folder, an archive or a commit of a git repository: the files that
TCPIP may be built from. Nothing is written there."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vmkb.errors import VmkbError

GIT_WITHIN = 120.0
"""Seconds for a command of git."""
_WANTED = ("core/", "include/", "netif/ethernet.c")
_UNUSED = "core/ipv6/"
_VERSION = re.compile(r"^#define\s+LWIP_VERSION_(MAJOR|MINOR|REVISION|RC)\s+(\w+)", re.M)
_SUFFIXES = {"LWIP_RC_RELEASE": "", "255": "", "LWIP_RC_DEVELOPMENT": "d", "0": "d"}

Files = Mapping[str, bytes]
"""The content of each file by its path below lwIP's src."""


class SourceError(VmkbError):
    """A path that is no usable lwIP, or a build that fails; the text says why."""


@dataclass(frozen=True)
class Source:
    """An lwIP: its `files`, their `digest`, its `version`, and where it came from. `commit` is
    empty outside of git; `changed` counts files that are not committed."""

    path: Path
    ref: str
    commit: str
    changed: int
    version: str
    digest: str
    files: Files


def split(text: str) -> tuple[str, str]:
    """Split PATH[@REF] behind the longest path that exists. SourceError if none does."""
    ends = [len(text), *(m.start() for m in reversed(list(re.finditer("@", text))))]
    for end in ends:
        if end and Path(text[:end]).expanduser().exists():
            return text[:end], text[end + 1 :]
    raise SourceError(f"there is no file or folder {text}")


def read(path: Path, ref: str = "") -> Source:
    """Read the lwIP at PATH: as it is, or at commit or tag REF. SourceError says what is wrong."""
    path = path.expanduser().resolve()
    commit, changed = "", 0
    try:
        if path.is_file():
            if ref:
                raise SourceError(f"{path} is a file, which has no commit {ref}")
            files = _packed(path)
        elif ref or _bare(path):
            commit = _commit(path, ref or "HEAD")
            files = _tarred(io.BytesIO(_git(path, "archive", "--format=tar", commit)))
        else:
            files = _kept(_of_folder(path))
            commit, changed = _state(path)
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
    where = f"{path} at {ref}" if ref else str(path)
    return Source(path, ref, commit, changed, _version(files, where), digest_of(files), files)


def digest_of(files: Files) -> str:
    """Sixteen hexadecimal digits that name FILES."""
    total = hashlib.sha256()
    for name, content in sorted(files.items()):
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()[:16]


def _inside(name: str) -> str:
    """The path below src of a file, or nothing if it is not wanted. One folder may precede src."""
    parts = PurePosixPath(name).parts
    at = parts.index("src") + 1 if "src" in parts[:2] else 0
    inside = "/".join(parts[at:]) if at else ""
    return inside if inside.startswith(_WANTED) and not inside.startswith(_UNUSED) else ""


def _kept(members: Iterable[tuple[str, Callable[[], bytes]]]) -> dict[str, bytes]:
    named = ((_inside(name), content) for name, content in members)
    return {inside: content() for inside, content in named if inside.endswith((".c", ".h"))}


def _of_folder(path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for folder, _, names in os.walk(path / "src"):
        for name in names:
            file = Path(folder, name)
            yield f"src/{file.relative_to(path / 'src').as_posix()}", file.read_bytes


def _packed(path: Path) -> dict[str, bytes]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            return _kept((i.filename, lambda i=i: archive.read(i)) for i in members)  # type: ignore[misc]
    if not tarfile.is_tarfile(path):
        raise SourceError(f"{path} is neither a folder nor a .tar.gz, .tar.xz or .zip")
    with path.open("rb") as file:
        return _tarred(file)


def _tarred(file: io.BufferedIOBase | io.BufferedReader) -> dict[str, bytes]:
    def content(member: tarfile.TarInfo) -> bytes:
        opened = archive.extractfile(member)
        assert opened is not None
        return opened.read()

    with tarfile.open(fileobj=file, mode="r:*") as archive:
        members = (m for m in archive if m.isfile())
        return _kept((m.name, lambda m=m: content(m)) for m in members)  # type: ignore[misc]


def _version(files: Files, where: str) -> str:
    """The version that FILES say they are. SourceError if they are no lwIP, or too old a one."""
    head = files.get("include/lwip/init.h")
    if head is None or "core/tcp.c" not in files:
        raise SourceError(f"{where} is not lwIP: it has no src/include/lwip/init.h and src/core")
    said = dict(_VERSION.findall(head.decode("utf-8", "replace")))
    numbers = [said.get(key, "").rstrip("Uu") for key in ("MAJOR", "MINOR", "REVISION")]
    if not all(n.isdigit() for n in numbers):
        raise SourceError(f"{where}: src/include/lwip/init.h does not say a version")
    version = ".".join(numbers)
    if int(numbers[0]) < 2:
        raise SourceError(f"{where} is lwIP {version}; TCPIP is built with 2.0.0 and later ones")
    candidate = said.get("RC", "255")
    return version + _SUFFIXES.get(candidate, f"rc{candidate}")


# git


def _run(path: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    ours |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(
            ["git", "-C", str(path), *words], env=ours, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=GIT_WITHIN, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise SourceError("git is not installed, and a commit is asked for") from None
    except subprocess.TimeoutExpired:
        raise SourceError(f"git {words[0]} in {path} took over {GIT_WITHIN:.0f} s") from None


def _git(path: Path, *words: str) -> bytes:
    done = _run(path, *words)
    if done.returncode:
        raise SourceError(f"git {words[0]} in {path}: {_said(done)}")
    return done.stdout


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ").rstrip(".") if lines else f"exit {done.returncode}"


def _bare(path: Path) -> bool:
    """Whether PATH is a repository without files."""
    if not (path / "HEAD").is_file() or not (path / "objects").is_dir():
        return False
    return _git(path, "rev-parse", "--is-bare-repository").strip() == b"true"


def _commit(path: Path, ref: str) -> str:
    done = _run(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if done.returncode == 0:
        return done.stdout.decode().strip()
    if done.stderr.strip() and b"Needed a single revision" not in done.stderr:
        raise SourceError(f"{path}: {_said(done)}")
    raise SourceError(f"{path} has no commit or tag {ref}")


def _state(path: Path) -> tuple[str, int]:
    """The commit of a folder, and how many files of its src are not committed. Empty and 0 if its
    src is in no repository."""
    try:
        done = _run(path, "rev-parse", "--verify", "--quiet", "HEAD")
    except SourceError:
        return "", 0  # without git it is a folder like any
    if b"dubious ownership" in done.stderr:
        raise SourceError(f"git in {path}: {_said(done)}")
    if done.returncode or not _git(path, "ls-files", "--", "src/core"):
        return "", 0  # it only lies in a repository
    lines = _git(path, "status", "--porcelain", "--untracked-files=all", "--", "src").splitlines()
    return done.stdout.decode().strip(), len(lines)


def history(path: Path, first: str, last: str) -> list[tuple[str, str, str]]:
    """Name, date and subject of commit FIRST, and of each first-parent commit after it up to LAST
    that changes a file `read` would return, oldest first. SourceError for an unknown commit."""
    path = path.expanduser().resolve()
    if not path.is_dir():
        raise SourceError(f"there is no repository {path}")
    begin, end = _commit(path, first), _commit(path, last)
    words = ("log", "--first-parent", "--reverse", "--format=%H%x09%cs%x09%s")
    wanted = [f"src/{name}" for name in _WANTED] + [f":(exclude)src/{_UNUSED}"]
    said = _git(path, *words, "-1", begin) + _git(path, *words, f"{begin}..{end}", "--", *wanted)
    lines = said.decode("utf-8", "replace").splitlines()
    return [(c, d, s) for c, d, s in (line.split("\t", 2) for line in lines)]
