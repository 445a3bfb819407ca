# SPDX-License-Identifier: MIT
"""The line workload's tables, from trials with known times."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from vmkb.accounting.published import published
from vmkb.accounting.records import Record, Source, Unit, Value, Where
from vmkb.accounting.store import Trial
from vmkb.accounting.tables.table import Table
from vmkb.errors import UsageError
from vmkb.workloads.base.definition import load
from vmkb.workloads.base.settings import Asked
from vmkb.workloads.line.measures import TABLE, cells
from vmkb.workloads.line.plan import Definition
from vmkb.workloads.line.readout import sender_record
from vmkb.workloads.line.tables import line_tables, sentence
from vmkb.workloads.line.workload import Workload

WHERE = Where("x", 1)


@pytest.fixture(scope="module")
def definition() -> Definition:
    return Workload().definition


def trial(release: str, case: str, pair: int, rate: float, best: int = 768) -> Trial:
    """A transfer of 8192 bytes at RATE bytes a second, in both records."""
    us = round(8192 / rate * 1e6)
    said = {
        "bytes": Value(8192, Unit.BYTE, Source.FT),
        "elapsed": Value(us, Unit.US, Source.FT, 10_000),
    }
    told = {
        "bytes": 8192, "sent": 9000, "resent": 808, "elapsed": us, "segments": 45, "again": 2,
        "lone": 45, "commanded": 7, "answered": 7, "largest": 192, "idle": 1, "longest": 20_000_000,
        "flight": 4096, "trip": None, "wait": 3_000_000,
    }  # fmt: skip
    raw = json.dumps({**told, "picture": {"sent": [[0.0, 192]], "acked": [[1.0, 192]]}})
    return Trial(
        id=f"{case}{release}-{pair}", run="r", case=case, release=release, pair=pair, seq=pair,
        params={"what": "get", "best": str(best), "title": f"line {case}"},
        records=(Record("ftp_transfer", said, "", WHERE), sender_record(told, raw, WHERE)),
    )  # fmt: skip


def rows(table: Table) -> list[list[str]]:
    return [[r.label, *(c.text for c in r.cells)] for s in table.body for r in s.rows]


def by_name(tables: list[Table | None]) -> dict[str, Table]:
    return {t.name: t for t in tables if t is not None}


def test_rates_shares_and_what_is_taken_away(definition: Definition) -> None:
    rates = {"RFC": [740, 741, 742, 743, 744], "CSM": [470, 470, 470, 470, 470]}
    trials = [
        trial(name, "96Q", k, rate)
        for name, mine in rates.items()
        for k, rate in enumerate(mine, start=1)
    ]
    made = by_name(line_tables(definition, trials))
    assert rows(made["bytes"]) == [
        ["line 96Q", "a TCP as RFC 1122 has it", "742.0", "740.0..744.0", "96.61", "742.0", "96.61",
         "5", "0"],
        ["line 96Q", "RFC 1122's with segments of 80 bytes", "470.0", "470.0..470.0", "61.20",
         "470.0", "61.20", "5", "0"],
    ]  # fmt: skip
    # each round's loss by itself: 270 to 274
    assert rows(made["causes"]) == [
        ["line 96Q", "RFC 1122's with segments of 80 bytes", "470.0", "272.0", "270..274",
         "35.42", "5"],
    ]  # fmt: skip
    assert sentence(definition, trials) == (
        "At line 96Q the fastest (a TCP as RFC 1122 has it) moves 96.6 % of what the line can"
        " carry, the slowest (RFC 1122's with segments of 80 bytes) 61.2 %."
    )


def test_two_runs_beside_each_other_are_told_apart(definition: Definition) -> None:
    """vmkb compare puts behind a release which run it is of."""
    trials = [
        trial(f"RFC {run}", "96Q", k, rate + k)
        for run, rate in (("before", 700.0), ("after", 600.0))
        for k in range(1, 6)
    ]
    assert sentence(definition, trials) == (
        "At line 96Q the fastest (a TCP as RFC 1122 has it (before)) moves 91.5 % of what the line"
        " can carry, the slowest (a TCP as RFC 1122 has it (after)) 78.5 %."
    )
    made = by_name(line_tables(definition, trials))
    assert [row[1] for row in rows(made["tcp"])] == [
        "a TCP as RFC 1122 has it (before)", "a TCP as RFC 1122 has it (after)",
    ]  # fmt: skip


def test_a_host_wins_only_if_trials_tell_it_from_the_next(definition: Definition) -> None:
    def said(**rates: list[float]) -> str:
        return sentence(definition, [
            trial(name, "96Q", k, rate)
            for name, mine in rates.items()
            for k, rate in enumerate(mine, start=1)
        ])  # fmt: skip

    noisy, slower = [700.0, 740.0, 720.0], [400.0, 401.0, 402.0]
    assert "the fastest (2 of 3 hosts) moves 93.7 %" in said(RFC=noisy, LWP=noisy[::-1], CSM=slower)
    assert "no host is told from another: 92.4 to 93.7 %" in said(RFC=noisy, LWP=[700, 710, 730])
    assert "one trial has no interval" in said(RFC=[740], CSM=[400])


def test_a_host_that_may_be_either_is_neither(definition: Definition) -> None:
    rates = {"FAL": [25.0, 26.0], "RFC": [88.0, 90.0], "TAH": [26.0, 89.0]}
    trials = [
        trial(name, "12N", k, rate, 96)
        for name, mine in rates.items()
        for k, rate in enumerate(mine, start=1)
    ]
    assert sentence(definition, trials) == (
        "At 1200 bit/s with noise, one like IBM's FAL 1.2.1 has 0.348 of the speed of its"
        " competitors (published: half). At line 12N the fastest (a TCP as RFC 1122 has it) moves"
        " 92.7 % of what the line can carry, the slowest (one like IBM's FAL 1.2.1, all four"
        " complaints) 26.6 %."
    )


def test_each_printed_figure_has_a_transfer_of_ours(definition: Definition) -> None:
    """In the order of both: TERMINATOR's and THUMPER's are two of one host."""
    fal = [trial("FAL", "12N", k, rate, 96) for k, rate in ((2, 24.5), (1, 27.0))]
    tah = [trial("TAH", "12N", k, rate, 96) for k, rate in ((1, 92.0), (2, 63.0))]
    found = cells(definition, [*fal, *tah])
    lines = [r for r in published(TABLE).rows if r["host"] == "NIS.NSF.NET"]
    told = [found[TABLE](line, "bytes_s") for line in lines]
    assert [round(x.value, 1) if x else None for x in told] == [None] * 4 + [27.0, 24.5]
    lines = [r for r in published(TABLE).rows if r["host"][:5] in ("TERMI", "THUMP")]
    told = [found[TABLE](line, "bytes_s") for line in lines]
    assert [x.value if x else None for x in told] == pytest.approx([92.0, 63.0])


def test_the_posts_words_are_figures_of_the_captures(definition: Definition) -> None:
    rates = {"FAL": 27.0, "RFC": 90.0, "B42": 60.0, "TAH": 66.0, "CSM": 72.0}
    trials = [trial(name, "12N", 1, rate, 96) for name, rate in rates.items()]
    text = cells(definition, trials)["tcp1990_line_text"]
    told = {
        key: text({"key": key}, "printed") for key in ("small", "again", "alone", "stall", "half")
    }
    assert {k: round(x.value, 3) for k, x in told.items() if x} == {
        "small": 200.0, "again": 8.978, "alone": 1.0, "stall": 20.0, "half": 0.375,
    }  # fmt: skip
    best = text({"key": "best 1200"}, "printed")
    assert best is not None and (round(best.value), best.bound) == (90, 96.0)
    assert text({"key": "lost"}, "printed") is None


def test_what_a_tcp_did_and_its_picture(definition: Definition) -> None:
    made = by_name(line_tables(definition, [trial("RFC", "96Q", 1, 700.0)]))
    (row,) = rows(made["tcp"])
    assert row[2:] == ["45", "200", "2", "8.978", "1", "1", "-", "3", "4096", "20"]
    (plot,) = made["tcp"].plots
    assert [name for name, _ in plot.series] == ["sent", "acknowledged"]
    assert plot.series[0][1] == ((0.0, 192.0, 192.0, 192.0),)


def test_each_printed_host_has_one_that_stands_for_it(definition: Definition) -> None:
    cases, releases = {c.id for c in definition.case}, {r.name for r in definition.releases}
    there = {(h.host, str(h.bps)) for h in definition.hosts}
    assert there == {(r["host"], r["bps"]) for r in published(TABLE).rows}
    assert all(h.case in cases and h.release in releases for h in definition.hosts)


def test_a_quick_run_has_a_transfer_for_each_printed_figure() -> None:
    workload = Workload()
    settings = workload.settings(Asked())
    planned = {(p.case.id, p.release.name, p.pair) for p in workload.plan(settings)}
    used: Counter[tuple[str, str]] = Counter()
    for row in published(TABLE).rows:
        host = next(h for h in workload.definition.hosts if h.host == row["host"]
                    and str(h.bps) == row["bps"])  # fmt: skip
        used[host.case, host.release] += 1
        assert (host.case, host.release, used[host.case, host.release]) in planned
    assert {r for c, r, _ in planned if c == "12P"} == {"RFC"}
    assert {"CSM", "CRS", "CST", "CLA"} < {r for _, r, _ in planned}


def test_a_case_without_its_host_is_refused() -> None:
    workload = Workload()
    with pytest.raises(UsageError, match="12P has no far host but RFC"):
        workload.plan(workload.settings(Asked(cases=("12P",), releases="FAL")))


def test_a_full_run_has_each_complaint_and_all_lines() -> None:
    workload = Workload()
    full = workload.settings(Asked(style="full"))
    assert {"CSM", "CRS", "CST", "CLA"} < set(full.releases)
    assert {"96N", "12D", "96V"} < set(full.cases)


def test_a_case_with_a_profile_that_there_is_not_is_refused(tmp_path: Path) -> None:
    from pathlib import Path

    import vmkb.workloads.line as package

    text = (Path(package.__file__).parent / "line.toml").read_text("utf-8")
    wrong = tmp_path / "line.toml"
    wrong.write_text(text.replace("line-9600-quiet", "line-9600-silent"), "utf-8")
    with pytest.raises(UsageError, match="line-9600-silent"):
        load(Definition, wrong)
