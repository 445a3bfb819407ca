# SPDX-License-Identifier: MIT
"""From a seed to a world's plan: the files that move, and what goes wrong at what virtual time.
Pure."""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass

SIZES = (1, 79, 4096, 5_000, 20_000, 40_000, 61_440)
"""Bytes of the source files, which both guests have."""
TARGETS = 3
"""Names at the server, and as many at the client: files are replaced, too."""
FULL_BLOCKS = 8
"""Blocks of 4 KB that a full minidisk has left: the small files fit, the large do not."""
HOSTS = ("server", "client")
MACHINES = ("TCPIP", "FTPSERVE", "VMUSER1")
RESET, HANGS_UP = "reset", "hangs up"
"""How a terminal vanishes."""
MTU = {"ethernet-10": 1500, "token-ring-16": 4000, "fast": 9000}
PATIENT = 0.2
"""Part of the worlds that are patient."""
LAST_FAULT = 0.6
"""The square root of the seconds from the client's start in which faults begin: a world without any
takes 0.3 s."""


class Verb(enum.StrEnum):
    """What the client asks for."""

    PUT = "PUT"
    GET = "GET"
    DELETE = "DELETE"


@dataclass(frozen=True)
class Move:
    """One file there or back, or one that goes. `source` is an index of SIZES."""

    verb: Verb
    ascii: bool
    source: int
    target: int


class Kind(enum.StrEnum):
    """What goes wrong."""

    LINE = "line"
    CUT = "cut"
    FORCE = "force"
    KILL = "kill"
    TERMINAL = "terminal"
    RIVAL = "rival"


@dataclass(frozen=True)
class Fault:
    """What happens to `host`, `at` seconds from the client's start.

    Its line gets `changes` of a wire profile, its link is cut for `lasts` seconds, its `machine` is
    forced, or its emulator is killed. What was forced or killed comes again after `lasts` seconds,
    or not at all (0). A terminal logs on, gives a command and vanishes after `lasts` seconds, as
    `machine` says. A rival is the owner of the server's minidisk, who writes there, too.
    """

    at: float
    kind: Kind
    host: str
    machine: str = ""
    lasts: float = 0.0
    changes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Plan:
    """One world. `full` is the host whose minidisk is nearly full; `exits` whether the client ends
    at its first failure, `patient` whether what TCPIP holds is looked at when all is long over."""

    seed: int
    level: str
    wire: str
    mtu: int
    full: str
    exits: bool
    patient: bool
    sessions: tuple[tuple[Move, ...], ...]
    faults: tuple[Fault, ...]


def draw(seed: int) -> Plan:
    """The plan of a seed: always the same."""
    rng = random.Random(f"{seed}/worlds")
    sessions = tuple(
        tuple(_move(rng) for _ in range(rng.randint(1, 5))) for _ in range(rng.randint(1, 3))
    )
    faults = sorted((_fault(rng) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))), key=_when)
    wire = rng.choice(tuple(MTU))
    return Plan(
        seed,
        rng.choice(("213", "221")),
        wire,
        rng.choice((MTU[wire], 576)),
        rng.choice(("", "", "", "", *HOSTS)),
        rng.random() < 0.5,
        rng.random() < PATIENT,
        sessions,
        tuple(faults),
    )


def _when(fault: Fault) -> float:
    return fault.at


def _move(rng: random.Random) -> Move:
    verb = rng.choice((Verb.PUT, Verb.PUT, Verb.PUT, Verb.GET, Verb.GET, Verb.DELETE))
    return Move(verb, rng.random() < 0.3, rng.randrange(len(SIZES)), rng.randrange(TARGETS))


def _fault(rng: random.Random) -> Fault:
    kind = rng.choice(
        (Kind.LINE, Kind.LINE, Kind.CUT, Kind.FORCE, Kind.FORCE, Kind.KILL, Kind.KILL, *Kind)
    )
    host, at = rng.choice(HOSTS), round(rng.uniform(0, LAST_FAULT) ** 2, 6)
    if kind is Kind.LINE:
        return Fault(at, kind, host, changes=_changes(rng))
    if kind is Kind.CUT:
        return Fault(at, kind, host, lasts=round(10 ** rng.uniform(-3, 1), 6))
    if kind is Kind.RIVAL:
        return Fault(at, kind, "server")
    if kind is Kind.TERMINAL:
        lasts = round(10 ** rng.uniform(-4, -0.5), 6)
        return Fault(at, kind, host, rng.choice((RESET, HANGS_UP)), lasts)
    lasts = rng.choice((0.0, round(10 ** rng.uniform(-2, 0.5), 6)))
    if kind is Kind.KILL:
        return Fault(at, kind, host, lasts=lasts)
    machine = rng.choice(MACHINES if host == "client" else MACHINES[:2])
    return Fault(at, kind, host, machine, lasts)


def _changes(rng: random.Random) -> tuple[tuple[str, float], ...]:
    """Damaged frames arrive seldom: TCP's sum does not see one in 32 of those with two wrong bits,
    and what is lost then is no fault of the guests."""
    name = rng.choice(("loss", "duplication", "reordering", "bit_errors", "damage"))
    if name == "damage":
        return (("bit_errors", rng.choice((1e-8, 1e-7))), ("check_sequence", False))
    if name == "bit_errors":
        return (("bit_errors", 10 ** rng.uniform(-7, -5)), ("check_sequence", True))
    return ((name, rng.choice((0.01, 0.05, 0.2, 0.5))),)
