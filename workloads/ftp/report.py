# SPDX-License-Identifier: MIT
"""From a run's folder to its tables, in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from accounting.costs import TrialCost
from accounting.report.answer import answer
from accounting.report.build import Options, build, with_published, write_all
from accounting.store import Trial, read
from accounting.tables.table import Table
from hercules.deadline import EmulatorError
from workloads.errors import UsageError
from workloads.ftp.tables import close_sentences, sanity_table, wire_table
from workloads.ftp.witness import witness_table
from workloads.named import published_table, release_titles
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


def make_report(folder: Path, planned: int, model: str) -> Report:
    """Every table that the finished trials of FOLDER give. PLANNED: how many there should be.

    Raises what accounting.report.build.build does.
    """
    found = read(folder)
    tables, costs = build(found.trials, Options(model=model))
    tables = with_published(tables, costs, published_table(found.trials))
    tables = with_closing(tables, found.trials) + own_tables(found.trials)
    profile: list[Table] = []
    unprofiled = ""
    try:
        profile = profile_tables(folder, profiles(folder, costs))
        tables += profile
    except (UsageError, EmulatorError) as error:
        unprofiled = f"no table tells where the instructions go: {error}"
    doubts = [d for t in tables for d in t.doubts]
    missing = planned - len(found.trials)
    if missing > 0:
        doubts.append(f"{missing} of {planned} trials have no result; --resume runs them")
    doubts += [unprofiled] if unprofiled else []
    said = answer(costs, names=release_titles(found.trials))
    return Report(tuple(tables), tuple(costs), tuple(doubts), found.notes, said, tuple(profile))


def with_closing(tables: list[Table], trials: Sequence[Trial]) -> list[Table]:
    """The first table with the line that says whether its rows are all that there was."""
    said, doubts = close_sentences(trials)
    first = tables[0]
    made = replace(first, notes=(*said, *first.notes), doubts=(*first.doubts, *doubts))
    return [made, *tables[1:]]


def own_tables(trials: Sequence[Trial]) -> list[Table]:
    """What only this workload's trials have: the host's clock, the wire's counts, the books."""
    made = (witness_table(trials), wire_table(trials), sanity_table(trials))
    return [t for t in made if t is not None]


def write_report(report: Report, folder: Path, title: str) -> Sequence[Path]:
    """The report's files in FOLDER: text, Markdown, CSV, JSON, LaTeX, HTML, benchfmt, Parquet."""
    return write_all(report.tables, report.costs, folder, title, report.sentence)
