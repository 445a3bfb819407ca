# SPDX-License-Identifier: MIT
"""The content of line.toml. Pure but for reading the file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from vmkb.hercules.wire.profile import named_profiles
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Amount, Strict
from vmkb.workloads.base.workload import Planned as Turn


class Case(base.Case):
    """One line, one window, and what is fetched over it."""

    id: str = Field(pattern=r"^[0-9A-Z]{3}$")
    line: str
    best: int = Field(ge=1)
    """Bytes of data a second at best."""
    window: int = Field(ge=512, le=65535)
    far: str = "fast"
    what: Literal["get", "dir"] = "get"
    releases: tuple[str, ...] = ()
    """The far hosts that are behind it; none: all."""

    @model_validator(mode="after")
    def _profiles_are_there(self) -> Case:
        for name in (self.line, self.far):
            if name not in named_profiles():
                raise ValueError(f"case {self.id} has profile {name}, which there is not")
        return self


class Host(Strict):
    """A printed host, and the case and release that stand for it."""

    host: str
    bps: int
    case: str
    release: str


class Definition(base.Definition):
    """line.toml."""

    hosts: tuple[Host, ...]
    user: str
    far_mtu: int = Field(ge=232, le=9000)
    bytes: Amount
    entry: str
    case: tuple[Case, ...] = Field(min_length=1)


class Planned(Turn):
    """One transfer: `size` bytes."""

    case: Case
    size: int
