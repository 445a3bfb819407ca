# SPDX-License-Identifier: MIT
"""The content of dxu.toml, and the list of trials that the command's options mean. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, field_validator, model_validator

from vmkb.errors import UsageError
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Release, Strict, Style
from vmkb.workloads.base.workload import Planned as Turn

Kind = Literal["ftp", "rx", "afs", "hang"]
SENDERS_MAX = 2
"""Users of one guest that send at the same time."""


class Count(Strict):
    """A number for --quick and one for --full; 0 trials: the case is not in it."""

    quick: int = Field(ge=0)
    full: int = Field(ge=0)


class System(Strict):
    """A guest, and the profile of its link if it is not the run's."""

    name: str = Field(pattern=r"^[a-z]{1,8}$")
    address: str
    wire: str = ""


class Workstation(System):
    """An endpoint of the wire that fetches files. `alone`: its bus is its own."""

    wire: str
    mtu: int = Field(ge=576, le=32767)
    alone: bool = False


class Case(base.Case):
    """A line of a table. `pairs`: who sends to whom, all at once; or `clients`, who fetch from
    `server` all at once. `bytes` of a file or a call, `files` of them in a trial; `row` is what the
    published table calls it."""

    id: str = Field(pattern=r"^[A-Z0-9.]{2,12}$")
    table: int = Field(ge=1, le=5)
    kind: Kind
    pairs: tuple[tuple[str, str], ...] = Field(default=(), max_length=SENDERS_MAX)
    server: str = ""
    clients: tuple[str, ...] = ()
    bytes: int = Field(ge=1)
    files: Count = Count(quick=1, full=1)
    monitored: Count = Count(quick=0, full=0)
    """Trials with the monitor, beside the others."""
    held: int = Field(default=0, ge=0)
    """Of a hang case: packets of a write that the server has buffers for, by the old rule."""
    limit_s: int = Field(default=5, ge=1)
    """Seconds after which a hang is ended."""
    wire: str = ""
    """The profile of the guests' links, if it is not the run's."""
    load: bool = False
    """Whether another machine of the server's guest wants its processor, too."""
    disk: bool = False
    """Whether the server reads the file from its disk; else from CP's cache."""
    mtu: int = Field(default=0, ge=0, le=32767)
    releases: Literal["all", "first"] = "first"
    trials: Count | None = None
    row: str = ""

    @property
    def loopback(self) -> bool:
        """Whether each sends to itself."""
        return bool(self.pairs) and all(source == target for source, target in self.pairs)

    @property
    def guests(self) -> tuple[str, ...]:
        """The guests that take part, in the order of the pairs."""
        if self.kind == "afs":
            return (self.server,)
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair))


class Definition(base.Definition):
    """dxu.toml."""

    warm: Count
    rx_window: int = Field(ge=1, le=64)
    """Packets that a workstation lets the file server have under way."""
    load_percent: int = Field(ge=1, le=90)
    """Part of the time in which that machine works."""
    system: tuple[System, ...] = Field(min_length=2)
    workstation: tuple[Workstation, ...] = ()
    case: tuple[Case, ...] = Field(min_length=1)

    @field_validator("case")
    @classmethod
    def _sends_to_another(cls, cases: tuple[Case, ...]) -> tuple[Case, ...]:
        for case in cases:
            if len(set(case.pairs)) != len(case.pairs):
                raise ValueError(f"case {case.id}: each pair is there once")
        return cases

    @model_validator(mode="after")
    def _systems_are_there(self) -> Definition:
        for case in self.case:
            missing = set(case.guests) - {s.name for s in self.system}
            if missing:
                raise ValueError(f"case {case.id} names {', '.join(missing)}, which is no system")
            strangers = set(case.clients) - {w.name for w in self.workstation}
            if strangers or bool(case.clients) != (case.kind == "afs") or not case.guests[0]:
                raise ValueError(
                    f"case {case.id}: an afs case has a server and clients, which are workstations,"
                    " others have pairs"
                )
        return self

    def called(self, name: str) -> System:
        """The system NAME."""
        return next(s for s in self.system if s.name == name)


class Planned(Turn):
    """One trial that is to be run: each sender sends `files` files, or makes so many calls.
    `monitored`: with RTMSF, whose work is in no other trial. `beside`: of a guest that is none of
    the systems, and by itself."""

    case: Case
    files: int = 1
    mtu: int
    monitored: bool = False
    beside: bool = False


def plan(
    definition: Definition,
    style: Style,
    cases: Sequence[Case],
    releases: Sequence[Release],
    trials: int,
    beside: Sequence[Release] = (),
) -> list[Planned]:
    """Every trial: the MTUs one after the other, since an MTU is of an IPL; in each MTU round by
    round over the cases, and those of all releases from one release to the next; then the fetches
    once more with the monitor; at last loopback in guests BESIDE. TRIALS: of each; where that is
    the definition's own number, a case may have another."""
    if trials < 1:
        raise UsageError(f"--trials {trials}: at least one trial is needed.")
    made: list[Planned] = []
    usual = getattr(definition.trials, style)

    def wanted(case: Case) -> int:
        own: int = getattr(case.trials, style) if case.trials else usual
        if not own:
            return 0
        return own if trials == usual else trials

    def add(
        case: Case, release: Release, pair: int, monitored: bool = False, beside: bool = False
    ) -> None:
        made.append(
            Planned(
                id=f"{case.id}-{release.name}-{'M' if monitored else ''}{pair}", case=case,
                release=release, pair=pair, seq=len(made) + 1, files=getattr(case.files, style),
                mtu=case.mtu or definition.mtu, monitored=monitored, beside=beside,
            )
        )  # fmt: skip

    for mtu in sorted({c.mtu or definition.mtu for c in cases}):
        mine = [c for c in cases if (c.mtu or definition.mtu) == mtu and wanted(c)]
        for pair in range(1, max(map(wanted, mine), default=0) + 1):
            for case in mine:
                for release in releases if case.releases == "all" else releases[:1]:
                    if pair <= wanted(case):
                        add(case, release, pair)
        for case in mine:
            for pair in range(1, getattr(case.monitored, style) + 1):
                add(case, releases[0], pair, monitored=True)
    loops = [c for c in cases if c.loopback]
    if beside and not loops:
        raise UsageError(
            "Guests beside the first have loopback alone: name its case too, or no guest beside."
        )
    for pair in range(1, max(map(wanted, loops), default=0) + 1 if beside else 1):
        for case in loops:
            for release in beside:
                add(case, release, pair, beside=True)
    if not made:
        raise UsageError(f"A {style} run has none of these cases; --full has them.")
    return made
