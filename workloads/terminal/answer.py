# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vmkb.accounting.analysis.answer import amount, spread
from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.compare import Lookup
from vmkb.accounting.digits import spoken
from vmkb.accounting.measures import estimate
from vmkb.accounting.models import model as find_model
from vmkb.accounting.store import Trial, check_mix
from vmkb.accounting.tables.table import Table
from vmkb.workloads.terminal.tables.busy import busy_table, job_table
from vmkb.workloads.terminal.tables.cells import cells
from vmkb.workloads.terminal.tables.cost import Path, cost_table, path_table, paths
from vmkb.workloads.terminal.tables.figures import all_costs
from vmkb.workloads.terminal.tables.lan import echo_table, lan_table
from vmkb.workloads.terminal.tables.sweep import saturation_table, sweep_table


def comparable(trials: Sequence[Trial]) -> list[Trial]:
    """Those that stand in a table of CPU per KB: TYPE at one terminal without the monitor."""
    return [t for t in trials if t.params["kind"] == "type"]


def sentence(given: Given) -> str | None:
    """The answer in one sentence: what a terminal costs each node by each path, against the first
    of them; None for several releases, which are compared."""
    trials = given.trials
    if given.base or len({t.release for t in trials}) > 1:
        return None
    costs = all_costs([t for t in comparable(trials) if t.counts], find_model(given.model))
    every = paths(costs)
    if not every:
        return "No trial with one terminal has come to its end, so there is no answer."
    first, *others = [p for p in every if p.release == every[0].release]
    if not others:
        return f"By {first.name} a kilobyte on a terminal takes {_each_node(first)}."
    said = [f"{node}, {_against(first, others, node)}" for node in reversed(first.at)]
    return (
        "A kilobyte on a terminal takes CPU, against"
        f" {first.name}: on {'; on '.join(x for x in said if x)}."
    )


def _each_node(path: Path) -> str:
    """The cost by PATH on each node."""
    return " and ".join(
        f"{spoken(estimate(figures).value)} instructions on {node}"
        for node, figures in path.at.items()
    )


def _against(first: Path, others: Sequence[Path], node: str) -> str:
    """How the OTHERS that pass NODE compare there with the FIRST path."""
    role = "which serves" if node == first.node else "which the user sits at"
    said = []
    for path in others:
        if node not in path.at:
            said.append(f"nothing by {path.name}, which does not pass it")
            continue
        ratio = path.against(first, node)
        if ratio is None or not ratio.has_interval:
            said.append(f"{path.name} has no interval yet")
        elif ratio.covers(1):
            said.append(f"{path.name} is undecided ({spread(ratio.lo, ratio.hi)})")
        else:
            much, _, within = amount(ratio)
            said.append(f"{much} by {path.name} ({within})")
    return f"{role}: {', '.join(said)}"


def _labelled(trials: Sequence[Trial]) -> list[Trial]:
    """With several releases a path's label names the release; `chain` is what the report
    calls the path."""
    several = len({t.release for t in trials}) > 1
    made = []
    for t in trials:
        path = t.params["path"]
        label = f"{path} ({t.release})" if several else path
        chain = t.params.get("printed", path)
        made.append(replace(t, params={**t.params, "path": label, "chain": chain}))
    return made


def make_cells(given: Given, published: str) -> dict[str, Lookup]:
    """Our figures beside those of the table called PUBLISHED, and of the report's text."""
    chosen = find_model(given.model)
    return cells(all_costs(given.trials, chosen), chosen, published)


def make_tables(given: Given) -> list[Table | None]:
    """The workload's own tables; with several releases also the ratios of each path and machine
    between them."""
    check_mix(given.trials)
    chosen = find_model(given.model)
    several = len({t.release for t in given.trials}) > 1
    trials = _labelled(given.trials)
    costs = all_costs(trials, chosen)
    made = (
        busy_table(costs, chosen),
        cost_table(costs, chosen),
        path_table(costs),
        lan_table(costs),
        job_table(costs),
        echo_table(costs),
        sweep_table(costs, chosen),
        saturation_table(trials),
    )
    releases = [t for t in given.made if t.name == "wide"] if several else []
    return [*made, *releases]
