# SPDX-License-Identifier: MIT
"""A kernel beside itself, from a recorded run: no table says that it differs.

two-kernels.jsonl.gz is what `vmkb run ftp --guest linux --releases 6.1,6.12 --trials 17` kept of
gets of 2 MB, while the load of two cores went from 17 to 33 and back.

same-twice.jsonl.gz is what `vmkb run ftp --guest linux --releases 6.1,6.1 --trials 5` kept of three
cases, on two cores with some thirty other processes; long raw texts are cut.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from accounting.store import FILE_NAME, Trial, read
from accounting.tables.table import Cell
from workloads.serve.even import even_table, price_table
from workloads.serve.tables import count_table

RECORDED = Path(__file__).with_name("same-twice.jsonl.gz")
KERNELS = Path(__file__).with_name("two-kernels.jsonl.gz")
CASES = {"G24KB", "P24KB", "P2M_B"}


def recorded(file: Path, folder: Path) -> tuple[Trial, ...]:
    (folder / FILE_NAME).write_bytes(gzip.decompress(file.read_bytes()))
    return read(folder).trials


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, ...]:
    return recorded(RECORDED, tmp_path_factory.mktemp("recorded"))


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


def test_both_halves_of_a_run_say_the_same_of_two_kernels(tmp_path: Path) -> None:
    """The host's load changed, and with it how many packets the same bytes took in each kernel: the
    evened ratios of the first nine trials and of the other eight have a value in common."""
    both = recorded(KERNELS, tmp_path)
    halves = [t for t in both if t.pair <= 9], [t for t in both if t.pair > 9]
    told: dict[str, list[Cell]] = {}
    for half in halves:
        table = even_table(half)
        at = table.columns.index("Ratio (IC/FT)")
        for row in body(table):
            if row.cells[0].text == "Linux 6.12.107":
                told.setdefault(row.label, []).append(row.cells[at])
    assert told.keys() == {"G2M_B", "G2M_A"}
    for case, (first, second) in told.items():
        assert first.lo < first.value < first.hi, case
        assert max(first.lo, second.lo) < min(first.hi, second.hi), (case, first, second)
