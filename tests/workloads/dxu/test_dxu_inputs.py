# SPDX-License-Identifier: MIT
"""The tables of the run that docs/published/dxu.md is made of: what is an input, Table 4 cell by
cell, the server's disk, MVS beside it, and the ELC2."""

from __future__ import annotations

import pytest

from tests.published.record import unpacked
from tests.workloads.shown import rows, text, value
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


def test_what_comes_back_as_it_was_put_in_has_no_ratio(tables: dict[str, Table]) -> None:
    table = tables["overview"]
    for case in ("RS1", "RS2"):
        (row,) = rows(table, case)
        assert text(table, row, "Ratio") == "input (IN)"
        assert text(table, row, "Slowest link KB/s (IN)") == "510"
    (row,) = rows(table, "GG")
    assert float(text(table, row, "Ratio")) == ratio(table, row, "Published KB/s (PB)", "Ours KB/s")
    assert text(table, row, "Slowest link KB/s (IN)") == "4395"  # 4.5 MB/s


def test_both_ways_are_told_of_each_and_of_all(tables: dict[str, Table]) -> None:
    table = tables["tcp"]
    (row,) = rows(table, "BI")
    each, every = (value(table, row, f"{x} KB/s (FT)") for x in ("Each", "All"))
    assert every == pytest.approx(2 * each)
    assert any("does not" not in note and "(each)" in note for note in table.notes)


def test_each_cell_of_table_4_has_one_by_the_cache_and_one_by_the_disk(
    tables: dict[str, Table],
) -> None:
    table, seen = tables["afs"], 0
    heads = {
        "elapsed_s": "Took s (WI)", "kb_s": "Speed KB/s (WI)",
        "fs_cpu_pct": "File server % (IC/WI)", "lisa_cpu_pct": "Guest % (RT)",
        "lisa_io_s": "I/O a second (RT)",
    }  # fmt: skip
    for line in published("citi_dxu_4_afs").rows:
        for place in ("cache", "disk"):
            for column, ours in heads.items():
                if not line[column]:
                    continue
                whole = column not in ("elapsed_s", "kb_s") or line["client"] == "totals"
                who = "all" if whole else line["client"]
                (row,) = rows(table, line["file"], line["clients"], place, who)
                assert float(text(table, row, ours)) > 0
                seen += 1
    assert seen == 2 * 19


def test_the_disk_is_slower_than_the_cache_and_mvs_changes_nothing(
    tables: dict[str, Table],
) -> None:
    table = tables["afs"]

    def speed(size: str, place: str) -> float:
        (row,) = rows(table, size, "2", place, "all")
        return float(text(table, row, "Speed KB/s (WI)"))

    assert speed("1 MB", "disk") < 0.8 * speed("1 MB", "cache")
    ten = speed("10 MB", "cache")  # more than the cache holds
    assert speed("10 MB", "disk") == pytest.approx(ten, rel=0.05)
    assert speed("10 MB", "cache, beside MVS") == pytest.approx(ten, rel=0.01)
    (note,) = (n for n in table.notes if "MVS is a machine" in n)
    assert 15 < float(note.split(" took ")[1].split(" ")[0]) < 21


def test_two_clients_stand_beside_one(tables: dict[str, Table]) -> None:
    table = tables["two"]
    (row,) = rows(table, "10 MB", "cache", "throughput")
    one, two = (
        value(tables["afs"], rows(tables["afs"], "10 MB", n, "cache", "all")[0], "Speed KB/s (WI)")
        for n in ("1", "2")
    )
    assert value(table, row, "Ratio") == pytest.approx(two / one)


def test_the_elc2_stands_beside_the_dxu_and_no_row_is_empty(tables: dict[str, Table]) -> None:
    table = tables["clientload"]
    (row,) = rows(table, "average")
    dxu, elc2 = (float(text(table, row, f"By the {x} (WI)")) for x in ("DXU", "ELC2"))
    assert elc2 > 3 * dxu
    assert all(any(c.text != "-" for c in r.cells) for r in rows(table))


def test_the_questions_are_answered_from_all_of_it(tables: dict[str, Table]) -> None:
    notes = " ".join(tables["limits"].notes)
    for question in ("on the disk instead of", "Does MVS matter", "beside the BTI ELC2"):
        assert question in notes
