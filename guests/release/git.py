# SPDX-License-Identifier: MIT
"""Questions to git about a user's repository, which may be a stranger's. Nothing is written there.

Its configuration can name programs: for changed files, for contents as they are checked out, for
what is fetched. So git is asked only for what is in its database, by commands that use none of
these, and contents are compared here.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import KINDS, Files, SourceKind
from vmkb.guests.release.members import Member, shown

GIT_WITHIN = 120.0
"""Seconds for a command of git."""
OUTPUT = 32 << 20
"""Bytes that git may answer, contents of files apart."""
_SAFE = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
         "-c", "core.bigFileThreshold=1m")  # fmt: skip
_OURS = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1",
         "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}  # fmt: skip
_PIECE = 1 << 16
_NO_FILE = {"120000": "is a link", "160000": "is a submodule"}


def is_bare(path: Path) -> bool:
    """Whether PATH is a repository without files."""
    if not (path / "HEAD").is_file() or not (path / "objects").is_dir():
        return False
    return _said(path, "rev-parse", "--is-bare-repository").strip() == b"true"


def commit_of(path: Path, ref: str) -> str:
    """The full name of the commit or tag REF. SourceError if there is none."""
    words = "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
    found, error = _asked(path, *words)
    if error is None:
        return found.decode().strip()
    if error and "Needed a single revision" not in error:
        raise SourceError(f"{path}: {error}")
    shallow = _said(path, "rev-parse", "--is-shallow-repository").strip() == b"true"
    why = ": the clone is shallow; git fetch --unshallow brings the rest" if shallow else ""
    raise SourceError(f"{path} has no commit or tag {shown(ref)}{why}")


@contextmanager
def tree(path: Path, commit: str) -> Iterator[Iterator[Member]]:
    """The files of COMMIT below PATH that a kind looks for."""
    there = listed(path, commit, *dict.fromkeys(root for kind in KINDS for root in kind.roots))
    with contents(path) as read:
        yield (
            Member(name, size, lambda most, n=object_: read(n, most), _NO_FILE.get(mode, ""))  # type: ignore[misc]
            for mode, object_, size, name in there
        )


@contextmanager
def contents(path: Path) -> Iterator[Callable[[str, int], bytes]]:
    """Read objects of the repository at PATH within GIT_WITHIN: by name, at most so many bytes of
    one."""
    with _Git(path, "cat-file", "--batch") as git:

        def read(name: str, most: int) -> bytes:
            with suppress(BrokenPipeError):
                git.ask.write(f"{name}\n".encode())
                git.ask.flush()
            words = git.answer.readline().split()
            if len(words) != 3:
                raise git.failed(f"the clone lacks object {name}")
            size = int(words[2])
            content = git.answer.read(min(size, most))
            if size <= most and len(content + git.answer.read(1)) <= size:
                raise git.failed(f"object {name} is damaged")
            return content

        yield read


def state(path: Path, kind: SourceKind, files: Files) -> tuple[str, int]:
    """The commit of a folder, and how many of its FILES are not committed as they are, other ends
    of lines apart. Empty and 0 if none of them is in its repository."""
    try:
        head, error = _asked(path, "rev-parse", "--verify", "--quiet", "HEAD")
    except SourceError:
        return "", 0  # without git it is a folder like any
    if error and "dubious ownership" in error:
        raise SourceError(f"git in {path}: {error}")
    if error is not None:
        return "", 0
    commit = head.decode().strip()
    there = {
        kind.inside(name): object_ for _, object_, _, name in listed(path, commit, *kind.roots)
    }
    there.pop("", None)
    if not there:
        return "", 0  # it only lies in a repository
    changed = [n for n in there.keys() | files.keys() if not same(files.get(n), there.get(n))]
    return commit, len(changed)


def log(path: Path, first: str, last: str, wanted: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Name, date and subject of commit FIRST, and of each first-parent commit after it up to LAST
    that changes a file of WANTED, oldest first. SourceError for an unknown commit, and if LAST is
    not later than FIRST."""
    path = path.expanduser().resolve()
    if not path.is_dir():
        raise SourceError(f"there is no repository {path}")
    begin, end = commit_of(path, first), commit_of(path, last)
    if begin != end and not _said(path, "rev-list", "-1", f"{begin}..{end}"):
        raise SourceError(f"{last} is older than {first}: give the older commit first")
    words = ("rev-list", "--first-parent", "--reverse", "--no-commit-header",
             "--format=%H%x00%cs%x00%s%x00")  # fmt: skip
    said = _said(path, *words, "-1", begin) + _said(path, *words, f"{begin}..{end}", "--", *wanted)
    found = said.decode("utf-8", "replace").split("\0")[:-1]
    return [
        (name.strip(), date, subject)
        for name, date, subject in zip(found[::3], found[1::3], found[2::3], strict=True)
    ]


def tags(path: Path, first: str, last: str, logged: Sequence[str]) -> list[tuple[str, str]]:
    """The tags of commit FIRST, and of each first-parent commit after it up to LAST, oldest first;
    with the last commit of LOGGED, which is FIRST and some of these, up to there."""
    path = path.expanduser().resolve()
    begin, end = commit_of(path, first), commit_of(path, last)
    words = "for-each-ref", "--format=%(objectname) %(*objectname) %(refname:lstrip=2)"
    named: dict[str, list[str]] = {}
    for line in _said(path, *words, "--sort=version:refname", "refs/tags").splitlines():
        object_, peeled, name = line.decode("utf-8", "replace").split(" ", 2)
        named.setdefault(peeled or object_, []).append(name)
    later = _said(path, "rev-list", "--first-parent", "--reverse", f"{begin}..{end}")
    known, at, found = set(logged), begin, []
    for commit in (begin, *later.decode().split()):
        at = commit if commit in known else at
        found += [(name, at) for name in named.get(commit, ())]
    return found


def listed(path: Path, commit: str, *roots: str) -> list[tuple[str, str, int, str]]:
    """Mode, object, size and name of all that COMMIT has below PATH in ROOTS."""
    said = _said(path, "ls-tree", "-r", "-z", "-l", commit, "--", *roots)
    found = []
    for line in said.split(b"\0")[:-1]:
        words, _, name = line.partition(b"\t")
        mode, _, object_, size = words.decode().split()
        known = int(size) if size.isdigit() else 0  # what is read is limited all the same
        found.append((mode, object_, known, os.fsdecode(name)))
    return found


def same(content: bytes | None, name: str | None) -> bool:
    """Whether git calls CONTENT by NAME. A checkout may have put other ends of lines."""
    if content is None or name is None:
        return False
    make = hashlib.sha1 if len(name) == 40 else hashlib.sha256
    return any(
        make(b"blob %d\0" % len(text) + text).hexdigest() == name
        for text in (content, content.replace(b"\r\n", b"\n"))
    )


class _Git:
    """git with WORDS in PATH. It ends with the block around it, and within GIT_WITHIN."""

    def __init__(self, path: Path, *words: str) -> None:
        self._what, self._late = f"git {words[0]} in {path}", False
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                ["git", *_SAFE, "-C", str(path), *words], env={**kept, **_OURS},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
            )  # fmt: skip
        except FileNotFoundError:
            self._errors.close()
            raise SourceError("git is not installed, and a commit is asked for") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self.ask, self.answer = self._process.stdin, self._process.stdout
        self._timer = threading.Timer(GIT_WITHIN, self._stop)
        self._timer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        self._process.kill()
        with suppress(BrokenPipeError):
            self.ask.close()
        self.answer.close()
        self._process.wait()
        self._errors.close()

    def _stop(self) -> None:
        self._late = True
        self._process.kill()

    def ended(self) -> str | None:
        """Wait for its end. None if all went well, otherwise what it says of it, maybe nothing."""
        with suppress(BrokenPipeError):
            self.ask.close()
        code = self._process.wait()
        if self._late:
            raise SourceError(f"{self._what} took over {GIT_WITHIN:.0f} s")
        self._errors.seek(0)
        lines = self._errors.read(_PIECE).decode("utf-8", "replace").strip().splitlines()
        said = re.sub("^(fatal|error): ", "", lines[0]).rstrip(".") if lines else ""
        return None if code == 0 else shown(said, 300)

    def failed(self, why: str) -> SourceError:
        """The error of a command that has not answered as it should."""
        return SourceError(f"{self._what}: {self.ended() or why}")


def _asked(path: Path, *words: str) -> tuple[bytes, str | None]:
    """The answer of git in PATH, and its error as `_Git.ended` has it."""
    with _Git(path, *words) as git:
        git.ask.close()
        said = git.answer.read(OUTPUT + 1)
        if len(said) > OUTPUT:
            raise SourceError(f"git {words[0]} in {path} lists more than {OUTPUT >> 20} MB")
        return said, git.ended()


def _said(path: Path, *words: str) -> bytes:
    said, error = _asked(path, *words)
    if error is not None:
        raise SourceError(f"git {words[0]} in {path}: {error or 'it failed'}")
    return said
