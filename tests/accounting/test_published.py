# SPDX-License-Identifier: MIT
"""The published tables come out of compare, cell by cell."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.published.arithmetic import inconsistent
from vmkb.accounting.costs import costs
from vmkb.accounting.published import Published, figure_trials, names, published
from vmkb.accounting.records import Source
from vmkb.accounting.tables.lines import compared
from vmkb.accounting.tables.release import release_tables
from vmkb.accounting.tables.table import Table

SHARED = Path(__file__).parents[3] / "shared" / "published"
#: Cells that were collected otherwise than the document has them: row, column, as collected.
OTHERWISE = {
    "citi_dxu_2_tcp": [(0, "per", "each")],
    "cmu_telnet_type": [(2, "note", "not observable on an Ethernet at 35-45 KB/s")],
}
ABSOLUTE = ("rate_kb_s", "tcpip_ms_kb", "client_ms_kb", "total_ms_kb")
RATIO = ("ratio_rate", "ratio_tcpip", "ratio_client", "ratio_total")


def as_tables(rows: tuple[Mapping[str, str], ...]) -> list[Table]:
    found = costs(figure_trials(rows, "zvm310"), Source.PB)
    return release_tables(found, compared(found))


def test_every_cell_of_the_zvm_tables() -> None:
    table = published("zvm310_ftp")
    made = as_tables(table.rows)
    assert [t.title for t in made] == ["Table 1", "Table 2", "Table 3"]
    by_run = {row["run_id"]: row for row in table.rows}
    seen = 0
    for t in made:
        for section in t.body:
            keys = ABSOLUTE if section.kind == "absolute" else RATIO
            for row, key in zip(section.rows, keys, strict=True):
                for run, cell in zip(t.columns, row.cells, strict=True):
                    assert cell.text == by_run[run][key], (run, key)
                    seen += 1
    assert seen == 12 * 8


def test_layout_is_the_published_one() -> None:
    table = published("zvm310_ftp")
    one, _, three = as_tables(table.rows)
    assert [r.label for r in one.head] == ["Run Id", "Mode", "TCP/IP Release"]
    assert [c.text for c in one.head[1].cells] == ["ASCII", "ASCII", "Binary", "Binary"]
    assert [r.label for r in three.head] == ["Run Id", "TCP/IP Release"]  # all binary
    assert [r.label for r in one.body[0].rows] == [
        "Rate (KB/sec) (PB)", "TCPIP CPU/KB (msec) (PB)", "VM Client CPU/KB (PB)",
        "Total CPU/KB (PB)",
    ]  # fmt: skip


def test_inconsistent_rows_of_the_rfcs_are_found() -> None:
    found = list(inconsistent())
    heads = [s.split(" (")[0].split(":")[0] for s in found]
    assert heads == [
        "RFC 415 row 14", "RFC 415 row 17", "RFC 415 row 18", "RFC 415 row 19", "RFC 415 row 20",
        "RFC 557, RJS on TENEX 1972", "RFC 573, User receiving",
    ]  # fmt: skip
    # 44/95 and the four 8-bit rows are within the rounding of their inputs
    assert all("(within" in s for s in found[:5])
    assert "274.1 to 275.3" in found[6]


def test_cpu_per_bit_of_every_other_row_is_that_of_its_inputs() -> None:
    rows = published("rfc415_tenex_bandwidth").rows
    odd = {14, 17, 18, 19, 20}
    for k, row in enumerate(rows, start=1):
        exact = 100 * float(row["real_kbaud"]) / float(row["cpu_kbaud"])
        fits = int(row["cpu_needed_pct"]) in (int(exact), round(exact))
        assert fits is (k not in odd)
    for row in published("rfc573_ftp_summary").rows:
        made = float(row["cpu_sec_per_Mb"]) * 8.192
        assert f"{made:.1f}" == row["cpu_msec_per_KB_derived"]


def test_a_wrong_cell_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    import tests.published.arithmetic as module

    table = published("rfc573_ftp_summary")
    rows = [dict(r) for r in table.rows]
    rows[0]["cpu_msec_per_KB_derived"] = "33.8"
    real = published

    def wrong(name: str) -> Published:
        found = real(name)
        if name != "rfc573_ftp_summary":
            return found
        return type(found)(found.name, found.source, tuple(rows), {})

    monkeypatch.setattr(module, "published", wrong)
    assert any("not 33.8" in s for s in inconsistent())


@pytest.mark.parametrize("name", names())
def test_data_equals_the_collected_csv(name: str) -> None:
    path = SHARED / f"{name}.csv"
    if not path.exists():
        pytest.skip("the collected CSV files are not here")
    with path.open(encoding="utf-8", newline="") as f:
        rows = [r for r in csv.reader(x for x in f if not x.startswith("#")) if r]
    table = published(name)
    ours = [dict(r) for r in table.rows]
    for number, column, collected in OTHERWISE.get(name, ()):
        assert ours[number][column] != collected
        ours[number][column] = collected
    assert [list(r.values()) for r in ours] == rows[1:]
    assert table.source and "seeds/" not in table.source


def test_unknown_table() -> None:
    with pytest.raises(KeyError, match="zvm310_ftp"):
        published("zvm999")
