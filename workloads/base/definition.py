# SPDX-License-Identifier: MIT
"""The content of a workload's TOML file: the part that all have, and how releases and cases are
named and chosen. Pure but for reading the file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vmkb import given
from vmkb.errors import UsageError

Style = Literal["quick", "full"]


class Strict(BaseModel):
    """A misspelt key is an error, a value never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Release(Strict):
    """A thing that is compared, such as a level of the TCP/IP stack; `parameter` chooses it at
    IPL."""

    name: str = Field(pattern=r"^[0-9A-Z][0-9A-Za-z.]{0,7}$")
    title: str
    parameter: str


class Case(Strict):
    """One thing that is measured. `published` are the run ids under which somebody printed it."""

    id: str = Field(min_length=1)
    title: str = ""
    published: tuple[str, ...] = ()


class Amount(Strict):
    """A number for --quick and one for --full."""

    quick: int = Field(ge=1)
    full: int = Field(ge=1)


class Part(Strict):
    """A machine whose CPU is asked for, and what the table calls it."""

    user: str
    label: str


class Found(Strict):
    """luck.toml: standard deviation of the ratio of two releases between builds, in percent, by
    case and row; measured over so many BUILDS, made with so many sets of the compiler's OPTIONS
    (workloads.sweeping.luck)."""

    builds: int = Field(ge=3)
    options: int = Field(default=1, ge=1)
    measured: str
    deviation_percent: dict[str, dict[str, float]]


class Definition(Strict):
    """NAME.toml, as far as all workloads have it.

    `trials` are of each case and release (and build), as nothing but the seed makes trials differ a
    few. `builds` are of each release, if the workload
    can be measured over several. Without --releases all are run, or `usual_releases`.
    """

    name: str
    question: str = Field(min_length=1)
    check: bool = False
    """Whether it is what `vmkb check` measures."""
    releases: tuple[Release, ...] = Field(min_length=1)
    usual_releases: tuple[str, ...] = ()
    model: str
    wire: str
    mtu: int = Field(ge=68, le=32767)
    published_table: str = ""
    trials: Amount
    builds: Amount | None = None
    part: tuple[Part, ...] = ()
    case: tuple[Case, ...] = Field(min_length=1)


Defined = TypeVar("Defined", bound=Strict)
Chosen = TypeVar("Chosen", bound=Case)


def parse(kind: type[Defined], values: Mapping[str, Any], where: str) -> Defined:
    """A definition from the values of its file; UsageError names file WHERE and key."""
    try:
        made = kind.model_validate(values)
    except ValidationError as error:
        lines = []
        for item in error.errors(include_url=False, include_context=False):
            keys = ".".join(map(str, item["loc"]))
            said = item["msg"].removeprefix("Value error, ")
            lines.append(f"{where}: {keys}: {said}." if keys else f"{where}: {said}.")
        raise UsageError("\n".join(lines)) from None
    if isinstance(made, Definition) and len({c.id for c in made.case}) != len(made.case):
        raise UsageError(f"{where}: case: each id is there once.")
    return made


def load(kind: type[Defined], path: Path) -> Defined:
    """The definition in the file PATH; UsageError for what is wrong in it."""
    try:
        values = tomllib.loads(given.text(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}.") from None
    return parse(kind, values, path.name)


def choose_releases(definition: Definition, wanted: str) -> tuple[Release, ...]:
    """The releases named in WANTED ("A,B"), in that order, the first one the base; empty: the
    usual ones. UsageError for one that there is not, or that is named twice."""
    by_name = {r.name.upper(): r for r in definition.releases}
    if not wanted:
        return tuple(by_name[n] for n in definition.usual_releases or by_name)
    names = [n.strip() for n in wanted.split(",") if n.strip()]
    for name in names:
        if "=" in name:
            raise UsageError(
                f"--releases {wanted}: a release is one of {', '.join(by_name)}; a file of your own"
                " cannot be given."
            )
        if name.upper() not in by_name:
            raise UsageError(f"There is no release {name}; there are {', '.join(by_name)}.")
    if not names or len({n.upper() for n in names}) != len(names):
        raise UsageError(
            f"--releases {wanted}: name each release once, for example {','.join(by_name)}."
        )
    return tuple(by_name[n.upper()] for n in names)


def choose_cases(cases: Sequence[Chosen], wanted: Sequence[str]) -> tuple[Chosen, ...]:
    """The CASES that WANTED names, in their own order: an id, its beginning (`_` may stand for a
    blank), or a published run id. None wanted: all of them."""
    chosen: list[Chosen] = []
    for name in wanted:
        key = name.upper()
        heads = (key, key.replace("_", " "))
        found = [c for c in cases if c.id.startswith(heads) or key in c.published]
        if not found or not key:
            known = ", ".join(c.id for c in cases)
            raise UsageError(f"There is no case {name}; there are {known}.")
        chosen += found
    return tuple(c for c in cases if c in chosen) if wanted else tuple(cases)
