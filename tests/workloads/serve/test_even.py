# SPDX-License-Identifier: MIT
"""A kernel beside itself, from a recorded run: no table says that it differs.

same-twice.jsonl.gz is what `vmkb run ftp --guest linux --releases 6.1,6.1 --trials 5` kept of three
cases, on two cores with some thirty other processes; long raw texts are cut.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from accounting.store import FILE_NAME, Trial, read
from workloads.serve.even import even_table, price_table
from workloads.serve.tables import count_table

RECORDED = Path(__file__).with_name("same-twice.jsonl.gz")
CASES = {"G24KB", "P24KB", "P2M_B"}


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, ...]:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / FILE_NAME).write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return read(folder).trials


def body(table):
    return [row for section in table.body for row in section.rows]


@pytest.mark.parametrize("make", [count_table, even_table])
def test_no_row_says_that_it_differs(trials, make) -> None:
    table = make(trials)
    at = table.columns.index("Ratio (IC/FT)")
    again = [r for r in body(table) if r.cells[0].text == "Linux 6.1.176 again"]
    assert {r.label for r in again} == CASES
    assert all("~" in r.cells[at].text for r in again), [r.cells[at].text for r in again]


def test_evened_trials_differ_less_than_as_they_came(trials) -> None:
    table = even_table(trials)
    came, even = (i for i, name in enumerate(table.columns) if name == "Half %")
    rows = body(table)
    assert len(rows) == 2 * len(CASES)
    assert sum(r.cells[even].value for r in rows) < sum(r.cells[came].value for r in rows) / 2


def test_what_programs_executed_to_send_small_files_is_the_same_in_each_trial(trials) -> None:
    """The FTP server does the same for the same files, whatever the host does."""
    user = [int(t.params["user_instr"]) for t in trials if t.case == "G24KB"]
    assert max(user) / min(user) < 1.01


def test_the_prices_are_of_one_order_in_both(trials) -> None:
    each = {}
    for row in body(price_table(trials)):
        assert row.cells[0].text == "all", "five trials of a case are too few for each direction"
        each.setdefault(row.cells[1].text, []).append(row.cells[2].value)
    assert all(len(both) == 2 for both in each.values())
    assert all(0.3 < a / b < 3 for a, b in [each["channel"]])


def test_trials_without_events_make_no_table(trials) -> None:
    silent = [t for t in trials if json.loads(t.params.pop("events", "{}"))]
    assert silent and even_table(trials) is None and price_table(trials) is None
