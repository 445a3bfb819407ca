# SPDX-License-Identifier: MIT
"""The content of cms.toml, and which script a user plays when. Pure but for reading the scripts."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import Field

from vmkb import given
from vmkb.hercules.tn3270.script import Step, parse_seated
from vmkb.workloads.base import definition as base
from vmkb.workloads.base.definition import Amount, Strict
from vmkb.workloads.base.workload import Planned as Turn

_FOLDER = Path(__file__).parent / "scripts"


class Script(Strict):
    """A script of ours, IBM's script that it comes `after`, and in how many of 100 it is drawn."""

    name: str = Field(pattern=r"^[A-Z][A-Z0-9]{2,7}$")
    after: str
    weight: int = Field(ge=1, le=100)


class Definition(base.Definition):
    """cms.toml."""

    users: Amount
    warm_s: Amount
    measured_s: Amount
    think_s: float = Field(gt=0, le=3600)
    files: int = Field(ge=100, le=900)
    shared_files: int = Field(ge=1, le=900)
    script: tuple[Script, ...] = Field(min_length=1)


class Planned(Turn):
    """One trial: so many `users`, seconds before it is measured, and of that."""

    users: int
    warm_s: int
    measured_s: int


def user(n: int) -> str:
    """User number N, from 1; the name is the password."""
    return f"U{n:03d}"


@cache
def steps(name: str) -> tuple[Step, ...]:
    """The script NAME."""
    path = _FOLDER / f"{name.lower()}.script"
    return parse_seated(given.text(path), path.name)


def deal(scripts: Sequence[Script], seed: int) -> Iterator[str]:
    """The scripts that users take in turn, for ever. Of any number of them each script is as many
    as its weight says, to one more or less: seeds differ in the order and hardly in the mix."""
    draws = random.Random(f"{seed}/scripts")
    whole = sum(s.weight for s in scripts)
    credit = {s.name: draws.uniform(0, whole) for s in scripts}
    while True:
        for script in scripts:
            credit[script.name] += script.weight
        chosen = max(scripts, key=lambda s: credit[s.name])
        credit[chosen.name] -= whole
        yield chosen.name


def shares(scripts: Sequence[Script]) -> Mapping[str, float]:
    """Per cent of all scripts that each is."""
    whole = sum(s.weight for s in scripts)
    return {s.name: 100 * s.weight / whole for s in scripts}
