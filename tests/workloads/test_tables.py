# SPDX-License-Identifier: MIT
"""The workload's own tables, from trials made of transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workloads.ftp_texts import trial
from vmkb.accounting.analysis.analyse import Options
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store import Store, Trial
from vmkb.workloads.base.readout import wire_record
from vmkb.workloads.base.report import analysed, of_run
from vmkb.workloads.base.workload import rounds
from vmkb.workloads.ftp import Workload
from vmkb.workloads.ftp.plan import plan
from vmkb.workloads.ftp.readout import read_trial
from vmkb.workloads.ftp.tables import close_sentences, resent, sanity_table, wire_table

WORKLOAD = Workload().definition


def _counters(size: int) -> dict[str, object]:
    counts = {"frames_in": 10, "frames_out": 20, "bytes_in": 100, "bytes_out": size}
    side = {"dropped": {"queue": 1 if size else 0}}
    return {"ports": {"x": {**counts, "up": side, "down": side}}}


def _trials(count: int = 5) -> list[Trial]:
    made = []
    for planned in plan(WORKLOAD, "quick", rounds(WORKLOAD.case[:2], WORKLOAD.releases, count)):
        factor = 100 if planned.release.name == "213" else 110
        used = {"TCPIP": factor * 20_000 + planned.pair, "VMUSER1": 3_000_000, "*SYSTEM": 50}
        readout = read_trial(trial(WORKLOAD, planned, used), "t", WORKLOAD, planned)
        size = WORKLOAD.size[planned.case.size].bytes * planned.files
        wire = wire_record(_counters(0), _counters(size), "x", "raw", Where("w"))
        made.append(
            Trial(
                id=planned.id, run="r", case=planned.case.id, release=planned.release.name,
                pair=planned.pair, seq=planned.seq, table=planned.case.table,
                mode=planned.case.mode, run_id=planned.run_id,
                parts={p.user: p.label for p in WORKLOAD.part},
                params={"direction": planned.case.direction, "file": planned.case.size},
                meta={"model": "2064-109"}, records=(*readout.records, wire), status="good",
            )
        )  # fmt: skip
    return made


def test_wire_table_counts_bytes_on_the_wire_per_byte_of_file() -> None:
    table = wire_table(_trials())
    assert table is not None
    row = table.body[0].rows[0]
    assert row.label == "G2M_A"
    assert [c.text for c in row.cells][:4] == ["213", "0", "2048", "0"]
    assert row.cells[4].text == "1"
    assert row.cells[5].text == "10"  # one at each side in each of five trials


def test_sanity_table_shows_the_worst_trial() -> None:
    made = _trials()
    planned = plan(WORKLOAD, "quick", rounds(WORKLOAD.case[:1], WORKLOAD.releases, 1))[0]
    text = trial(WORKLOAD, planned, {"TCPIP": 1, "VMUSER1": 1, "*SYSTEM": 1}, accounted=1_990_000)
    bad = read_trial(text, "t", WORKLOAD, planned)
    made[0] = Trial(**{**vars(made[0]), "records": bad.records})
    table = sanity_table(made)
    assert table is not None
    assert table.body[0].rows[0].cells[1].text == "-0.5000"
    assert table.body[0].rows[1].cells[1].text == "0"
    assert table.body[0].rows[0].cells[4].text == "240"


@pytest.mark.parametrize("share, dropped, told", [(1.03, 0, 0), (1.2, 0, 1), (1.2, 7, 0)])
def test_segments_that_are_sent_again_are_said(share: float, dropped: int, told: int) -> None:
    """A wire that loses some says so by itself."""
    (first, *_) = _trials(1)
    moved = sum(r.value("bytes").value for r in first.records if r.kind == "ftp_transfer")
    counted = {
        "bytes_in": Value(1, Unit.BYTE, Source.WI),
        "bytes_out": Value(share * moved, Unit.BYTE, Source.WI),
        "dropped": Value(dropped, Unit.COUNT, Source.WI),
    }
    records = (
        *(r for r in first.records if r.kind != "wire"),
        Record("wire", counted, "", first.records[0].where),
    )
    said = resent([Trial(**{**vars(first), "records": records})])
    assert [s.split(" bytes crossed the wire")[0] for s in said] == told * ["G2M_A of 213: 1.20"]
    assert resent([Trial(**{**vars(first), "records": ()})]) == []


def test_tables_without_records_are_left_out() -> None:
    bare = [Trial(**{**vars(t), "records": ()}) for t in _trials(1)]
    assert wire_table(bare) is None
    assert sanity_table(bare) is None


def test_a_report_has_the_published_layout_and_says_what_is_missing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.begin_run("r", {"model": "2064-109", "workload": "ftp"})
    for made in _trials():
        store.write_trial(made)
    report, _ = of_run(Workload(), tmp_path, 20, "2064-109")
    names = [t.name for t in report.tables]
    assert names[0] == "answer"
    assert {"release-1", "wide", "published-zvm310_ftp", "wire", "sanity"} <= set(names)
    assert report.doubts == ()
    released = next(t for t in report.tables if t.name == "release-1")
    heads = [c.text for c in released.head[0].cells]
    assert heads == ["G2M_A213", "G2M_A221", "G2M_B213", "G2M_B221"]
    wide = next(t for t in report.tables if t.name == "wide")
    total = [r for r in wide.body[0].rows if r.cells[1].text.startswith("Total")]
    # 2.2 of 5.2 million instructions instead of 2.0 of 5.0
    assert abs(float(total[1].cells[6].text) - 1.04) < 0.001
    assert "2 of 22 trials" in of_run(Workload(), tmp_path, 22, "2064-109")[0].doubts[0]


def test_the_rows_close_with_all_accounts_or_are_not_trusted() -> None:
    """Row 12: what is in no row is said, and too much of it is a doubt."""
    planned = plan(WORKLOAD, "quick", rounds(WORKLOAD.case[:1], WORKLOAD.releases, 1))[0]
    used = {"TCPIP": 2_000_000, "VMUSER1": 3_000_000, "*SYSTEM": 400_000}

    def made(others: int) -> list[Trial]:
        text = trial(WORKLOAD, planned, used, others=others)
        readout = read_trial(text, "t", WORKLOAD, planned)
        (first, *_) = _trials(1)
        return [Trial(**{**vars(first), "records": readout.records})]

    said, doubts = close_sentences(made(5_400))
    assert said[0].startswith("Total is TCPIP, VM Client, System.")
    assert "at most 0.100 % of it" in said[0]
    assert doubts == []
    assert "used 2 % of what the rows did" in close_sentences(made(108_000))[1][0]
    found = analysed(made(0), Options(layouts=("release",)))
    (table,), (cost,) = found.tables, found.costs
    rows = {r.label.split(" CPU/KB")[0]: r.cells[0].value for r in table.body[0].rows}
    parts = [rows[x] for x in ("TCPIP", "VM Client", "System")]
    assert all(x is not None for x in parts)
    assert abs(sum(x or 0 for x in parts) - (rows["Total"] or 0)) < 1e-9
    # Rows 4 and 9: the CPU timer is the witness, over the accounts' own interval of 2 s.
    machines = next(t for t in analysed(made(0)).tables if t.name == "machines")
    assert machines.columns[2] == "CPU % (AC)" and machines.columns[5] == "Modelled % (IC/AC)"
    assert machines.body[0].rows[0].cells[2].value == 100 * 2 * 10_000 / 2_000_000
    assert cost.span is not None and cost.span.value == 2_000_000
