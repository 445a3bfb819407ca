# SPDX-License-Identifier: MIT
"""What a counter's layout error and a build's luck do to intervals."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from accounting.costs import trial_cost
from accounting.counter import (
    BUILD_SPREAD,
    COUNTER,
    LAYOUT_ERROR,
    SAME_PROGRAM,
    across_builds,
    build_note,
    counter_note,
)
from accounting.models import model
from accounting.records import Source
from accounting.stats import ratio_paired
from accounting.store import MixError, Trial, check_mix, read
from accounting.tables.group import columns, part_us_kb, ratio, total_us_kb
from tests.accounting.texts import make_results

MODEL = model("2064-109")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trial, ...]:
    return read(make_results(tmp_path_factory.mktemp("r"))).trials


def with_meta(trials: tuple[Trial, ...], **meta: str) -> list[Trial]:
    return [replace(t, meta={**t.meta, **meta}) for t in trials]


def test_an_exact_counter_adds_nothing(trials: tuple[Trial, ...]) -> None:
    (exact, *_) = with_meta(trials, **{COUNTER: "exact"})
    cost = trial_cost(exact, Source.IC, MODEL)
    assert cost.total is not None and cost.total.systematic == 0
    assert not [n for n in cost.notes if "counter" in n]


def test_the_layout_error_is_around_every_count(trials: tuple[Trial, ...]) -> None:
    stock = with_meta(trials, **{COUNTER: "stock 3.13", LAYOUT_ERROR: "11.8"})
    cost = trial_cost(stock[0], Source.IC, MODEL)
    assert cost.total is not None
    low, high = cost.total.bounds
    assert low == pytest.approx(0.882 * cost.total.value, rel=1e-3)
    assert high == pytest.approx(1.118 * cost.total.value, rel=1e-3)
    assert "off by up to 11.8%" in counter_note(stock[0].meta)
    found = columns([trial_cost(t, Source.IC, MODEL) for t in stock])
    compared = ratio(found[0], found[1], total_us_kb)
    assert compared.covers(1) and compared.half_width_percent > 11.8


def test_a_stock_counter_that_was_not_measured_is_said() -> None:
    assert "not measured" in counter_note({COUNTER: "stock Hyperion"})
    assert counter_note({}) == ""


def test_one_build_widens_the_ratio_of_releases(trials: tuple[Trial, ...]) -> None:
    def compared(**meta: str) -> float:
        made = [trial_cost(t, Source.IC, MODEL) for t in with_meta(trials, **meta)]
        found = columns(made)
        return ratio(found[0], found[1], part_us_kb("TCPIP")).half_width_percent

    assert compared(**{BUILD_SPREAD: "1.0"}) > max(1.9, compared())
    assert compared(**{BUILD_SPREAD: "0.1"}) < compared(**{BUILD_SPREAD: "1.0"})


def test_a_release_against_itself_in_other_builds_shows_nothing() -> None:
    """Builds differ by 0.3 %, trials of a build by 0.01 %: without the builds' part 'dearer' or
    'cheaper' nearly always; with it wrong no more often than the interval says."""
    wrong = blind = 0
    for seed in range(300):
        rng = random.Random(seed)
        luck = {str(b): 1 + rng.gauss(0, 0.003) for b in (1, 2, 3)}
        pairs = [(b, luck[b] * (1 + rng.gauss(0, 1e-4))) for b in ("1", "2", "3", "1", "2", "3")]
        plain = ratio_paired([1.0] * 6, [x for _, x in pairs])
        found = across_builds(plain, {BUILD_SPREAD: "0.3"}, pairs)
        wrong += not found.covers(1)
        blind += not plain.covers(1)
    assert blind > 45 and wrong <= 15


def test_a_part_that_is_the_same_program_has_no_builds_between() -> None:
    plain = ratio_paired([1.0] * 6, [1.001, 1.002, 1.001, 1.002, 1.001, 1.002])
    pairs = [("1", 1.001)] * 6
    meta = {BUILD_SPREAD: "0.23", SAME_PROGRAM: "VM Client,System"}
    assert across_builds(plain, meta, pairs, "VM Client") == plain
    assert across_builds(plain, meta, pairs, "TCPIP").covers(1)
    assert across_builds(plain, meta, pairs, "Total").covers(1)
    said = build_note(meta, 1)
    assert "but for VM Client and System" in said and "but for" not in build_note(
        {BUILD_SPREAD: "1"}, 1
    )


def test_a_wider_spread_of_these_builds_is_taken() -> None:
    pairs = [(str(b), x) for b, x in ((1, 0.98), (2, 1.0), (3, 1.02), (1, 0.98), (2, 1.0))]
    plain = ratio_paired([1.0] * 5, [x for _, x in pairs])
    found = across_builds(plain, {BUILD_SPREAD: "0.1"}, pairs)
    assert found.hi - 1 > 0.02


def test_results_of_different_counters_are_mixed_only_on_purpose(
    trials: tuple[Trial, ...],
) -> None:
    both = [
        *with_meta(trials, **{COUNTER: "exact"}),
        *with_meta(trials, **{COUNTER: "stock 3.13"}),
    ]
    with pytest.raises(MixError, match="counter differs: exact, stock 3.13"):
        check_mix(both)
    assert check_mix(both, allow=["counter"])
