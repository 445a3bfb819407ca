# SPDX-License-Identifier: MIT
"""From trials to the workload's tables, its figures beside published ones, its answer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vmkb.accounting.compare import Lookup, Ours
from vmkb.accounting.digits import fixed, places, spoken
from vmkb.accounting.models import Model
from vmkb.accounting.models import model as find_model
from vmkb.accounting.published import published
from vmkb.accounting.stats import Estimate
from vmkb.accounting.store import Trial, check_mix, clock_of
from vmkb.accounting.tables.table import Table, TableError
from vmkb.workloads.rpc.definition import Definition
from vmkb.workloads.rpc.tables.cost import cost_table, difference_table, guest_table, parts_table
from vmkb.workloads.rpc.tables.figures import (
    Cells,
    Cost,
    Key,
    Machines,
    costs_by_cell,
    difference,
    estimated,
)

TEXT = "gms_net_text"
CONTROL_BYTES = 16
"""Of a control message in its frame (struct gms_message)."""
ISSUED = 4
"""Instructions of a 21164's cycle, by which its models were made (accounting/machines.toml)."""


def make_tables(trials: Sequence[Trial], model: str, definition: Definition) -> list[Table | None]:
    """The parts of a latency, the costs of each cell, and what rows differ by. The caller's machine
    is of MODEL."""
    check_mix(trials)
    by_cell = costs_by_cell(trials)
    if not by_cell:
        raise TableError("no trial has come to its end; run the workload, or resume it")
    machines = _machines(trials, model, definition)
    theirs = published(definition.published_table)
    return [
        parts_table(by_cell, machines, theirs),
        cost_table(by_cell, machines),
        guest_table(by_cell, machines),
        difference_table(by_cell, machines, theirs),
    ]


def _machines(trials: Sequence[Trial], model: str, definition: Definition) -> Machines:
    caller, server = find_model(model), find_model(definition.server_model)
    meta = trials[0].meta
    measured = clock_of(meta) == "virtual" and meta["model"] == caller.key
    return Machines(caller, server, meta["wire"], measured)


def make_cells(trials: Sequence[Trial], model: str, definition: Definition) -> dict[str, Lookup]:
    """Our figures by the published table that has theirs."""
    machines, by_cell = _machines(trials, model, definition), costs_by_cell(trials)
    text = text_cells(by_cell, machines)
    return {
        definition.published_table: cells(by_cell, machines, definition.many),
        TEXT: lambda row, column: text.get(row["key"]),
    }


def _said(e: Estimate) -> str:
    text, lo, hi = (fixed(x, places(e, "instr")) for x in (e.value, e.lo, e.hi))
    return f"{text} ({lo} to {hi})" if e.has_interval and lo != hi else text


def sentence(trials: Sequence[Trial], model: str, definition: Definition) -> str:
    """The cost of an empty call, and what a wake-up, a deferral, a hop and a copy add to it; what
    of its latency the adapters are."""
    by_cell = costs_by_cell(trials)
    cont: Key = ("2-way", "Cont", "Solicited", 0, 1)
    if cont not in by_cell:
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
        e = difference(by_cell.get(more, ()), by_cell.get(less, ()), Cost.instr)
        if e is not None:
            said.append(f"{what} {_said(e)}")
    base = _said(estimated(by_cell[cont], Cost.instr))
    text = f"A call that draws nothing takes {base} instructions in two systems"
    text = f"{text}; to it adds {', '.join(said)}." if said else f"{text}."
    machines = _machines(trials, model, definition)
    if machines.measured:
        took = estimated(by_cell[cont], lambda c: c.elapsed).value
        given = machines.adapter("2-way")
        text += f" Of its {spoken(took)} us the adapters are {spoken(given)} us, an input."
    return text


def cells(by_cell: Cells, machines: Machines, many: int) -> Lookup:
    """By a published row and its column: latency in us, messages a second, MB/s; with the bound
    that counts and the wire's formula give. A rate is of MANY outstanding, where Wait has one."""

    def ours(row: Mapping[str, str], column: str) -> Ours | None:
        way, wait, receive = row["way"], row["completion"], row["payload_kind"]
        what, size = _column(column)
        alone = what == "lat" or wait == "Wait"
        costs = by_cell.get(
            (way, wait, receive if size else "Solicited", size, 1 if alone else many)
        )
        if not costs or not machines.measured:
            return None
        took = estimated(costs, lambda c: c.elapsed).value
        least = estimated(
            costs,
            lambda c: machines.latency(c, way, size) if alone else machines.interval(c, size),
        ).value
        if what == "lat":
            return Ours(took, "(PM)", least)
        amount = size or 1e6
        return Ours(amount / took, "(PM)", amount / least)

    return ours


def text_cells(by_cell: Cells, machines: Machines) -> dict[str, Ours]:
    """Our figures for the paper's text, by the rows' keys."""
    made = {
        "control": Ours(CONTROL_BYTES, "(IN)"),
        "client": Ours(_mhz(machines.caller), "(IN)"),
        "server": Ours(_mhz(machines.server), "(IN)"),
        "bus": Ours(machines.rate / 8e6, "(IN)"),
    }
    empty = by_cell.get(("2-way", "Wait", "Solicited", 0, 1), ())
    for size in (4096, 8192):
        with_page = by_cell.get(("2-way", "Wait", "Solicited", size, 1), ())
        adds = difference(with_page, empty, lambda c: c.elapsed)
        if adds is not None and machines.measured:
            made[f"adds {size}"] = Ours(adds.value, "(PM)")
    return made


def _mhz(model: Model) -> float:
    """The clock of a 21164, which starts four instructions in a cycle at most."""
    return model.kmips / 1000 / ISSUED


def _column(column: str) -> tuple[str, int]:
    """lat4096_us -> lat, 4096."""
    name = column.partition("_")[0]
    what = name.rstrip("0123456789")
    return what, int(name.removeprefix(what))
