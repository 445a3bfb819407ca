# SPDX-License-Identifier: MIT
"""A user's smoltcp is known by its contents, as an lwIP is; its manifest names what the port wants
of this version; without a Rust for s390x the message says what to install."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import pytest

from tests.guests.release.lwip import committed
from tests.guests.release.lwip import tree as lwip_tree
from vmkb.guests.release import rust, smoltcp
from vmkb.guests.release.build import Build
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import LWIP, SMOLTCP
from vmkb.guests.release.source import read

CARGO = """\
[package]
name = "{name}"
version = "{version}"

[[example]]
name = "ping"

[features]
alloc = []
"proto-ipv4" = []
"proto-ipv6" = []
"socket-tcp" = []
"socket-tcp-reno" = []
"""
FILES = {"Cargo.toml", "build.rs", "src/lib.rs", "src/iface/interface/mod.rs"}
OLDER = {
    "mutable_frames": ("src/phy/mod.rs", "where F: FnOnce(&mut [u8]) -> R;\n" * 2, ""),
    "whole_polls": ("src/iface/interface/mod.rs", "", "pub fn poll_ingress_single(\n"),
    "own_addresses": ("src/wire/ipv4.rs", "pub struct Address(pub [u8; 4]);\n", ""),
}
"""What tells each: in which file an older smoltcp has what, and a later one."""
UNUSED = ("examples/ping.rs", "src/notes.md", "Cargo.lock", "fuzz/Cargo.toml")


def tree(folder: Path, version: str = "0.12.0", name: str = "smoltcp") -> Path:
    for path in (folder / name for name in (*FILES, *UNUSED)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// code\n", "utf-8")
    (folder / "Cargo.toml").write_text(CARGO.format(name=name, version=version), "utf-8")
    return folder


def test_a_tree_is_known_and_only_what_is_compiled_is_taken(tmp_path: Path) -> None:
    found = read(tree(tmp_path))
    assert (found.kind, found.version, set(found.files)) == (SMOLTCP, "0.12.0", FILES)
    assert not found.beside
    assert read(lwip_tree(tmp_path / "lwip")).kind is LWIP


def test_a_commit_has_the_same_files(tmp_path: Path) -> None:
    first = committed(tree(tmp_path))
    (tmp_path / "build.rs").write_text("// changed\n", "utf-8")
    (tmp_path / "examples" / "ping.rs").write_text("// changed\n", "utf-8")
    now = read(tmp_path)
    assert (now.commit, now.changed) == (first, 1)
    assert now.digest != read(tmp_path, "HEAD").digest


@pytest.mark.parametrize(
    "version, name, said",
    [
        ("0.10.0", "smoltcp", r"is smoltcp 0\.10\.0; .* 0\.11"),
        ("0.12.0", "other", "is not smoltcp's"),
        ("one", "smoltcp", "does not say a name and a version"),
    ],
)
def test_one_that_is_too_old_or_another_is_refused(
    tmp_path: Path, version: str, name: str, said: str
) -> None:
    with pytest.raises(SourceError, match=said):
        read(tree(tmp_path, version, name))


def test_a_link_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    (tree(tmp_path) / "build.rs").unlink()
    (tmp_path / "build.rs").symlink_to("/etc/passwd")
    with pytest.raises(SourceError, match=r"build\.rs is a link"):
        read(tmp_path)


@pytest.fixture
def cargo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Rust that nobody calls."""
    made = rust.Rust(
        Path("/r/bin/rustc"), Path("/r/bin/cargo"), "rustc 1.91.0 (a)", Path("/r"), "h"
    )
    monkeypatch.setattr(rust, "rust", lambda: made)
    monkeypatch.setattr(rust, "crates", lambda: Path("/crates"))
    yield


def placed(
    folder: Path, options: str = "", older: Sequence[str] = (), ip: Literal[4, 6] = 4
) -> dict[str, object]:
    inside = folder / "s"
    tree(inside / smoltcp.TREE)
    for name, (file, before, now) in OLDER.items():
        path = inside / smoltcp.TREE / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(before if name in older else now, "utf-8")
    found = read(inside / smoltcp.TREE)
    (inside / smoltcp.TREE / "examples" / "ping.rs").unlink()
    smoltcp.place(found.files, inside, options, ip=ip)
    return tomllib.loads((inside / "Cargo.toml").read_text("utf-8"))


@pytest.mark.usefixtures("cargo")
def test_over_ipv6_it_has_no_ipv4(tmp_path: Path) -> None:
    made = placed(tmp_path, ip=6)
    assert made["features"]["default"] == ["ipv6"]  # type: ignore[index]
    features = made["dependencies"]["smoltcp"]["features"]  # type: ignore[index]
    assert "proto-ipv6" in features and "proto-ipv4" not in features


@pytest.mark.usefixtures("cargo")
def test_the_manifest_has_the_features_of_this_version(tmp_path: Path) -> None:
    made = placed(tmp_path, 'features = ["socket-tcp-reno"]\nrx_room = 8192\n')
    assert made["dependencies"] == {
        "smoltcp": {
            "path": smoltcp.TREE, "default-features": False,
            "features": ["alloc", "socket-tcp", "proto-ipv4", "socket-tcp-reno"],
        }
    }  # fmt: skip
    assert made["features"] == dict.fromkeys((*OLDER, "fragments", "ipv6"), []) | {"default": []}
    assert (tmp_path / "s" / smoltcp.TREE / "examples" / "ping.rs").is_file()
    head = tmp_path / "s" / "include" / "smoltcp_version.h"
    assert head.read_text("utf-8") == '#define SMOLTCP_VERSION "0.12.0"\n'
    assert "RX_ROOM: usize = 8192;" in (tmp_path / "s" / "options.rs").read_text("utf-8")


@pytest.mark.usefixtures("cargo")
@pytest.mark.parametrize("older", [*OLDER, *itertools.combinations(OLDER, 2), OLDER])
def test_what_is_older_in_it_is_named(tmp_path: Path, older: tuple[str, ...] | str) -> None:
    """Some of it changed between two versions."""
    wanted = [name for name in OLDER if name in older]
    made = placed(tmp_path, older=wanted)
    assert made["features"] == dict.fromkeys((*OLDER, "fragments", "ipv6"), []) | {
        "default": wanted
    }


@pytest.mark.usefixtures("cargo")
@pytest.mark.parametrize(
    "options, said",
    [
        ('features = ["socket-raw"]', "has no feature socket-raw"),
        ('features = ["a b"]', "features.0: String should match"),
        ("rx_room = 1", "rx_room: Input should be greater"),
        ("window = 1", "window: Extra inputs"),
        ("rx_room", "Expected '='"),
    ],
)
def test_options_that_smoltcp_does_not_have_are_refused(
    tmp_path: Path, options: str, said: str
) -> None:
    with pytest.raises(SourceError, match=said):
        placed(tmp_path, options)


def test_without_rust_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rust.rust.cache_clear()
    with pytest.raises(SourceError, match="rustup target add s390x.* Debian 13: rustc, cargo"):
        Build("x", what=SMOLTCP.name)
    rust.rust.cache_clear()


def crate(folder: Path, name: str, digest: str) -> None:
    """A crate as cargo puts it into FOLDER."""
    (folder / name).mkdir(exist_ok=True)
    (folder / name / ".cargo-checksum.json").write_text(f'{{"package": "{digest}"}}')


@pytest.mark.parametrize(("name", "digest"), [("a-1.0.0", "0" * 64), ("b-1.0.0", "1" * 64)])
def test_crates_are_those_that_are_pinned(tmp_path: Path, name: str, digest: str) -> None:
    manifest = f'[package.metadata.sha256]\n"a-1.0.0" = "{"1" * 64}"\n'
    crate(tmp_path, "a-1.0.0", "1" * 64)
    rust.check_crates(tmp_path, manifest)
    crate(tmp_path, name, digest)
    with pytest.raises(SourceError, match=f"crate {name} is not the one"):
        rust.check_crates(tmp_path, manifest)


def test_every_crate_that_is_pinned_has_a_checksum() -> None:
    about = tomllib.loads((rust.PORT / "crates" / "Cargo.toml").read_text("utf-8"))
    pinned = {
        f"{word.get('package', name)}-{word['version'].removeprefix('=')}"
        for name, word in (
            (name, {"version": said} if isinstance(said, str) else said)
            for name, said in about["dependencies"].items()
        )
    }
    assert pinned == about["package"]["metadata"]["sha256"].keys()
