# SPDX-License-Identifier: MIT
"""What cargo makes TCPIP's part in Rust of: the user's smoltcp, the port, and a manifest with the
features that the port wants and the user's options."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, NonNegativeInt, ValidationError

from vmkb.guests.release import rust
from vmkb.guests.release.cache import VMKB
from vmkb.guests.release.errors import SourceError
from vmkb.guests.release.kinds import Files

TREE = "smoltcp-own"
_FEATURES = (
    "alloc", "medium-ethernet", "socket-tcp", "socket-udp", "socket-icmp", "auto-icmp-echo-reply",
)  # fmt: skip
"""What the port wants of smoltcp, if this version has it."""
_OF_IP = {4: ("proto-ipv4", "proto-ipv4-fragmentation"), 6: ("proto-ipv6",)}
"""And by the version of IP."""
_SETTINGS = {
    "IFACE_NEIGHBOR_CACHE_COUNT": 32, "ASSEMBLER_MAX_SEGMENT_COUNT": 32,
    "REASSEMBLY_BUFFER_SIZE": 65535, "REASSEMBLY_BUFFER_COUNT": 4,
    "FRAGMENTATION_BUFFER_SIZE": 65535,
}  # fmt: skip
"""smoltcp's own settings, where its defaults are too small for TCPIP."""
_ROOMS = {"rx_room": 2 * 57344, "tx_room": 6 * 32768}
"""Bytes of a stream's rings: what lwIP's windows have."""
_MOST = 1 << 20
_OLDER = "mutable_frames", "whole_polls", "own_addresses"
"""The port's features for what was otherwise in an early smoltcp: a frame that came may be changed;
it is taken with all that is to be done; an address is no core::net::Ipv4Addr."""
_FLAGS = "target-cpu=z10", "relocation-model=static", "symbol-mangling-version=v0"
_TARGETS = {"example": "examples", "test": "tests", "bench": "benches", "bin": "src/bin"}


class Options(BaseModel, extra="forbid", frozen=True):
    """A file that `smoltcp` in vmkb.toml names."""

    features: tuple[Annotated[str, Field(pattern=r"^[a-z0-9-]+$")], ...] = ()
    settings: dict[Annotated[str, Field(pattern=r"^[A-Z0-9_]+$")], NonNegativeInt] = {}
    rx_room: int = Field(_ROOMS["rx_room"], ge=4096, le=_MOST)
    tx_room: int = Field(_ROOMS["tx_room"], ge=4096, le=_MOST)


def options(text: str) -> Options:
    """The options in TEXT. SourceError if it has others."""
    try:
        return Options.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise SourceError(str(error)) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise SourceError(f"{where}: {first['msg']}") from None


def way() -> str:
    """What is compiled how, beside the sources. SourceError as `rust`."""
    return json.dumps(
        [rust.rust().said, _FEATURES, _OF_IP, _SETTINGS, _ROOMS, _FLAGS, _manifest((), _OLDER)]
    )


def place(
    files: Files, folder: Path, text: str = "", cksm: bool = True, ip: Literal[4, 6] = 4
) -> None:
    """Write the manifest, cargo's settings and the options in TEXT to FOLDER, where the tree with
    FILES is in TREE; CKSM: the instruction CHECKSUM makes checksums; IP: its version. SourceError.
    Within `alone`."""
    chosen = options(text)
    try:
        said = tomllib.loads(files["Cargo.toml"].decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SourceError(f"Cargo.toml cannot be read: {error}") from None
    known = said.get("features", {})
    features = [name for name in (*_FEATURES, *_OF_IP[ip]) if name in known]
    if strange := [name for name in chosen.features if name not in known]:
        raise SourceError(f"this smoltcp has no feature {strange[0]}")
    features += chosen.features
    mine = _older(files)
    mine += ["fragments"] if "proto-ipv4-fragmentation" in features else []
    mine += ["ipv6"] if ip == 6 else []
    (folder / "Cargo.toml").write_text(_manifest(features, mine), "utf-8")
    number = said["package"]["version"]
    head = folder / "include" / "smoltcp_version.h"
    head.parent.mkdir()
    head.write_text(f"#define SMOLTCP_VERSION {_text(number)}\n", "utf-8")
    for path in _not_there(said, folder / TREE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    flags = ["-Awarnings", *(word for flag in _FLAGS for word in ("-C", flag))]
    seen = {VMKB: "", folder.parent: "build/own/"}
    flags += [f"--remap-path-prefix={path}/={name}" for path, name in seen.items()]
    wanted = {**_SETTINGS, **chosen.settings}
    settings = "".join(f"SMOLTCP_{name} = {_text(str(n))}\n" for name, n in wanted.items())
    (folder / "options.rs").write_text(
        f"pub const RX_ROOM: usize = {chosen.rx_room};\n"
        f"pub const TX_ROOM: usize = {chosen.tx_room};\n"
        f"pub const CKSM: bool = {_text(cksm)};\n",
        "utf-8",
    )
    (folder / ".cargo").mkdir(exist_ok=True)
    (folder / ".cargo" / "config.toml").write_text(
        f"[build]\ntarget = {_text(rust.TARGET)}\nrustflags = {_text(flags)}\n\n"
        f"[target.{rust.rust().host}]\nlinker = {_text(str(VMKB / 'tools' / 'hostcc'))}\n\n"
        f'[source.crates-io]\nreplace-with = "kept"\n\n'
        f"[source.kept]\ndirectory = {_text(str(rust.crates()))}\n\n[env]\n{settings}",
        "utf-8",
    )


def _not_there(said: Mapping[str, Any], tree: Path) -> list[Path]:
    """Files of programs and tests that a manifest names and we have not taken: cargo wants them to
    be there, and makes nothing of them."""
    found = (
        tree / one.get("path", f"{folder}/{one.get('name', '')}.rs")
        for kind, folder in _TARGETS.items()
        for one in said.get(kind, ())
    )
    return [p for p in found if ".." not in p.parts and p.is_relative_to(tree) and not p.exists()]


def _older(files: Files) -> list[str]:
    """Those of _OLDER that smoltcp's FILES are like. Its version does not say: several changed
    between two."""
    phy, interface, ipv4 = (
        files.get(f"src/{n}.rs", b"") for n in ("phy/mod", "iface/interface/mod", "wire/ipv4")
    )
    found = (
        phy.count(b"FnOnce(&mut [u8]) -> R;") > 1,
        b"fn poll_ingress_single" not in interface,
        b"pub struct Address" in ipv4,
    )
    return [name for name, is_so in zip(_OLDER, found, strict=True) if is_so]


def _manifest(features: Sequence[str], mine: Sequence[str]) -> str:
    ours = "\n".join(f"{name} = []" for name in (*_OLDER, "fragments", "ipv6"))
    return f"""[package]
name = "vmkb-smoltcp"
version = "0.0.0"
edition = "2021"

[lib]
name = "vmkb_smoltcp"
crate-type = ["staticlib"]
path = {_text(str(rust.PORT / "lib.rs"))}

[features]
default = {_text(mine)}
{ours}

[dependencies]
smoltcp = {{ path = "{TREE}", default-features = false, features = {_text(features)} }}

[profile.release]
panic = "abort"
lto = "fat"
codegen-units = 1
debug = 1

[workspace]
exclude = ["{TREE}"]
"""


def _text(value: object) -> str:
    """VALUE, a string or a list of them, in TOML."""
    return json.dumps(value)
