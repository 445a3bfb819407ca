# SPDX-License-Identifier: MIT
"""The content of serve.toml. Pure."""

from __future__ import annotations

import random
from typing import Literal

from pydantic import Field

from vmkb.guests.contents import Content, Fixed, Text
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.workload import Planned as Turn
from vmkb.workloads.ftp.content import LRECL, text_lines


class Case(base.Case):
    """Transfers in one direction and mode: `files` of so many `bytes` make a trial. `usual`: run
    without --full."""

    id: str = Field(pattern=r"^[A-Z0-9_]{5}$")
    direction: Literal["get", "put"]
    mode: Literal["ASCII", "Binary"]
    bytes: int = Field(ge=256, le=16 * 1024 * 1024)
    files: int = Field(ge=1, le=999)
    usual: bool = True

    @property
    def source(self) -> str:
        """The name of the file that is moved."""
        return f"{self.mode[0]}{self.bytes // 1024}K"

    @property
    def kind(self) -> str:
        """FTP's type."""
        return "A" if self.mode == "ASCII" else "I"


class Definition(base.Definition):
    """serve.toml."""

    user: str
    entry: str
    case: tuple[Case, ...] = Field(min_length=1)


class Planned(Turn):
    """One trial that is to be run."""

    case: Case


def content(case: Case) -> Content:
    """The case's file."""
    rng = random.Random(f"serve {case.source}")
    if case.mode == "ASCII":
        return Text("\n".join(text_lines(case.bytes, rng)) + "\n")
    return Fixed(rng.randbytes(case.bytes), LRECL)
