# SPDX-License-Identifier: MIT
"""From a run's folder to its tables, in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accounting.costs import TrialCost
from accounting.report.build import Options, build, with_published, write_all
from accounting.store import read
from accounting.tables.table import Table
from workloads.ftp.tables import sanity_table, wire_table


@dataclass(frozen=True)
class Report:
    """Tables of a run, the costs behind them, and why it is not to be trusted (nothing: it is)."""

    tables: tuple[Table, ...]
    costs: tuple[TrialCost, ...]
    doubts: tuple[str, ...]
    notes: tuple[str, ...]


def make_report(folder: Path, planned: int, model: str) -> Report:
    """Every table that the finished trials of FOLDER give. PLANNED: how many there should be.

    Raises what accounting.report.build.build does.
    """
    found = read(folder)
    tables, costs = build(found.trials, Options(model=model, source="QT"))
    tables = with_published(tables, costs)
    own = [wire_table(found.trials), sanity_table(found.trials)]
    tables += [t for t in own if t is not None]
    doubts = [d for t in tables for d in t.doubts]
    missing = planned - len(found.trials)
    if missing > 0:
        doubts.append(f"{missing} of {planned} trials have no result; --resume runs them")
    return Report(tuple(tables), tuple(costs), tuple(doubts), found.notes)


def write_report(report: Report, folder: Path, title: str) -> Sequence[Path]:
    """The report's files in FOLDER: text, Markdown, CSV, JSON, LaTeX, HTML, benchfmt, Parquet."""
    return write_all(report.tables, report.costs, folder, title)


