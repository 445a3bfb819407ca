# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accounting.analysis.answer import amount
from accounting.analysis.specification import Given
from accounting.models import model as find_model
from accounting.store import Trial, check_mix
from accounting.tables.group import estimate as estimate_of
from accounting.tables.table import Table
from workloads.terminal.tables.beside import beside_table
from workloads.terminal.tables.cost import cost_table, path_costs, path_ratio, path_table
from workloads.terminal.tables.figures import all_costs
from workloads.terminal.tables.lan import echo_table, lan_table
from workloads.terminal.tables.sweep import saturation_table, sweep_table


def comparable(trials: Sequence[Trial]) -> list[Trial]:
    """Those that stand in a table of CPU per KB: TYPE at one terminal without the monitor."""
    return [t for t in trials if t.params["kind"] == "type"]


def sentence(given: Given) -> str | None:
    """The answer in one sentence: what a terminal costs by each path, against the first of them;
    None for several releases, which are compared."""
    trials = given.trials
    if given.base or len({t.release for t in trials}) > 1:
        return None
    found = all_costs([t for t in comparable(trials) if t.counts], find_model(given.model))
    by_path = path_costs(found)
    if not by_path:
        return "No trial with one terminal has come to its end, so there is no answer."
    release = next(r for r, _ in by_path)
    mine = {path: values for (r, path), values in by_path.items() if r == release}
    (first, base), *others = mine.items()
    if not others:
        e = estimate_of(base)
        return f"By {first} a kilobyte on a terminal takes {e.value:.0f} instructions in all nodes."
    said = []
    for path, values in others:
        ratio = path_ratio(values, base)
        if ratio is None or not ratio.has_interval:
            said.append(f"{path} has no interval yet")
        elif ratio.covers(1):
            said.append(f"{path} costs the same within its interval")
        else:
            much, _, within = amount(ratio)
            said.append(f"{much} by {path} ({within})")
    return f"A kilobyte on a terminal takes, against {first}: {'; '.join(said)}."


def _labelled(trials: Sequence[Trial]) -> list[Trial]:
    """With several releases a path's label names the release; `chain` is the path alone."""
    several = len({t.release for t in trials}) > 1
    made = []
    for t in trials:
        path = t.params["path"]
        label = f"{path} ({t.release})" if several else path
        made.append(replace(t, params={**t.params, "path": label, "chain": path}))
    return made


def make_tables(given: Given, published: str) -> list[Table]:
    """The tables beside the one called PUBLISHED; with several releases also the ratios of each
    path and machine between them."""
    check_mix(given.trials)
    chosen = find_model(given.model)
    several = len({t.release for t in given.trials}) > 1
    trials = _labelled(given.trials)
    found = all_costs(trials, chosen)
    made = (
        beside_table(found, chosen, published),
        cost_table(found, chosen),
        path_table(found),
        lan_table(found, published),
        echo_table(found),
        sweep_table(found, chosen),
        saturation_table(trials),
    )
    releases = [t for t in given.made if t.name == "wide"] if several else []
    return [*(t for t in made if t is not None), *releases]
