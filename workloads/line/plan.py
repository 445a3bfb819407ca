# SPDX-License-Identifier: MIT
"""What line.toml says, and the published table. Pure but for reading the file."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, model_validator

from vmkb.hercules.wire.profile import named_profiles
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Amount, Strict
from vmkb.workloads.base.workload import Planned as Turn

PRINTED = Path(__file__).with_name("tcp1990_line_ftp.csv")


class Case(base.Case):
    """One line, one window, and what is fetched over it."""

    id: str = Field(pattern=r"^[0-9A-Z]{3}$")
    line: str
    best: int = Field(ge=1)
    """Bytes of data a second at best."""
    window: int = Field(ge=512, le=65535)
    far: str = "fast"
    what: Literal["get", "dir"] = "get"

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

    def printed(self, host: str, bps: int) -> tuple[int, ...]:
        """The printed figures of HOST at BPS, bytes a second."""
        return next(r.figures for r in published() if (r.host, r.bps) == (host, bps))

    def system(self, host: str) -> str:
        """What HOST is said to be."""
        return next(r.system for r in published() if r.host == host)


class Planned(Turn):
    """One transfer: `size` bytes."""

    case: Case
    size: int


class Published(Strict):
    """One printed figure."""

    host: str
    system: str
    bps: int
    bytes_s: int
    best_case_bytes_s: int


class Row(NamedTuple):
    """The figures of one host at one speed."""

    host: str
    system: str
    bps: int
    figures: tuple[int, ...]


@cache
def published() -> tuple[Row, ...]:
    """The printed figures by host and speed, in their order."""
    lines = [x for x in PRINTED.read_text("utf-8").splitlines() if x and not x.startswith("#")]
    found: dict[tuple[str, str, int], list[int]] = {}
    for row in csv.DictReader(lines):
        one = Published.model_validate(row)
        found.setdefault((one.host, one.system, one.bps), []).append(one.bytes_s)
    return tuple(Row(*key, tuple(figures)) for key, figures in found.items())
