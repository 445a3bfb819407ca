# SPDX-License-Identifier: MIT
"""A machine's description and the Hercules configuration text that it becomes.

Pure: text and numbers in, text out. What an emulator wants to be told besides is in its dialect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from vmkb.hercules.emulator.dialect.base import Dialect

LOOPBACK = "127.0.0.1"

CKD = ("2314", "3330", "3340", "3350", "3380", "3390")
DeviceKind = Literal[
    "3215-C", "3270", "3370", "2314", "3330", "3340", "3350", "3380", "3390", "1403", "3211",
    "3505", "3525", "3420", "ctce",
]  # fmt: skip
FILE_KINDS = ("3370", *CKD, "1403", "3211", "3505", "3525", "3420")
LAN_CTC = "LANCTC"
"""The device in a ctce device's place on virtual time (hercules/exact/lanctc.c)."""
READ_ONLY_KINDS = (*CKD, "3505")
"""Devices that an emulator can be told not to write on; others are given a copy."""


def _device_number(value: object) -> object:
    """Accept a device number as an integer or as up to four hexadecimal digits."""
    if isinstance(value, str):
        try:
            return int(value, 16)
        except ValueError:
            raise ValueError(
                f"device number '{value}' is not hexadecimal; write it as VM does, like '0700'"
            ) from None
    return value


DeviceNumber = Annotated[int, BeforeValidator(_device_number), Field(ge=0, le=0xFFFF)]


def _is_ctce_line(line: str, device: Device) -> bool:
    words = line.split()
    if len(words) == 3 and words[1] == LAN_CTC and "\n" not in line:
        return device.kind == "ctce" and words[0].upper() == f"{device.number:04X}"
    return (
        device.kind == "ctce"
        and len(words) >= 5
        and words[2].isdecimal()
        and words[4].isdecimal()
        and "\n" not in line
        and words[1].upper() == "CTCE"
        and words[0].upper() == f"{device.number:04X}"
    )


class Strict(BaseModel):
    """Base of every description: a misspelt key is an error, a value never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Device(Strict):
    """One device, or `count` devices with consecutive numbers (3270 only).

    `file` is relative to the run folder; with `read_only` the emulator does not write on it. The
    ports of a CTCE device are known only when its wire runs: `ctce_line` is the wire's own
    configuration line for it.
    """

    number: DeviceNumber
    kind: DeviceKind
    count: int = Field(default=1, ge=1, le=64)
    file: str | None = None
    read_only: bool = False
    options: tuple[str, ...] = ()
    ctce_line: str | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Device:
        name = f"device {self.number:04X} ({self.kind})"
        if self.count > 1 and self.kind != "3270":
            raise ValueError(f"{name} has count {self.count}; only 3270 devices can be repeated")
        if self.number + self.count > 0x10000:
            raise ValueError(f"{name} with count {self.count} passes device number FFFF")
        if self.kind in FILE_KINDS and not self.file:
            raise ValueError(f'{name} needs a file; add file = "NAME"')
        if self.kind not in FILE_KINDS and self.file:
            raise ValueError(f'{name} takes no file; remove file = "{self.file}"')
        if self.read_only and self.kind not in READ_ONLY_KINDS:
            raise ValueError(
                f"{name} cannot be read_only; list its file under [files], which gives it a copy"
            )
        if self.ctce_line is not None and not _is_ctce_line(self.ctce_line, self):
            raise ValueError(f"{name} cannot have the line '{self.ctce_line}'")
        words = [self.file or "", *self.options]
        if any(ch.isspace() or ch == "#" for word in words for ch in word):
            raise ValueError(f"{name} has a blank or a # in a word; Hercules would cut it there")
        return self

    @property
    def numbers(self) -> range:
        """All device numbers that this entry covers."""
        return range(self.number, self.number + self.count)

    def line(self, dialect: Dialect) -> str:
        """The line of the emulator's configuration."""
        if self.kind == "ctce":
            if self.ctce_line is None:
                raise ValueError(
                    f"device {self.number:04X} (ctce) has no ports yet; "
                    "join the machine to a wire or leave the device out"
                )
            words = self.ctce_line.split()
            if words[1] == LAN_CTC:
                return self.ctce_line
            ports = dialect.ctce_ports(int(words[2]), int(words[4]))
            return " ".join([*words[:2], str(ports[0]), words[3], str(ports[1]), *words[5:]])
        number = f"{self.number:04X}" + (f".{self.count}" if self.count > 1 else "")
        protected = ["ro"] if self.read_only and self.kind in CKD else []
        words = [*([self.file] if self.file else []), *protected, *self.options]
        return " ".join([number, self.kind, *words])


class MachineConfig(Strict):
    """The machine that Hercules emulates.

    `memory_mb` is in MB of 2**20 bytes, `cpu_model` the four digits that STIDP stores, `code_page`
    how the emulator translates what its consoles and its operator type, as "437/037"; without it
    by its own table, in which ^ | [ ] are where code page 1047 or none has them.
    """

    memory_mb: int = Field(default=64, ge=2, le=4096)
    cpu_model: str = Field(default="2097", pattern=r"^[0-9A-F]{4}$")
    cpus: int = Field(default=1, ge=1, le=8)
    architecture: Literal["S/370", "ESA/390", "z/Arch"] = "z/Arch"
    load_parameter: str | None = Field(default=None, pattern=r"^[A-Z0-9 ]{1,8}$")
    code_page: str | None = Field(default=None, pattern=r"^\d{3,4}/\d{3,4}(v2)?$")
    devices: tuple[Device, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _no_number_twice(self) -> MachineConfig:
        seen: dict[int, Device] = {}
        for device in self.devices:
            for number in device.numbers:
                other = seen.get(number)
                if other is not None:
                    raise ValueError(
                        f"device {number:04X} is given twice: as {other.kind} and as {device.kind}"
                    )
                seen[number] = device
        return self

    @property
    def terminals(self) -> tuple[int, ...]:
        """The device numbers of the 3270 displays, ascending."""
        return tuple(
            sorted(n for device in self.devices if device.kind == "3270" for n in device.numbers)
        )

    def with_ctce(self, lines: Sequence[str]) -> MachineConfig:
        """The same machine with the wire's configuration lines for its CTCE devices.

        Raises ValueError when a line is for no CTCE device of this machine.
        """
        devices = list(self.devices)
        for line in lines:
            for index, device in enumerate(devices):
                if device.kind == "ctce" and _is_ctce_line(line, device):
                    devices[index] = device.model_copy(update={"ctce_line": line})
                    break
            else:
                raise ValueError(f"'{line}' is for no ctce device of this machine")
        return self.model_copy(update={"devices": tuple(devices)})

    def without_ctce(self) -> MachineConfig:
        """The same machine without the CTCE devices that no wire has joined."""
        kept = tuple(d for d in self.devices if d.kind != "ctce" or d.ctce_line is not None)
        return self.model_copy(update={"devices": kept})


def config_text(machine: MachineConfig, console_port: int, dialect: Dialect) -> str:
    """The configuration for `machine` in `dialect`, with its terminals on `console_port`."""
    lines = [
        f"ARCHMODE {machine.architecture}",
        f"CPUMODEL {machine.cpu_model}",
        f"NUMCPU {machine.cpus}",
        f"MAINSIZE {machine.memory_mb}",
        *dialect.settings,
        f"CNSLPORT {LOOPBACK}:{console_port}",
    ]
    if machine.load_parameter is not None:
        lines.append(f"LOADPARM {machine.load_parameter}")
    if machine.code_page is not None:
        lines.append(f"CODEPAGE {machine.code_page}")
    lines.extend(device.line(dialect) for device in machine.devices)
    return "\n".join(lines) + "\n"
