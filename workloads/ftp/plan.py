# SPDX-License-Identifier: MIT
"""The content of ftp.toml, and the list of trials that the command's options mean. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Part, Strict, Style
from vmkb.workloads.base.workload import Planned as Turn

FILES_MAX = 999
"""Files of one trial: their names have three digits."""


class Size(Strict):
    """A file size in bytes, and how many files of it a trial moves."""

    bytes: int = Field(ge=256, le=64 * 1024 * 1024)
    quick: int = Field(ge=1, le=FILES_MAX)
    full: int = Field(ge=1, le=FILES_MAX)
    sources: int = Field(ge=1, le=9)


class Client(Strict):
    """The client's machine: its directory entry replaces the guest's own."""

    user: str
    password: str
    minidisk: str = Field(pattern=r"^[0-9A-F]{3}$")
    entry: str


class Server(Strict):
    """The guest in the file server's role."""

    parameter: str
    title: str
    address: str


class Case(base.Case):
    """One transfer direction, file size and mode."""

    id: str = Field(pattern=r"^[A-Z0-9_]{5}$")
    table: str
    direction: Literal["get", "put"]
    size: str
    mode: Literal["ASCII", "Binary"]
    quick: int | None = Field(default=None, ge=1, le=FILES_MAX)


class Definition(base.Definition):
    """ftp.toml."""

    data_buffer_pool_size: int
    size: dict[str, Size]
    client: Client
    server: Server
    part: tuple[Part, ...] = Field(min_length=1)
    case: tuple[Case, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _sizes_are_there(self) -> Definition:
        for case in self.case:
            if case.size not in self.size:
                raise ValueError(f"case {case.id} has size {case.size}, which is not a size")
        return self


class Planned(Turn):
    """One trial that is to be run: `files` are moved."""

    case: Case
    files: int = 1


def plan(definition: Definition, style: Style, turns: Sequence[Turn]) -> list[Planned]:
    """The TURNS (workloads.base.workload.rounds) with the number of files that each moves."""

    def files(case: base.Case) -> int:
        assert isinstance(case, Case)
        size = definition.size[case.size]
        return size.full if style == "full" else case.quick or size.quick

    return [Planned(**{**dict(turn), "files": files(turn.case)}) for turn in turns]
