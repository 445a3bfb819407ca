# SPDX-License-Identifier: MIT
"""The disks that a user of VM/370 has: which device each is, and how it is kept from being changed.

A folder of disks is read as people keep it: with the Hercules configuration that they use, of
which only the lines of disks are taken, or without one, each disk with its device number in its
name (`vm50-1.6a1`, `6A1.cckd`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hercules.deadline import EmulatorError
from hercules.emulator.config import CKD, Device

#: How the header of a disk's image begins: as it is, and compressed.
PLAIN, COMPRESSED = b"CKD_P370", b"CKD_C370"
#: The type of the device in the header: byte 16, by Hercules' own table.
_KINDS = {0x14: "2314", 0x30: "3330", 0x40: "3340", 0x50: "3350", 0x80: "3380", 0x90: "3390"}
_CONFIGURATIONS = ("*.conf", "*.cnf")
_IN_NAME = re.compile(r"(?:^|\.)(0?[0-9A-Fa-f]{3})(?:\.|$)")


@dataclass(frozen=True)
class Disk:
    """An image of a disk: its device number, its kind, and where it is."""

    number: int
    kind: str
    path: Path
    compressed: bool

    @property
    def name(self) -> str:
        """What it is called in the run folder."""
        return f"{self.number:04X}"


def brought(place: Path) -> tuple[Disk, ...]:
    """The disks in the folder PLACE, or of the Hercules configuration PLACE, by device number.

    EmulatorError for a folder that has none, for two of one number, and for what is no disk.
    """
    if place.is_dir():
        found = [p for form in _CONFIGURATIONS for p in sorted(place.glob(form))]
        if len(found) > 1:
            names = ", ".join(p.name for p in found)
            raise EmulatorError(
                f"{place} has several configurations ({names}): name the one to take, as --disks"
                f" {found[0]}."
            )
        disks = _configured(found[0]) if found else _named(place)
    elif place.is_file():
        disks = _configured(place)
    else:
        raise EmulatorError(f"There is no folder {place} with disks.")
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


def _configured(configuration: Path) -> list[Disk]:
    """The disks that the lines of a Hercules configuration name; its shadow files are not taken."""
    try:
        lines = configuration.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise EmulatorError(f"{configuration} cannot be read: {error.strerror}.") from None
    disks = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if len(words) < 3 or words[1] not in CKD or not re.fullmatch("[0-9A-Fa-f]{3,4}", words[0]):
            continue
        path = configuration.parent / words[2]
        if not path.is_file():
            raise EmulatorError(f"{configuration}:{number}: there is no {path}.")
        disks.append(_disk(int(words[0], 16), path, words[1]))
    return disks


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


def devices(disks: tuple[Disk, ...], write: bool) -> tuple[Device, ...]:
    """The devices of DISKS. Unless the guest may WRITE on them, what it writes on a compressed disk
    goes to a shadow file in the run folder, and on another to a copy."""
    return tuple(
        Device(number=disk.number, kind=disk.kind, **_file(disk, write))  # type: ignore[arg-type]
        for disk in disks
    )


def _file(disk: Disk, write: bool) -> dict[str, object]:
    if write:
        if re.search(r"[\s#]", str(disk.path)):
            raise EmulatorError(
                f"{disk.path} has a blank or a # in its name, where Hercules would cut it: give the"
                " disks another name, or let the guest write beside them."
            )
        return {"file": str(disk.path)}
    if disk.compressed:
        return {"file": disk.name, "read_only": True, "options": (f"sf={disk.name}_*.shadow",)}
    return {"file": disk.name}
