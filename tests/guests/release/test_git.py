# SPDX-License-Identifier: MIT
"""A stranger's repository: git runs none of the programs that its configuration names, and what is
wrong with it is a sentence."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed, git, tree
from vmkb.guests.release import git as asked
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import LWIP
from vmkb.guests.release.source import read


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """An lwIP whose repository names a program wherever git takes one. Each leaves a marker."""
    here = tree(tmp_path / "lwip")
    (here / ".gitattributes").write_text("* filter=evil diff=evil export-subst merge=evil\n")
    committed(here)
    committed_again = here / "src" / "core" / "tcp.c"
    committed_again.write_text("int changed;\n")
    committed(here, "two")
    markers = tmp_path / "markers"
    markers.mkdir()

    def program(name: str) -> str:
        path = tmp_path / f"evil-{name}"
        path.write_text(f"#!/bin/sh\ntouch '{markers}/{name}'\ncat\n")
        path.chmod(0o755)
        return str(path)

    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass",
        "core.gitProxy", "core.alternateRefsCommand", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process", "diff.evil.command", "diff.evil.textconv", "diff.external",
        "merge.evil.driver", "gpg.program", "gpg.ssh.program", "credential.helper",
        "tar.tar.command",
        "pager.log", "pager.rev-list", "uploadpack.packObjectsHook", "alias.ls-tree", "alias.log",
        "remote.origin.uploadpack", "sequence.editor", "interactive.diffFilter",
    ):  # fmt: skip
        git(here, "config", key, program(key))
    hooks = here / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "post-checkout",
        "reference-transaction",
    ):
        shutil.copy(program(f"hook-{name}"), hooks / name)
    git(here, "config", "core.hooksPath", str(hooks))
    git(here, "config", "log.showSignature", "true")
    git(here, "config", "filter.evil.required", "true")
    (tmp_path / "more").write_text(f"[core]\n\tfsmonitor = {program('include')}\n")
    git(here, "config", "include.path", str(tmp_path / "more"))
    git(here, "config", "includeIf.gitdir:**.path", str(tmp_path / "more"))
    git(here, "config", "protocol.ext.allow", "always")
    git(here, "config", "remote.origin.url", f"ext::{program('remote')} %S")
    git(here, "config", "remote.origin.promisor", "true")
    git(here, "config", "extensions.partialClone", "origin")
    git(here, "config", "core.repositoryFormatVersion", "1")
    for marker in markers.iterdir():  # git has run some while it was set up
        marker.unlink()
    return here


def markers(hostile: Path) -> list[str]:
    """Which programs have run."""
    return sorted(path.name for path in (hostile.parent / "markers").iterdir())


def test_no_program_of_a_repository_is_run(hostile: Path) -> None:
    (hostile / "src" / "core" / "tcp.c").write_text("int uncommitted;\n")
    assert read(hostile).changed == 1
    assert read(hostile, "HEAD~1").version == "2.2.1"
    assert len(asked.log(hostile, "HEAD~1", "HEAD", LWIP.logged)) == 2
    assert markers(hostile) == []


def test_no_object_that_is_missing_is_fetched(hostile: Path) -> None:
    blob = git(hostile, "rev-parse", "HEAD:src/core/ipv4/ip4.c")
    (hostile / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SourceError, match="the clone lacks object"):
        read(hostile, "HEAD")
    assert markers(hostile) == []


def test_a_bare_repository_is_as_harmless(hostile: Path) -> None:
    bare = hostile.parent / "bare.git"
    shutil.copytree(hostile / ".git", bare)
    git(bare, "config", "core.bare", "true")
    for marker in (hostile.parent / "markers").iterdir():
        marker.unlink()
    assert read(bare).version == "2.2.1"
    assert markers(hostile) == []


@pytest.mark.parametrize("subject", ["a\u2028b", "a\x0cb", "a\x85b", "a\tb", "a\x1cb", "a\rb"])
def test_a_subject_may_have_any_character(tmp_path: Path, subject: str) -> None:
    here = tree(tmp_path)
    first = committed(here, subject)
    (here / "src/core/tcp.c").write_text("int changed;\n")
    second = committed(here, "two")
    found = asked.log(here, first, second, LWIP.logged)
    assert [(name, text) for name, _, text in found] == [(first, subject), (second, "two")]
    assert all(len(date) == 10 for _, date, _ in found)


def test_ends_of_lines_alone_are_no_change(tmp_path: Path) -> None:
    here = tree(tmp_path)
    first = committed(here)
    (here / "src/core/tcp.c").write_bytes(b"int tcp;\r\n")
    assert (read(here).commit, read(here).changed) == (first, 0)


def test_a_file_that_is_gone_is_a_change(tmp_path: Path) -> None:
    here = tree(tmp_path)
    committed(here)
    (here / "src/core/ipv4/ip4.c").unlink()
    assert read(here).changed == 1


def test_an_empty_repository_has_no_commit(tmp_path: Path) -> None:
    here = tree(tmp_path)
    git(here, "init", "-q")
    assert (read(here).commit, read(here).changed) == ("", 0)
    for ref in ("HEAD", "main"):
        with pytest.raises(SourceError, match=f"has no commit or tag {ref}"):
            read(here, ref)
    with pytest.raises(SourceError, match="has no commit or tag HEAD"):
        asked.log(here, "HEAD", "HEAD", LWIP.logged)


def test_a_shallow_clone_says_how_the_rest_is_got(tmp_path: Path) -> None:
    here = tree(tmp_path / "lwip")
    committed(here)
    (here / "src/core/tcp.c").write_text("int changed;\n")
    committed(here, "two")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{here}", "shallow")
    assert read(tmp_path / "shallow", "HEAD").version == "2.2.1"
    with pytest.raises(SourceError, match="HEAD~1: the clone is shallow; git fetch --unshallow"):
        read(tmp_path / "shallow", "HEAD~1")


@pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:src/core/tcp.c", "HEAD"])
def test_a_damaged_object_is_told(tmp_path: Path, what: str) -> None:
    here = tree(tmp_path)
    committed(here)
    name = git(here, "rev-parse", what)
    path = here / ".git" / "objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-6] + b"broken")
    with pytest.raises(SourceError, match=str(tmp_path)) as told:
        read(here, "HEAD")
    assert "\n" not in str(told.value) and name[:7] in str(told.value) or "HEAD" in str(told.value)


def test_a_repository_that_says_too_much_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tree(tmp_path)
    committed(here)
    monkeypatch.setattr(asked, "OUTPUT", 100)
    with pytest.raises(SourceError, match="git ls-tree in .* lists more than"):
        read(here, "HEAD")


def test_git_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe in place of the branch's file: git waits for who writes."""
    here = tree(tmp_path)
    committed(here)
    branch = here / ".git" / "refs" / "heads" / "main"
    branch.unlink()
    os.mkfifo(branch)
    monkeypatch.setattr(asked, "GIT_WITHIN", 0.5)
    with pytest.raises(SourceError, match="git rev-parse in .* took over"):
        read(here, "HEAD")
