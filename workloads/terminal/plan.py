# SPDX-License-Identifier: MIT
"""What is run and in which order: terminal.toml and the options to a list of trials. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workloads.errors import UsageError

FILE = Path(__file__).resolve().parent.parent / "terminal.toml"
Style = Literal["quick", "full"]
Kind = Literal["type", "monitor", "echo", "idle", "sweep"]
LAT_SLOTS = 80
"""Terminals that a node serves over LAT (docs/lat.md)."""


KEYS_MAX = 72
"""Characters of one typed line, which is not sent before it is measured."""


class Strict(BaseModel):
    """A misspelt key is an error, a value never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Release(Strict):
    """A level of the TCP/IP stack; `parameter` chooses it at IPL."""

    name: str = Field(pattern=r"^[0-9A-Z]{1,3}$")
    title: str
    parameter: str


class Amount(Strict):
    """How much is measured. Trials of each path with one terminal, documents TYPEd in each, seconds
    of the monitor's intervals in one more trial, numbers of terminals of the sweep, documents of
    those, keys of the echo trial, and seconds of one in which nobody does anything."""

    trials: int = Field(ge=1)
    documents: int = Field(ge=1)
    monitor_seconds: int = Field(ge=1)
    sweep: tuple[int, ...]
    sweep_documents: int = Field(ge=1)
    keys: int = Field(ge=1, le=KEYS_MAX)
    idle_seconds: int = Field(ge=1)


class Node(Strict):
    """One system: its name, its Internet address and its DECnet address."""

    name: str = Field(pattern=r"^[A-Z][A-Z0-9]{1,5}$")
    address: str
    decnet: str


class Chain(Strict):
    """A way from a terminal to the far node: where its session begins, and how it goes on."""

    id: Literal["TELNET", "SET HOST", "LAT"]
    enter: str
    command: str


class Workload(Strict):
    """terminal.toml."""

    name: str
    title: str
    releases: tuple[Release, ...] = Field(min_length=1)
    model: str
    wire: str
    published_table: str
    mtu: int = Field(ge=576, le=1500)
    characters_per_second: int = Field(ge=1)
    ports_per_server: int = Field(ge=1, le=32)
    terminals_max: int = Field(ge=1, le=LAT_SLOTS)
    documents: tuple[int, ...] = Field(min_length=1, max_length=99)
    quick: Amount
    full: Amount
    node: tuple[Node, Node]
    path: tuple[Chain, ...] = Field(min_length=1)

    @property
    def near(self) -> Node:
        """Where a user sits who goes to the far node."""
        return self.node[0]

    @property
    def far(self) -> Node:
        """Where the documents are TYPEd."""
        return self.node[1]

    def amount(self, style: Style) -> Amount:
        """How much is measured in this style."""
        return self.full if style == "full" else self.quick


class Planned(Strict):
    """One trial that is to be run: `terminals` sessions over PATH TYPE `documents`, or one types
    `keys` characters, or nobody does anything for `idle_seconds`. `id` stays the same over resumes;
    `pair` counts from 1."""

    id: str
    kind: Kind
    path: Chain
    release: Release
    terminals: int
    pair: int
    seq: int
    documents: int = 0
    keys: int = 0
    idle_seconds: int = 0


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
    for amount in (made.quick, made.full):
        if max(amount.documents, amount.sweep_documents) > len(made.documents):
            raise UsageError(f"{where}: there are only {len(made.documents)} documents to TYPE.")
        if max(amount.sweep, default=1) > made.terminals_max or min(amount.sweep, default=1) < 1:
            raise UsageError(f"{where}: sweep goes from 1 to {made.terminals_max} terminals.")
    names = [n.name for n in made.node]
    for path in made.path:
        if path.enter not in names:
            raise UsageError(f"{where}: path {path.id} begins at {path.enter}, which is no node.")
        goes_on = path.enter == made.near.name
        if goes_on != bool(path.command) or goes_on == (path.id == "LAT"):
            raise UsageError(
                f"{where}: path {path.id}: LAT begins at {made.far.name} and needs no command, the"
                f" others begin at {made.near.name} and need one."
            )
    if len({p.id for p in made.path}) != len(made.path):
        raise UsageError(f"{where}: path: each is named once.")
    return made


def load_workload(path: Path = FILE) -> Workload:
    """The workload as its file says."""
    return parse_workload(tomllib.loads(path.read_text("utf-8")), path.name)


def choose_releases(workload: Workload, wanted: str) -> tuple[Release, ...]:
    """The releases named in WANTED ("A,B"), in that order; empty: the first one only, because a
    release concerns the TELNET path alone."""
    if not wanted:
        return workload.releases[:1]
    by_name = {r.name.upper(): r for r in workload.releases}
    names = [n.strip().upper() for n in wanted.split(",") if n.strip()]
    for name in names:
        if name not in by_name:
            raise UsageError(f"There is no release {name}; there are {', '.join(by_name)}.")
    if not names or len(set(names)) != len(names):
        raise UsageError(f"--releases {wanted}: name each release once, for example 213,221.")
    return tuple(by_name[n] for n in names)


def choose_paths(workload: Workload, wanted: Sequence[str]) -> tuple[Chain, ...]:
    """The paths that WANTED names, by an id or its beginning; none wanted: all of them."""
    chosen: list[Chain] = []
    for name in wanted:
        found = [p for p in workload.path if p.id.startswith(name.upper().replace("_", " "))]
        if not found or not name:
            known = ", ".join(p.id for p in workload.path)
            raise UsageError(f"There is no path {name}; there are {known}.")
        chosen += [p for p in found if p not in chosen]
    return tuple(p for p in workload.path if p in chosen) if wanted else workload.path


def plan(
    workload: Workload,
    style: Style,
    paths: Sequence[Chain],
    releases: Sequence[Release],
    trials: int,
) -> list[Planned]:
    """Every trial in the order in which it is run. For each release: the paths in turn with one
    terminal, `trials` rounds; once more with the monitor, whose own work is in no other trial; the
    echo of each; nothing at all, for what the nodes do of themselves; then each path by itself with
    more and more terminals, so that there are never more sessions than one path needs.
    """
    if trials < 1:
        raise UsageError(f"--trials {trials}: at least one trial is needed.")
    amount = workload.amount(style)
    made: list[Planned] = []

    once: tuple[Kind, ...] = ("monitor", "echo")

    def add(kind: Kind, path: Chain, release: Release, terminals: int, pair: int) -> None:
        mark = f"S{terminals:02d}-" if kind == "sweep" else kind[0].upper()
        made.append(
            Planned(
                id=f"{path.id.replace(' ', '')}{release.name}-{mark}{pair}",
                kind=kind, path=path, release=release, terminals=terminals, pair=pair,
                seq=len(made) + 1,
                documents={"sweep": amount.sweep_documents, "echo": 0, "idle": 0}.get(
                    kind, amount.documents
                ),
                idle_seconds=amount.idle_seconds if kind == "idle" else 0,
                keys=amount.keys if kind == "echo" else 0,
            )
        )  # fmt: skip

    for release in releases:
        for pair in range(1, trials + 1):
            for path in paths:
                add("type", path, release, 1, pair)
        for kind in once:
            for path in paths:
                add(kind, path, release, 1, 1)
        add("idle", paths[0], release, 1, 1)
        for path in paths:
            for terminals in amount.sweep:
                add("sweep", path, release, terminals, 1)
    return made
