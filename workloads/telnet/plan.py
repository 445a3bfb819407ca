# SPDX-License-Identifier: MIT
"""The content of telnet.toml, and the files that are typed. Pure."""

from __future__ import annotations

from pydantic import Field

from vmkb.guests.contents import document
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.workload import Planned as Turn


class Case(base.Case):
    """A file of so many `bytes` on a terminal whose line has `characters_per_second` (0: no
    limit)."""

    bytes: int = Field(ge=256, le=1024 * 1024)
    characters_per_second: int = Field(ge=0)

    @property
    def source(self) -> str:
        """The name of the file."""
        return f"T{self.bytes}"


class Definition(base.Definition):
    """telnet.toml."""

    node: str = Field(pattern=r"^[A-Z][A-Z0-9]{1,5}$")
    entry: str
    systems_max: int = Field(ge=1, le=32)
    circuit_timer: float = Field(ge=0.01, le=0.2)
    case: tuple[Case, ...] = Field(min_length=1)


class Planned(Turn):
    """One trial that is to be run."""

    case: Case


def user(n: int) -> str:
    """Who sits at terminal number N, from 1; the name is the password."""
    return f"TERM{n:02d}"


def text(case: Case) -> str:
    """The case's file. No line ends in a blank: TYPE leaves those out, cat does not."""
    return "".join(f"{line.rstrip(' ')}\n" for line in document(case.bytes).splitlines())


def shown(case: Case) -> str:
    """The same as a terminal shows it."""
    return text(case).replace("\n", "\r\n")
