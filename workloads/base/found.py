# SPDX-License-Identifier: MIT
"""The workloads that there are: each folder NAME beside this one with a NAME.toml in it.

Looking for them imports none of them; `workload` imports the one that is named. Its package has a
class called `Workload` (workloads.base.workload), which is made from that file.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from vmkb import given
from vmkb.errors import UsageError

if TYPE_CHECKING:
    from vmkb.workloads.base.workload import Workload


class Described(Protocol):
    """Something that says on what it was run."""

    @property
    def meta(self) -> Mapping[str, str]: ...


FOLDER = Path(__file__).resolve().parent.parent


def names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of all workloads, in alphabetical order."""
    found = (path.parent for path in folder.glob("*/*.toml") if path.stem == path.parent.name)
    return tuple(sorted(path.name for path in found))


def read(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """The file of a workload as data, unchecked; UsageError if it cannot be read."""
    path = folder / name / f"{name}.toml"
    try:
        return tomllib.loads(given.text(path))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}.") from None


def question(name: str, folder: Path = FOLDER) -> str:
    """The question of a workload, in one sentence, or what is wrong with its file."""
    try:
        return str(read(name, folder).get("question", ""))
    except UsageError as error:
        return str(error)


def default_check() -> str:
    """The workload that `vmkb check` measures unless it is told another: the one whose file says
    `check = true`."""
    return next(name for name in names() if read(name).get("check"))


def workload(name: str) -> Workload[Any, Any]:
    """The workload NAME; UsageError, with those that there are, if there is none."""
    if name not in names():
        raise UsageError(f"There is no workload {name}; there are {', '.join(names())}.")
    made: Workload[Any, Any] = importlib.import_module(f"vmkb.workloads.{name}").Workload()
    return made


def of(trials: Iterable[Described]) -> Workload[Any, Any] | None:
    """The one workload that TRIALS, or runs, are of; None if they are of none that is here, or of
    several."""
    ran = {t.meta.get("workload", "") for t in trials}
    return workload(ran.pop()) if len(ran) == 1 and ran <= set(names()) else None
