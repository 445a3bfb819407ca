# SPDX-License-Identifier: MIT
"""What is read from a trial's transcript, and what is not trusted."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.ftp_texts import trial
from vmkb.accounting.costs import trial_cost
from vmkb.accounting.models import model
from vmkb.accounting.records import Source, Where
from vmkb.accounting.store import Trial
from vmkb.workloads.base.readout import wire_record
from vmkb.workloads.base.results import TRANSCRIPTS, keep_line
from vmkb.workloads.base.workload import rounds
from vmkb.workloads.ftp import Workload
from vmkb.workloads.ftp.plan import plan
from vmkb.workloads.ftp.readout import compare_digests, read_trial

WORKLOAD = Workload().definition
PLANNED = plan(WORKLOAD, "quick", rounds(WORKLOAD.case, WORKLOAD.releases, 1))
USED = {"TCPIP": 2_000_000, "VMUSER1": 3_000_000, "*SYSTEM": 90_000}


@pytest.mark.parametrize("planned", PLANNED[::2], ids=lambda p: p.id)
def test_a_good_trial_gives_the_costs_that_the_guest_typed(planned: object) -> None:
    from vmkb.workloads.ftp.plan import Planned

    assert isinstance(planned, Planned)
    readout = read_trial(trial(WORKLOAD, planned, USED), "t.txt", WORKLOAD, planned)
    assert (readout.broken, readout.doubts) == ((), ())
    made = Trial(
        id=planned.id, run="r", case=planned.case.id, release=planned.release.name,
        parts={p.user: p.label for p in WORKLOAD.part}, records=readout.records, status="good",
    )  # fmt: skip
    cost = trial_cost(made, Source.IC, model("2064-109"))
    assert cost.usable
    kb = planned.files * WORKLOAD.size[planned.case.size].bytes / 1024
    assert cost.data is not None and cost.data.value / 1024 == kb
    for part in cost.parts:
        assert part.instructions is not None and part.instructions.value == USED[part.machine]
        assert part.per_kb is not None
        used = USED[part.machine] / 156 + 4000 / 3076.923
        assert part.per_kb.value == pytest.approx(used / kb, rel=1e-6)
        assert part.moved is not None and part.moved.value == 4000


def test_a_return_code_breaks_a_trial() -> None:
    readout = read_trial(trial(WORKLOAD, PLANNED[0], USED, code="16550"), "t", WORKLOAD, PLANNED[0])
    assert any("16550" in why for why in readout.broken)


def test_a_transcript_that_breaks_off_breaks_a_trial() -> None:
    whole = trial(WORKLOAD, PLANNED[0], USED)
    readout = read_trial(whole[: len(whole) // 2], "t", WORKLOAD, PLANNED[0])
    assert any("return code none" in why for why in readout.broken)


def test_a_missing_file_breaks_a_trial() -> None:
    planned = PLANNED[4]
    readout = read_trial(
        trial(WORKLOAD, planned, USED, files=planned.files - 1), "t", WORKLOAD, planned
    )
    assert any("files were transferred" in why for why in readout.broken)


def test_a_short_file_breaks_a_trial() -> None:
    text = trial(WORKLOAD, PLANNED[0], USED).replace(b"2097152 bytes", b"2097151 bytes")
    readout = read_trial(text, "t", WORKLOAD, PLANNED[0])
    assert any("2097151" in why for why in readout.broken)


def test_a_machine_that_was_not_asked_breaks_a_trial() -> None:
    readout = read_trial(trial(WORKLOAD, PLANNED[0], {"VMUSER1": 1}), "t", WORKLOAD, PLANNED[0])
    assert any(why.startswith("TCPIP has 0") for why in readout.broken)


@pytest.mark.parametrize(("accounted", "trusted"), [(1_995_000, True), (1_950_000, False)])
def test_accounts_must_add_up_to_elapsed_time(accounted: int, trusted: bool) -> None:
    text = trial(WORKLOAD, PLANNED[0], USED, accounted=accounted)
    readout = read_trial(text, "t", WORKLOAD, PLANNED[0])
    assert (not readout.doubts) is trusted
    books = next(r for r in readout.records if r.kind == "accounts")
    assert books.value("accounted").value == accounted
    assert books.value("elapsed").value == 2_000_000


def test_unanswered_accounts_are_a_doubt() -> None:
    text = trial(WORKLOAD, PLANNED[0], USED).replace(b"SUM 1", b"SOM 1")
    assert "not known" in read_trial(text, "t", WORKLOAD, PLANNED[0]).doubts[0]


def test_every_record_points_at_its_own_text() -> None:
    """Row 13."""
    text = trial(WORKLOAD, PLANNED[0], USED)
    lines = text.decode().splitlines()
    readout = read_trial(text, "t", WORKLOAD, PLANNED[0])
    assert {"accounts", "tcp", "acnt", "acnt_sum", "connect"} <= {r.kind for r in readout.records}
    for record in readout.records:
        first = record.raw.splitlines()[0]
        assert first in lines[record.where.line - 1], record.kind


def test_kept_lines_are_numbered(tmp_path: Path) -> None:
    (tmp_path / TRANSCRIPTS).mkdir()
    found = [keep_line(tmp_path, "wire.jsonl", raw) for raw in ("a", "b")]
    found.append(keep_line(tmp_path, "other.jsonl", "c"))
    assert [(w.file, w.line) for w in found] == [
        ("transcripts/wire.jsonl", 1), ("transcripts/wire.jsonl", 2),
        ("transcripts/other.jsonl", 1),
    ]  # fmt: skip
    assert (tmp_path / "transcripts/wire.jsonl").read_text() == "a\nb\n"


def test_tcp_counts_are_the_growth() -> None:
    readout = read_trial(trial(WORKLOAD, PLANNED[0], USED), "t", WORKLOAD, PLANNED[0])
    tcp = next(r for r in readout.records if r.kind == "tcp")
    assert tcp.value("sent").value == 240
    assert tcp.value("dropped").value == 0


@given(st.data())
def test_no_damage_to_a_transcript_goes_unsaid(data: st.DataObject) -> None:
    """A trial counts only whole: cut off lines anywhere and it is broken or doubted."""
    planned = PLANNED[4]
    lines = trial(WORKLOAD, planned, USED).splitlines(keepends=True)
    matters = [
        k
        for k, line in enumerate(lines)
        if any(w in line for w in (b"bytes transferred", b"CONNECT=", b"SUM ", b"ENDED", b"TOTAL "))
        and b"INSTR" not in line
        and b"MAINT" not in line
        and b"CHECKSUM" not in line
    ]
    cut = data.draw(st.sampled_from(matters))
    text = b"".join(lines[:cut] + lines[cut + 1 :])
    readout = read_trial(text, "t", WORKLOAD, planned)
    books = any(r.kind == "accounts" for r in readout.records)
    assert readout.broken or readout.doubts or not books


def test_wire_counts_are_the_growth_at_the_port() -> None:
    def port(n: int, dropped: int) -> dict[str, object]:
        side = {"dropped": {"queue": dropped}}
        counts = dict.fromkeys(("frames_in", "frames_out", "bytes_in", "bytes_out"), n)
        return {"ports": {"213": {**counts, "up": side, "down": {"dropped": {}}}}}

    made = wire_record(port(10, 1), port(15, 3), "213", "raw", Where("w"))
    assert made.value("bytes_in").value == 5
    assert made.value("dropped").value == 2
    assert made.value("frames_out").source is Source.WI


def test_files_that_differ_are_named() -> None:
    moved = [(("A", "SOURCE"), ("F001", "OUT")), (("A", "SOURCE"), ("F002", "OUT"))]
    sources = {("A", "SOURCE"): ("aa", 5)}
    targets = {("F001", "OUT"): ("aa", 5), ("F002", "OUT"): ("ab", 5)}
    assert compare_digests(moved[:1], sources, targets) == []
    assert "F002 OUT differ" in compare_digests(moved, sources, targets)[0]
    assert "not on its minidisk" in compare_digests(moved[:1], sources, {})[0]
