# SPDX-License-Identifier: MIT
"""What a counter's layout error and a build's luck do to intervals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.accounting.texts import make_results
from vmkb.accounting.costs import trial_cost
from vmkb.accounting.counter import BUILD, COUNTER, LAYOUT_ERROR, PROGRAM, counter_note
from vmkb.accounting.measures import part_cpu, throughput, total_cpu
from vmkb.accounting.models import model
from vmkb.accounting.records import Source
from vmkb.accounting.stats import Estimate, Luck
from vmkb.accounting.store import MixError, Trial, check_mix, read
from vmkb.accounting.tables.group import columns, ratio

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
    compared = ratio(found[0], found[1], total_cpu)
    assert compared.covers(1) and compared.half_width_percent > 11.8


def test_a_stock_counter_that_was_not_measured_is_said() -> None:
    assert "not measured" in counter_note({COUNTER: "stock Hyperion"})
    assert counter_note({}) == ""


def test_the_luck_of_builds_is_between_counts_alone(trials: tuple[Trial, ...]) -> None:
    """A build moves what is counted, not what QUERY TIME's hundredths or FTP's seconds say."""
    luck = Luck(0.01, 7)
    before, after = columns([trial_cost(t, Source.IC, MODEL) for t in trials])
    plain = ratio(before, after, part_cpu("TCPIP"))
    widened = ratio(before, after, part_cpu("TCPIP"), luck)
    assert widened.half_width_percent > max(1.9, 3 * plain.half_width_percent)
    assert ratio(before, after, throughput, luck) == ratio(before, after, throughput)


def test_builds_are_told_by_the_parameter_of_a_trial(trials: tuple[Trial, ...]) -> None:
    two = [replace(t, params={**t.params, BUILD: str(1 + t.pair % 2)}) for t in trials]
    before, after = columns([trial_cost(t, Source.IC, MODEL) for t in two])
    assert ratio(before, after, total_cpu).builds == 2
    before, after = columns([trial_cost(t, Source.IC, MODEL) for t in trials])
    assert ratio(before, after, total_cpu).builds == 1


def test_one_program_under_two_names_has_no_luck_between(trials: tuple[Trial, ...]) -> None:
    def compared(*programs: str) -> Estimate:
        named = dict(zip(("2.1.3", "2.2.1"), programs, strict=True))
        mine = [replace(t, params={**t.params, PROGRAM: named[t.release]}) for t in trials]
        before, after = columns([trial_cost(t, Source.IC, MODEL) for t in mine])
        return ratio(before, after, total_cpu, Luck(0.01, 7))

    assert compared("abc", "abc").same_program and not compared("abc", "abd").same_program
    assert not compared("", "").same_program, "what was not told is not the same"
    assert compared("abc", "abc").half_width_percent < compared("abc", "abd").half_width_percent


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
