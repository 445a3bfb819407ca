# SPDX-License-Identifier: MIT
"""The tables of a recorded run, against the records in it, worked out here once more.

small-run.jsonl.gz is what `vmkb run dxu` kept of real guests: loopback FTP of two releases, FTP
to one card and both ways, Rx writes of three sizes at both MTUs, one that hangs, and AFS fetches
by one client, two and fifteen.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from tests.workloads.shown import rows, value
from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.digits import spoken
from vmkb.accounting.models import model
from vmkb.accounting.records import Record
from vmkb.accounting.stats import jain
from vmkb.accounting.store import FILE_NAME, Trial, read
from vmkb.accounting.tables.table import Table
from vmkb.workloads.base.report import of_run
from vmkb.workloads.dxu import Workload, answer

RECORDED = Path(__file__).with_name("small-run.jsonl.gz")
MODEL = "9021-720"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results as a run leaves them."""
    made = tmp_path_factory.mktemp("recorded")
    (made / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return made


@pytest.fixture(scope="module")
def trials(folder: Path) -> tuple[Trial, ...]:
    """All trials."""
    return read(folder).trials


@pytest.fixture(scope="module")
def tables(trials: tuple[Trial, ...]) -> dict[str, Table]:
    """The workload's own tables, by name."""
    return made(trials)


def made(trials: Sequence[Trial]) -> dict[str, Table]:
    """The tables of some trials."""
    return {t.name: t for t in answer.make_tables(given(trials)) if t is not None}


def given(trials: Sequence[Trial]) -> Given:
    """What the workload's tables and answer are made of."""
    return Given(trials, [], [], MODEL)


def of(trials: Sequence[Trial], case: str, release: str = "213") -> list[Trial]:
    """The trials of a case without the monitor."""
    return [
        t for t in trials
        if (t.case, t.release) == (case, release) and not t.params["monitored"]
    ]  # fmt: skip


def records(trial: Trial, kind: str) -> list[Record]:
    """Those of one kind."""
    return [r for r in trial.records if r.kind == kind]


def busy_us(trial: Trial, machine: str) -> float:
    """Microseconds of the model that MACHINE was busy, by all that was counted of it."""
    one = model(MODEL)
    rates = (("total_instr", one.kmips), ("total_moved", one.move_rate),
             ("total_summed", one.sum_rate))  # fmt: skip
    return 1000 * sum(grown(trial, machine, name) / rate for name, rate in rates)


def grown(trial: Trial, machine: str, name: str = "total_instr") -> float:
    """Instructions that MACHINE used in a trial, or what else NAME counts."""
    first, last = (
        r.value(name).value for r in records(trial, "connect") if r.word("userid") == machine
    )
    return float(last - first)


def test_a_machines_row_is_what_it_was_counted(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    table, seen = tables["cost"], 0
    for trial in trials:
        same = of(trials, trial.case, trial.release)
        if trial.data is None or trial.params["monitored"]:
            continue
        for machine, label in trial.parts.items():
            (row,) = rows(table, trial.case, trial.release, label)
            want = mean(grown(t, machine) / (t.data.value / 1024) for t in same if t.data)
            assert value(table, row, "Instructions per KB (IC)") == pytest.approx(want)
            seen += 1
    assert seen > 40


def test_several_senders_bytes_add_up_and_the_longest_time_counts(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    (trial,) = of(trials, "BI")
    moved = records(trial, "ftp_transfer")
    assert {r.origin for r in moved} == {"lisa VMUSER1", "bart VMUSER1"}
    size = sum(r.value("bytes").value for r in moved) / 1024
    took = max(
        sum(r.value("bytes").value / 1024 / (r.value("rate").value + 0.5) for r in moved
            if r.origin == who)
        for who in ("lisa VMUSER1", "bart VMUSER1")
    )  # fmt: skip
    (row,) = rows(tables["tcp"], "BI")
    assert value(tables["tcp"], row, "All KB/s (FT)") == pytest.approx(size / took, rel=0.01)
    assert value(tables["tcp"], row, "Each KB/s (FT)") == pytest.approx(size / took / 2, rel=0.01)


def test_loopback_at_100_percent_is_what_the_counts_leave(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    table = tables["loopback"]
    for release in ("213", "221"):
        (row,) = rows(table, "LOOP", release)
        us = mean(
            sum(busy_us(t, m) for m in t.parts) / (t.data.value / 1024)
            for t in of(trials, "LOOP", release)
            if t.data
        )
        full = value(table, row, "At 100 % of the model KB/s (IC/FT)")
        assert full == pytest.approx(1e6 / us, rel=0.01)


def test_a_write_is_as_rxperf_said(trials: tuple[Trial, ...], tables: dict[str, Table]) -> None:
    table = tables["rx"]
    for case, size, mtu in (
        ("RX48K", 48, "4144"), ("RX48K.L", 48, "32767"), ("RX3K", 3, "4144"),
        ("RX128K", 128, "4144"),
    ):  # fmt: skip
        (trial,) = of(trials, case)
        (record,) = records(trial, "rxperf")
        each = record.value("elapsed").value / record.value("calls").value / 1e6
        (row,) = rows(table, f"{size} K", mtu)
        assert value(table, row, "1000 take s (PM)") == pytest.approx(1000 * each)
        assert value(table, row, "Speed KB/s (PM)") == pytest.approx(size / each)


def test_the_line_goes_through_both_sizes_that_were_run(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    each = {}
    for case, size in (("RX3K", 3), ("RX48K", 48)):
        (trial,) = of(trials, case)
        (record,) = records(trial, "rxperf")
        each[size] = record.value("elapsed").value / record.value("calls").value / 1e3
    b = (each[48] - each[3]) / 45
    (row,) = rows(tables["fit"], "4144")
    assert value(tables["fit"], row, "A KB, ours ms/KB (PM)") == pytest.approx(b, rel=0.01)
    assert value(tables["fit"], row, "A call, ours ms/call (PM)") == pytest.approx(
        each[3] - 3 * b, rel=0.01
    )
    # The published times lie on a line of 4.4 ms a call and 0.88 ms a KB, within their digits.
    assert value(tables["fit"], row, "A call, published ms/call (PB)") == pytest.approx(
        4.4, abs=0.2
    )
    assert value(tables["fit"], row, "A KB, published ms/KB (PB)") == pytest.approx(0.88, abs=0.02)


def test_the_write_that_hangs_was_ended_and_the_other_was_not(tables: dict[str, Table]) -> None:
    table = tables["hang"]
    (fits,), (hangs,) = rows(table, "96 K"), rows(table, "128 K")
    assert [r.cells[-1].text for r in (fits, hangs)] == ["by itself", "by LIMIT"]
    assert value(table, hangs, "Writes done (PM)") == 0
    assert 5 <= value(table, hangs, "Took s (PM)") < 10
    assert any("Unknown: the cause" in note for note in table.notes)


def test_each_clients_seconds_are_those_that_were_kept(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    (trial,) = of(trials, "AFS1M2")
    for record in records(trial, "fetch"):
        (row,) = rows(tables["afs"], "1 MB", "2", "cache", record.word("client"))
        seconds = record.value("elapsed").value / 1e6
        assert value(tables["afs"], row, "Took s (WI)") == pytest.approx(seconds)
        assert value(tables["afs"], row, "Speed KB/s (WI)") == pytest.approx(1024 / seconds)
    (row,) = rows(tables["afs"], "1 MB", "2", "cache", "all")
    server = next(m for m in trial.parts if m.endswith("AFSSERVE"))
    assert trial.elapsed is not None and trial.data is not None
    us = busy_us(trial, server)
    share = value(tables["afs"], row, "File server % (IC/WI)")
    assert grown(trial, server) > 0
    assert share == pytest.approx(100 * us / trial.elapsed.value, rel=0.01)


def test_fifteen_clients_their_average_and_how_fair_it_was(
    trials: tuple[Trial, ...], tables: dict[str, Table]
) -> None:
    (trial,) = of(trials, "LOAD")
    seconds = {r.word("client"): r.value("elapsed").value / 1e6 for r in records(trial, "fetch")}
    table = tables["clientload"]
    assert len(seconds) == 15
    for client, took in seconds.items():
        (row,) = rows(table, client)
        assert value(table, row, "By the DXU (WI)") == pytest.approx(took)
    (row,) = rows(table, "average")
    assert value(table, row, "By the DXU (WI)") == pytest.approx(mean(seconds.values()))
    fair = jain([1 / took for client, took in seconds.items() if client != "pumper"])
    (row,) = rows(table, "Jain's index, all but pumper")
    assert value(table, row, "By the DXU (WI)") == pytest.approx(fair)


def test_jains_index() -> None:
    assert jain([2, 2, 2]) == pytest.approx(1)
    assert jain([1, 0, 0, 0]) == pytest.approx(0.25)
    assert jain([]) == 0


def test_the_answer_and_the_questions(trials: tuple[Trial, ...], tables: dict[str, Table]) -> None:
    said = answer.sentence(given(trials))
    (small,), (large,) = of(trials, "RX48K"), of(trials, "RX48K.L")
    assert small.elapsed and large.elapsed
    slower = 1 - small.elapsed.value / large.elapsed.value
    assert f"Rx writes of 48 KB {spoken(100 * slower)} % slower" in said
    assert "with fifteen AFS clients the clients' Ethernet is what limits" in said
    notes = " ".join(tables["limits"].notes)
    for question in (
        "limited by CPU or by I/O?",
        "What does the larger MTU change",
        "bottleneck with fifteen",
    ):
        assert question in notes


def test_the_answer_names_the_direction(trials: tuple[Trial, ...]) -> None:
    (small,), (large,) = of(trials, "RX48K"), of(trials, "RX48K.L")
    assert small.elapsed and large.elapsed and large.elapsed.value > small.elapsed.value

    def said(other: Trial) -> str:
        return answer.sentence(given([small, replace(other, case="RX48K.L", id="other")]))

    faster = large.elapsed.value / small.elapsed.value - 1
    swapped = [replace(small, case="RX48K.L"), replace(large, case="RX48K")]
    assert f"48 KB {spoken(100 * faster)} % faster" in answer.sentence(given(swapped))
    assert "as fast as they are" in said(small)


def test_some_cases_alone_give_their_tables_and_no_other(trials: tuple[Trial, ...]) -> None:
    names = set(made(of(trials, "LOOP")))
    assert names == {"overview", "limits", "loopback", "cost"}
    assert "MTU" not in answer.sentence(given(of(trials, "LOOP")))
    failed = [replace(t, status="failed") for t in trials]
    assert made(failed) == {}


def test_the_report_is_made_and_its_first_table_is_the_overview(folder: Path) -> None:
    report, _ = of_run(Workload(), folder, 0, MODEL)
    assert report.tables[0].name == "overview"
    assert not any(t.name.startswith("release") for t in report.tables)
