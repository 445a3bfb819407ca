# SPDX-License-Identifier: MIT
"""What git says of a user's repository. Nothing is written there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from vmkb.errors import VmkbError

GIT_WITHIN = 120.0
"""Seconds for a command of git."""


class SourceError(VmkbError):
    """A path that is no usable source, or a build that fails; the text says why."""


def archive(path: Path, commit: str) -> bytes:
    """The files of COMMIT, as tar. SourceError."""
    return _git(path, "archive", "--format=tar", commit)


def is_bare(path: Path) -> bool:
    """Whether PATH is a repository without files."""
    if not (path / "HEAD").is_file() or not (path / "objects").is_dir():
        return False
    return _git(path, "rev-parse", "--is-bare-repository").strip() == b"true"


def commit_of(path: Path, ref: str) -> str:
    """The full name of the commit or tag REF. SourceError if there is none."""
    done = _run(path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if done.returncode == 0:
        return done.stdout.decode().strip()
    if done.stderr.strip() and b"Needed a single revision" not in done.stderr:
        raise SourceError(f"{path}: {_said(done)}")
    raise SourceError(f"{path} has no commit or tag {ref}")


def state(path: Path, wanted: Sequence[str]) -> tuple[str, int]:
    """The commit of a folder, and how many files that match WANTED are not committed. Empty and 0
    if none of them is in its repository."""
    try:
        done = _run(path, "rev-parse", "--verify", "--quiet", "HEAD")
    except SourceError:
        return "", 0  # without git it is a folder like any
    if b"dubious ownership" in done.stderr:
        raise SourceError(f"git in {path}: {_said(done)}")
    if done.returncode or not _git(path, "ls-files", "--", *wanted):
        return "", 0  # it only lies in a repository
    said = _git(path, "status", "--porcelain", "--untracked-files=all", "--", *wanted)
    return done.stdout.decode().strip(), len(said.splitlines())


def log(path: Path, first: str, last: str, wanted: Sequence[str]) -> list[tuple[str, str, str]]:
    """Name, date and subject of commit FIRST, and of each first-parent commit after it up to LAST
    that changes a file of WANTED, oldest first. SourceError for an unknown commit."""
    path = path.expanduser().resolve()
    if not path.is_dir():
        raise SourceError(f"there is no repository {path}")
    begin, end = commit_of(path, first), commit_of(path, last)
    words = ("log", "--first-parent", "--reverse", "--format=%H%x09%cs%x09%s")
    said = _git(path, *words, "-1", begin) + _git(path, *words, f"{begin}..{end}", "--", *wanted)
    lines = said.decode("utf-8", "replace").splitlines()
    return [(c, d, s) for c, d, s in (line.split("\t", 2) for line in lines)]


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
