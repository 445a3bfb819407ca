# SPDX-License-Identifier: MIT
"""volume.toml: which files go on which minidisk, and in what form."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vmkb.guests.contents import document
from vmkb.guests.vmkb.disk.errors import VolumeError
from vmkb.guests.vmkb.disk.fsformat import FsError
from vmkb.guests.vmkb.disk.records import Stored, fixed, from_text

DIRECTORY_BLOCKS = 128  # area DIRECTRY when the manifest does not say
SECTION = ":: "  # begins a section of a file that is split: `:: NAME`


@dataclass(frozen=True)
class Volume:
    """The manifest: volser, directory source, areas in blocks, minidisks with their files."""

    folder: Path
    volser: str
    directory: str
    blocks: int
    areas: dict[str, int]
    disks: tuple[Disk, ...]


@dataclass(frozen=True)
class Disk:
    """Content of one minidisk; label empty: made from owner and address."""

    owner: str
    vaddr: int
    label: str
    files: tuple[dict[str, Any], ...]


def load(path: Path) -> Volume:
    """Read a manifest; VolumeError says which key is wrong."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as e:
        raise VolumeError(f"{path}: {e.strerror}; name a folder with a volume.toml") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise VolumeError(f"{path}: {e}") from None
    try:
        disks = tuple(
            Disk(
                str(d["owner"]), int(d["vaddr"], 16), str(d.get("label", "")),
                tuple(d.get("file", [])),
            )
            for d in data.get("minidisk", [])
        )  # fmt: skip
        areas = {str(k): int(v) for k, v in data.get("areas", {}).items()}
        return Volume(
            path.parent, str(data["volser"]), str(data["directory"]), int(data["blocks"]),
            areas, disks,
        )  # fmt: skip
    except KeyError as e:
        raise VolumeError(f"{path}: key {e} is missing") from None
    except (TypeError, ValueError, AttributeError) as e:
        raise VolumeError(f"{path}: {e}") from None


def contents(volume: Volume, disk: Disk) -> Iterator[tuple[str, str, int, Stored]]:
    """The files of a minidisk: (fn, ft, mode number, content)."""
    for rule in disk.files:
        where = f"volume.toml, minidisk {disk.owner} {disk.vaddr:03X}"
        mode = int(rule.get("mode", 1))
        try:
            if "generate" in rule:
                fn, ft = str(rule["generate"]).split()
                yield fn, ft, mode, from_text(document(int(rule["bytes"])))
                continue
            paths = sorted(volume.folder.glob(str(rule["from"])))
        except (KeyError, ValueError) as e:
            raise VolumeError(f"{where}: {rule}: {e}") from None
        if not paths:
            raise VolumeError(f"{where}: no file matches '{rule['from']}' in {volume.folder}")
        for path in paths:
            for fn, ft, data in _named(path, rule):
                yield fn, ft, mode, _stored(path, data, rule)


def _named(path: Path, rule: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    data = path.read_bytes()
    if "split" in rule:
        for name, section in _sections(path, data.decode("utf-8")):
            yield name, str(rule["split"]), section.encode("utf-8")
        return
    fn, _, ft = path.name.upper().partition(".")
    yield fn, ft, data


def _sections(path: Path, text: str) -> Iterator[tuple[str, str]]:
    name = ""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith(SECTION):
            if name:
                yield name, "\n".join(lines).strip("\n") + "\n"
            name, lines = line[len(SECTION) :].strip(), []
        elif name:
            lines.append(line)
        elif line and not line.startswith("*"):
            raise VolumeError(f"{path}: expected '{SECTION}NAME' before the first line of text")
    if name:
        yield name, "\n".join(lines).strip("\n") + "\n"


def _stored(path: Path, data: bytes, rule: dict[str, Any]) -> Stored:
    recfm, lrecl = str(rule.get("recfm", "V")), int(rule.get("lrecl", 80))
    try:
        if rule.get("binary", False):
            return fixed(data, lrecl)
        return from_text(data.decode("utf-8"), recfm, lrecl)
    except (FsError, UnicodeDecodeError) as e:
        raise VolumeError(f"{path}: {e}") from None
