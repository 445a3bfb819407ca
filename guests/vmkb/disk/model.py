# SPDX-License-Identifier: MIT
"""The content of a directory source, before it becomes bytes."""

from __future__ import annotations

from dataclasses import dataclass, field

# Limits. VM_MDISKS is cp/include/param.h's; the others are the object directory's own fields.
MDISKS_MAX = 24
STORAGE_MAX_KB = 128 * 1024
"""Of a machine whose programs are CP's named systems; with MACHINE Z it is MACHINE_Z_MAX_KB."""
MACHINE_Z_MAX_KB = 2048 * 1024
FBA_PER_BLOCK = 8
MDISK_BLOCKS_MIN = 64
MDISK_BLOCKS_MAX = 524288

MODES = {"R": 1, "RR": 2, "W": 3, "WR": 4, "M": 5, "MR": 6, "MW": 7}
DEVICE_TYPES = {"3370": 0x3370, "FB-512": 0x3370, "9336": 0x9336}
CLASS_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456"

FLAGS = {
    "NOLOG": 0x001,
    "AUTOONLY": 0x002,
    "ACCT": 0x004,
    "QUICKDSP": 0x008,
    "COMSRV": 0x010,
    "SVMSTAT": 0x020,
    "LNKNOPAS": 0x040,
    "IUCV_ALLOW": 0x080,
    "IUCV_ANY": 0x100,
    "CONSOLE": 0x200,
    "MACHINE_Z": 0x400,
}


@dataclass(frozen=True)
class Where:
    """A place in the source; line and column count from 1."""

    line: int
    column: int


@dataclass
class Mdisk:
    """MDISK. start is None for AUTO until a place has been found."""

    vaddr: int
    device_type: int
    start: int | None
    blocks: int
    volser: str
    mode: int
    passwords: tuple[str, str, str]
    where: Where
    start_where: Where


@dataclass(frozen=True)
class Link:
    """LINK: another user's minidisk `vaddr`, as `alias` here."""

    userid: str
    vaddr: int
    alias: int
    mode: int
    where: Where


@dataclass(frozen=True)
class Device:
    """SPOOL (kind 1), DEDICATE (2), SPECIAL (3) or SPECIAL CTCA (4), whose `type` is a userid."""

    vaddr: int
    kind: int
    type: str
    where: Where
    spool_class: str = "A"
    raddr: int = 0


@dataclass
class User:
    """One USER entry with its statements (and those of its profile)."""

    userid: str
    where: Where
    password: str = ""
    storage_kb: int = 1024
    max_kb: int = 1024
    classes: int = 1 << CLASS_LETTERS.index("G")
    priority: int = 50
    edit: bytes = bytes(4)
    account: str = ""
    distribution: str = ""
    flags: int = 0
    iucv_msglimit: int = 0
    maxconn: int = 0
    console_vaddr: int = 0
    console_type: int = 0
    secondary: str = ""
    ipl_name: str = ""
    ipl_parm: str = ""
    mdisks: list[Mdisk] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    devices: list[Device] = field(default_factory=list)
    autologs: list[tuple[str, Where]] = field(default_factory=list)
    secondary_where: Where | None = None


@dataclass
class Directory:
    """A whole source."""

    file: str
    volser: str | None
    users: list[User]
