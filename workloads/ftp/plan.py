# SPDX-License-Identifier: MIT
"""What is run and in which order: ftp.toml and the command's options to a list of trials. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workloads.errors import UsageError

FILE = Path(__file__).resolve().parent.parent / "ftp.toml"
Style = Literal["quick", "full"]
FILES_MAX = 999
"""Files of one trial: their names have three digits."""


class Strict(BaseModel):
    """A misspelt key is an error, a value never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Release(Strict):
    """A level of the TCP/IP stack; `parameter` chooses it at IPL."""

    name: str = Field(pattern=r"^[0-9A-Z]{1,3}$")
    title: str
    parameter: str


class Size(Strict):
    """A file size in bytes, and how many files of it a trial moves."""

    bytes: int = Field(ge=256, le=64 * 1024 * 1024)
    quick: int = Field(ge=1, le=FILES_MAX)
    full: int = Field(ge=1, le=FILES_MAX)
    sources: int = Field(ge=1, le=9)


class Trials(Strict):
    """Trials of each case, release and build; or builds of each release."""

    quick: int = Field(ge=1)
    full: int = Field(ge=1)


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


class Starter(Strict):
    """Who starts the network, by which command, and what the log shows when it is ready."""

    user: str
    password: str
    command: str
    ready: str


class Part(Strict):
    """A machine whose CPU is asked for, and what the table calls it.

    `of_release`: its program is another one for each release; the others run the same program
    under both, so that no build's luck comes between them.
    """

    user: str
    label: str
    of_release: bool = False


class Case(Strict):
    """One transfer direction, file size and mode."""

    id: str = Field(pattern=r"^[A-Z0-9_]{5}$")
    title: str
    table: str
    direction: Literal["get", "put"]
    size: str
    mode: Literal["ASCII", "Binary"]
    quick: int | None = Field(default=None, ge=1, le=FILES_MAX)
    published: tuple[str, ...]


class Workload(Strict):
    """ftp.toml."""

    name: str
    title: str
    releases: tuple[Release, ...] = Field(min_length=1)
    model: str
    wire: str
    published_table: str
    mtu: int = Field(ge=576, le=32767)
    data_buffer_pool_size: int
    trials: Trials
    builds: Trials
    build_spread_percent: float | None = Field(default=None, gt=0, le=10)
    size: dict[str, Size]
    client: Client
    server: Server
    starter: Starter
    part: tuple[Part, ...] = Field(min_length=1)
    case: tuple[Case, ...] = Field(min_length=1)


class Planned(Strict):
    """One trial that is to be run. `id` stays the same over resumes; `pair` counts from 1, and
    both releases of a pair are in build `build`."""

    id: str
    case: Case
    release: Release
    pair: int
    seq: int
    files: int
    build: int = 1

    @property
    def run_id(self) -> str:
        """The column's head, as long as the published ones."""
        return f"{self.case.id}{self.release.name}"


def parse_workload(values: dict[str, Any], where: str) -> Workload:
    """A workload from the values of its TOML file; UsageError names file and key."""
    try:
        made = Workload.model_validate(values)
    except ValidationError as error:
        lines = (
            f"{where}: {'.'.join(str(p) for p in item['loc'])}: {item['msg']}."
            for item in error.errors(include_url=False, include_context=False)
        )
        raise UsageError("\n".join(lines)) from None
    for case in made.case:
        if case.size not in made.size:
            raise UsageError(f"{where}: case {case.id} has size {case.size}, which is not a size.")
    return made


def load_workload(path: Path = FILE) -> Workload:
    """The workload as its file says."""
    return parse_workload(tomllib.loads(path.read_text("utf-8")), path.name)


def choose_releases(workload: Workload, wanted: str) -> tuple[Release, ...]:
    """The releases named in WANTED ("A,B"; empty: all), in that order, the first one the base."""
    if not wanted:
        return workload.releases
    by_name = {r.name.upper(): r for r in workload.releases}
    names = [n.strip().upper() for n in wanted.split(",") if n.strip()]
    for name in names:
        if name not in by_name:
            raise UsageError(f"There is no release {name}; there are {', '.join(by_name)}.")
    if not names or len(set(names)) != len(names):
        raise UsageError(f"--releases {wanted}: name each release once, for example 213,221.")
    return tuple(by_name[n] for n in names)


def choose_cases(workload: Workload, wanted: Sequence[str]) -> tuple[Case, ...]:
    """The cases that WANTED names: an id, its beginning (G2M: both modes), or a published run id.

    None wanted: all of them.
    """
    if not wanted:
        return workload.case
    chosen: list[Case] = []
    for name in wanted:
        key = name.upper()
        found = [c for c in workload.case if c.id.startswith(key) or key in c.published]
        if not found or not key:
            known = ", ".join(c.id for c in workload.case)
            raise UsageError(f"There is no case {name}; there are {known}.")
        chosen += [c for c in found if c not in chosen]
    return tuple(c for c in workload.case if c in chosen)


def plan(
    workload: Workload,
    style: Style,
    cases: Sequence[Case],
    releases: Sequence[Release],
    trials: int,
    builds: int = 1,
) -> list[Planned]:
    """Every trial in the order in which it is run: round by round, each case under one release
    and then under the next, so that what changes on the host meets all releases alike. A round is
    in one build, the next in the next one: TRIALS rounds in each of BUILDS.
    """
    if trials < 1:
        raise UsageError(f"--trials {trials}: at least one trial is needed.")
    made: list[Planned] = []
    for pair in range(1, trials * builds + 1):
        for case in cases:
            for release in releases:
                size = workload.size[case.size]
                made.append(
                    Planned(
                        id=f"{case.id}{release.name}-{pair}",
                        case=case,
                        release=release,
                        pair=pair,
                        seq=len(made) + 1,
                        files=size.full if style == "full" else case.quick or size.quick,
                        build=(pair - 1) % builds + 1,
                    )
                )
    return made
