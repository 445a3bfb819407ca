# SPDX-License-Identifier: MIT
"""The tables of a recorded run, against the samples in it, added up here once more.

small-run.jsonl.gz is what `vmkb run terminal` kept of real guests: TELNET and LAT, two trials each
at one terminal, one with the monitor, one echo, one idle, one of two terminals.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from tests.workloads.shown import rows
from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.records import Record
from vmkb.accounting.store import FILE_NAME, Trial, read
from vmkb.accounting.tables.table import Row, Table, TableError
from vmkb.workloads.base.report import analysed, of_run
from vmkb.workloads.terminal import Workload, answer
from vmkb.workloads.terminal.tables.clock import LABEL as CLOCK

RECORDED = Path(__file__).with_name("small-run.jsonl.gz")
WORKLOAD = Workload()
MODEL = "VAX750"
PATHS = {"TELNET": ["LNS53", "CLE750"], "LAT": ["CLE750"]}
CP = "CP itself"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results as a run leaves them."""
    made = tmp_path_factory.mktemp("recorded")
    (made / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return made


@pytest.fixture(scope="module")
def trials(folder: Path) -> tuple[Trial, ...]:
    """All trials on all nodes."""
    return read(folder).trials


def tables(trials: Sequence[Trial]) -> dict[str, Table]:
    """Every table, by name."""
    made = analysed(trials).tables
    return {t.name: t for t in made}


def sentence(trials: Sequence[Trial]) -> str | None:
    """The workload's own answer."""
    return answer.sentence(Given(trials, [], [], MODEL))


def value(row: Row, cell: int) -> float:
    """What is behind a cell's text."""
    found = row.cells[cell].value
    assert found is not None, row
    return found


def of(trials: Sequence[Trial], kind: str, path: str, node: str) -> list[Trial]:
    """The trials of a kind by a path, on one node."""
    asked = {"kind": kind, "path": path, "node": node}
    return [t for t in trials if asked.items() <= t.params.items()]


def grown(trial: Trial, user: str, name: str = "total_instr") -> float:
    """How much a counter of USER's account grew between the trial's two samples."""
    first, last = (r.value(name).value for r in trial.records if asked_of(r) == user)
    return float(last - first)


def asked_of(record: Record) -> str:
    """Whose account a sample is of."""
    return record.word("userid") or record.origin if record.kind == "connect" else ""


def kilobytes(trial: Trial) -> float:
    """KB that its terminals showed."""
    assert trial.data is not None
    return float(trial.data.value) / 1024


def test_a_row_of_the_cost_is_what_that_machine_was_counted(trials: tuple[Trial, ...]) -> None:
    table = tables(trials)["cost"]
    for path, nodes in PATHS.items():
        for node in nodes:
            mine = of(trials, "type", path, node)
            for user, label in mine[0].parts.items():
                if label == CP:
                    continue
                (row,) = rows(table, path, node, label)
                assert value(row, 2) == pytest.approx(
                    mean(grown(t, user) / kilobytes(t) for t in mine)
                )
            every = [r for r in rows(table, path, node) if r.cells[1].text != "Total"]
            (total,) = rows(table, path, node, "Total")
            assert value(total, 2) == pytest.approx(sum(value(r, 2) for r in every))
            assert {r.cells[1].text for r in every} == {*mine[0].parts.values(), CLOCK}


def test_cp_and_its_clock_together_are_all_that_cp_was_counted(trials: tuple[Trial, ...]) -> None:
    table = tables(trials)["cost"]
    for node in ("LNS53", "CLE750"):
        mine = [t for path in PATHS for t in of(trials, "type", path, node)]
        counted = sum(grown(t, "*SYSTEM") for t in mine)
        clocked = sum(grown(t, "*SYSTEM", "clock_instr") for t in mine)
        sums = {
            label: sum(
                value(rows(table, t.params["path"], node, label)[0], 2) * kilobytes(t) for t in mine
            )
            for label in (CP, CLOCK)
        }
        assert sums[CLOCK] == pytest.approx(clocked) and clocked > 0
        assert sums[CP] + sums[CLOCK] == pytest.approx(counted)


def test_a_path_is_set_against_the_first_node_by_node(
    trials: tuple[Trial, ...],
) -> None:
    made = tables(trials)
    served = {}
    for path, nodes in PATHS.items():
        for node in nodes:
            total = value(rows(made["cost"], path, node, "Total")[0], 2)
            (row,) = rows(made["paths"], node, path)
            assert value(row, 2) == pytest.approx(total)
        served[path] = total
    assert not rows(made["paths"], "LNS53", "LAT")
    (lat,) = rows(made["paths"], "CLE750", "LAT")
    assert value(lat, 4) == pytest.approx(served["LAT"] / served["TELNET"], rel=0.01)
    cell = lat.cells[5]  # of two trials, by Student's t
    assert cell.lo is not None and cell.hi is not None
    assert cell.lo < value(lat, 4) < cell.hi


def test_the_lan_and_the_echo_are_medians_of_what_was_recorded(trials: tuple[Trial, ...]) -> None:
    made = tables(trials)
    for path, nodes in PATHS.items():
        mine = of(trials, "type", path, nodes[-1])
        (row,) = rows(made["lan"], path)
        seconds = [t.elapsed.value / 1e6 for t in mine if t.elapsed]
        assert value(row, 1) == pytest.approx(
            mean(1024 * kilobytes(t) / s for t, s in zip(mine, seconds, strict=True))
        )
        (typed,) = of(trials, "echo", path, nodes[-1])
        record = next(r for r in typed.records if r.kind == "echo")
        (row,) = rows(made["echo"], path)
        assert value(row, 1) == pytest.approx(record.value("median").value / 1000)
        assert value(row, 3) == pytest.approx(record.value("most").value / 1000)
        assert row.cells[-1].text == typed.params["keys"]
        near, far = row.cells[5:7] if len(nodes) > 1 else (row.cells[6], None)
        assert near.value is not None and near.value > 1000
        # nobody echoes at the far node: what it does of itself is taken off, and no more is there
        assert far is None or far.text.startswith("< "), far


def test_more_terminals_are_lines_of_their_own(trials: tuple[Trial, ...]) -> None:
    made = tables(trials)
    for path, nodes in PATHS.items():
        for node in nodes:
            assert [r.cells[1].text for r in rows(made["terminals"], path, node)] == ["1", "2"]
            (swept,) = of(trials, "sweep", path, node)
            (row,) = rows(made["terminals"], path, node, "2")
            whole = sum(grown(swept, user) for user in swept.parts)
            assert value(row, 5) == pytest.approx(whole / kilobytes(swept))
            assert row.cells[-2].text == "0"
            (full,) = rows(made["saturation"], path, node)
            assert all(value(full, k) >= 2 for k in range(1, len(full.cells)))


def test_a_terminal_that_showed_something_else_is_counted(trials: tuple[Trial, ...]) -> None:
    def spoilt(trial: Trial) -> Trial:
        made = [
            r._replace(fields={**r.fields, "wrong": r.value("wrong")._replace(value=2)})
            if r.kind == "sessions"
            else r
            for r in trial.records
        ]
        return replace(trial, records=tuple(made))

    table = tables([spoilt(t) for t in trials])["terminals"]
    assert [r.cells[-2].text for r in rows(table, "LAT", "CLE750")] == ["4", "2"]


def test_two_releases_stand_beside_each_other(trials: tuple[Trial, ...]) -> None:
    """The second has shown half as much for the same CPU."""

    def half(trial: Trial) -> Trial:
        shown = trial.data and trial.data._replace(value=trial.data.value / 2)
        return replace(trial, id=f"{trial.id}X", release="213", data=shown)

    made = tables([*trials, *map(half, trials)])
    assert {r.cells[0].text for r in rows(made["paths"])} == {
        f"{path} ({release})" for path in PATHS for release in ("221", "213")
    }
    new = [r for r in rows(made["wide"]) if r.cells[0].text == "213"]
    totals = [r for r in new if r.cells[1].text.startswith("Total")]
    assert [r.label for r in totals] == [f"{p} {n}" for p, nodes in PATHS.items() for n in nodes]
    assert all(value(r, 6) == pytest.approx(2) for r in totals)


def test_every_table_of_a_kilobytes_cost_has_cp_by_the_clock_apart(
    folder: Path, trials: tuple[Trial, ...]
) -> None:
    """Beside several releases, in the report's costs, and where vmkb compare makes the table."""
    other = [replace(t, id=f"{t.id}X", release="213") for t in trials]
    cost = tables(trials)["cost"]
    two = tables([*trials, *other])["wide"]
    for path, nodes in PATHS.items():
        for node in nodes:
            mine = {r.cells[1].text: r for r in rows(two, f"{path} {node}", "221")}
            for label in (CP, CLOCK, "Total"):
                (narrow,) = rows(cost, path, node, label)
                here = value(mine[label], 3)
                assert here == pytest.approx(1e3 * value(narrow, 5))
    report, _ = of_run(WORKLOAD, folder, 0, MODEL)
    assert all(CLOCK in {p.label for p in c.parts} for c in report.costs)


def test_the_answer_says_what_is_known(trials: tuple[Trial, ...]) -> None:
    assert sentence(trials) == (
        "A kilobyte on a terminal takes CPU, against TELNET: on CLE750, which serves: LAT is"
        " undecided (-10 .. +1 %); on LNS53, which the user sits at: nothing by LAT, which does not"
        " pass it."
    )
    typed = [t for t in trials if t.params["kind"] == "type"]
    first = {path: min(t.seq for t in typed if t.params["path"] == path) for path in PATHS}
    assert sentence([t for t in typed if t.seq in first.values()]) == (
        "A kilobyte on a terminal takes CPU, against TELNET: on CLE750, which serves: LAT has no"
        " interval yet; on LNS53, which the user sits at: nothing by LAT, which does not pass it."
    )
    lat = [t for t in trials if t.params["path"] == "LAT"]
    cost = value(rows(tables(lat)["cost"], "LAT", "CLE750", "Total")[0], 2)
    assert sentence(lat) == (
        f"By LAT a kilobyte on a terminal takes {cost:.0f} instructions on CLE750."
    )
    idle = [t for t in trials if t.params["kind"] == "idle"]
    assert "there is no answer" in str(sentence(idle))


def test_a_trial_without_its_second_samples_makes_no_table(trials: tuple[Trial, ...]) -> None:
    first = trials[0]
    half = [r for r in first.records if r.kind == "connect"][: len(first.parts)]
    with pytest.raises(TableError, match="no two QUERY TIME .FULL samples of TCPIP"):
        tables([replace(first, records=tuple(half)), *trials[1:]])


def test_the_report_of_the_folder_is_whole(folder: Path) -> None:
    ran = len({(t.run, t.seq) for t in read(folder).trials})
    report = of_run(WORKLOAD, folder, ran, MODEL)[0]
    assert [t.name for t in report.tables] == [
        "busy", "cost", "paths", "lan", "echo", "terminals", "saturation",
        "published-cmu_telnet_type", "published-cmu_telnet_words",
    ]  # fmt: skip
    assert not any("have no result" in d for d in report.doubts)
    missing = of_run(WORKLOAD, folder, ran + 2, MODEL)[0].doubts
    assert f"2 of {ran + 2} trials have no result; --resume runs them" in missing
