# SPDX-License-Identifier: MIT
"""The cells of vmkb run rpc are those of the published table, and differences are over pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vmkb.accounting.models import model
from vmkb.accounting.published import published
from vmkb.hercules.wire.profile import profile
from vmkb.workloads.rpc import Workload
from vmkb.workloads.rpc.tables.answer import cells, text_cells
from vmkb.workloads.rpc.tables.cost import NAP, pairs, parts_table
from vmkb.workloads.rpc.tables.figures import Cost, Key, Machines, Used, difference


def test_every_published_cell_has_its_case() -> None:
    definition = Workload().definition
    cases = {(c.way, c.wait, c.receive, c.size, c.callers) for c in definition.case}
    for row in published(definition.published_table).rows:
        way, wait, receive = row["way"], row["completion"], row["payload_kind"]
        for size in (0, 4096, 8192):
            kind = receive if size else "Solicited"
            assert (way, wait, kind, size, 1) in cases
            many = 1 if wait == "Wait" else definition.many
            assert (way, wait, kind, size, many) in cases
    assert len(cases) == len(definition.case) == 71
    assert NAP in cases
    known = {(c.way, c.wait, c.receive, c.size, 1) for c in definition.case}
    for pair in pairs():
        assert {pair.more, pair.less} - {None} <= known


def cost(pair: int, instr: float) -> Cost:
    return Cost(pair, {"CALLER": Used(instr / 2, 0, 0), "SERVER": Used(instr / 2, 0, 0)}, 100.0)


def test_a_difference_is_of_rounds_that_have_both() -> None:
    more = [cost(k, 1000 + 100 * k + 7) for k in range(1, 7)]
    less = [cost(k, 1000 + 100 * k) for k in range(2, 9)]
    found = difference(more, less, Cost.instr)
    assert found is not None
    assert (found.value, found.lo, found.hi, found.n) == (7, 7, 7, 5)
    assert difference(more[:1], less, Cost.instr) is None


def machines(measured: bool) -> Machines:
    return Machines(model("AXP500"), model("AXP266"), "myrinet-pci32", measured)


def test_a_cell_is_what_its_calls_took() -> None:
    """With many outstanding, but for Wait; 0 bytes of whatever kind are one cell."""
    found = {
        ("2-way", "Cont", "Solicited", 0, 1): [cost(1, 1000)],
        ("2-way", "Cont", "Solicited", 0, 16): [cost(1, 500)],
        ("2-way", "Wait", "Unsolicited", 8192, 1): [cost(1, 1000)],
    }
    ours = cells(found, machines(True), 16)
    row = {"way": "2-way", "completion": "Cont", "payload_kind": "Unsol+Copy"}
    latency, rate = ours(row, "lat0_us"), ours(row, "rate0_msg_s")
    assert latency is not None and (latency.value, latency.source) == (100.0, "(PM)")
    assert rate is not None and rate.value == 1e4 and rate.bound is not None and rate.bound > 1e6
    assert ours(row, "lat4096_us") is None
    waits = ours({**row, "completion": "Wait", "payload_kind": "Unsolicited"}, "bw8192_mb_s")
    assert waits is not None and waits.value == 81.92
    assert cells(found, machines(False), 16)(row, "lat0_us") is None


def test_the_text_s_machines_are_those_of_the_models() -> None:
    empty = ("2-way", "Wait", "Solicited", 0, 1)
    found = {empty: [cost(1, 1000)], (*empty[:3], 4096, 1): [replace(cost(1, 1000), elapsed=131.0)]}
    told = text_cells(found, machines(True))
    assert {k: round(x.value, 1) for k, x in told.items()} == {
        "control": 16, "client": 500, "server": 266, "bus": 132, "adds 4096": 31.0,
    }  # fmt: skip
    assert told["client"].source == "(IN)"


def test_a_call_costs_what_query_time_tells() -> None:
    """Instructions and bytes, at the model's rates."""
    known = model("AXP266")
    used = Used(1064, 4096, 512)
    ms = 1064 / known.kmips + 4096 / known.move_rate + 512 / known.sum_rate
    assert used.us(known) == pytest.approx(1000 * ms)
    assert "bytes at assumed rates" in known.describe()


def rows_of(size: int) -> dict[Key, list[Cost]]:
    return {("2-way", "Cont", "Solicited", size, 1): [cost(1, 1000), cost(2, 1002)]}


def test_a_latency_is_told_in_parts_that_close() -> None:
    theirs = published(Workload().definition.published_table)
    table = parts_table(rows_of(0) | rows_of(8192), machines(True), theirs)
    assert table is not None
    for row in (r for section in table.body for r in section.rows):
        told = dict(zip(table.columns, (cell.value for cell in row.cells), strict=True))
        parts = [told[x] for x in ("CPU (IC)", "wire (IN)", "adapter (IN)", "rest")]
        assert sum(x for x in parts if x is not None) == pytest.approx(told["all (PM)"])
        assert told["adapter (IN)"] == pytest.approx(2e6 * profile("myrinet-pci32").adapter)
    assert parts_table(rows_of(0), machines(False), theirs) is None, "that is no time of a machine"


def test_the_screen_says_what_the_adapters_take() -> None:
    """How much of a latency is an input; no two columns have one head."""
    theirs = published(Workload().definition.published_table)
    table = parts_table(rows_of(0) | rows_of(4096) | rows_of(8192), machines(True), theirs)
    assert table is not None
    assert "adapter (IN)" in table.columns and "adapters are inputs" in " ".join(table.notes)
    assert len(set(table.columns)) == len(table.columns)
