# SPDX-License-Identifier: MIT
"""From the trials in a run's folder to its tables and its answer, whatever workload they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from accounting.costs import TrialCost
from accounting.report.answer import answer
from accounting.report.build import Options, Parting, build, failed, untrusted, with_published
from accounting.store import Trial, read
from accounting.tables.table import Table, TableError
from hercules.deadline import EmulatorError
from hercules.wire.profile import ProfileError
from workloads.base.found import of
from workloads.base.workload import Workload
from workloads.errors import UsageError
from workloads.profile_report import profile_tables, profiles


@dataclass(frozen=True)
class Report:
    """Tables of a run, the costs behind them, and why it is not to be trusted (nothing: it is)."""

    tables: tuple[Table, ...]
    costs: tuple[TrialCost, ...]
    doubts: tuple[str, ...]
    notes: tuple[str, ...]
    sentence: str = ""
    profile: tuple[Table, ...] = ()
    """Those of the tables that tell where the instructions go."""


def make_report(workload: Workload[Any, Any], folder: Path, planned: int, model: str) -> Report:
    """Every table that the finished trials of FOLDER give. PLANNED: how many trials there should
    be. Raises what accounting.report.build.build does."""
    found = read(folder)
    trials = found.trials
    made, costs = build(workload.comparable(trials), Options(model=model), workload.parted)
    tables = with_published(made, costs, workload.definition.published_table)
    tables = list(workload.tables(trials, tables, model))
    profile: list[Table] = []
    unprofiled = []
    try:
        profile = profile_tables(folder, profiles(folder, costs))
    except (UsageError, EmulatorError) as error:
        unprofiled = [f"no table tells where the instructions go: {error}"]
    doubts = [
        *untrusted(trials),
        *failed(found.unfinished),
        *(d for t in [*tables, *profile] for d in t.doubts),
    ]
    missing = planned - len({(t.run, t.seq) for t in trials})
    if missing > 0:
        doubts.append(f"{missing} of {planned} trials have no result; --resume runs them")
    return Report(
        (*tables, *profile), tuple(costs), tuple(dict.fromkeys([*doubts, *unprofiled])),
        found.notes, workload.sentence(trials, costs, "", model), tuple(profile),
    )  # fmt: skip


def comparable(trials: Sequence[Trial]) -> list[Trial]:
    """Those of TRIALS, of any workloads, that stand in a table of CPU per KB, or what their
    workload makes of them for it; one workload's after another's."""
    kept: list[Trial] = []
    for ran in dict.fromkeys(t.meta.get("workload", "") for t in trials):
        mine = [t for t in trials if t.meta.get("workload", "") == ran]
        known = of(mine)
        if known is not None:
            with _stored(known):
                mine = list(known.comparable(mine))
        kept += mine
    return kept


def workload_tables(trials: Sequence[Trial], made: Sequence[Table], model: str) -> list[Table]:
    """The tables that a run of TRIALS prints, where they are all of one workload; else MADE."""
    ran = of(trials)
    if ran is None:
        return list(made)
    with _stored(ran):
        return list(ran.tables(trials, made, model or trials[0].meta.get("model", "")))


def compared_tables(
    trials: Sequence[Trial],
    made: Sequence[Table],
    model: str,
    base: str,
    target: float,
    judge: bool,
) -> list[Table]:
    """The tables in which releases of TRIALS stand beside BASE: MADE, or what their workload makes
    of them. TARGET, JUDGE: as for release_tables."""
    ran = of(trials)
    if ran is None:
        return list(made)
    with _stored(ran):
        named = model or trials[0].meta.get("model", "")
        return list(ran.compared(trials, made, named, base, target, judge))


@contextmanager
def _stored(ran: Workload[Any, Any]) -> Iterator[None]:
    """A file that says too little, or nonsense, is told in a sentence. TableError."""
    whose = f"this file is not what a run of {ran.definition.name} writes"
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


def parting(trials: Sequence[Trial]) -> Parting | None:
    """What their workload makes of the costs of TRIALS; None if they are not all of one."""
    ran = of(trials)
    return ran.parted if ran else None


def published_table(trials: Sequence[Trial]) -> str:
    """The name of the published table that stands beside TRIALS, or nothing."""
    ran = of(trials)
    return ran.definition.published_table if ran else ""


def sentence_of(trials: Sequence[Trial], costs: Sequence[TrialCost], base: str, model: str) -> str:
    """The answer about TRIALS, of which COSTS are those of the comparable ones."""
    ran = of(trials)
    if ran is None:
        return answer(costs, base, {})
    with _stored(ran):
        return ran.sentence(trials, costs, base, model or trials[0].meta.get("model", ""))
