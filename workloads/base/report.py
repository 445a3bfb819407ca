# SPDX-License-Identifier: MIT
"""From the trials in a run's folder to what is printed of them, whatever workload they are of."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from vmkb.accounting.analysis.analyse import Analysis, Options, analyse
from vmkb.accounting.analysis.specification import Specification
from vmkb.accounting.profile.tables import apart_from_counts
from vmkb.accounting.stats import WIDTH_TARGET
from vmkb.accounting.store import Trial, read
from vmkb.accounting.tables.table import Table, TableError
from vmkb.errors import UsageError
from vmkb.hercules.deadline import EmulatorError
from vmkb.hercules.wire.profile import ProfileError
from vmkb.workloads.base.found import of
from vmkb.workloads.base.workload import Workload

SPECIFIED = {"measure": "vmkb.workloads.measuring.report"}
"""Modules with the specification of trials that are of no workload with a file."""


def specification_of(trials: Sequence[Trial]) -> Specification:
    """The specification of the workload of TRIALS; of several workloads, which of theirs stand in a
    table of CPU."""
    kinds = dict.fromkeys(t.meta.get("workload", "") for t in trials)
    if len(kinds) == 1 and (module := SPECIFIED.get(next(iter(kinds)))):
        made: Specification = importlib.import_module(module).specification()
        return made
    if (ran := of(trials)) is not None:
        spec = ran.specification()
        return replace(spec, releases={**spec.releases, **_own_titles(trials)})

    def select(found: Sequence[Trial]) -> list[Trial]:
        kept: list[Trial] = []
        for kind in kinds:
            mine = [t for t in found if t.meta.get("workload", "") == kind]
            known = of(mine)
            kept += known.specification().select(mine) if known is not None else mine
        return kept

    return Specification(select=select)


def _own_titles(trials: Sequence[Trial]) -> dict[str, str]:
    """The names of releases of the user's own, as their runs recorded them."""
    titles = {}
    for trial in trials:
        about = trial.meta.get(f"release_{trial.release}", "")
        if about:
            titles[trial.release] = f"{about.partition(' from ')[0]} ({trial.release})"
    return titles


def analysed(
    trials: Sequence[Trial], options: Options | None = None, unfinished: Sequence[Trial] = ()
) -> Analysis:
    """The analysis of TRIALS, by the specification of their workload (accounting.analysis.analyse).
    A file that says too little, or nonsense, is told in a sentence: TableError."""
    spec = specification_of(trials)
    with _stored(spec.name):
        return analyse(trials, spec, options, unfinished)


def of_run(
    workload: Workload[Any, Any],
    folder: Path,
    planned: int,
    model: str,
    target: float = WIDTH_TARGET,
) -> tuple[Analysis, tuple[Table, ...]]:
    """The analysis of the trials of FOLDER; and those of its tables that tell where the
    instructions go. PLANNED: how many trials there should be; TARGET as in Options."""
    from vmkb.workloads.base.profile.report import profile_tables, profiles

    found = read(folder)
    trials, asked = found.trials, Options(model=model, target=target)
    made = analyse(trials, workload.specification(), asked, found.unfinished)
    profile: tuple[Table, ...] = ()
    doubts = list(made.doubts)
    try:
        seen = profiles(folder, made.costs)
        profile = tuple(profile_tables(folder, seen))
        doubts += apart_from_counts(seen)
    except (UsageError, EmulatorError) as error:
        doubts.append(f"no table tells where the instructions go: {error}")
    missing = planned - len({(t.run, t.seq) for t in trials})
    if missing > 0:
        doubts.append(f"{missing} of {planned} trials have no result; --resume runs them")
    whole = replace(
        made, tables=(*made.tables, *profile), doubts=tuple(dict.fromkeys(doubts)),
        notes=(*found.notes, *made.notes),
    )  # fmt: skip
    return whole, profile


@contextmanager
def _stored(name: str) -> Iterator[None]:
    """A file that says too little, or nonsense, is told in a sentence. TableError."""
    whose = f"this file is not what a run of {name or 'this workload'} writes"
    try:
        yield
    except KeyError as error:
        raise TableError(f"{whose}: it does not say {error.args[0]!r}") from error
    except ProfileError as error:
        raise TableError(f"{whose}: {error}") from error
    except ValueError as error:
        if type(error) not in (ValueError, JSONDecodeError):
            raise  # a sentence already
        raise TableError(f"{whose}: {error}") from error
