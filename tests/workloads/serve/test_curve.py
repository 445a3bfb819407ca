# SPDX-License-Identifier: MIT
"""How well counts are known after so many trials, from a recorded run whose trials come three
times."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path

import pytest

from accounting.costs import costs
from accounting.models import model
from accounting.records import Source
from accounting.store import FILE_NAME, Trial, read
from accounting.tables.group import TOTAL, columns, instr_kb
from workloads.serve.curve import curve_table

RECORDED = Path(__file__).with_name("same-twice.jsonl.gz")
TOOK_S = 2.5


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, ...]:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    once = read(folder).trials
    return tuple(
        replace(
            t, id=f"{t.id}-{again}", pair=t.pair + 5 * again, seq=t.seq + 100 * again,
            params={**t.params, "took_s": str(TOOK_S)},
        )
        for again in range(3)
        for t in once
    )  # fmt: skip


def rows(trials):
    table = curve_table(trials)
    at = {name: i for i, name in enumerate(table.columns)}
    return at, [row for section in table.body for row in section.rows]


def test_it_has_the_half_intervals_of_the_first_trials_and_their_minutes(trials) -> None:
    at, body = rows(trials)
    for most in (5, 9, 15):
        first = [t for t in trials if t.pair <= most]
        found = columns(costs(first, Source.IC, model(first[0].meta["model"])))
        halves = {
            (c.case, c.release): c.estimate(instr_kb(TOTAL)).half_width_percent for c in found
        }
        told = [r.cells[at[f"{most} trials, half %"]].value for r in body
                if r.cells[at["Figure"]].text == "as it came"]  # fmt: skip
        assert sorted(told) == pytest.approx(sorted(halves.values()))
        took = body[-1].cells[at[f"{most} trials, half %"]].value
        assert took == pytest.approx(most * 6 * TOOK_S / 60)


def test_what_is_not_yet_reached_is_reckoned_by_the_root_of_the_trials(trials) -> None:
    at, body = rows(trials)
    a_round = 6 * TOOK_S / 60
    some = set()
    for row in body[:-1]:
        halves = {k: row.cells[at[f"{k} trials, half %"]].value for k in (5, 9, 15)}
        cell, minutes = row.cells[at["Trials for 0.5 %"]], row.cells[at["Minutes"]].value
        assert minutes == pytest.approx(cell.value * a_round)
        reached = halves[15] <= 0.5
        some.add(reached)
        assert reached != bool(re.match("~ ", cell.text))
        if reached:
            assert cell.value == min(k for k, half in halves.items() if half and half <= 0.5)
        else:
            assert cell.value == pytest.approx(15 * (halves[15] / 0.5) ** 2, abs=1)
    assert some == {True, False}, "both are to be seen here"
    assert body[-1].cells[at["Minutes"]].value == max(
        row.cells[at["Minutes"]].value for row in body[:-1]
    )


def test_few_trials_or_such_as_do_not_say_how_long_they_took_make_no_table(trials) -> None:
    assert curve_table([t for t in trials if t.pair < 5]) is None
    silent = [replace(t, params={**t.params, "took_s": ""}) for t in trials]
    for trial in silent:
        del trial.params["took_s"]
    assert curve_table(silent) is None
