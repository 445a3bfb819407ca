# SPDX-License-Identifier: MIT
"""The plan: terminal.toml and the options to a list of trials. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from vmkb.errors import UsageError
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Release, Strict, Style
from vmkb.workloads.base.workload import Planned as Turn

Kind = Literal["type", "monitor", "echo", "idle", "job", "sweep"]
IDLE_MAX = 3
"""Users of a node who are logged on and do nothing, at most."""
LAT_SLOTS = 80
"""Terminals that a node serves over LAT (docs/reference/lat.md)."""


KEYS_MAX = 72
"""Characters of one typed line, which is not sent before it is measured."""


class Amount(Strict):
    """How much is measured. Documents TYPEd in each trial with one terminal, seconds of the
    monitor's intervals in one more trial, numbers of terminals of the sweep, documents of those,
    keys of the echo trial, and seconds of one in which nobody does anything."""

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


class Chain(base.Case):
    """A way from a terminal to the far node: where its session begins, and how it goes on; what
    the report calls it, what else the nodes' IPL is told, how many users of each node are idle,
    what other systems send on the LAN, and whether it is measured beside a CPU-bound job, too."""

    id: Literal["TELNET", "TELNET CMU", "SET HOST", "LAT"]
    enter: str
    command: str
    printed: str
    system: str = ""
    idle: tuple[tuple[str, int], ...] = ()
    others_kb_s: float = Field(default=0, ge=0, le=1000)
    job: bool = False


class Definition(base.Definition):
    """terminal.toml; a case is a path."""

    mtu: int = Field(ge=576, le=1500)
    characters_per_second: int = Field(ge=1)
    ports_per_server: int = Field(ge=1, le=32)
    terminals_max: int = Field(ge=1, le=LAT_SLOTS)
    documents: tuple[int, ...] = Field(min_length=1, max_length=99)
    quick: Amount
    full: Amount
    node: tuple[Node, Node]
    case: tuple[Chain, ...] = Field(min_length=1)

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

    @model_validator(mode="after")
    def _amounts_and_paths_fit(self) -> Definition:
        for amount in (self.quick, self.full):
            if max(amount.documents, amount.sweep_documents) > len(self.documents):
                raise ValueError(f"there are only {len(self.documents)} documents to TYPE")
            if (
                max(amount.sweep, default=1) > self.terminals_max
                or min(amount.sweep, default=1) < 1
            ):
                raise ValueError(f"sweep goes from 1 to {self.terminals_max} terminals")
        for path in self.case:
            if not all(0 <= n <= IDLE_MAX for _, n in path.idle):
                raise ValueError(f"path {path.id}: a node has at most {IDLE_MAX} idle users")
            if path.enter not in [n.name for n in self.node]:
                raise ValueError(f"path {path.id} begins at {path.enter}, which is no node")
            goes_on = path.enter == self.near.name
            if goes_on != bool(path.command) or goes_on == (path.id == "LAT"):
                raise ValueError(
                    f"path {path.id}: LAT begins at {self.far.name} and needs no command, the"
                    f" others begin at {self.near.name} and need one"
                )
        return self


class Planned(Turn):
    """One trial that is to be run: `terminals` sessions over a path TYPE `documents`, or one types
    `keys` characters, or nobody does anything for `idle_seconds`."""

    kind: Kind
    case: Chain
    terminals: int
    documents: int = 0
    keys: int = 0
    idle_seconds: int = 0

    @property
    def like(self) -> str:
        """Trials of which this is the same take about equally long."""
        return f"{self.kind}{self.documents}"


def plan(
    definition: Definition,
    style: Style,
    paths: Sequence[Chain],
    releases: Sequence[Release],
    trials: int,
) -> list[Planned]:
    """Every trial in the order in which it is run. For each release: the paths in turn with one
    terminal, `trials` rounds; once more with the monitor, whose own work is in no other trial; the
    echo of each; beside a job, where a path says so; nothing at all, for what the nodes do of
    themselves; then each path by itself with more and more terminals, so that there are never more
    sessions than one path needs.
    """
    if trials < 1:
        raise UsageError(f"--trials {trials}: at least one trial is needed.")
    amount = definition.amount(style)
    made: list[Planned] = []

    once: tuple[Kind, ...] = ("monitor", "echo")

    def add(kind: Kind, path: Chain, release: Release, terminals: int, pair: int) -> None:
        mark = f"S{terminals:02d}-" if kind == "sweep" else kind[0].upper()
        made.append(
            Planned(
                id=f"{path.id.replace(' ', '')}{release.name}-{mark}{pair}",
                kind=kind, case=path, release=release, terminals=terminals, pair=pair,
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
        for path in paths:
            if path.job:
                add("job", path, release, 1, 1)
        add("idle", paths[0], release, 1, 1)
        for path in paths:
            for terminals in amount.sweep:
                add("sweep", path, release, terminals, 1)
    return made
