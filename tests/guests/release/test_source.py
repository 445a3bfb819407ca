# SPDX-License-Identifier: MIT
"""Where a user's lwIP comes from: folders, tarballs, commits, and what is none."""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.guests.release.lwip import committed, git, tree, vmkb
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import KINDS_OF_IPV6
from vmkb.guests.release.source import read, split

FILES = {"include/lwip/init.h", "core/tcp.c", "core/ipv4/ip4.c", "netif/ethernet.c"}


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    found = read(tree(tmp_path / "my lwip"))
    assert set(found.files) == FILES
    assert (found.version, found.commit, found.changed) == ("2.2.1", "", 0)


def test_what_cannot_be_linked_does_not_change_the_digest(tmp_path: Path) -> None:
    before = read(tree(tmp_path)).digest
    (tmp_path / "src/core/ipv6/ip6.c").write_text("changed")
    (tmp_path / "src/core/notes.txt").write_text("new")
    (tmp_path / "README").write_text("changed")
    assert read(tmp_path).digest == before
    (tmp_path / "src/core/tcp.c").write_text("changed")
    assert read(tmp_path).digest != before


def test_for_ipv6_its_files_are_taken_in_place_of_ipv4s(tmp_path: Path) -> None:
    committed(tree(tmp_path))
    found = read(tmp_path, "HEAD", KINDS_OF_IPV6)
    assert found.kind.name == "lwIP" and found.digest != read(tmp_path).digest
    assert "core/ipv6/ip6.c" in found.files and "core/ipv4/ip4.c" in found.beside
    (tmp_path / "src/core/ipv4/ip4.c").write_text("changed")
    now = read(tmp_path, kinds=KINDS_OF_IPV6)
    assert (now.digest, now.changed) == (found.digest, 0)


@pytest.mark.parametrize("suffix", ["tar.gz", "tar.xz", "zip"])
@pytest.mark.parametrize("above", ["", "lwip-2.2.1/"])
def test_an_archive_has_the_same_files_as_its_folder(
    tmp_path: Path, suffix: str, above: str
) -> None:
    here = tree(tmp_path / "tree")
    packed = tmp_path / f"own.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            for path in here.rglob("*.[ch]"):
                archive.write(path, above + str(path.relative_to(here)))
    else:
        with tarfile.open(packed, f"w:{suffix[4:]}") as made:  # type: ignore[call-overload]
            made.add(here / "src", f"{above}src")
    assert read(packed).digest == read(here).digest


def test_a_commit_and_a_tag_are_what_they_were(tmp_path: Path) -> None:
    here = tree(tmp_path)
    old = read(here).digest
    first = committed(here)
    git(here, "tag", "-a", "v1", "-m", "first")
    (here / "src/core/tcp.c").write_text("int changed;\n")
    second = committed(here, "two")
    for ref in (first[:10], "v1", "HEAD~1"):
        found = read(here, ref)
        assert (found.digest, found.commit, found.changed) == (old, first, 0)
    assert read(here).commit == second and read(here).digest != old


def test_what_is_not_committed_is_counted(tmp_path: Path) -> None:
    here = tree(tmp_path)
    first = committed(here)
    (here / "src/core/tcp.c").write_text("int changed;\n")
    (here / "src/core/new.c").write_text("int more;\n")
    (here / "README").write_text("another")
    found = read(here)
    assert (found.commit, found.changed) == (first, 2)
    assert found.files["core/new.c"] == b"int more;\n"
    assert read(here, "HEAD").changed == 0


def test_a_bare_repository_is_taken_at_its_head_or_a_ref(tmp_path: Path) -> None:
    here = tree(tmp_path / "work")
    first = committed(here)
    git(tmp_path, "clone", "-q", "--bare", "work", "bare.git")
    assert read(tmp_path / "bare.git").commit == first
    assert read(tmp_path / "bare.git", "main").digest == read(here).digest


def test_a_folder_below_a_repository_of_something_else_has_no_commit(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("not lwIP")
    committed(tmp_path)
    assert read(tree(tmp_path / "lwip")).commit == ""


def test_a_submodule_is_a_folder_of_its_own(tmp_path: Path) -> None:
    first = committed(tree(tmp_path / "lwip"))
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "-q", "add", "../lwip", "stack")
    assert read(outer / "stack").commit == first
    assert read(outer / "stack", "HEAD").digest == read(tmp_path / "lwip").digest


@pytest.mark.parametrize(
    "version, said",
    [
        (("2", "2", "2", "LWIP_RC_DEVELOPMENT"), "2.2.2d"),
        (("2", "1", "0", "1"), "2.1.0rc1"),
        (("2", "0", "0", "255"), "2.0.0"),
    ],
)
def test_the_version_is_what_lwip_says(tmp_path: Path, version: list[str], said: str) -> None:
    assert read(tree(tmp_path, *version)).version == said


def test_what_is_no_lwip_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "text").write_text("words")
    with pytest.raises(
        SourceError,
        match="is not lwIP: it has no src/.*; nor is it FreeRTOS-Plus-TCP, smoltcp or a clone of",
    ):
        read(tmp_path)
    with pytest.raises(SourceError, match=r"neither a folder nor a \.tar\.gz"):
        read(tmp_path / "text")
    with pytest.raises(SourceError, match=r"is lwIP 1\.4\.1; TCPIP is built with 2\.0\.0"):
        read(tree(tmp_path / "old", "1", "4", "1U", "0U"))


def test_a_src_below_several_folders_is_not_looked_for(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "own.tar.gz", "w:gz") as made:
        made.add(tree(tmp_path / "tree") / "src", "a/b/src")
    with pytest.raises(SourceError, match="is not lwIP"):
        read(tmp_path / "own.tar.gz")


def test_half_of_lwip_is_none(tmp_path: Path) -> None:
    (tree(tmp_path) / "src/core/tcp.c").unlink()
    with pytest.raises(SourceError, match="is not lwIP"):
        read(tmp_path)


def test_a_commit_that_is_not_there_is_named(tmp_path: Path) -> None:
    committed(tree(tmp_path))
    for ref in ("v9", "--all", "HEAD@{9}"):
        with pytest.raises(SourceError, match=re.escape(f"has no commit or tag {ref}")):
            read(tmp_path, ref)
    with pytest.raises(SourceError, match="not a git repository"):
        read(tree(tmp_path.parent / f"{tmp_path.name}-plain"), "v1")


def test_a_damaged_tarball_is_told(tmp_path: Path) -> None:
    packed = tmp_path / "own.tar.gz"
    with tarfile.open(packed, "w:gz") as made:
        made.add(tree(tmp_path / "tree"), "lwip")
    packed.write_bytes(packed.read_bytes()[:-40])
    with pytest.raises(SourceError, match="cannot be read"):
        read(packed)


def test_the_longest_path_that_is_there_ends_before_the_ref(tmp_path: Path) -> None:
    for name in ("my lwip", "me@work", "both", "both@v1"):
        (tmp_path / name).mkdir()
    assert split(f"{tmp_path}/my lwip@a b") == (f"{tmp_path}/my lwip", "a b")
    assert split(f"{tmp_path}/me@work") == (f"{tmp_path}/me@work", "")
    assert split(f"{tmp_path}/me@work@HEAD@{{1}}") == (f"{tmp_path}/me@work", "HEAD@{1}")
    assert split(f"{tmp_path}/both@v1") == (f"{tmp_path}/both@v1", "")
    with pytest.raises(SourceError, match="there is no file or folder"):
        split(f"{tmp_path}/nothing@v1")


def test_git_of_the_caller_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a hook, where git names the repository that it was called for."""
    here = tree(tmp_path / "lwip")
    first = committed(here)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nothing"))
    assert read(here).commit == first


def test_a_clone_of_vmkb_is_known_by_its_files(tmp_path: Path) -> None:
    here = vmkb(tmp_path / "my vmkb")
    found = read(here)
    assert (found.kind.name, found.version) == ("VM/KB", "0.1.0")
    assert set(found.files) == {
        "guests/vmkb/Makefile", "guests/vmkb/cp/core/date.c", "guests/vmkb/tools/ins.py",
        "guests/errors.py", "accounting/machines.toml",
    }  # fmt: skip
    (here / ".gitignore").write_text("build/\n")
    first = committed(here)
    (here / "guests/vmkb/cp/core/date.c").write_text("int changed;\n")
    (here / "guests/vmkb/volume/help/cms.txt").write_text("changed")
    assert (read(here).commit, read(here).changed) == (first, 1)
    assert read(here, "HEAD").digest == found.digest
    with tarfile.open(tmp_path / "own.tar.gz", "w:gz") as made:
        made.add(here, "vmkb-main")
    assert read(tmp_path / "own.tar.gz").digest == read(here).digest
