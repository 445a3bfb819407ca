# SPDX-License-Identifier: MIT
"""From trials to the workload's tables and its answer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from vmkb.accounting.compare import Lookup
from vmkb.accounting.digits import fixed, places, spoken
from vmkb.accounting.models import model as find_model
from vmkb.accounting.published import published
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial, check_mix, clock_of
from vmkb.accounting.tables.table import Table, TableError
from vmkb.workloads.rpc.definition import Definition
from vmkb.workloads.rpc.tables.cells import cells, text_cells
from vmkb.workloads.rpc.tables.cost import cost_table, difference_table, guest_table
from vmkb.workloads.rpc.tables.figures import (
    Cost,
    Key,
    Machines,
    costs_by_cell,
    difference,
    estimated,
)
from vmkb.workloads.rpc.tables.parts import parts_table

TEXT = "gms_net_text"


def make_tables(trials: Sequence[Trial], model: str, definition: Definition) -> list[Table | None]:
    """The parts of a latency, the costs of each cell, and what rows differ by. The caller's machine
    is of MODEL."""
    check_mix(trials)
    found = costs_by_cell(trials)
    if not found:
        raise TableError("no trial has come to its end; run the workload, or resume it")
    machines = _machines(trials, model, definition)
    theirs = published(definition.published_table)
    return [
        parts_table(found, machines, theirs),
        cost_table(found, machines),
        guest_table(found, machines),
        difference_table(found, machines, theirs),
    ]


def _machines(trials: Sequence[Trial], model: str, definition: Definition) -> Machines:
    caller, server = find_model(model), find_model(definition.server_model)
    meta = trials[0].meta
    measured = clock_of(meta) == "virtual" and meta["model"] == caller.key
    return Machines(caller, server, meta["wire"], measured)


def make_cells(trials: Sequence[Trial], model: str, definition: Definition) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    machines, found = _machines(trials, model, definition), costs_by_cell(trials)
    text = text_cells(found, machines)
    return {
        definition.published_table: cells(found, machines, definition.many),
        TEXT: lambda row, column: text.get(row["key"]),
    }


def _said(e: Estimate) -> str:
    text, lo, hi = (fixed(x, places(e, "instr")) for x in (e.value, e.lo, e.hi))
    return f"{text} ({lo} to {hi})" if e.has_interval and lo != hi else text


def sentence(trials: Sequence[Trial], model: str, definition: Definition) -> str:
    """The cost of an empty call, and what a wake-up, a deferral, a hop and a copy add to it; what
    of its latency the adapters are."""
    found = costs_by_cell(trials)
    cont: Key = ("2-way", "Cont", "Solicited", 0, 1)
    if cont not in found:
        return "No trial of an empty call by a continuation has come to its end: no answer."
    adds: list[tuple[str, Key, Key]] = [
        ("a wake-up", ("2-way", "Wait", "Solicited", 0, 1), cont),
        ("a deferral", ("2-way", "Defer", "Solicited", 0, 1), cont),
        ("a hop", ("3-way", "Cont", "Solicited", 0, 1), cont),
        (
            "a copy of 8192 bytes",
            ("2-way", "Cont", "Unsol+Copy", 8192, 1),
            ("2-way", "Cont", "Unsolicited", 8192, 1),
        ),
    ]
    said = []
    for what, more, less in adds:
        e = difference(found.get(more, ()), found.get(less, ()), Cost.instr)
        if e is not None:
            said.append(f"{what} {_said(e)}")
    base = _said(estimated(found[cont], Cost.instr))
    text = f"A call that draws nothing takes {base} instructions in two systems"
    text = f"{text}; to it adds {', '.join(said)}." if said else f"{text}."
    machines = _machines(trials, model, definition)
    if machines.measured:
        took = estimated(found[cont], lambda c: c.elapsed).value
        given = machines.adapter("2-way")
        text += f" Of its {spoken(took)} us the adapters are {spoken(given)} us, an input."
    return text
