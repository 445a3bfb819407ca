# SPDX-License-Identifier: MIT
"""The cells of vmkb run rpc are those of the published table, and differences are over pairs."""

from __future__ import annotations

from vmkb.accounting.published import published
from vmkb.workloads.rpc import Workload
from vmkb.workloads.rpc.tables.cost import NAP, pairs
from vmkb.workloads.rpc.tables.figures import Cost, Used, difference


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
    return Cost(pair, {"CALLER": Used(instr / 2, 0), "SERVER": Used(instr / 2, 0)}, 100.0)


def test_a_difference_is_of_rounds_that_have_both() -> None:
    more = [cost(k, 1000 + 100 * k + 7) for k in range(1, 7)]
    less = [cost(k, 1000 + 100 * k) for k in range(2, 9)]
    found = difference(more, less, Cost.instr)
    assert found is not None
    assert (found.value, found.lo, found.hi, found.n) == (7, 7, 7, 5)
    assert difference(more[:1], less, Cost.instr) is None
