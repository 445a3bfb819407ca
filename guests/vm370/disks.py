# SPDX-License-Identifier: MIT
"""The disks that a user of VM/370 has: which device each is, and how it is kept from being changed.

A folder of disks is read as people keep it: with the Hercules configuration that they use, or
without one, each disk with its device number in its name (`vm50-1.6a1`, `6A1.cckd`). A disk of a
configuration is what its user's own Hercules has there: the image with what the shadow files beside
it changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from vmkb.guests.vm370.configuration import Line, chosen, lines
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import Device
from vmkb.hercules.holders import writer_of

#: How the header of a disk's image begins: as it is, and compressed.
PLAIN, COMPRESSED = b"CKD_P370", b"CKD_C370"
#: The type of the device in the header: byte 16, by Hercules' own table.
_KINDS = {0x14: "2314", 0x30: "3330", 0x40: "3340", 0x50: "3350", 0x80: "3380", 0x90: "3390"}
_PROTECTED = frozenset({"ro", "rdonly", "readonly"})
_MANY = 8
"""Shadow files of one disk, at most."""
_IN_NAME = re.compile(r"(?:^|\.)(0?[0-9A-Fa-f]{3})(?:\.|$)")


@dataclass(frozen=True)
class Disk:
    """An image of a disk: its device number, its kind, and where it is.

    `protected` is one on which its user's Hercules does not write; `sf` the form of the names of
    its shadow files, `shadows` those that are there, the oldest first; `options` what else his line
    says."""

    number: int
    kind: str
    path: Path
    compressed: bool
    protected: bool = False
    sf: Path | None = None
    shadows: tuple[Path, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written on it, nor beside it."""
        return self.protected and (self.sf is None or not self.compressed)

    @property
    def name(self) -> str:
        """Its name in the run folder."""
        return f"{self.number:04X}"


def brought(place: Path) -> tuple[Disk, ...]:
    """The disks in the folder PLACE, or of the Hercules configuration PLACE, by device number.

    EmulatorError for a folder that has none, for two of one number, and for what is no disk.
    """
    taken = configuration(place)
    disks = _named(place) if taken is None else _configured(taken)
    if not disks:
        raise EmulatorError(
            f"{place} has no disk images: they are named by a Hercules configuration there, or have"
            " their device number in their name, such as vm50-1.6a1 or 6A1.cckd."
        )
    by_number: dict[int, Disk] = {}
    for disk in disks:
        other = by_number.setdefault(disk.number, disk)
        if other is not disk:
            raise EmulatorError(
                f"{disk.path} and {other.path} are both device {disk.number:04X}; only one can be."
            )
    return tuple(by_number[number] for number in sorted(by_number))


def configuration(place: Path) -> Path | None:
    """The Hercules configuration that PLACE is, or has; None for a folder without one.
    EmulatorError where there is nothing, or more than one."""
    if place.is_dir():
        return chosen(place)
    if not place.is_file():
        raise EmulatorError(f"There is no folder {place} with disks.")
    return place


def _configured(taken: Path) -> list[Disk]:
    """The disks that the lines of a Hercules configuration name."""
    return [_of_line(line) for line in lines(taken) if line.is_disk]


def _of_line(line: Line) -> Disk:
    number, kind, image, *words = (line.device, *line.words[1:])
    assert isinstance(number, int) and isinstance(kind, str) and isinstance(image, str)
    path = line.path(image)
    if not path.is_file():
        raise EmulatorError(f"{line.where}: there is no {path}.")
    disk = _disk(number, path, kind)
    said = [str(word) for word in words]
    named = [word.partition("=")[2] for word in said if word.lower().startswith("sf=")]
    sf = line.path(named[-1]).absolute() if named else None
    return replace(
        disk,
        protected=any(word.lower() in _PROTECTED for word in said),
        sf=sf,
        shadows=_shadows(sf) if sf is not None and disk.compressed else (),
        options=tuple(
            word
            for word in said
            if word.lower() not in _PROTECTED and not word.lower().startswith("sf=")
        ),
    )


def _shadows(sf: Path) -> tuple[Path, ...]:
    """The shadow files that are there: Hercules 3.13 puts a number in the place of the character
    before the first dot, or of the last one; a * says the place, too."""
    stem, dot, rest = sf.name.partition(".")
    forms = [(stem[:-1], dot + rest)]
    if "*" in sf.name:
        before, _, behind = sf.name.partition("*")
        forms.append((before, behind))
    for before, behind in forms:
        found = []
        for number in range(1, _MANY + 1):
            path = sf.with_name(f"{before}{number}{behind}")
            if not path.is_file():
                break
            found.append(path)
        if found:
            return tuple(found)
    return ()


def _named(folder: Path) -> list[Disk]:
    """The disks of a folder whose names have their device numbers."""
    disks = []
    for path in sorted(folder.iterdir()):
        found = _IN_NAME.findall(path.name)
        if path.is_file() and found:
            disks.append(_disk(int(found[-1], 16), path))
    return disks


def _disk(number: int, path: Path, kind: str = "") -> Disk:
    """The image PATH as its own header has it, which KIND must not contradict."""
    try:
        with path.open("rb") as file:
            head = file.read(20)
    except OSError as error:
        raise EmulatorError(f"{path} cannot be read: {error.strerror}.") from None
    if head[:8] not in (PLAIN, COMPRESSED) or len(head) < 20:
        raise EmulatorError(
            f"{path} is no disk image of Hercules: it does not begin with CKD_P370 or CKD_C370."
        )
    found = _KINDS.get(head[16], "")
    if not found or (kind and kind != found):
        said = f"a {found}" if found else f"of no known type ({head[16]:02X})"
        raise EmulatorError(
            f"{path}: its header says that it is {said}{', not a ' + kind if kind else ''}."
        )
    return Disk(number, found, path.resolve(), head[:8] == COMPRESSED)


def check_unused(disks: tuple[Disk, ...]) -> None:
    """EmulatorError if a program writes on one of DISKS, or on its shadow files."""
    writer = writer_of(path for disk in disks for path in (disk.path, *disk.shadows))
    if writer is not None:
        pid, path = writer
        raise EmulatorError(
            f"{path} is being written by another program (pid {pid}), such as your own Hercules:"
            " end that first."
        )


def devices(disks: tuple[Disk, ...], write: bool) -> tuple[Device, ...]:
    """The devices of DISKS. Unless the guest may WRITE on them, what it writes on a compressed disk
    goes to a shadow file in the run folder, and on another to a copy. If it may, they are as their
    user's own lines have them."""
    return tuple(
        Device(number=disk.number, kind=disk.kind, **_file(disk, write))  # type: ignore[arg-type]
        for disk in disks
    )


def _file(disk: Disk, write: bool) -> dict[str, object]:
    options = disk.options
    if write:
        _check_names(disk)
        if disk.sf is not None:
            options = (*options, f"sf={disk.sf}")
        return {"file": str(disk.path), "read_only": disk.protected, "options": options}
    if disk.read_only:
        return {"file": disk.name, "read_only": True, "options": options}
    if disk.compressed:
        options = (*options, f"sf={disk.name}_*.shadow")
        return {"file": disk.name, "read_only": True, "options": options}
    return {"file": disk.name, "options": options}


def _check_names(disk: Disk) -> None:
    for path in (disk.path, disk.sf):
        if path is not None and re.search(r"[\s#]", str(path)):
            raise EmulatorError(
                f"{path} has a blank or a # in its name, where Hercules would cut it: give it"
                " another name, or let the guest write beside your disks."
            )
