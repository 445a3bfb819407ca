# SPDX-License-Identifier: MIT
"""The Hercules configuration that a user of VM/370 has: its lines, the machine that they describe,
and what of them is not taken.

Hercules finds relative paths, those of INCLUDE too, from the folder that it is started in. Users
start it where their configuration is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from vmkb import given
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.emulator.config import CKD, Device, MachineConfig

FORMS = ("*.conf", "*.cnf")
_DEEPEST = 8
"""INCLUDE in an included file, and so on: as many as Hercules 3.13 allows."""
LONGEST = 1 << 20
"""Bytes of a configuration; a line describes a disk."""
_WORD = re.compile(r'(?:"[^"]*"|[^\s"])+')
_DEVICE = re.compile(r"(?:0:)?([0-9A-Fa-f]{3,4})(?:\.(\d+))?")
#: Statements about the emulator itself: what a guest sees of them is the same here.
_SILENT = frozenset(
    "AUTOINIT AUTOMOUNT CCKD CNSLPORT CONKPALV CPUPRIO DEVPRIO DEVTMAX HERCLOGO HERCPRIO HTTP"
    " HTTPPORT HTTPROOT IGNORE LDMOD LOGOPT MODPATH MOUNTED_TAPE_REINIT OSTAILOR PANOPT PANRATE"
    " PANTITLE PAUSE PGMPRDOS SHCMDOPT SRVPRIO TIMERINT TODPRIO TRACEOPT".split()
)
_NOTHING = frozenset({("ECPSVM", "NO"), ("XPNDSIZE", "0"), ("DIAG8CMD", "DISABLE")})
_TAKEN = frozenset({"ARCHMODE", "ARCHLVL", "CPUMODEL", "MAINSIZE", "NUMCPU"})
_MODES = {mode.upper(): mode for mode in ("S/370", "ESA/390", "z/Arch")} | {"ESAME": "z/Arch"}
_SIZE = re.compile(r"(\d{1,9})([KMG]?)", re.IGNORECASE)
_IN_MB = {"K": 1 / 1024, "": 1, "M": 1, "G": 1024}
CONSOLE, DISPLAY = "3215-C", "3270"
#: What a device that is not a disk has in the run folder: nothing to read, or a file of its own.
_FILES = {"3505": "*", "3420": "*", "3525": "{:04X}.cards", "1403": "{:04X}.txt",
          "3211": "{:04X}.txt"}  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of a configuration, as words, that is number `number` of `file`."""

    file: Path
    number: int
    folder: Path
    words: tuple[str, ...]

    @property
    def where(self) -> str:
        """Its file and number."""
        return f"{self.file}:{self.number}"

    @property
    def device(self) -> int | None:
        """The device number that it begins with, None if it is a statement."""
        match = _DEVICE.fullmatch(self.words[0]) if len(self.words) > 1 else None
        return None if match is None else int(match[1], 16)

    @property
    def is_disk(self) -> bool:
        """Whether it describes a disk."""
        return self.device is not None and self.words[1] in CKD and len(self.words) > 2

    def path(self, word: str) -> Path:
        """The file that one of its words names. EmulatorError for one with a symbol in it."""
        if re.search(r"\$[({]", word):
            raise EmulatorError(f"{self.where}: write out the symbol in {word}.")
        return self.folder / word

    def covers(self) -> range:
        """The device numbers that it describes."""
        match = _DEVICE.fullmatch(self.words[0])
        assert match is not None
        first = int(match[1], 16)
        return range(first, first + int(match[2] or 1))


def lines(configuration: Path) -> list[Line]:
    """The lines of a configuration and of what it includes. EmulatorError if one cannot be read."""
    return list(_lines(configuration, configuration.parent, (), ""))


def _lines(path: Path, folder: Path, above: tuple[Path, ...], asked: str) -> Iterator[Line]:
    if len(above) > _DEEPEST or os.path.realpath(path) in map(str, above):
        raise EmulatorError(f"{asked}: {path} includes itself, or INCLUDE goes too deep.")
    try:
        text = given.data(path, LONGEST).decode("utf-8", "replace")
    except OSError as error:
        said = f"{path} cannot be read: {error.strerror}."
        raise EmulatorError(f"{asked}: {said}" if asked else said) from None
    for number, row in enumerate(text.splitlines(), start=1):
        words = () if row.lstrip().startswith("*") else _words(row)
        if not words:
            continue
        line = Line(path, number, folder, words)
        if words[0].upper() == "INCLUDE" and len(words) > 1:
            yield from _lines(
                line.path(words[1]), folder, (*above, Path(os.path.realpath(path))), line.where
            )
        else:
            yield line


def _words(row: str) -> tuple[str, ...]:
    """The words before a comment; what is in quotes may have blanks."""
    found = (match[0] for match in _WORD.finditer(row.partition("#")[0]))
    return tuple(word.replace('"', "") for word in found)


def chosen(folder: Path) -> Path | None:
    """The configuration in FOLDER that has disks, None if there is none. EmulatorError if there are
    several, for only their user knows which is the one."""
    found = sorted(path for form in FORMS for path in folder.glob(form))
    if len(found) < 2:
        return found[0] if found else None
    text = {path: lines(path) for path in found}
    included = {line.file for path in found for line in text[path] if line.file != path}
    able = [
        path for path in found if path not in included and any(line.is_disk for line in text[path])
    ]
    if len(able) > 1:
        names = ", ".join(path.name for path in able)
        raise EmulatorError(
            f"{folder} has several configurations with disks: {names}. Name the one that you start"
            f" Hercules with, as --disks {folder}/NAME."
        )
    return able[0] if able else None


def described(configuration: Path, usual: MachineConfig) -> MachineConfig:
    """The machine of a configuration, without its disks: architecture, storage, processors and
    devices as its lines have them, and as USUAL has them where no line says it. EmulatorError for a
    line that cannot be followed."""
    said = list(lines(configuration))
    found: dict[str, object] = {}
    for line in said:
        if line.device is None and line.words[0].upper() in _TAKEN:
            found |= _statement(line, usual)
    devices = [each for line in said if (each := _device(line, usual)) is not None]
    for kind in (CONSOLE, DISPLAY):  # an operator and users there must be
        if kind not in {each.kind for each in devices}:
            devices += [each for each in usual.devices if each.kind == kind]
    if not any(line.device is not None and not line.is_disk for line in said):
        devices = list(usual.devices)
    return _valid(str(configuration), {**dict(usual), **found, "devices": devices})


def _statement(line: Line, usual: MachineConfig) -> dict[str, object]:
    name, value = line.words[0].upper(), line.words[1] if len(line.words) > 1 else ""
    key, read = {
        "ARCHMODE": ("architecture", _MODES.get(value.upper())),
        "ARCHLVL": ("architecture", _MODES.get(value.upper())),
        "CPUMODEL": ("cpu_model", value.upper()),
        "MAINSIZE": ("memory_mb", _megabytes(value)),
        "NUMCPU": ("cpus", value),
    }[name]
    _valid(line.where, {**dict(usual), key: read})
    return {key: read}


def _megabytes(value: str) -> int | None:
    match = _SIZE.fullmatch(value)
    size = int(match[1]) * _IN_MB[match[2].upper()] if match else 0.5
    return int(size) if size == int(size) else None


def _device(line: Line, usual: MachineConfig) -> Device | None:
    """The device of a line that is no disk, None for a kind that no machine here has."""
    kind = line.words[1].upper() if line.device is not None else ""
    if kind not in (CONSOLE, DISPLAY, *_FILES):
        return None
    numbers = line.covers()
    same = [d for d in usual.devices if d.kind == kind and d.numbers == numbers]
    if same:
        return same[0]
    file = _FILES[kind].format(numbers.start) if kind in _FILES else None
    options = ("ebcdic",) if kind == "3525" else ()
    said = {"number": numbers.start, "kind": kind, "count": len(numbers), "file": file}
    try:
        return Device.model_validate({**said, "options": options})
    except ValidationError as error:
        raise _refused(line.where, error) from None


def _valid(where: str, machine: dict[str, object]) -> MachineConfig:
    try:
        return MachineConfig.model_validate(machine)
    except ValidationError as error:
        raise _refused(where, error) from None


def _refused(where: str, error: ValidationError) -> EmulatorError:
    first = error.errors()[0]
    what = ".".join(map(str, first["loc"])) or "machine"
    return EmulatorError(
        f"{where}: the guest's machine cannot have that ({what}:"
        f" {first['msg'].removeprefix('Value error, ')}). Change that line of your configuration."
    )


def left_out(configuration: Path, machine: MachineConfig) -> list[str]:
    """The lines of a configuration that are not disks, nor of MACHINE, which it describes."""
    kinds = {number: each.kind for each in machine.devices for number in each.numbers}
    found = []
    for line in lines(configuration):
        words = line.words
        if line.device is None:
            statement = tuple(word.upper() for word in words[:2])
            if words[0].upper() not in _SILENT | _TAKEN and statement not in _NOTHING:
                found.append(" ".join(words))
        elif not line.is_disk and {kinds.get(n) for n in line.covers()} != {words[1].upper()}:
            found.append(" ".join(words[:2]))
    return found
