# SPDX-License-Identifier: MIT
"""The tables of the run that docs/published/dxu.md is made of: what is an input, Table 4 cell by
cell, the server's disk, MVS beside it, and the ELC2."""

from __future__ import annotations

import pytest

from tests.published.record import unpacked
from tests.workloads.shown import rows, text
from vmkb.accounting.analysis.specification import Given
from vmkb.accounting.published import published
from vmkb.accounting.store import read
from vmkb.accounting.tables.table import Row, Table
from vmkb.workloads.dxu import answer

MODEL = "9021-720"


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Table]:
    """The workload's own tables, by name."""
    (run,) = unpacked("dxu", tmp_path_factory.mktemp("kept"))
    found = answer.make_tables(Given(read(run).trials, [], [], MODEL))
    return {t.name: t for t in found if t is not None}


def ratio(table: Table, row: Row, theirs: str, ours: str) -> object:
    """OURS by THEIRS as the page divides them, from the figures as they are printed."""
    numbers = (float(text(table, row, head).split()[0]) for head in (ours, theirs))
    return pytest.approx(next(numbers) / next(numbers), abs=0.011)


@pytest.mark.parametrize("name", ["overview", "tcp"])
def test_what_comes_back_as_it_was_put_in_has_no_ratio(tables: dict[str, Table], name: str) -> None:
    table = tables[name]
    head = "Ratio" if name == "overview" else "Ratio of each (FT)"
    link = "Slowest link (IN)" if name == "overview" else "Slowest link KB/s (IN)"
    for case in ("RS1", "RS2"):
        (row,) = rows(table, case)
        assert text(table, row, head) == "input (IN)"
        assert text(table, row, link) == "510"
    (row,) = rows(table, "GG")
    ours = "Ours" if name == "overview" else "Each KB/s (FT)"
    theirs = "Published (PB)" if name == "overview" else "Published KB/s (PB)"
    assert float(text(table, row, head)) == ratio(table, row, theirs, ours)
    assert text(table, row, link) == "4395"  # 4.5 MB/s


def test_both_ways_have_a_ratio_of_each_and_of_all(tables: dict[str, Table]) -> None:
    table = tables["tcp"]
    (row,) = rows(table, "BI")
    for whose in ("Each", "All"):
        found = text(table, row, f"Ratio of {whose.lower()} (FT)")
        assert float(found) == ratio(table, row, "Published KB/s (PB)", f"{whose} KB/s (FT)")
    assert any("does not" not in note and "(each)" in note for note in table.notes)
    assert [text(table, rows(table, c)[0], "Ratio of all (FT)") for c in ("RS2", "GG")] == ["-"] * 2


def test_each_cell_of_table_4_stands_beside_the_cache_and_the_disk(
    tables: dict[str, Table],
) -> None:
    table, seen = tables["afs"], 0
    heads = {
        "elapsed_s": ("Published s (PB)", "Ours s (WI)"),
        "kb_s": ("Published KB/s (PB)", "Ours KB/s (WI)"),
        "fs_cpu_pct": ("Published FS CPU % (PB)", "File server % (IC/WI)"),
        "lisa_cpu_pct": ("Published LISA CPU % (PB)", "Guest % (RT)"),
        "lisa_io_s": ("Published LISA IO/s (PB)", "I/O a second (RT)"),
    }
    for line in published("citi_dxu_4_afs").rows:
        for place in ("cache", "disk"):
            for column, (theirs, ours) in heads.items():
                if not line[column]:
                    continue
                whole = column not in ("elapsed_s", "kb_s") or line["client"] == "totals"
                who = "all" if whole else line["client"]
                (row,) = rows(table, line["file"], line["clients"], place, who)
                assert text(table, row, theirs) == line[column]
                assert float(text(table, row, ours)) > 0
                seen += 1
    assert seen == 2 * 19


def test_the_disk_is_slower_than_the_cache_and_mvs_changes_nothing(
    tables: dict[str, Table],
) -> None:
    table = tables["afs"]

    def speed(size: str, place: str) -> float:
        (row,) = rows(table, size, "2", place, "all")
        return float(text(table, row, "Ours KB/s (WI)"))

    assert speed("1 MB", "disk") < 0.8 * speed("1 MB", "cache")
    ten = speed("10 MB", "cache")  # more than the cache holds
    assert speed("10 MB", "disk") == pytest.approx(ten, rel=0.05)
    assert speed("10 MB", "cache, beside MVS") == pytest.approx(ten, rel=0.01)
    (note,) = (n for n in table.notes if "MVS is a machine" in n)
    assert 15 < float(note.split(" took ")[1].split(" ")[0]) < 21


def test_two_clients_stand_beside_the_reports_ratios(tables: dict[str, Table]) -> None:
    table = tables["two"]
    for place in ("cache", "disk"):
        printed = [text(table, r, "Published (PB)") for r in rows(table, "10 MB", place)]
        assert printed == ["1.7", "1.6", "1.7"]
        assert {text(table, r, "Published (PB)") for r in rows(table, "1 MB", place)} == {"-"}
    (row,) = rows(table, "10 MB", "cache", "throughput")
    one, two = (
        float(text(tables["afs"], rows(tables["afs"], "10 MB", n, "cache", "all")[0],
                   "Ours KB/s (WI)"))
        for n in ("1", "2")
    )  # fmt: skip
    assert text(table, row, "Ours") == f"{two / one:.2f} (WI)"


def test_the_elc2_stands_beside_the_dxu_and_no_row_is_empty(tables: dict[str, Table]) -> None:
    table = tables["clientload"]
    (row,) = rows(table, "average")
    dxu, elc2 = (float(text(table, row, h)) for h in ("Ours (WI)", "Ours with the ELC2 (WI)"))
    assert elc2 > 3 * dxu
    assert all(any(c.text != "-" for c in r.cells) for r in rows(table))
    (row,) = rows(table, "fourteen clients, KB/s, in the text")
    assert text(table, row, "Published (PB)") == "99"


def test_the_questions_are_answered_from_all_of_it(tables: dict[str, Table]) -> None:
    notes = " ".join(tables["limits"].notes)
    for question in ("on the disk instead of", "Does MVS matter", "beside the BTI ELC2"):
        assert question in notes
