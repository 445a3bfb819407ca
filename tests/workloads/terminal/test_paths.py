# SPDX-License-Identifier: MIT
"""The tables of the run that docs/published/terminal.md is made of: TELNET as CMU's was, node by
node; other systems' traffic; the job."""

from __future__ import annotations

import pytest

from tests.published.record import unpacked
from tests.workloads.shown import rows, value
from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.store import read
from vmkb.accounting.tables.table import Table
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.terminal import Workload, answer
from vmkb.workloads.terminal.workload import servers_of

MODEL, NAME = "VAX750", "cmu_telnet_type"


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """The kept run."""
    (run,) = unpacked("terminal", tmp_path_factory.mktemp("kept"))
    return Given(read(run).trials, [], [], MODEL)


@pytest.fixture(scope="module")
def tables(given: Given) -> dict[str, Table]:
    """Its tables, by name."""
    return {t.name: t for t in answer.make_tables(given) if t is not None}


def test_the_contrast_of_1987_is_there_node_by_node(tables: dict[str, Table]) -> None:
    """CLE750 was full by TELNET and nearly idle by the others."""
    table = tables["paths"]
    head = "Instructions per KB (IC)"
    cost = {
        (node, path): value(table, row, head)
        for node in ("CLE750", "LNS53")
        for path in ("TELNET", "TELNET CMU", "SET HOST", "LAT")
        for row in rows(table, node, path)
    }
    assert cost["CLE750", "TELNET CMU"] > 3 * cost["CLE750", "TELNET"]
    assert cost["CLE750", "TELNET CMU"] > 3 * cost["CLE750", "LAT"]
    assert cost["CLE750", "TELNET CMU"] > 4 * cost["CLE750", "SET HOST"]
    assert ("LNS53", "LAT") not in cost and len(cost) == 7
    assert not any("all nodes" in name for name in table.columns)


def test_the_answer_goes_node_by_node(given: Given) -> None:
    said = answer.sentence(given)
    assert said is not None
    far, near = said.split("; on LNS53, ")
    assert "on CLE750, which serves: " in far and "times as much by TELNET CMU" in far
    assert "% less by LAT" in far and near.endswith("nothing by LAT, which does not pass it.")


def test_a_line_is_a_packet_of_about_100_bytes(tables: dict[str, Table]) -> None:
    table = tables["lan"]
    ours, cmu = (value(table, rows(table, path)[0], "A frame B (WI)")
                 for path in ("TELNET", "TELNET CMU"))  # fmt: skip
    assert ours > 150 and cmu == pytest.approx(100, rel=0.05)


def test_other_systems_traffic_is_an_input_and_in_no_other_figure(
    tables: dict[str, Table],
) -> None:
    table = tables["lan"]
    for path, kb_s in (("TELNET", 10), ("TELNET CMU", 10), ("SET HOST", 40), ("LAT", 11)):
        (row,) = rows(table, path)
        put_in, mine, in_all = (
            value(table, row, h) for h in ("others' KB/s (IN)", "LAN KB/s (WI)", "in all KB/s (WI)")
        )
        assert put_in == pytest.approx(kb_s, rel=0.01)
        assert in_all == pytest.approx(put_in + mine) and mine < 4


def test_the_job_has_what_the_terminal_leaves_and_slows_it_by_nothing(
    tables: dict[str, Table],
) -> None:
    table = tables["job"]
    (row,) = rows(table, "SET HOST", "LNS53")
    assert 75 < value(table, row, "Job % (IC)") < 100
    beside, alone = (value(table, row, h) for h in
                     ("Characters beside it a second (WI)",
                      "and without it a second (WI)"))  # fmt: skip
    assert beside == pytest.approx(alone, rel=0.01)


def test_what_an_echo_costs_is_no_negative_number(tables: dict[str, Table]) -> None:
    table = tables["echo"]
    cells = [row.cells[table.columns.index("Far node instructions per key (IC)")]
             for row in rows(table)]  # fmt: skip
    assert all(c.value is None or c.value > 0 for c in cells)
    assert "not above idle" in {c.text for c in cells}


def test_the_monitor_sees_the_parts_as_they_are_counted(tables: dict[str, Table]) -> None:
    table, seen = tables["busy"], 0
    for row in rows(table):
        cells = dict(zip(table.columns, row.cells, strict=True))
        if cells["CPU"].text in ("TYPE", "TELNETD", "TCPIP", "TELNET"):
            counted, monitor = (cells[h].value for h in
                                ("Counted % (IC/WI)", "RTMSF % (RT)"))  # fmt: skip
            assert counted and monitor == pytest.approx(counted, rel=0.08)
            seen += 1
    assert seen == 12


def test_a_job_is_asked_for_on_its_node_alone() -> None:
    known, workload = Workload().definition, Workload()
    planned = next(p for p in workload.plan(workload.settings(Asked())) if p.kind == "job")
    assert "JOB" in servers_of(planned, known.near.name)
    assert "JOB" not in servers_of(planned, known.far.name)
