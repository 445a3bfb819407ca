# SPDX-License-Identifier: MIT
"""The description of a workload for the analysis: names, references and its own tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from vmkb.accounting.compare import Lookup
from vmkb.accounting.costs import TrialCost
from vmkb.accounting.models import Model
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.lines import Lucks
from vmkb.accounting.tables.table import Table

#: Costs of trials, and the machine on which they are, to costs with other parts.
Parting = Callable[[Sequence[TrialCost], Model], list[TrialCost]]


@dataclass(frozen=True)
class Given:
    """The input of a workload's own tables and answer: its TRIALS, the COSTS of those that are
    comparable, the tables of CPU that are MADE of them, the model's name, the base asked for."""

    trials: Sequence[Trial]
    costs: Sequence[TrialCost]
    made: Sequence[Table]
    model: str
    base: str = ""


@dataclass(frozen=True)
class Brief:
    """The table on the first screen below a workload's own answer: these COLUMNS of the table
    called TABLE (none: all that fit); the first table of its own where that is not."""

    table: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Specification:
    """A workload, as far as what is printed of it goes.

    releases, cases: what each is called in words. unit: what a cost is of; `count` is the
    parameter of a trial with the number of them, if it is not the KB. luck: what builds do to a
    ratio, by case and row; built: releases are built by us, so a comparison of one build each of
    which nothing else is known has no interval. named: what the trials themselves call their
    releases. select: trials that stand in a table of CPU; parted: what becomes of counted costs.
    tables: its own tables, which stand before those of CPU (`alone`: instead of them; None: there
    is nothing to show); cells: its figures beside those of published tables, by their names;
    doubts: why not to trust a result. answer: the sentence (None: the costs of releases make it);
    brief: what stands below it.
    """

    name: str = ""
    releases: Mapping[str, str] = field(default_factory=dict)
    cases: Mapping[str, str] = field(default_factory=dict)
    unit: str = "KB"
    count: str = ""
    luck: Lucks = field(default_factory=dict)
    built: bool = False
    named: Callable[[Sequence[Trial]], Mapping[str, str]] | None = None
    select: Callable[[Sequence[Trial]], Sequence[Trial]] = tuple
    parted: Parting | None = None
    tables: Callable[[Given], Sequence[Table | None]] = lambda given: ()
    alone: bool = False
    doubts: Callable[[Given], Sequence[str]] = lambda given: ()
    notes: Callable[[Given], Sequence[str]] = lambda given: ()
    answer: Callable[[Given], str | None] | None = None
    cells: Callable[[Given], Mapping[str, Lookup]] = lambda given: {}
    brief: Brief | None = None
