# SPDX-License-Identifier: MIT
"""Intervals, against another way to the same number or against how often they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vmkb.accounting.digits import ratio_places, supported
from vmkb.accounting.measures import estimate
from vmkb.accounting.records import Source, Unit
from vmkb.accounting.stats import (
    LEVEL,
    WIDTH_TARGET,
    Estimate,
    Luck,
    StatsError,
    mean_estimate,
    outliers,
    ratio_estimate,
    ratio_of_logs,
)
from vmkb.accounting.student import quantile
from vmkb.accounting.tables.group import ratio_of
from vmkb.accounting.units import Figure, add_figures

NUMBERS = st.floats(0.1, 1e4)


@cache
def other() -> Any:
    """Another's statistics. Each process of the tests reads this file; few run it."""
    from scipy import stats  # type: ignore[import-untyped]

    return stats


TRIALS = st.lists(NUMBERS, min_size=2, max_size=12)


def est(lo: float, hi: float, value: float | None = None) -> Estimate:
    return Estimate((lo + hi) / 2 if value is None else value, lo, hi, 5, 0.01, 4)


# The arithmetic


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99, 0.999, 0.9999])
def test_quantiles_of_students_t_are_scipys(level: float) -> None:
    for freedom in (1, 1.0001, 1.3, 2, 2.5, 3, 4, 7.7, 23, 47.3, 100, 300, 1000):
        theirs = float(other().t.ppf((1 + level) / 2, freedom))
        assert quantile(level, freedom) == pytest.approx(theirs, rel=1e-11)


@given(TRIALS)
def test_a_mean_has_students_interval(xs: list[float]) -> None:
    e = mean_estimate(xs)
    assert e.value == pytest.approx(np.mean(xs)) and e.n == len(xs)
    spread = float(np.std(xs, ddof=1) / math.sqrt(len(xs)))
    apart = float(other().t.ppf(0.975, len(xs) - 1)) * spread
    assert e.lo == pytest.approx(np.mean(xs) - apart, abs=1e-6 * max(xs))
    assert e.hi == pytest.approx(np.mean(xs) + apart, abs=1e-6 * max(xs))


@given(TRIALS, st.data())
def test_a_paired_ratio_has_students_interval_of_the_logarithms(
    base: list[float], data: st.DataObject
) -> None:
    new = data.draw(st.lists(NUMBERS, min_size=len(base), max_size=len(base)))
    e = ratio_estimate(base, new, paired=True)
    logs = np.log(new) - np.log(base)
    apart = float(other().t.ppf(0.975, len(base) - 1) * other().sem(logs))
    assert e.value == pytest.approx(np.mean(new) / np.mean(base))
    assert math.log(e.hi / e.value) == pytest.approx(apart, abs=1e-9)
    assert math.log(e.value / e.lo) == pytest.approx(apart, abs=1e-9)


@given(TRIALS, TRIALS)
def test_ratios_measured_apart_are_welchs(base: list[float], new: list[float]) -> None:
    assume(min(np.ptp(base), np.ptp(new)) > 1e-3)
    e = ratio_estimate(base, new, paired=False)
    ends = other().ttest_ind(np.log(new), np.log(base), equal_var=False).confidence_interval(0.95)
    assert math.log(e.hi / e.lo) == pytest.approx(ends.high - ends.low, rel=1e-6, abs=1e-9)


@given(TRIALS, st.floats(0.01, 100))
def test_a_factor_between_pairs_is_found_whatever_else_moved_them(
    xs: list[float], factor: float
) -> None:
    e = ratio_estimate(xs, [x * factor for x in xs], paired=True)
    assert e.value == pytest.approx(factor) and e.hi - e.lo <= 1e-9 * factor


def test_another_level_is_another_quantile() -> None:
    e = ratio_estimate([1.0] * 6, [1.0, 1.01, 1.02, 1.0, 1.01, 1.03], paired=True)
    assert e.at(LEVEL) == (e.lo, e.hi)
    for cases in (2, 8, 50):  # so many intervals hold together
        level = 1 - 0.05 / cases
        wide = math.log(e.at(level)[1] / e.value) / math.log(e.hi / e.value)
        assert wide == pytest.approx(
            other().t.ppf(1 - 0.025 / cases, 5) / other().t.ppf(0.975, 5), rel=1e-9
        )
    mean = mean_estimate([1.0, 2.0, 3.0])
    assert mean.at(0.99)[1] - 2 == pytest.approx(other().t.ppf(0.995, 2) / math.sqrt(3))
    alone = mean_estimate([1.0])
    assert alone.at(0.999) == (1, 1) and not alone.has_interval


def test_a_ratio_from_its_logarithm_is_the_same_one() -> None:
    e = ratio_estimate([1.0] * 4, [1.0, 1.1, 1.2, 1.3], paired=True)
    again = ratio_of_logs(math.log(e.value), e.error, e.freedom, n=4)
    assert (again.value, again.lo, again.hi) == pytest.approx((e.value, e.lo, e.hi))
    bounded = ratio_of_logs(0.0, e.error, e.freedom, n=4, around=(-0.1, 0.2))
    half = math.log(e.hi / e.value)
    assert math.log(bounded.lo) == pytest.approx(-0.1 - half)
    assert math.log(bounded.hi) == pytest.approx(0.2 + half)


# Builds


def test_builds_are_the_sample_where_there_are_several() -> None:
    """Nine seeds of one build tell nothing of another build."""
    ratios = [1.0, 1.001, 0.999, 1.01, 1.011, 1.009, 1.02, 1.021, 1.019]
    builds = [name for name in "abc" for _ in range(3)]
    e = ratio_estimate([1.0] * 9, ratios, paired=True, builds=(builds, builds))
    means = [np.mean(np.log(ratios[k : k + 3])) for k in (0, 3, 6)]
    apart = float(other().t.ppf(0.975, 2) * other().sem(means))
    assert math.log(e.hi / e.value) == pytest.approx(apart) and e.builds == 3
    whole = ratio_estimate([1.0] * 9, ratios, paired=True)
    assert whole.hi - whole.lo < 0.5 * (e.hi - e.lo) and whole.builds == 1
    mean = mean_estimate(ratios, builds=builds)
    own = [np.mean(ratios[k : k + 3]) for k in (0, 3, 6)]
    assert mean.hi - mean.value == pytest.approx(float(other().t.ppf(0.975, 2) * other().sem(own)))


def test_luck_that_is_known_counts_by_how_well_it_is_known() -> None:
    """Variances of a few builds here and of seven before are pooled."""
    base, new, builds = [1.0] * 3, [1.0, 1.002, 1.004], ["1", "2", "3"]
    e = ratio_estimate(base, new, paired=True, builds=(builds, builds), luck=Luck(0.01, 7))
    seen = float(np.var(np.log(new), ddof=1))
    pooled = (2 * seen + 7 * 0.01**2) / 9
    assert e.freedom == 9 and e.error == pytest.approx(math.sqrt(pooled / 3))


@pytest.mark.parametrize("paired", [True, False])
def test_one_build_has_the_luck_of_one(paired: bool) -> None:
    """Seeds do not average away what one build does."""
    many = [1.0 + 1e-5 * (-1) ** k for k in range(40)]
    e = ratio_estimate(many, many[::-1], paired=paired, luck=Luck(0.002, 7))
    assert e.error == pytest.approx(0.002, rel=0.01) and e.builds == 1
    assert e.has_interval and not e.exact
    noisy = [1.0, 1.01, 0.99, 1.02]
    e = ratio_estimate([1.0] * 4, noisy, paired=paired, luck=Luck(0.002, 7))
    seeds = float(np.var(np.log(noisy), ddof=1)) / 4
    assert e.error == pytest.approx(math.sqrt(0.002**2 + seeds)), "and what seeds do is in it"
    one = ratio_estimate([1.0], [1.001], paired=paired, luck=Luck(0.002, 7))
    assert one.has_interval and one.covers(1)
    assert not ratio_estimate([1.0], [1.001], paired=paired).has_interval


def test_one_program_on_both_sides_has_no_luck_between_them() -> None:
    builds = ["1", "2"]
    e = ratio_estimate([5.0, 5.0], [5.0, 5.0], paired=True, luck=Luck(0.01, 7),
                       builds=(builds, builds), same_program=True)  # fmt: skip
    assert e.exact and (e.lo, e.value, e.hi) == (1, 1, 1)
    for values, of in (([5.0], ["1"]), ([5.0, 5.2], builds)):
        e = ratio_estimate(values, values, paired=True, luck=Luck(0.01, 7), builds=(of, of),
                           same_program=True)  # fmt: skip
        assert e.exact and e.has_interval and (e.lo, e.value, e.hi) == (1, 1, 1)
    near = Figure(100.0, Unit.US_KB, (Source.IC,), 0.0, 0.01)
    alike = ratio_of([near] * 2, [near] * 2, paired=True, same_program=True)
    assert (alike.lo, alike.hi) == (0.99 / 1.01, 1.01 / 0.99), "a loose counter shows nothing"
    moved = ratio_estimate([5.0, 5.1], [5.2, 5.3], paired=True, same_program=True)
    assert moved.lo < moved.value < moved.hi


@pytest.mark.parametrize(("builds", "seeds", "known"), [(1, 3, 8), (2, 2, 8), (3, 2, 0), (4, 1, 3)])
@pytest.mark.parametrize("paired", [True, False])
def test_an_interval_holds_as_often_as_it_says(
    builds: int, seeds: int, known: int, paired: bool
) -> None:
    """Of drawn builds and seeds, what is known of builds beforehand drawn as well."""
    draw = np.random.default_rng(builds * 100 + seeds * 10 + known)
    runs, luck_of, seed_of, hits = 1500, 0.003, 0.0005, 0
    for _ in range(runs):
        before = None
        if known:
            earlier = draw.normal(0, luck_of, known)
            before = Luck(float(np.std(earlier, ddof=1)), known - 1)
        sides: list[list[float]] = []
        for centre in (0.0, 0.01):  # half of the variance of a ratio's luck is each side's
            drawn = draw.normal(0, luck_of / math.sqrt(2), builds)
            logs = [centre + b + draw.normal(0, seed_of) for b in drawn for _ in range(seeds)]
            sides.append([math.exp(x) for x in logs])
        names = [str(k) for k in range(builds) for _ in range(seeds)]
        e = ratio_estimate(*sides, paired=paired, builds=(names, names), luck=before)
        hits += e.covers(math.exp(0.01))
    assert 0.93 <= hits / runs <= 0.985, hits / runs


# What sources leave open

READINGS = st.lists(
    st.tuples(st.floats(0.001, 1e4), st.floats(0, 10), st.floats(0, 0.1)), min_size=1, max_size=9
)


@given(READINGS, st.data())
def test_an_interval_holds_the_mean_of_the_true_values(
    readings: list[tuple[float, float, float]], data: st.DataObject
) -> None:
    """Whatever the trials truly were within their bounds."""
    figures = [Figure(x, Unit.US, (Source.QT,), 2 * step, s) for x, step, s in readings]
    e = estimate(figures)
    true = float(np.mean([data.draw(st.floats(*f.bounds)) for f in figures]))
    assert e.lo - 1e-9 * abs(true) <= true <= e.hi + 1e-9 * abs(true)
    assert e.lo <= e.value <= e.hi


def test_identical_trials_in_steps_have_no_interval_of_no_width() -> None:
    """Five trials that all print 0.01 s, of anything from nothing to 0.02 s."""
    same = [Figure(0.07, Unit.US_KB, (Source.QT,), 0.14)] * 5
    e = estimate(same)
    assert (e.lo, e.hi) == (pytest.approx(0), pytest.approx(0.14))
    assert e.coarse and e.half_width_percent > WIDTH_TARGET and not e.below_step and not e.exact
    assert estimate([f._replace(value=0.0) for f in same]).below_step
    fine = [Figure(10.0, Unit.US_KB, (Source.QT,), 0.14)] * 5
    for paired in (True, False):
        ratio = ratio_of(same, same, paired=paired)
        assert ratio.value == 1 and ratio.lo == 0 and not ratio.has_interval
        ratio = ratio_of(fine, fine, paired=paired)
        assert ratio.lo == pytest.approx(9.93 / 10.07) and ratio.hi == pytest.approx(10.07 / 9.93)
        assert not ratio.exact


def test_a_systematic_part_is_not_averaged_away() -> None:
    """Counters that may be off by 1 % the same way in each trial: n does not narrow that."""
    many = [Figure(100.0, Unit.US_KB, (Source.IC,), 0.0, 0.01)] * 40
    e = estimate(many)
    assert (e.lo, e.hi) == (99, 101) and e.step == 0
    ratio = ratio_of(many, many, paired=True)
    assert ratio.covers(0.981) and ratio.covers(1.019)
    total = add_figures([many[0], Figure(300.0, Unit.US_KB, (Source.IC,))])
    assert total.bounds == (399, 401)


def test_trials_that_agree_to_the_last_instruction_are_exact() -> None:
    assert mean_estimate([3.0, 3.0]).exact
    assert not mean_estimate([3.0]).exact, "one trial agrees with nothing"
    assert not mean_estimate([3.0, 3.0001]).exact
    assert not mean_estimate([3.0, 3.0], bounds=[(2.9, 3.1)] * 2).exact
    ratio = ratio_estimate([3.0, 3.0], [6.0, 6.0], paired=True)
    assert ratio.exact and (ratio.lo, ratio.hi) == (2, 2)
    assert not ratio_estimate([3.0, 3.0], [6.0, 6.1], paired=False).exact


def test_ratios_refuse_what_has_none() -> None:
    with pytest.raises(StatsError, match="at least one"):
        mean_estimate([])
    with pytest.raises(StatsError, match="2 base trials and 1"):
        ratio_estimate([1, 2], [1], paired=True)
    for bad in (0, -1, math.nan, math.inf):
        with pytest.raises(StatsError, match="trial 2 of the base is"):
            ratio_estimate([1, bad], [1, 1], paired=True)
        with pytest.raises(StatsError, match="trial 1 of the new release is"):
            ratio_estimate([1, 1], [bad, 1], paired=False)


# What is printed


def test_outliers_are_named_and_counted_all_the_same() -> None:
    xs = [10.0, 10.1, 9.9, 10.05, 30.0, 9.95]
    e = mean_estimate(xs)
    assert e.outliers == (4,) and e.n == 6 and e.value == pytest.approx(np.mean(xs))
    nothing: Sequence[tuple[list[float], float, tuple[int, ...]]] = (
        ([1.0, 1.1, 0.9, 1.05], 0, ()),
        # identical but for the clock's step: no outlier; far beyond it: one
        ([5.0, 5.0, 5.0, 5.0, 5.01], 0.01, ()),
        ([5.0, 5.0, 5.0, 5.0, 6.0], 0.01, (4,)),
        ([0.0, 0.0, 0.0, 1.0], 0, (3,)),
        ([0.0, 0.0, 0.0], 0, ()),
        # the score counts from 3.5: deviations in MADs of 1 (scaled 1.4826)
        ([-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 5.19], 0, (6,)),
        ([-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 5.18], 0, ()),
        ([1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -5.19], 0, (6,)),
    )
    for values, tick, found in nothing:
        assert outliers(values, tick) == found, values


def test_half_width_in_percent() -> None:
    assert est(9, 11).half_width_percent == pytest.approx(10)
    assert est(-11, -9).half_width_percent == pytest.approx(10)
    assert est(5, 5).half_width_percent == 0
    assert est(-1, 1).half_width_percent == math.inf
    assert est(0, 0).half_width_percent == 0
    assert est(99, 101).half_width_percent <= WIDTH_TARGET < est(98.9, 101.1).half_width_percent
    assert est(98.9, 101.1).half_width_percent <= 2


def test_digits_follow_the_interval() -> None:
    assert supported(est(47.0, 47.6)) == 1  # three significant digits
    assert supported(est(47.27, 47.33)) == 2
    assert supported(est(900, 1100)) == 0
    assert supported(est(0.9, 1.1)) == 2
    assert supported(est(0.90, 1.12, value=0.97)) == 3
    assert supported(est(1, 1 + 1e-12)) == 6
    # the source's step is the last digit, however many trials agree
    assert supported(replace(est(1, 1), step=0.02)) == 2
    assert supported(replace(est(25.40, 25.41), step=0.3)) == 1
    assert supported(replace(est(1200, 1200), step=7)) == 0
    # without an interval nothing supports more than three significant digits
    assert supported(replace(est(33.7637, 33.7638), freedom=0.0)) == 1
    assert ratio_places(replace(est(0.9999, 1.0), freedom=0.0)) == 3
    assert ratio_places(est(0.99, 1.01)) == 3
    assert ratio_places(est(0.9968, 0.9972)) == 4
    assert ratio_places(replace(est(0.9, 1.1), step=0.04)) == 2
